"""Writes what was made of a contract, and leaves alone what somebody changed by hand.

The header of each file names the contract's hash and the digest of what follows it. A
file whose digest doesn't fit was edited, and is kept; so is one without a header.
"""

import hashlib
import re
from enum import StrEnum
from typing import Any, assert_never

from pydantic import BaseModel, ConfigDict

from devloop_tools.domain.bridge.contract_shapes import shapes_of
from devloop_tools.domain.bridge.json_schema import json_schema
from devloop_tools.domain.bridge.python import python
from devloop_tools.domain.bridge.typescript import typescript
from devloop_tools.domain.contracts.contract import hash_of, read_contract, unit_page
from devloop_tools.domain.documents.site import Emitter
from devloop_tools.domain.events import EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done
from devloop_tools.storage.workspace import Workspace

_SEAL = re.compile(rb"\A(?:[^\n]*\n)?[^\n]*\bcontent ([0-9a-f]{64})[^\n]*\n")


_OPENED = "{\n"


class Target(StrEnum):
    """What is made: a language's types and stubs, or one schema document."""

    TYPESCRIPT = "typescript"
    PYTHON = "python"
    JSON_SCHEMA = "json-schema"


class Kept(BaseModel):
    """A file that was not written, and why."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    path: str
    reason: str


class ContractBridged(Done):
    """`unchanged` were already so; `kept` were edited by hand; `warnings` say what was lost."""

    contract_hash: str
    written: list[str]
    unchanged: list[str]
    kept: list[Kept]
    warnings: list[str]


class Bridge:
    """Makes files of a unit's contract in `units/{unit_id}/contract/`."""

    def __init__(self, workspace: Workspace, origin: Origin, events: Emitter) -> None:
        self._workspace = workspace
        self._origin = origin
        self._events = events

    def build(self, unit_id: str, target: Target) -> ContractBridged:
        """Write the files of `target`. Raises ExpectedFailure if there is no sound contract."""
        page = unit_page(unit_id)
        raw = read_contract(self._workspace, page)
        contract_hash = hash_of(raw, page).hash
        files, warnings = _made(target, raw, page)
        written: list[str] = []
        unchanged: list[str] = []
        kept: list[Kept] = []
        folder = f"units/{unit_id}/contract"
        for name, body in files.items():
            path = f"{folder}/{name}"
            content = with_header(name, body, f"{unit_id}: {contract_hash}")
            with self._workspace.locked(path) as file:
                present = file.read()
                if present == content:
                    unchanged.append(path)
                elif present is None or is_as_made(name, present):
                    file.replace(content)
                    written.append(path)
                else:
                    kept.append(Kept(path=path, reason=_WHY_KEPT))
        if written:
            fact = {
                "unit_id": unit_id,
                "target": target.value,
                "hash": contract_hash,
                "written": written,
                "kept": [file.path for file in kept],
            }
            self._events.emit(self._origin, EventType.CONTRACT_BRIDGED, fact)
        return ContractBridged(
            contract_hash=contract_hash,
            written=written,
            unchanged=unchanged,
            kept=kept,
            warnings=warnings,
        )


_WHY_KEPT = (
    "It was edited by hand and may be made of an older contract. Move the edits to a file of your"
    " own, delete this one and call again to have it made anew."
)


def _made(target: Target, raw: dict[str, Any], page: str) -> tuple[dict[str, str], list[str]]:
    shapes = shapes_of(raw, page)
    warnings = list(shapes.warnings)
    match target:
        case Target.TYPESCRIPT:
            return typescript(shapes), warnings
        case Target.PYTHON:
            files, more = python(shapes)
            return files, warnings + more
        case Target.JSON_SCHEMA:
            files, more = json_schema(raw, page)
            return files, list(dict.fromkeys(warnings + more))
        case _:
            assert_never(target)


def with_header(name: str, body: str, source: str) -> bytes:
    """The file's content: a header that seals it, then `body`."""
    made = f"Made by contract_bridge of the contract of {source}"
    digest = hashlib.sha256(body.encode()).hexdigest()
    left = f"Made again when it changes, unless edited by hand. content {digest}"
    if name.endswith(".json"):
        return f'{{\n  "$comment": "{made}. {left}",\n{body.removeprefix(_OPENED)}'.encode()
    mark = "#" if name.endswith(".py") else "//"
    return f"{mark} {made}\n{mark} {left}\n{body}".encode()


def is_as_made(name: str, content: bytes) -> bool:
    """Whether nobody touched the file since `with_header`."""
    seal = _SEAL.match(content)
    if seal is None:
        return False
    body = content[seal.end() :]
    if name.endswith(".json"):
        body = _OPENED.encode() + body
    return hashlib.sha256(body).hexdigest().encode() == seal[1]
