"""Arguments from the wire to the tool's input model, with errors that a model can act on."""

import types
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Annotated, Any, Protocol, Union, get_args, get_origin

import orjson
from pydantic import BaseModel, ValidationError

from devloop_tools.frozen import frozen
from devloop_tools.toolkit.schema import input_schema

Location = tuple[int | str, ...]

MAX_PROBLEMS = 10
"""Most problems that one answer names; the others are counted."""

_SHOWN = 80
_WANTS_OBJECT = frozenset({"model_type", "dict_type", "model_attributes_type", "dataclass_type"})
_WANTS_LIST = frozenset({"list_type", "tuple_type", "set_type"})


@frozen
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
        self.problems = tuple(problems[:MAX_PROBLEMS])
        lines = [f"Invalid arguments for {tool}:", *(f"- {problem}" for problem in self.problems)]
        if more := len(problems) - len(self.problems):
            lines.append(f"- and {more} more")
        super().__init__("\n".join(lines))


class Arguments(Protocol):
    """What a tool takes: how it is published, and how it is read."""

    @property
    def reads_slowly(self) -> bool:
        """Whether many values take so long to read that it must hold up nobody."""
        ...

    def schema(self) -> dict[str, Any]:
        """JSON Schema 2020-12 of an object."""
        ...

    def parse(self, tool: str, arguments: dict[str, Any]) -> Any:
        """What the tool is run with. Raises InvalidArguments."""
        ...


@frozen
class ModelArguments:
    """Arguments that a pydantic model describes."""

    @property
    def reads_slowly(self) -> bool:
        return False

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
        mended = dict(arguments)
        # Mending a null or a string can bring faults to light that lay inside it.
        error = first
        for _ in range(3):
            if not _mend(model, mended, error):
                break
            try:
                return model.model_validate(mended)
            except ValidationError as next_error:
                error = next_error
        raise InvalidArguments(tool, _problems(model, error, arguments, mended)) from None


def _mend(model: type[BaseModel], arguments: dict[str, Any], error: ValidationError) -> bool:
    changed = False
    for fault in error.errors(include_url=False, include_context=False):
        if fault["type"] in ("missing", "extra_forbidden"):
            continue
        location, value = _place(arguments, fault["loc"]), fault["input"]
        if not location or (holder := _own_holder(arguments, location)) is None:
            continue
        if value is None and location[-1] in _names_at(model, location[:-1]):
            del holder[location[-1]]
            changed = True
        elif (parsed := _unstringified(value, fault["type"])) is not None:
            holder[location[-1]] = parsed
            changed = True
    return changed


def _place(arguments: dict[str, Any], location: Location) -> Location:
    """`location` without the steps that pydantic adds for the members of a union."""
    place: list[int | str] = []
    here: Any = arguments
    for step in location:
        below = _step(here, step)
        if below is not _ABSENT:
            place.append(step)
            here = below
    return tuple(place)


def _own_holder(arguments: dict[str, Any], location: Location) -> Any:
    """The object or list that holds the place, copied on the way down; None if it isn't there."""
    here: Any = arguments
    for step in location[:-1]:
        below = _step(here, step)
        if not isinstance(below, dict | list):
            return None
        here[step] = below = below.copy()
        here = below
    return None if _step(here, location[-1]) is _ABSENT else here


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
    model: type[BaseModel],
    error: ValidationError,
    arguments: dict[str, Any],
    mended: dict[str, Any],
) -> list[Problem]:
    """One problem a field; a field that may be of several types has a fault for each."""
    by_field: dict[str, list[Problem]] = {}
    for fault in error.errors(include_url=False):
        place = _place(mended, fault["loc"])
        if fault["type"] == "missing":
            place = (*place, fault["loc"][-1])
        field = written(place)
        if fault["type"] == "missing" and _value_at(arguments, place) is None:
            problem = Problem(field, "null was given; it needs a value.")
        else:
            problem = _problem(model, dict(fault), place)
        by_field.setdefault(field, []).append(problem)
    return [_joined(problems) for problems in by_field.values()]


def _joined(problems: list[Problem]) -> Problem:
    if len(problems) == 1:
        return problems[0]
    reasons = dict.fromkeys(f"{problem}".partition(": ")[2].rstrip(".") for problem in problems)
    return Problem(problems[0].field, f"nothing that is allowed fits: {'; or '.join(reasons)}.")


def _value_at(arguments: Any, place: Location) -> Any:
    here = arguments
    for step in place:
        here = _step(here, step)
    return here


def _problem(model: type[BaseModel], fault: dict[str, Any], place: Location) -> Problem:
    field, context, came = written(place), fault.get("ctx", {}), _shown(fault["input"])
    match fault["type"]:
        case "missing":
            return Problem(field, "it is required and was not given.")
        case "extra_forbidden":
            names = sorted(_names_at(model, place[:-1]))
            close = get_close_matches(str(place[-1]), names, n=1)
            hint = f"unknown field (did you mean {close[0]}?)." if close else "unknown field."
            return Problem(field, hint, ", ".join(names))
        case "literal_error" | "enum":
            return Problem(field, f"{came} is not allowed.", context["expected"])
        case "string_pattern_mismatch":
            form = f"text that matches {context['pattern']}"
            return Problem(field, f"{came} has the wrong form.", form)
        case "value_error":
            return Problem(field, f"{came} is not allowed: {context['error']}.")
        case "finite_number":
            return Problem(field, f"{came} is not a finite number.")
        case kind if kind in _WANTS_OBJECT:
            return Problem(field, f"an object is expected, not {came}.")
        case kind if kind in _WANTS_LIST:
            return Problem(field, f"a list is expected, not {came}.")
        case _:
            return Problem(field, f"{fault['msg']}; {came} was given.")


def _names_at(annotation: Any, place: Location) -> set[str]:
    """The names of the fields that an object at `place` has, as they are on the wire."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = {field.alias or name: field for name, field in annotation.model_fields.items()}
        if not place:
            return set(fields)
        here = fields.get(str(place[0]))
        return _names_at(here.annotation, place[1:]) if here else set()
    members = get_args(annotation)
    if get_origin(annotation) in (Union, types.UnionType):
        return set().union(*(_names_at(member, place) for member in members))
    if get_origin(annotation) is Annotated:
        return _names_at(members[0], place)
    if members and place:
        return _names_at(members[-1], place[1:])
    return set()


def written(place: Sequence[int | str]) -> str:
    """A place in the arguments as a model reads it: `items[0].id`; the whole is `arguments`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return _one_line(text.removeprefix(".")) or "arguments"


def _shown(value: Any) -> str:
    """The value as JSON on one line, its head if it is long."""
    if isinstance(value, float):
        text = repr(value)
    else:
        try:
            text = orjson.dumps(value).decode()
        except TypeError:
            text = f'"{_one_line(value)}"' if isinstance(value, str) else _kind(value)
    return _one_line(text)


def _kind(value: Any) -> str:
    return f"a value of type {type(value).__name__}"


def _one_line(text: str) -> str:
    """`text`, cut, with control characters and lone surrogates as escapes."""
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
