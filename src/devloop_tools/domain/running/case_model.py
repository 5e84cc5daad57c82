"""An end-to-end case as an agent writes it: a request, what is expected, what later cases get."""

import json
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema

from devloop_tools.domain.running.names import UnitId
from devloop_tools.domain.running.placeholders import names_in
from devloop_tools.storage.errors import ExpectedFailure

MAX_CASES = 500
MAX_FILE = 4_000_000

_CONFIG = ConfigDict(extra="forbid", frozen=True, defer_build=True)
AnyJson = Annotated[
    Any,
    WithJsonSchema(
        {"anyOf": [{"type": "object", "maxProperties": 200}, {"type": "array", "maxItems": 1000}]}
    ),
]
Headers = dict[
    Annotated[str, Field(min_length=1, max_length=100)], Annotated[str, Field(max_length=4000)]
]
Text = Annotated[str, Field(max_length=100_000)]


class CaseRequest(BaseModel):
    """What is sent. Unknown fields are refused."""

    model_config = _CONFIG

    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] = Field(
        default="GET", description="The method."
    )
    url: str = Field(
        min_length=1,
        max_length=4000,
        description="An http URL of a unit.",
        examples=["{{unit.todo-be.url}}/todos"],
    )
    headers: Headers = Field(default_factory=dict, max_length=50, description="Its headers.")
    as_json: AnyJson = Field(default=None, alias="json", description="A body as JSON.")
    body: Text | None = Field(default=None, description="A body as text, instead of json.")


class CaseExpect(BaseModel):
    """What must hold of the answer; what isn't given isn't judged. Unknown fields are refused."""

    model_config = _CONFIG

    status: int | None = Field(default=None, ge=100, le=599, description="The status.")
    headers: Headers = Field(
        default_factory=dict, max_length=50, description="Values; parameters after ; may be more."
    )
    as_json: AnyJson = Field(
        default=None, alias="json", description="What the JSON body holds, among other fields."
    )
    body_schema: AnyJson = Field(
        default=None, alias="schema", description="A JSON Schema that the body fits."
    )
    body_contains: str | None = Field(
        default=None, min_length=1, max_length=10_000, description="A text in the body."
    )


class Case(BaseModel):
    """One case. Unknown fields are refused."""

    model_config = _CONFIG

    id: UnitId = Field(description="Its name, for results and {{case.ID.NAME}}.")
    request: CaseRequest = Field(description="What is sent.")
    expect: CaseExpect = Field(default=CaseExpect(), description="What must hold of the answer.")
    save: dict[UnitId, Annotated[str, Field(min_length=1, max_length=500)]] = Field(
        default_factory=dict,
        max_length=50,
        description="Parts of the answer by name: $.items[0].id, headers.etag, status, body.",
        examples=[{"token": "$.token"}],
    )


class CaseFile(BaseModel):
    """A file of cases, with vars that hold for all of them."""

    model_config = _CONFIG

    cases: list[Case] = Field(min_length=1, max_length=MAX_CASES)
    vars: dict[str, Any] = Field(default_factory=dict)


def cases_in(content: bytes, path: str) -> CaseFile:
    """A JSON object with cases, a list of them, or one a line. Raises ExpectedFailure."""
    if len(content) > MAX_FILE:
        raise ExpectedFailure(f"{path}: more than {MAX_FILE} bytes.", "Put the cases into several.")
    raw = _parsed(content, path)
    try:
        found = CaseFile.model_validate(raw if isinstance(raw, dict) else {"cases": raw})
    except ValidationError as exc:
        fault = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in fault["loc"])
        raise ExpectedFailure(
            f"{path}: {where}: {fault['msg']}.",
            "A case is {id, request: {method, url}, expect: {status}}; see this tool's schema.",
        ) from None
    seen: set[str] = set()
    for case in found.cases:
        if case.id in seen:
            raise ExpectedFailure(f"{path}: two cases are called {case.id}.", "Rename one.")
        seen.add(case.id)
    return found


def in_order(cases: Sequence[Case], path: str) -> list[Case]:
    """Each case behind those whose values it uses, else as they stand. Raises ExpectedFailure."""
    by_id = {case.id: case for case in cases}
    uses = {case.id: _used_by(case, by_id.keys() - {case.id}) for case in cases}
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as exc:
        cycle = " → ".join(exc.args[1])
        raise ExpectedFailure(
            f"{path}: the cases use each other's values in a circle: {cycle}.",
            "Take one of these {{case...}} away.",
        ) from None
    ordered: dict[str, Case] = {}

    def put(case: Case) -> None:
        for other in sorted(uses[case.id], key=list(by_id).index):
            if other not in ordered:
                put(by_id[other])
        ordered.setdefault(case.id, case)

    for case in cases:
        put(case)
    return list(ordered.values())


def _used_by(case: Case, others: Any) -> set[str]:
    names = names_in(case.model_dump(by_alias=True, exclude={"id", "save"}))
    used = (name.removeprefix("case.").rpartition(".")[0] for name in names)
    return {other for other in used if other in others}


def _parsed(content: bytes, path: str) -> Any:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise ExpectedFailure(f"{path}: not UTF-8 ({exc.reason}).", "Write it in UTF-8.") from None
    try:
        return json.loads(text)
    except ValueError as exc:
        fault = exc
    except RecursionError:
        raise ExpectedFailure(f"{path}: nested too deep.", "Write flat cases.") from None
    lines = text.split("\n")
    if len([line for line in lines if line.strip()]) < 2:
        raise _no_json(path, fault)
    values = []
    for number, line in enumerate(lines, 1):
        try:
            values += [json.loads(line)] if line.strip() else []
        except (ValueError, RecursionError):
            raise _no_json(path, fault, f" nor is line {number} by itself") from None
    return values


def _no_json(path: str, exc: ValueError, more: str = "") -> ExpectedFailure:
    return ExpectedFailure(
        f"{path}: not JSON: {exc}{more}.",
        "Write a list of cases, an object {cases: [...]}, or one case a line.",
    )
