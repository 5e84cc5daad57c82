"""Keeps out of the process what libraries import and this server never uses.

It is a quarter of the time and memory that loading takes:

- jsonrpcserver imports jsonschema for a check that `server.dispatcher` does not use, and an HTTP
  server;
- pydantic looks through every installed package for plugins of its own.

The stand-ins say so if they are ever called. All but pydantic's are taken away again after
loading, so that a tool which imports the real module gets it.
"""

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import NoReturn

_PYDANTIC_PLUGINS = "pydantic.plugin._loader"


@contextlib.contextmanager
def loading_less() -> Iterator[None]:
    """Stand-ins for unused modules while the block imports; real ones that are there stay."""
    placed = [name for name in _STAND_INS if name not in sys.modules]
    for name in placed:
        module = ModuleType(name)
        vars(module).update(_STAND_INS[name])
        sys.modules[name] = module
    try:
        yield
    finally:
        for name in placed:
            if name != _PYDANTIC_PLUGINS:
                del sys.modules[name]


class _Unused:
    """What stands for a class or function of a module that was not loaded."""

    def __init__(self, *_: object) -> None:
        """Being made is no use yet."""

    def check_schema(self) -> None:
        """jsonrpcserver looks at its own schema when it is imported."""

    def validate(self, *_: object) -> NoReturn:
        raise RuntimeError("jsonschema is not loaded in a server; see devloop_tools.cli.lighter")


def _validator_for(_schema: object) -> type[_Unused]:
    return _Unused


def _no_plugins() -> tuple[()]:
    return ()


_STAND_INS: dict[str, dict[str, object]] = {
    "jsonschema": {},
    "jsonschema.validators": {"validator_for": _validator_for},
    "http.server": {"BaseHTTPRequestHandler": _Unused, "HTTPServer": _Unused},
    _PYDANTIC_PLUGINS: {"get_plugins": _no_plugins},
}
