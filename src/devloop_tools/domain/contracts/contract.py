"""A unit's contract: what it looks like, where it is kept, and its hash.

A page `sdd/units/{unit_id}.html` carries its contract as JSON in
`<script type="application/json" id="data-contract">`, with `<` written as `\\u003c`, so that no
text in it ends the element. The first such element counts.
"""

import hashlib
from difflib import get_close_matches
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from devloop_tools.domain.contracts.canonical_json import canonical
from devloop_tools.domain.html.tree import read_tree
from devloop_tools.domain.outcome import Done
from devloop_tools.settings import is_id
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

CONTRACT_ELEMENT = "data-contract"
"""The id of the script element that holds the contract in a unit's page."""

MAX_CONTRACT_BYTES = 4 * 1024 * 1024

JsonSchema = dict[str, Any] | bool


class _Part(BaseModel):
    """Fields that we don't know are kept: a contract may say more than we compare."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)


class Endpoint(_Part):
    method: str = Field(min_length=1)
    path: str = Field(pattern="^/")
    summary: str = ""
    request: JsonSchema | None = None
    responses: dict[str, JsonSchema | None] = Field(default_factory=dict)


class Parameter(_Part):
    """One that has `required: false`, or a default in its schema, may be left out."""

    name: str = Field(min_length=1)
    schema_: JsonSchema = Field(default=True, alias="schema")
    required: bool = True

    @property
    def must_be_given(self) -> bool:
        has_default = isinstance(self.schema_, dict) and "default" in self.schema_
        return self.required and not has_default


class Function(_Part):
    name: str = Field(min_length=1)
    params: list[Parameter] = Field(default_factory=list)
    returns: JsonSchema | None = None


class EmittedEvent(_Part):
    """What the unit tells others; `payload` is the schema of what goes with it."""

    name: str = Field(min_length=1)
    payload: JsonSchema | None = None


class ErrorCode(_Part):
    code: str | int
    when: str = ""


class Contract(_Part):
    """What a unit promises to those who use it. All lists may be left out."""

    unit: str = Field(min_length=1)
    version: int | str
    endpoints: list[Endpoint] = Field(default_factory=list)
    functions: list[Function] = Field(default_factory=list)
    types: dict[str, JsonSchema] = Field(default_factory=dict)
    events: list[EmittedEvent] = Field(default_factory=list)
    errors: list[ErrorCode] = Field(default_factory=list)


class ContractHashed(Done):
    """`hash` is `sha256:` and the digest of the canonical form, which has so many `bytes`."""

    hash: str
    bytes: int


def parse_contract(raw: Any, name: str) -> Contract:
    """`raw` as a contract. Raises ExpectedFailure that names the field at fault."""
    try:
        contract = Contract.model_validate(raw)
    except ValidationError as exc:
        fault = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in fault["loc"]) or "the whole"
        raise _no_contract(name, f"{where}: {fault['msg']}") from exc
    for unknown in contract.model_extra or {}:
        if close := get_close_matches(unknown, Contract.model_fields, n=1, cutoff=0.8):
            raise _no_contract(name, f"unknown field {unknown}: did you mean {close[0]}?")
    return contract


def hash_of(raw: dict[str, Any], name: str = "contract") -> ContractHashed:
    """The hash of a contract as given: nothing is added, nothing removed.

    Raises ExpectedFailure where `raw` is no contract.
    """
    parse_contract(raw, name)
    form = canonical(raw, name)
    return ContractHashed(hash="sha256:" + hashlib.sha256(form).hexdigest(), bytes=len(form))


def unit_page(unit_id: str) -> str:
    """Where the page of a unit lies. Raises ExpectedFailure if that is no unit's id."""
    if not is_id(unit_id):
        raise ExpectedFailure(
            f"unit_id: {unit_id} is no unit's id.", "An id is 1 to 64 letters or digits, - _ or ."
        )
    return f"sdd/units/{unit_id}.html"


def read_contract(workspace: Workspace, path: str) -> dict[str, Any]:
    """The contract in a JSON file, or embedded in a unit's page. Raises ExpectedFailure."""
    content = workspace.read(path)
    if content is None:
        raise ExpectedFailure(f"{path}: there is no such file.", "Name a unit's page or JSON file.")
    return contract_in(content, path)


def contract_in(content: bytes, path: str) -> dict[str, Any]:
    """The contract in the bytes of the file at `path`. Raises ExpectedFailure."""
    if path.lower().endswith((".html", ".htm")):
        text = _embedded(content, path)
    elif len(content) > MAX_CONTRACT_BYTES:
        raise _no_contract(path, f"{len(content)} bytes; at most {MAX_CONTRACT_BYTES} are read")
    else:
        text = content.removeprefix(b"\xef\xbb\xbf")
    try:
        raw = orjson.loads(text)
    except orjson.JSONDecodeError as exc:
        raise _no_contract(path, f"its JSON can't be read: {exc}") from exc
    if not isinstance(raw, dict):
        raise _no_contract(path, "its JSON is no object")
    return raw


def _embedded(content: bytes, path: str) -> bytes:
    wanted = f'script[type="application/json"]#{CONTRACT_ELEMENT}'
    node = read_tree(content, path).tree.css_first(wanted)
    if node is None:
        raise ExpectedFailure(
            f"{path}: it carries no contract ({wanted}).",
            "write_mvcp_page puts it there; ask the architect to write the page.",
        )
    return node.text().encode()


def _no_contract(name: str, fault: str) -> ExpectedFailure:
    return ExpectedFailure(
        f"{name}: no contract: {fault}.",
        "A contract is {unit, version, endpoints, functions, types, events, errors}.",
    )
