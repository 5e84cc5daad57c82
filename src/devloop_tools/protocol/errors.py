"""JSON-RPC error codes (JSON-RPC 2.0, section 5.1) and the exception that carries one.

Imports nothing, `typing` included: the first answer of `serve` waits for this module.
"""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

MISSING_CAPABILITY = -32021
"""MCP 2026-07-28: the request needs a capability that the client did not declare."""

UNSUPPORTED_VERSION = -32022
"""MCP 2026-07-28: the protocol version in `_meta` is not spoken here."""


class RpcError(Exception):
    """An error for the client program. `data`, if given, must be JSON."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def body(self) -> dict[str, object]:
        """The `error` member of the reply (JSON-RPC 2.0, section 5.1)."""
        error: dict[str, object] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return {"error": error}
