"""Arguments from the wire to the tool's input model, with errors that a model can act on."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

import orjson
from pydantic import BaseModel, ValidationError

from devloop_tools.toolkit.schema import input_schema

Location = tuple[int | str, ...]

_SHOWN = 80
_WANTS_OBJECT = frozenset({"model_type", "dict_type", "model_attributes_type", "dataclass_type"})
_WANTS_LIST = frozenset({"list_type", "tuple_type", "set_type"})


@dataclass(frozen=True, slots=True)
class Problem:
    """One field that can't be used, why, and what could stand there."""

    field: str
    reason: str
    allowed: str = ""

    def __str__(self) -> str:
        allowed = f" Allowed: {self.allowed}" if self.allowed else ""
        return f"{self.field}: {self.reason}{allowed}"


class InvalidArguments(Exception):
    """Arguments that don't fit; the text holds a line a problem."""

    def __init__(self, tool: str, problems: Sequence[Problem]) -> None:
        lines = [f"Invalid arguments for {tool}:", *(f"- {problem}" for problem in problems)]
        super().__init__("\n".join(lines))
        self.problems = tuple(problems)


class Arguments(Protocol):
    """What a tool takes: how it is published, and how it is read."""

    def schema(self) -> dict[str, Any]:
        """JSON Schema 2020-12 of an object."""
        ...

    def parse(self, tool: str, arguments: dict[str, Any]) -> Any:
        """What the tool is run with. Raises InvalidArguments."""
        ...


@dataclass(frozen=True, slots=True)
class ModelArguments:
    """Arguments that a pydantic model describes."""

    model: type[BaseModel]

    def schema(self) -> dict[str, Any]:
        return input_schema(self.model)

    def parse(self, tool: str, arguments: dict[str, Any]) -> BaseModel:
        return parse_arguments(tool, self.model, arguments)


def parse_arguments(tool: str, model: type[BaseModel], arguments: dict[str, Any]) -> BaseModel:
    """`arguments` as `model`.

    Null for an optional, non-nullable field counts as absent. An object or list that came as a
    JSON string is taken where the schema wants one. Raises InvalidArguments.
    """
    try:
        return model.model_validate(arguments)
    except ValidationError as first:
        mended = copy.deepcopy(arguments)
        # Mending a null or a string can bring faults to light that lay inside it.
        error = first
        for _ in range(3):
            if not _mend(mended, error):
                break
            try:
                return model.model_validate(mended)
            except ValidationError as next_error:
                error = next_error
        raise InvalidArguments(tool, _problems(model, error, arguments)) from None


def _mend(arguments: dict[str, Any], error: ValidationError) -> bool:
    changed = False
    for fault in error.errors(include_url=False, include_context=False):
        location, value = fault["loc"], fault["input"]
        holder = _holder(arguments, location)
        if holder is None or fault["type"] in ("missing", "extra_forbidden"):
            continue
        if value is None and isinstance(holder, dict):
            del holder[location[-1]]
            changed = True
        elif (parsed := _unstringified(value, fault["type"])) is not None:
            holder[location[-1]] = parsed
            changed = True
    return changed


def _holder(arguments: Any, location: Location) -> Any:
    """The object or list that holds the place, None where the place isn't in the arguments."""
    here = arguments
    for step in location[:-1]:
        here = _step(here, step)
    if not location or _step(here, location[-1]) is _ABSENT:
        return None
    return here


_ABSENT: Any = object()


def _step(here: Any, step: int | str) -> Any:
    if isinstance(here, dict):
        return here.get(step, _ABSENT)
    if isinstance(here, list) and isinstance(step, int) and step < len(here):
        return here[step]
    return _ABSENT


def _unstringified(text: object, fault: str) -> dict[str, Any] | list[Any] | None:
    wanted = dict if fault in _WANTS_OBJECT else list if fault in _WANTS_LIST else None
    if wanted is None or not isinstance(text, str):
        return None
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, wanted) else None


def _problems(
    model: type[BaseModel], error: ValidationError, arguments: dict[str, Any]
) -> list[Problem]:
    problems = []
    for fault in error.errors(include_url=False):
        location = fault["loc"]
        holder = _holder(arguments, location)
        sent_null = holder is not None and _step(holder, location[-1]) is None
        if fault["type"] == "missing" and sent_null:
            problems.append(Problem(_written(location), "null was given; it needs a value."))
        else:
            problems.append(_problem(model, dict(fault), location))
    return problems[:10]


def _problem(model: type[BaseModel], fault: dict[str, Any], location: Location) -> Problem:
    field, context, came = _written(location), fault.get("ctx", {}), _shown(fault["input"])
    match fault["type"]:
        case "missing":
            return Problem(field, "it is required and was not given.")
        case "extra_forbidden":
            names = _names_at(model, location[:-1])
            close = get_close_matches(str(location[-1]), names, n=1)
            hint = f"unknown field (did you mean {close[0]}?)." if close else "unknown field."
            return Problem(field, hint, ", ".join(names))
        case "literal_error" | "enum":
            return Problem(field, f"{came} is not allowed.", context["expected"])
        case "string_pattern_mismatch":
            form = f"text that matches {context['pattern']}"
            return Problem(field, f"{came} has the wrong form.", form)
        case "finite_number":
            return Problem(field, f"{came} is not a finite number.")
        case kind if kind in _WANTS_OBJECT:
            return Problem(field, f"an object is expected, not {came}.")
        case kind if kind in _WANTS_LIST:
            return Problem(field, f"a list is expected, not {came}.")
        case _:
            return Problem(field, f"{fault['msg']}; {came} was given.")


def _names_at(model: type[BaseModel], location: Location) -> list[str]:
    """The field names of the model that stands at `location`."""
    here: Any = model
    for step in location:
        if isinstance(step, str) and isinstance(here, type) and issubclass(here, BaseModel):
            here = here.model_fields[step].annotation if step in here.model_fields else None
        here = _model_in(here)
    return sorted(here.model_fields) if here is not None else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in getattr(annotation, "__args__", ()):
        if found := _model_in(part):
            return found
    return None


def _written(location: Location) -> str:
    """`items[0].id`; the whole arguments are called so."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".") or "arguments"


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, str) else f'"{value}"'
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
