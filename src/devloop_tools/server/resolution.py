"""The part of jsonrpcserver that is used here, without what its package loads beside it.

`import jsonrpcserver` also loads an HTTP server, an async dispatcher and jsonschema, to build a
validator of envelopes that `protocol.codec` has made superfluous: half of the time to the first
call. The two modules that resolve a method need none of it, nor all that `oslash` holds beside
what they use, so they are imported below packages whose `__init__` has not run; the packages
themselves are left for whoever imports them whole.
"""

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_PACKAGE = "jsonrpcserver"


@contextmanager
def _bare(*packages: str) -> Iterator[None]:
    """Packages that nobody has imported are there in the block, with no code of their own run."""
    absent = [name for name in packages if name not in sys.modules]
    try:
        for name in absent:
            spec = importlib.util.find_spec(name)
            if spec is None:
                raise ImportError(f"{name} is not installed")
            sys.modules[name] = importlib.util.module_from_spec(spec)
        yield
    finally:
        for name in absent:
            sys.modules.pop(name, None)


with _bare(_PACKAGE, "oslash"):
    _dispatcher, _result, _response, _sentinels = (
        importlib.import_module(f"{_PACKAGE}.{name}")
        for name in ("dispatcher", "result", "response", "sentinels")
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
