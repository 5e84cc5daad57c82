"""Which texts an expression may be: paths, prefixes and methods that are put together."""

import itertools
import posixpath
from collections.abc import Iterator
from typing import Protocol

from devloop_tools.domain.source.scopes import Given, Ground, Scope, Thing
from devloop_tools.domain.source.syntax import (
    Call,
    Element,
    Expression,
    Joined,
    Member,
    Name,
    Number,
    Record,
    Sequence,
    Text,
)

MAX_STEPS = 40
"""Names that lead to names: longer ways are not followed."""

MAX_TEXTS = 32
"""So many values of one text are told apart."""

MAX_TEXT = 2_048
"""Longer texts are no paths."""

_ITEMS = frozenset(["values", "entries", "items", "keys"])


class Grounding(Protocol):
    """Says what expressions stand for, and what calls give for a parameter."""

    def ground(self, expression: Expression, scope: Scope, steps: int = 0) -> list[Ground]: ...
    def arguments(self, given: Given) -> Iterator[tuple[Expression, Scope]]: ...


class TextReading:
    """Reads texts, and what lists and dictionaries hold."""

    def __init__(self, grounding: Grounding) -> None:
        self._grounding = grounding
        self._known: dict[tuple[int, int], list[str]] = {}
        self._known_items: dict[tuple[int, int], list[tuple[Expression, Scope]]] = {}

    def forget(self) -> None:
        """Forget what was found before all calls were known."""
        self._known.clear()
        self._known_items.clear()

    def texts(self, expression: Expression, scope: Scope, steps: int = 0) -> list[str]:
        """The texts that an expression may be; empty where that can't be said."""
        if steps > MAX_STEPS:
            return []
        key = (id(expression), id(scope))
        if (known := self._known.get(key)) is None:
            self._known[key] = []  # what leads back to itself has no text
            known = self._known[key] = self._texts(expression, scope, steps)
        return known

    def _texts(self, expression: Expression, scope: Scope, steps: int) -> list[str]:
        match expression:
            case Text(parts):
                pieces = [
                    [part] if isinstance(part, str) else self.texts(part, scope, steps + 1)
                    for part in parts
                ]
                return _products(pieces)
            case Joined(left, right):
                sides = self.texts(left, scope, steps + 1), self.texts(right, scope, steps + 1)
                return _products(list(sides))
            case Number(value):
                return [str(value)]
            case _:
                found: list[str] = []
                for thing, where in self._grounding.ground(expression, scope, steps):
                    found.extend(self._texts_of(thing, expression, where, steps + 1))
                return list(dict.fromkeys(found))[:MAX_TEXTS]

    def _texts_of(self, thing: Thing, asked: Expression, scope: Scope, steps: int) -> Iterator[str]:
        match thing:
            case Text() | Joined() | Number():
                yield from self.texts(thing, scope, steps)
            case Given(function, index):
                given = list(self._grounding.arguments(thing))
                for value, where in given:
                    if value is not asked:
                        yield from self.texts(value, where, steps)
                default = function.params[index].default
                if not given and default is not None:
                    yield from self.texts(default, scope, steps)
            case Call():
                yield from self._texts_of_call(thing, scope, steps)
            case _:
                return

    def _texts_of_call(self, call: Call, scope: Scope, steps: int) -> Iterator[str]:
        """A setting's default, and paths that are joined."""
        if not isinstance(call.function, Member | Name):
            return
        name = call.function.name
        if name in ("get", "getenv") and len(call.arguments) == 2:
            yield from self.texts(call.arguments[1], scope, steps)
        elif name in ("join", "posix.join") and len(call.arguments) > 1:
            pieces = [self.texts(argument, scope, steps) for argument in call.arguments]
            for joined in _products(pieces, "/"):
                yield posixpath.normpath(joined)
        elif name in ("String", "str") and call.arguments:
            yield from self.texts(call.arguments[0], scope, steps)

    def items(
        self, expression: Expression, scope: Scope, steps: int = 0
    ) -> list[tuple[Expression, Scope]]:
        """The items of what an expression stands for, of a dictionary its values."""
        if steps > MAX_STEPS:
            return []
        key = (id(expression), id(scope))
        if (known := self._known_items.get(key)) is None:
            self._known_items[key] = []  # what holds itself has no items
            found = itertools.islice(self._items(expression, scope, steps), MAX_TEXTS)
            known = self._known_items[key] = list(found)
        return known

    def _items(
        self, expression: Expression, scope: Scope, steps: int
    ) -> Iterator[tuple[Expression, Scope]]:
        if isinstance(expression, Call) and isinstance(expression.function, Member):
            if expression.function.name in _ITEMS:
                of = [*expression.arguments, expression.function.of]
                yield from self.items(of[0], scope, steps + 1)
                return
        for thing, where in self._grounding.ground(expression, scope, steps):
            match thing:
                case Sequence(items):
                    for item in items:
                        spread = item.of if isinstance(item, Element) else None
                        found = self.items(spread, where, steps + 1) if spread else []
                        yield from found or [(item, where)]
                case Record(entries):
                    yield from ((value, where) for _, value in entries)
                case Given():
                    for value, place in self._grounding.arguments(thing):
                        yield from self.items(value, place, steps + 1)
                case _:
                    continue


def _products(pieces: list[list[str]], between: str = "") -> list[str]:
    combined = itertools.islice(itertools.product(*pieces), MAX_TEXTS)
    joined = (between.join(one) for one in combined)
    return [text for text in joined if len(text) <= MAX_TEXT]
