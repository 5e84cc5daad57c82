"""Routers: what makes them, what is registered on them, and what is mounted on what."""

from dataclasses import dataclass, field

from devloop_tools.domain.source.scopes import Scope
from devloop_tools.domain.source.syntax import Call, Expression

METHODS = frozenset(["get", "post", "put", "patch", "delete", "head", "options"])
VERBS = {**{name: name.upper() for name in METHODS}, "all": "*", "del": "DELETE"}

MADE = {
    "express": "express",
    "express.Router": "express router",
    "koa": "koa",
    "@koa/router": "koa router",
    "@koa/router.Router": "koa router",
    "koa-router": "koa router",
    "koa-router.Router": "koa router",
    "fastify": "fastify",
    "fastify.fastify": "fastify",
    "hono.Hono": "hono",
    "hono/tiny.Hono": "hono",
    "hono/quick.Hono": "hono",
    "@hono/zod-openapi.OpenAPIHono": "hono",
    "fastapi.FastAPI": "fastapi",
    "fastapi.APIRouter": "fastapi router",
    "fastapi.routing.APIRouter": "fastapi router",
    "flask.Flask": "flask",
    "flask.Blueprint": "flask blueprint",
    "flask.blueprints.Blueprint": "flask blueprint",
}
"""What packages make routers, and of which kind."""

APPLICATIONS = frozenset(["express", "koa", "fastify", "hono", "fastapi", "flask"])
"""Kinds that serve by themselves; the others must be mounted."""

ITSELF = frozenset(
    "routes middleware withTypeProvider use route register on all prefix param basePath openapi"
    " after callback".split()
) | frozenset(VERBS)
"""Methods of routers that return the router, or what stands for it."""

PREFIX_NAMES = ("prefix", "url_prefix")


@dataclass(eq=False)
class Registration:
    """Some methods on some paths, as one call or decorator registers them."""

    methods: list[str]
    paths: list[str]
    handler: Expression | None
    call: Call
    scope: Scope


@dataclass(eq=False)
class Mount:
    """A router below another. `instead`: the prefix stands for the child's own."""

    prefixes: list[str]
    child: "Router"
    instead: bool = False


@dataclass(eq=False)
class Router:
    """Anything that routes are registered on; a parameter that routers are given for is one."""

    kind: str
    scope: Scope
    prefixes: list[str] = field(default_factory=lambda: [""])
    registered: list[Registration] = field(default_factory=list)
    mounts: list[Mount] = field(default_factory=list)
    is_mounted: bool = False
    origin: "Router | None" = None
    """The router that this one is a part of, by another prefix."""


def put(parent: Router, mount: Mount) -> None:
    """Put a router below another, once."""
    mount.child.is_mounted = True
    if mount.child.origin is not None:
        mount.child.origin.is_mounted = True
    if not any(
        one.child is mount.child and one.prefixes == mount.prefixes for one in parent.mounts
    ):
        parent.mounts.append(mount)
