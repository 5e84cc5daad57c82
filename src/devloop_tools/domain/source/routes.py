"""All routes that a unit's modules serve, each with its whole path."""

from collections.abc import Iterator

from devloop_tools.domain.source.evaluation import Evaluation
from devloop_tools.domain.source.model import Place, Route
from devloop_tools.domain.source.paths import joined, spellings
from devloop_tools.domain.source.program import Program
from devloop_tools.domain.source.routers import APPLICATIONS, Registration, Router
from devloop_tools.domain.source.routing import Routing
from devloop_tools.domain.source.scopes import Scope
from devloop_tools.domain.source.statuses import StatusReader
from devloop_tools.domain.source.syntax import (
    Call,
    Class,
    Element,
    Expression,
    Function,
    Member,
    Name,
    Opaque,
    Sequence,
    Statement,
    expressions_of,
    parts_of,
)
from devloop_tools.domain.source.type_terms import UNREAD, AnyOf, Literal, Named, TypeTerm

_EACH = frozenset(["forEach", "map", "flatMap"])

MAX_LEVELS = 12
"""Routers on routers: deeper ones are not followed."""

_ANY_PATH = frozenset(["/*", "*", "/{rest}", "/{path}", "/{splat}", "/{all}"])


class Routes:
    """The routes of a program. `unread` are places whose path is computed."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._evaluation = Evaluation(program)
        self._statuses = StatusReader(self._evaluation)
        self._routing = Routing(self._evaluation)
        self._handlers: set[int] = set()

    @property
    def unread(self) -> list[tuple[str, int]]:
        return sorted(set(self._routing.unread))

    @property
    def evaluation(self) -> Evaluation:
        return self._evaluation

    def is_handler(self, function: Function) -> bool:
        """Whether a function is there to be called by its route."""
        return id(function) in self._handlers

    def read(self) -> list[Route]:
        """Every route that can be reached from an application."""
        calls = list(self._calls())
        for call, scope, decorated in calls:
            if decorated is None:
                self._know(call, scope)
        self._evaluation.forget()
        for call, scope, decorated in calls:
            self._routing.see(call, scope, decorated)
        found: dict[tuple[str, str, Place], Route] = {}
        for root in self._roots():
            for route in self._below(root, [""], root.prefixes, 0):
                found.setdefault((route.method, route.path, route.place), route)
        return list(found.values())

    def _calls(self) -> Iterator[tuple[Call, Scope, Function | None]]:
        """All calls with the scope that they stand in; decorators with what they decorate."""
        for module in self._program.modules.values():
            yield from self._in_body(module.body, self._evaluation.module_scope(module))

    def _in_body(
        self, body: tuple[Statement, ...], scope: Scope
    ) -> Iterator[tuple[Call, Scope, Function | None]]:
        waiting: list[tuple[Expression, Scope]] = [
            (one, scope) for statement in reversed(body) for one in expressions_of(statement)
        ]
        while waiting:
            expression, where = waiting.pop()
            if isinstance(expression, Call):
                yield expression, where, None
            if isinstance(expression, Function):
                for decorator in expression.decorators:
                    if isinstance(decorator, Call):
                        yield decorator, where, expression
                inside = self._evaluation.function_scope(expression, where)
                for statement in reversed(expression.body or ()):
                    waiting.extend((one, inside) for one in expressions_of(statement))
            elif isinstance(expression, Class):
                inside = self._evaluation.class_scope(expression, where)
                waiting.extend((one, inside) for one in parts_of(expression))
            else:
                waiting.extend((one, where) for one in reversed(list(parts_of(expression))))

    def _know(self, call: Call, scope: Scope) -> None:
        if isinstance(call.function, Member) and call.function.name in _EACH and call.arguments:
            item = Call(call.function, (Element(call.function.of),), (), call.line)
            for thing, _ in self._evaluation.ground(call.arguments[0], scope):
                if isinstance(thing, Function):
                    self._evaluation.know_call(thing, item, scope)
        for thing, _ in self._evaluation.ground(call.function, scope):
            made = thing
            if isinstance(thing, Class):
                made = thing.members.get("constructor") or thing.members.get("__init__") or thing
            if isinstance(made, Function):
                self._evaluation.know_call(made, call, scope)

    def _roots(self) -> list[Router]:
        """Applications; without any that serve something, the routers that nobody mounts."""
        loose = [router for router in self._routing.routers if not router.is_mounted]
        applications = [router for router in loose if router.kind in APPLICATIONS]
        if len([router for router in applications if router.kind == "hono"]) > 1:
            applications = self._serving(applications)
        if any(_serves(router) for router in applications):
            return applications
        made = [router for router in loose if router.kind not in ("parameter", "based")]
        if any(_serves(router) for router in made):
            return made
        return [router for router in loose if _registers_paths(router)]

    def _serving(self, applications: list[Router]) -> list[Router]:
        """Hono has one class for all: an application mounts others, or is its module's default."""
        serving = [
            router
            for router in applications
            if router.mounts or router.kind != "hono" or self._is_default(router)
        ]
        return serving or applications

    def _is_default(self, router: Router) -> bool:
        return router in self._routing.given_out(router.scope.module)

    def _below(
        self, router: Router, before: list[str], own: list[str], level: int
    ) -> Iterator[Route]:
        if level > MAX_LEVELS:
            return
        prefixes = [joined(one, two) for one in before for two in own]
        for registration in router.registered:
            yield from self._routes(registration, prefixes, router.kind)
        for mount in router.mounts:
            below = [joined(one, two) for one in prefixes for two in mount.prefixes]
            replaced = mount.instead and mount.child.kind == "flask blueprint"
            inner = [""] if replaced else mount.child.prefixes
            yield from self._below(mount.child, below, inner, level + 1)

    def _routes(
        self, registration: Registration, prefixes: list[str], kind: str
    ) -> Iterator[Route]:
        place = Place(registration.scope.module.path, registration.call.line)
        self._note_handler(registration)
        statuses = self._successes(registration)
        answer = None if kind.startswith("flask") else self._answer(registration)
        for prefix in prefixes:
            for text in registration.paths:
                for path in spellings(joined(prefix, text)):
                    for method in dict.fromkeys(registration.methods):
                        if method == "*" and path in _ANY_PATH:
                            continue  # what answers "not found" to everything is no endpoint
                        yield Route(method, joined("", path), place, statuses, answer)

    def _note_handler(self, registration: Registration) -> None:
        if registration.handler is not None:
            for thing, _ in self._evaluation.ground(registration.handler, registration.scope):
                if isinstance(thing, Function):
                    self._handlers.add(id(thing))

    def _successes(self, registration: Registration) -> frozenset[int] | None:
        declared = registration.call.keyword("status_code")
        scope = registration.scope
        if declared is not None:
            return frozenset(self._statuses.numbers(declared, scope)) or None
        found = self._statuses.successes(registration.handler, scope)
        if found is None and self._has_visible_body(registration):
            return frozenset([200]) if scope.module.is_python else None
        return found

    def _has_visible_body(self, registration: Registration) -> bool:
        """FastAPI answers 200 also where a function returns nothing."""
        handler = registration.handler
        return isinstance(handler, Function) and handler.body is not None and not _raises(handler)

    def _answer(self, registration: Registration) -> TypeTerm | None:
        """What FastAPI declares: `response_model`, else the annotation of what is returned."""
        handler = registration.handler
        if not registration.scope.module.is_python or not isinstance(handler, Function):
            return None
        if (model := registration.call.keyword("response_model")) is not None:
            return _term_of(model)
        return handler.returns


def _serves(router: Router, level: int = 0) -> bool:
    if router.registered:
        return True
    return level < MAX_LEVELS and any(_serves(mount.child, level + 1) for mount in router.mounts)


def _registers_paths(router: Router) -> bool:
    return any(path.startswith("/") for one in router.registered for path in one.paths)


def _raises(function: Function) -> bool:
    return not function.body


def _term_of(model: Expression) -> TypeTerm:
    """A type that stands as an expression, such as `list[Todo]`."""
    match model:
        case Name(name):
            return Named(name)
        case Member(of, _, key) if key is not None:
            outer = _term_of(of)
            inner = key.items if isinstance(key, Sequence) else (key,)
            arguments = tuple(_term_of(one) for one in inner)
            return Named(outer.name, arguments) if isinstance(outer, Named) else UNREAD
        case Member(of, name):
            outer = _term_of(of)
            return Named(f"{outer.name}.{name}") if isinstance(outer, Named) else UNREAD
        case Opaque((left, right)):
            return AnyOf((_term_of(left), _term_of(right)))
        case Opaque(_, True):
            return Literal(None)
        case _:
            return UNREAD
