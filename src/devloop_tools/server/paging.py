"""Pages of a list, in an order that stays."""

from collections.abc import Sequence
from typing import Any

from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.messages import JsonObject, Request

PAGE_SIZE = 100


def page_of(field: str, items: Sequence[JsonObject], request: Request, *, key: str) -> JsonObject:
    """One page (MCP, pagination). The cursor is the `key` of the last item of the page before."""
    page = _after(items, request.params.get("cursor"), key)
    result: JsonObject = {field: list(page[:PAGE_SIZE])}
    if len(page) > PAGE_SIZE:
        result["nextCursor"] = page[PAGE_SIZE - 1][key]
    return result


def _after(items: Sequence[JsonObject], cursor: Any, key: str) -> Sequence[JsonObject]:
    if cursor is None:
        return items
    names = [item[key] for item in items]
    if not isinstance(cursor, str) or cursor not in names:
        raise RpcError(INVALID_PARAMS, "cursor: not one that was given out; start without one")
    return items[names.index(cursor) + 1 :]
