"""The part of a unit's contract that a failure is about, in one line."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from devloop_tools.domain.contracts.contract import (
    Contract,
    Function,
    parse_contract,
    read_contract,
    unit_page,
)
from devloop_tools.storage.errors import ExpectedFailure, StorageError, ToolSandboxError
from devloop_tools.storage.workspace import Workspace

MAX_SCHEMA = 80
_WORD = re.compile(r"[^\W_]+")


def contract_of(workspace: Workspace, unit_id: str) -> Contract | None:
    """The contract on the unit's page, None where there is none that can be read."""
    try:
        path = unit_page(unit_id)
        return parse_contract(read_contract(workspace, path), path)
    except (ExpectedFailure, StorageError, ToolSandboxError):
        return None


def passage(contract: Contract, names: Iterable[str], text: str) -> str:
    """What the contract says of one of `names`, else of an endpoint or an error in `text`."""
    wanted = [_flat(name) for name in names]
    for flat in wanted:
        for function in contract.functions:
            if _flat(function.name.rpartition(".")[2]) == flat:
                return _function(function)
    return next(_named_in(contract, text), "")


def _named_in(contract: Contract, text: str) -> Iterator[str]:
    """The longest path first: `/todos/{id}` says more than `/todos`."""
    for endpoint in sorted(contract.endpoints, key=lambda one: -len(one.path)):
        if _path_pattern(endpoint.path).search(text):
            statuses = ", ".join(sorted(endpoint.responses))
            told = f" {endpoint.summary}" if endpoint.summary else ""
            yield f"{endpoint.method} {endpoint.path}{told} → {statuses or '?'}"
    for error in contract.errors:
        if re.search(rf"(?<!\w){re.escape(str(error.code))}(?!\w)", text):
            yield f"{error.code}: {error.when}"
    for name, schema in contract.types.items():
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            yield f"{name}: {_schema(schema)}"


def _path_pattern(path: str) -> re.Pattern[str]:
    """Matches the path with any value for its parameters, in whatever spelling."""
    parts = re.split(r"\{[^}]*\}|:\w+", path)
    return re.compile(r"[^/\s'\"`]+".join(map(re.escape, parts)) + r"(?![\w/])")


def _function(function: Function) -> str:
    given = [f"{param.name}: {_schema(param.schema_)}" for param in function.params]
    returns = "" if function.returns is None else f" → {_schema(function.returns)}"
    summary = (function.model_extra or {}).get("summary") or ""
    told = f": {summary}" if isinstance(summary, str) and summary else ""
    return f"{function.name}({', '.join(given)}){returns}{told}"


def _schema(schema: Any) -> str:
    """A schema as briefly as it can be said."""
    if not isinstance(schema, dict):
        return "any"
    if isinstance(reference := schema.get("$ref"), str):
        return reference.rpartition("/")[2]
    if isinstance(said := schema.get("description"), str) and said:
        return f"{schema.get('type', 'any')} ({said})"[:MAX_SCHEMA]
    if schema.keys() == {"type"}:
        return str(schema["type"])
    text = json.dumps(schema, ensure_ascii=False)
    return text if len(text) <= MAX_SCHEMA else f"{text[:MAX_SCHEMA]}…"


def _flat(name: str) -> str:
    """`parse_money` and `parseMoney` are one name."""
    return "".join(_WORD.findall(name)).lower()
