"""Fills `{{...}}` in texts and JSON values: ports, urls of units, environment, saved values, vars.

Only values of `vars` are looked through for further placeholders. What a unit answered or the
environment holds is text, whatever it looks like: it could otherwise ask for values that nobody
meant to give it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict

from devloop_tools.domain.running.addresses import url_of
from devloop_tools.storage.errors import ExpectedFailure

MAX_FILLED = 4_000_000
"""Characters that one filling may put in."""

MAX_UNRESOLVED = 100

_PLACEHOLDER = re.compile(r"\{\{[ \t]*([^{}\s](?:[^{}\n]{0,198}[^{}\s])?)[ \t]*\}\}")
_RESERVED = ("port", "unit", "env", "case")
_MAX_DEPTH = 64
_FACTS = ("url", "port")


class Unresolved(BaseModel):
    """A placeholder that was left as it is. `place` is line:column, in a value behind its path."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    name: str
    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Sources:
    """Where values come from. `env` are the names that are granted, None where one isn't set."""

    agent: str
    ports: Mapping[str, int] = field(default_factory=dict)
    units: Mapping[str, int | None] = field(default_factory=dict)
    env: Mapping[str, str | None] = field(default_factory=dict)
    saved: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    vars: Mapping[str, Any] = field(default_factory=dict)


class _NoValue(Exception):
    """Why a placeholder has no value."""


class _Cycle(_NoValue):
    """The way round says it all; who comes by it is in there."""


class Filling:
    """One filling. `unresolved` names what was left, in the order of the text."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._open: list[str] = []
        self._known: dict[str, Any] = {}
        self._left = MAX_FILLED
        self.unresolved: list[Unresolved] = []

    def fill(self, value: Any, place: str = "") -> Any:
        """`value` with its placeholders filled; a text that is one placeholder keeps the type.

        Raises ExpectedFailure where the whole would grow beyond 4,000,000 characters.
        """
        match value:
            case str():
                return self._text(value, place)
            case list():
                return [self.fill(item, f"{place}[{index}]") for index, item in enumerate(value)]
            case dict():
                return {
                    name: self.fill(item, f"{place}.{name}".lstrip("."))
                    for name, item in value.items()
                }
            case _:
                return value

    def text(self, value: str, place: str = "") -> str:
        """The same for what must stay a text."""
        return as_text(self.fill(value, place))

    def _text(self, text: str, place: str) -> Any:
        if whole := _PLACEHOLDER.fullmatch(text):
            return self._filled(whole, place, text)
        return _PLACEHOLDER.sub(lambda match: as_text(self._filled(match, place, text)), text)

    def _filled(self, match: re.Match[str], place: str, text: str) -> Any:
        name = match[1]
        try:
            value = self._value(name)
        except _NoValue as exc:
            if self._open and isinstance(exc, _Cycle):
                raise
            if self._open:
                raise _NoValue(f"{{{{{name}}}}} in it has no value: {exc}") from None
            if len(self.unresolved) < MAX_UNRESOLVED:
                at = ":".join(filter(None, (place, _line_and_column(text, match.start()))))
                self.unresolved.append(Unresolved(name=name, place=at, reason=str(exc)))
            return match[0]
        self._left -= len(as_text(value))
        if self._left < 0:
            raise ExpectedFailure(
                f"{place or 'text'}: filled, it would be longer than {MAX_FILLED} characters.",
                "Look for vars that hold each other several times.",
            )
        return value

    def _value(self, name: str) -> Any:
        kind, _, rest = name.partition(".")
        match kind:
            case "port" if rest:
                return self._port(rest)
            case "unit" if rest:
                return self._unit(rest)
            case "env" if rest:
                return self._env(rest)
            case "case" if rest:
                return self._saved(rest)
            case _:
                return self._var(name)

    def _port(self, name: str) -> int:
        port = self._sources.units.get(name) or self._sources.ports.get(name)
        if port is None:
            raise _NoValue(f"no port is leased for {name}; call port_picker")
        return port

    def _unit(self, rest: str) -> Any:
        unit, _, fact = rest.rpartition(".")
        if fact not in _FACTS or not unit:
            raise _NoValue(f"of a unit there are {' and '.join(_FACTS)}: {{{{unit.NAME.url}}}}")
        port = self._port(unit)
        return url_of(port) if fact == "url" else port

    def _env(self, name: str) -> str:
        if name not in self._sources.env:
            raise _NoValue(f"{name} is not granted to {self._sources.agent} (sandbox.env)")
        value = self._sources.env[name]
        if value is None:
            raise _NoValue(f"{name} is granted but not set")
        return value

    def _saved(self, rest: str) -> Any:
        case, _, name = rest.rpartition(".")
        if (case, name) in self._sources.saved:
            return self._sources.saved[case, name]
        raise _NoValue(f"the case {case} has saved no {name}; run it first")

    def _var(self, name: str) -> Any:
        if name in self._open:
            cycle = " → ".join([*self._open[self._open.index(name) :], name])
            raise _Cycle(f"cycle: {cycle}")
        if len(self._open) >= _MAX_DEPTH:
            raise _NoValue(f"vars hold each other more than {_MAX_DEPTH} deep")
        if name in self._known:
            return self._known[name]
        raw = _looked_up(self._sources.vars, name)
        if raw is _ABSENT:
            known = ", ".join([*sorted(self._sources.vars)[:20], *(f"{k}.*" for k in _RESERVED)])
            raise _NoValue(f"nothing is called so; there are {known}")
        self._open.append(name)
        try:
            value = self.fill(raw)
        finally:
            self._open.pop()
        self._known[name] = value
        return value


def names_in(value: Any) -> Iterator[str]:
    """The names of all placeholders in a JSON value."""
    match value:
        case str():
            yield from (match[1] for match in _PLACEHOLDER.finditer(value))
        case list():
            for item in value:
                yield from names_in(item)
        case dict():
            for item in value.values():
                yield from names_in(item)


def as_text(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


_ABSENT: Any = object()


def _looked_up(variables: Mapping[str, Any], name: str) -> Any:
    """`name` itself, or a step into an object or list for each dot."""
    if name in variables:
        return variables[name]
    here: Any = variables
    for step in name.split("."):
        if isinstance(here, Mapping) and step in here:
            here = here[step]
        elif isinstance(here, list) and step.isdecimal() and int(step) < len(here):
            here = here[int(step)]
        else:
            return _ABSENT
    return here


def _line_and_column(text: str, offset: int) -> str:
    line = text.count("\n", 0, offset) + 1
    return f"{line}:{offset - text.rfind(chr(10), 0, offset)}"
