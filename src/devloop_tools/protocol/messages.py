"""What one line can hold. Pure data: no I/O."""

from typing import Any

from devloop_tools.frozen import frozen
from devloop_tools.protocol.errors import RpcError

RequestId = int | str
"""MCP: a string or an integer, never null."""

JsonObject = dict[str, Any]


@frozen
class Request:
    """A call that must be answered exactly once, unless it is cancelled."""

    id: RequestId
    method: str
    params: JsonObject


@frozen
class Notification:
    """A message that is never answered."""

    method: str
    params: JsonObject


@frozen
class Response:
    """The peer's answer to a request of ours; `body` holds `result` or `error`."""

    id: RequestId | None
    body: JsonObject


@frozen
class Malformed:
    """A message that can't be taken; `id` is its own where that could be read.

    `answers`: it names no method, so that the id is one of ours where we have asked something.
    """

    id: RequestId | None
    error: RpcError
    answers: bool = False


Message = Request | Notification | Response | Malformed


@frozen
class Batch:
    """A JSON array of messages (JSON-RPC 2.0, section 6), never empty."""

    items: tuple[Message, ...]
