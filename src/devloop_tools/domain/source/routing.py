"""Which routes a unit serves: routers, what is mounted on what, and what is registered on them.

Express, Fastify, Koa, Hono, FastAPI and Flask call the same things by different names; the
receiver decides where a name means two things.
"""

from collections.abc import Iterator

from devloop_tools.domain.source.evaluation import Evaluation
from devloop_tools.domain.source.router_finding import RouterFinder
from devloop_tools.domain.source.routers import (
    METHODS,
    PREFIX_NAMES,
    VERBS,
    Mount,
    Registration,
    Router,
    put,
)
from devloop_tools.domain.source.scopes import Scope, Space
from devloop_tools.domain.source.syntax import (
    Call,
    Class,
    Expression,
    Function,
    Member,
    Module,
    Record,
    Sequence,
)

_MOUNTS = frozenset(["use", "route", "mount", "register", "include_router", "register_blueprint"])
_MOUNTERS = frozenset(["koa-mount"])
_UNPREFIXED = frozenset(["fastify-plugin", "fastify-plugin.fastifyPlugin"])


class Routing:
    """Collects the routers of a unit, call by call."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._finder = RouterFinder(evaluation)
        self.unread: list[tuple[str, int]] = []
        """Places of registrations whose path is computed."""

    @property
    def routers(self) -> list[Router]:
        return self._finder.routers

    def given_out(self, module: Module) -> list[Router]:
        """The routers that a module's default export is."""
        return self._finder.given_out(module)

    def see(self, call: Call, scope: Scope, decorated: Function | None = None) -> None:
        """Take note of a call, or of a decorator on a function."""
        function = call.function
        if not isinstance(function, Member):
            self._link(call, scope)
            return
        names = [function.name]
        if function.key is not None:
            names = self._evaluation.texts(function.key, scope)
        routers = self._finder.routers_of(function.of, scope)
        built = self._finder.built_route(function.of, scope)
        for name in names:
            if built is not None and name in VERBS:
                self._register(built[0], [VERBS[name]], built[1], call, scope, _last(call))
            elif routers:
                self._on_router(name, routers, call, scope, decorated)
        if not routers:
            self._link(call, scope)

    def _link(self, call: Call, scope: Scope) -> None:
        """A call of the unit's own function: routers that it's given are its parameters."""
        for thing, _ in self._evaluation.ground(call.function, scope):
            called = _constructor(thing) if isinstance(thing, Class) else thing
            if not isinstance(called, Function):
                continue
            shift = 1 if called.of_class and scope.module.is_python else 0
            for at, argument in enumerate(call.arguments):
                self._give(called, at + shift, argument, scope)
            for name, argument in call.keywords:
                for at, param in enumerate(called.params):
                    if param.name == name:
                        self._give(called, at, argument, scope)

    def _give(self, called: Function, at: int, argument: Expression, scope: Scope) -> None:
        if at >= len(called.params):
            return
        for router in self._finder.routers_of(argument, scope):
            put(router, Mount([""], self._finder.parameter(called, at, "", scope)))
        if not called.params[at].keys:
            return
        for thing, where in self._evaluation.ground(argument, scope):
            for key, _ in called.params[at].keys:
                value = thing.get(key) if isinstance(thing, Record) else None
                for router in self._finder.routers_of(value, where) if value is not None else []:
                    put(router, Mount([""], self._finder.parameter(called, at, key, scope)))

    def _on_router(
        self,
        name: str,
        routers: list[Router],
        call: Call,
        scope: Scope,
        decorated: Function | None,
    ) -> None:
        is_python = scope.module.is_python
        if name in VERBS and (decorated is not None or not is_python):
            self._verb(name, routers, call, scope, decorated)
        elif name in ("route", "api_route", "add_url_rule", "add_api_route") and is_python:
            self._python_rule(name, routers, call, scope, decorated)
        elif name == "route" and len(call.arguments) == 1:
            self._described(routers, call, scope)
        elif name == "on" and len(call.arguments) > 2:
            methods = self._finder.texts_in(call.arguments[0], scope)
            paths = self._finder.texts_in(call.arguments[1], scope)
            self._register(routers, _upper(methods), paths, call, scope, _last(call))
        elif name == "openapi":
            self._openapi(routers, call, scope)
        elif name == "prefix" and call.arguments:
            for router in routers:
                before = router.prefixes
                router.prefixes = [
                    text + old
                    for text in self._finder.texts_in(call.arguments[0], scope)
                    for old in before
                ]
        elif name in _MOUNTS:
            self._mount_arguments(routers, call, scope)

    def _verb(
        self,
        name: str,
        routers: list[Router],
        call: Call,
        scope: Scope,
        decorated: Function | None,
    ) -> None:
        """`router.get(path, handler)`, with its name before the path where Koa has one."""
        path = call.arguments[0] if call.arguments else call.keyword("path") or call.keyword("rule")
        if path is None or (
            decorated is None and len(call.arguments) < 2 and not self._path_before(call, scope)
        ):
            return
        paths = self._finder.texts_in(path, scope)
        if decorated is None and len(call.arguments) > 2 and not (paths and _is_path(paths[0])):
            paths = self._finder.texts_in(call.arguments[1], scope) or paths
        if not paths:
            paths = self._path_before(call, scope)
        self._register(routers, [VERBS[name]], paths, call, scope, decorated or _last(call))

    def _path_before(self, call: Call, scope: Scope) -> list[str]:
        """The path that a chain named last, which Hono's `.post(handler)` goes on with."""
        before = call.function.of if isinstance(call.function, Member) else None
        while isinstance(before, Call) and isinstance(before.function, Member):
            if before.arguments and (paths := self._finder.texts_in(before.arguments[0], scope)):
                return paths
            before = before.function.of
        return []

    def _python_rule(
        self,
        name: str,
        routers: list[Router],
        call: Call,
        scope: Scope,
        decorated: Function | None,
    ) -> None:
        rule = call.arguments[0] if call.arguments else call.keyword("path") or call.keyword("rule")
        handler: Expression | None = decorated
        if handler is None:
            at = 1 if name == "add_api_route" else 2
            handler = call.keyword("view_func") or call.keyword("endpoint")
            if len(call.arguments) > at:
                handler = call.arguments[at]
        if rule is None or handler is None:
            return
        given = call.keyword("methods")
        methods = ["GET"] if given is None else _upper(self._finder.texts_in(given, scope))
        if given is None and (view := self._view_class(handler, scope)) is not None:
            for method in METHODS & view.members.keys():
                answers = view.members[method]
                self._register(
                    routers,
                    [method.upper()],
                    self._finder.texts_in(rule, scope),
                    call,
                    scope,
                    answers,
                )
            return
        self._register(routers, methods, self._finder.texts_in(rule, scope), call, scope, handler)

    def _view_class(self, handler: Expression, scope: Scope) -> Class | None:
        """The class behind `View.as_view(...)`, whose methods answer the methods of HTTP."""
        if isinstance(handler, Call) and isinstance(handler.function, Member):
            if handler.function.name == "as_view":
                for thing, _ in self._evaluation.ground(handler.function.of, scope):
                    if isinstance(thing, Class):
                        return thing
        return None

    def _described(self, routers: list[Router], call: Call, scope: Scope) -> None:
        """Fastify's `route({method, url, handler})`."""
        for thing, where in self._evaluation.ground(call.arguments[0], scope):
            if not isinstance(thing, Record):
                continue
            method, url = thing.get("method"), thing.get("url") or thing.get("path")
            if method is not None and url is not None:
                methods = _upper(self._finder.texts_in(method, where))
                paths = self._finder.texts_in(url, where)
                self._register(routers, methods, paths, call, where, thing.get("handler"))

    def _openapi(self, routers: list[Router], call: Call, scope: Scope) -> None:
        """Hono's `openapi(createRoute({method, path}), handler)`."""
        for thing, where in (
            self._evaluation.ground(call.arguments[0], scope) if call.arguments else []
        ):
            described = thing.arguments[0] if isinstance(thing, Call) and thing.arguments else thing
            if isinstance(described, Record):
                method, path = described.get("method"), described.get("path")
                if method is not None and path is not None:
                    methods = _upper(self._finder.texts_in(method, where))
                    paths = self._finder.texts_in(path, where)
                    self._register(routers, methods, paths, call, scope, _last(call))

    def _register(
        self,
        routers: list[Router],
        methods: list[str],
        paths: list[str],
        call: Call,
        scope: Scope,
        handler: Expression | None,
    ) -> None:
        if not paths or not methods:
            self.unread.append((scope.module.path, call.line))
        for router in routers:
            router.registered.append(Registration(methods, paths, handler, call, scope))

    def _mount_arguments(self, routers: list[Router], call: Call, scope: Scope) -> None:
        prefixes, instead = self._prefixes(call, scope)
        for argument in call.arguments:
            for child, inner in self._mounted(argument, scope):
                combined = inner or [""]
                if inner is not None:
                    combined = [before + after for before in prefixes for after in inner]
                for router in routers:
                    if child is not router:
                        put(router, Mount(combined, child, instead))

    def _prefixes(self, call: Call, scope: Scope) -> tuple[list[str], bool]:
        for name in PREFIX_NAMES:
            if (given := call.keyword(name)) is not None:
                return self._finder.texts_in(given, scope) or [""], name == "url_prefix"
        for argument in call.arguments[1:]:
            for thing, where in self._evaluation.ground(argument, scope):
                prefix = thing.get("prefix") if isinstance(thing, Record) else None
                if prefix is not None:
                    return self._finder.texts_in(prefix, where) or [""], False
        if len(call.arguments) > 1:
            return self._finder.texts_in(call.arguments[0], scope) or [""], False
        return [""], False

    def _mounted(
        self, argument: Expression, scope: Scope
    ) -> Iterator[tuple[Router, list[str] | None]]:
        """The routers that an argument brings: itself one, a plugin, or one that is wrapped.

        With each, what comes behind the prefix; None where no prefix counts.
        """
        items = argument.items if isinstance(argument, Sequence) else (argument,)
        for item in items:
            found = list(self._finder.handed(item, scope, 0))
            for router in found:
                yield router, [""]
            if not found:
                yield from self._plugged(item, scope)

    def _plugged(self, item: Expression, scope: Scope) -> Iterator[tuple[Router, list[str] | None]]:
        for thing, where in self._evaluation.ground(item, scope):
            if isinstance(thing, Space) and thing.module is not None:
                for one, place in self._evaluation.exported(thing.module, "default"):
                    if isinstance(one, Function):
                        yield self._finder.parameter(one, 0, "", place), [""]
                    elif isinstance(one, Call):
                        yield from self._mounted(one, place)
            elif isinstance(thing, Function) and thing.params:
                yield self._finder.parameter(thing, 0, "", where), [""]
            elif isinstance(thing, Call):
                yield from self._wrapped(thing, where)

    def _wrapped(self, call: Call, scope: Scope) -> Iterator[tuple[Router, list[str] | None]]:
        """The routers inside a call such as `fp(plugin)` or `mount('/x', app)`."""
        prefixes = [""]
        if self._finder.is_from(call, scope, _MOUNTERS) and len(call.arguments) > 1:
            prefixes = self._finder.texts_in(call.arguments[0], scope) or [""]
        unprefixed = self._finder.is_from(call, scope, _UNPREFIXED)
        for argument in call.arguments:
            for router, inner in self._mounted(argument, scope):
                if unprefixed or inner is None:
                    yield router, None
                else:
                    yield router, [one + two for one in prefixes for two in inner]


def _constructor(klass: Class) -> Function | None:
    made = klass.members.get("constructor") or klass.members.get("__init__")
    return made if isinstance(made, Function) else None


def _last(call: Call) -> Expression | None:
    return call.arguments[-1] if call.arguments else None


def _upper(methods: list[str]) -> list[str]:
    return ["*" if method.lower() == "all" else method.upper() for method in methods]


def _is_path(text: str) -> bool:
    return text == "" or text.startswith(("/", "*", "{", ":", "<"))
