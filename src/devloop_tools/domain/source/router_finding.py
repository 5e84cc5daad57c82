"""Which routers an expression stands for."""

from collections.abc import Iterator
from contextlib import contextmanager

from devloop_tools.domain.source.evaluation import Evaluation
from devloop_tools.domain.source.routers import (
    ITSELF,
    MADE,
    PREFIX_NAMES,
    VERBS,
    Mount,
    Router,
    put,
)
from devloop_tools.domain.source.scopes import External, Given, Scope, Space
from devloop_tools.domain.source.syntax import (
    Call,
    Expression,
    Function,
    Member,
    Module,
    Name,
    Record,
)

MAX_HANDED = 4
"""Parameters that are given for parameters: longer ways are not followed."""

MAX_ASKED = 8
"""Expressions that stand for routers by way of each other."""


class RouterFinder:
    """Makes one router for each place that makes one, and for each parameter given one."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._routers: dict[object, Router] = {}
        self._asked: set[int] = set()

    @property
    def routers(self) -> list[Router]:
        return list(self._routers.values())

    def handed(self, item: Expression, scope: Scope, depth: int) -> Iterator[Router]:
        """The routers that are mounted; for a parameter, those that the calls give for it."""
        for thing, _ in self._evaluation.ground(item, scope) if depth < MAX_HANDED else ():
            if isinstance(thing, Given):
                for value, where in self._evaluation.arguments(thing):
                    yield from self.handed(value, where, depth + 1)
        yield from self.routers_of(item, scope)

    def given_out(self, module: Module) -> list[Router]:
        """The routers that a module's default export is."""
        return [
            router
            for thing, scope in self._evaluation.exported(module, "default")
            if isinstance(thing, Call)
            for router in self._made(thing, scope)
        ]

    def built_route(
        self, expression: Expression, scope: Scope
    ) -> tuple[list[Router], list[str]] | None:
        """The router and path of Express's `router.route('/x').get(...).post(...)`."""
        while isinstance(expression, Call) and isinstance(expression.function, Member):
            function = expression.function
            if function.name == "route" and len(expression.arguments) == 1:
                paths = self.texts_in(expression.arguments[0], scope)
                routers = self.routers_of(function.of, scope)
                return (routers, paths) if routers and paths else None
            if function.name not in VERBS:
                return None
            expression = function.of
        if isinstance(expression, Name):
            for thing, where in self._evaluation.ground(expression, scope):
                if isinstance(thing, Call):
                    with self._asking(thing) as is_new:
                        return self.built_route(thing, where) if is_new else None
        return None

    def routers_of(self, expression: Expression, scope: Scope) -> list[Router]:
        """The routers that an expression stands for."""
        with self._asking(expression) as is_new:
            return self._routers_of(expression, scope) if is_new else []

    @contextmanager
    def _asking(self, expression: Expression) -> Iterator[bool]:
        """Whether `expression` isn't asked about already, nor too many that lead to it."""
        is_new = id(expression) not in self._asked and len(self._asked) < MAX_ASKED
        if not is_new:
            yield False
            return
        self._asked.add(id(expression))
        try:
            yield True
        finally:
            self._asked.remove(id(expression))

    def _routers_of(self, expression: Expression, scope: Scope) -> list[Router]:
        based: list[str] = []
        while isinstance(expression, Call) and isinstance(expression.function, Member):
            name = expression.function.name
            if name not in ITSELF:
                break
            if name == "basePath" and expression.arguments:
                based.append((self.texts_in(expression.arguments[0], scope) or [""])[0])
            expression = expression.function.of
        found: list[Router] = []
        for thing, where in self._evaluation.ground(expression, scope):
            match thing:
                case Call():
                    found.extend(self._made(thing, where))
                case Given(function, index, key):
                    found.append(self.parameter(function, index, key, where))
                case Space(module) if module is not None and not module.is_python:
                    found.extend(self.given_out(module))
                case _:
                    continue
        found = list(dict.fromkeys(found))
        if based:
            return [self._based(router, "".join(reversed(based))) for router in found]
        return found

    def _made(self, call: Call, scope: Scope) -> list[Router]:
        if id(call) in self._routers:
            return [self._routers[id(call)]]
        if isinstance(call.function, Member) and call.function.name in ITSELF:
            inner = self.routers_of(call, scope)
            if inner:
                return inner
        for thing, _ in self._evaluation.ground(call.function, scope):
            kind = MADE.get(thing.name) if isinstance(thing, External) else None
            if kind is not None:
                router = Router(kind, scope, self._own_prefixes(call, scope))
                self._routers[id(call)] = router
                return [router]
        return []

    def _own_prefixes(self, call: Call, scope: Scope) -> list[str]:
        for name in PREFIX_NAMES:
            if (given := call.keyword(name)) is not None:
                return self.texts_in(given, scope) or [""]
        for argument in call.arguments[:1]:
            for thing, where in self._evaluation.ground(argument, scope):
                prefix = thing.get("prefix") if isinstance(thing, Record) else None
                if prefix is not None:
                    return self.texts_in(prefix, where) or [""]
        return [""]

    def parameter(self, function: Function, index: int, key: str, scope: Scope) -> Router:
        name = (id(function), index, key)
        if name not in self._routers:
            if not key and function.params[index : index + 1]:
                name = (id(function), index, "")
            self._routers[name] = Router("parameter", scope)
        return self._routers[name]

    def _based(self, router: Router, prefix: str) -> Router:
        """Hono's `basePath`: routes that go on from here stand below a prefix."""
        name = (id(router), prefix)
        if name not in self._routers:
            made = self._routers[name] = Router("based", router.scope, [prefix])
            put(router, Mount([""], made))
            made.origin = router
        return self._routers[name]

    def texts_in(self, expression: Expression, scope: Scope) -> list[str]:
        """One text, or all of a list of them."""
        if found := self._evaluation.texts(expression, scope):
            return found
        listed = self._evaluation.items(expression, scope)
        return [text for item, where in listed for text in self._evaluation.texts(item, where)]

    def is_from(self, call: Call, scope: Scope, names: frozenset[str]) -> bool:
        return any(
            isinstance(thing, External) and thing.name in names
            for thing, _ in self._evaluation.ground(call.function, scope)
        )
