"""The part of jsonrpcserver that is used here, without what its package loads beside it.

`import jsonrpcserver` also loads an HTTP server, an async dispatcher and jsonschema, to build a
validator of envelopes that `protocol.codec` has made superfluous: half of the time to the first
call. The two modules that resolve a method need none of it, so they are imported below a package
whose `__init__` has not run; the package itself is left for whoever imports it whole.
"""

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

_PACKAGE = "jsonrpcserver"


def _bare_modules(*names: str) -> list[ModuleType]:
    if _PACKAGE in sys.modules:
        return [importlib.import_module(f"{_PACKAGE}.{name}") for name in names]
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None:
        raise ImportError(f"{_PACKAGE} is not installed")
    sys.modules[_PACKAGE] = importlib.util.module_from_spec(spec)
    try:
        return [importlib.import_module(f"{_PACKAGE}.{name}") for name in names]
    finally:
        del sys.modules[_PACKAGE]


_dispatcher, _result, _response, _sentinels = _bare_modules(
    "dispatcher", "result", "response", "sentinels"
)

success: Any = _result.Success
"""Wraps what a method returns."""


def resolve(request: dict[str, Any], methods: dict[str, Any]) -> dict[str, Any]:
    """The response object of jsonrpcserver's sync dispatch: `result` or `error` (JSON-RPC 2.0)."""
    response: dict[str, Any] = _dispatcher.dispatch_to_response_pure(
        deserializer=_identity,
        validator=_identity,
        post_process=_response.to_serializable_one,
        context=_sentinels.NOCONTEXT,
        methods=methods,
        request=request,
    )
    return response


def _identity(value: Any) -> Any:
    return value
