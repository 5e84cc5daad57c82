"""Bytes of one line to a message and back (JSON-RPC 2.0 over RFC 8259).

Strict where leniency would hide a fault: NaN and Infinity are no JSON, and ids are strings or
integers. U+2028 and U+2029 leave as escapes, since line readers of other languages cut there.
"""

import json
from collections.abc import Sequence
from typing import Any, NoReturn

import orjson

from devloop_tools.protocol.errors import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, RpcError
from devloop_tools.protocol.messages import (
    Batch,
    JsonObject,
    Malformed,
    Message,
    Notification,
    Request,
    RequestId,
    Response,
)


def decode(line: bytes) -> Message | Batch:
    """What the line holds. Never raises: what can't be taken comes back as `Malformed`."""
    try:
        value = _parse(line)
    except RecursionError:
        return Malformed(None, RpcError(PARSE_ERROR, "Parse error: the line is nested too deeply"))
    except ValueError:
        return Malformed(None, RpcError(PARSE_ERROR, "Parse error: the line is not JSON in UTF-8"))
    if isinstance(value, list):
        if not value:
            return _invalid(None, "an empty batch")
        return Batch(tuple(_message(item) for item in value))
    return _message(value)


def encode(body: JsonObject) -> bytes:
    """The line for `body`, which lacks only `jsonrpc`, with its LF. Raises TypeError: not JSON."""
    return _line({"jsonrpc": "2.0", **body})


def encode_batch(lines: Sequence[bytes]) -> bytes:
    """One line that holds all replies of a batch, each of them encoded already."""
    return b"[" + b",".join(line.rstrip(b"\n") for line in lines) + b"]\n"


def _line(value: Any) -> bytes:
    try:
        line = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        # What the parser lets in must get out again: an id or a name with a lone surrogate.
        return _escaped(value)
    if b"\xe2\x80" in line:
        line = line.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
    return line


def _escaped(value: Any) -> bytes:
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    except (ValueError, RecursionError) as exc:
        raise TypeError(f"not JSON: {exc}") from exc


_DIGITS = bytes(0x31 if chr(byte).isdecimal() else 0x20 for byte in range(256))
_HUGE = b"1" * 20
"""Fewer digits fit 64 bits; of an integer with more, orjson makes a float."""


def _parse(line: bytes) -> Any:
    if _HUGE not in line.translate(_DIGITS):
        try:
            return orjson.loads(line)
        except orjson.JSONDecodeError:
            # orjson refuses two things that RFC 8259 allows: lone surrogates and overflowing
            # numbers. Taking them here lets the argument's own check name the field.
            pass
    return json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _message(value: Any) -> Message:
    if not isinstance(value, dict):
        return _invalid(None, f"a message is an object, not {type(value).__name__}")
    has_id = "id" in value
    request_id = value.get("id")
    if has_id and not is_request_id(request_id):
        if request_id is None and "method" not in value and ("error" in value or "result" in value):
            return Response(None, value)
        return _invalid(None, "an id is a string or an integer of 64 bits")
    if value.get("jsonrpc") != "2.0":
        return _invalid(request_id, 'jsonrpc must be "2.0"', answers="method" not in value)
    if "method" in value:
        return _call(value, has_id, request_id)
    if has_id and ("result" in value or "error" in value):
        return Response(request_id, value)
    return _invalid(request_id, "neither a method nor a result", answers=True)


def _call(value: JsonObject, has_id: bool, request_id: RequestId | None) -> Message:
    method, params = value["method"], value.get("params")
    if not isinstance(method, str):
        return _invalid(request_id, "method must be a string")
    if not has_id or request_id is None:
        return Notification(method, params if isinstance(params, dict) else {})
    if params is None:
        params = {}
    if not isinstance(params, dict):
        return Malformed(request_id, RpcError(INVALID_PARAMS, "params must be an object"))
    return Request(request_id, method, params)


def is_request_id(value: Any) -> bool:
    """Whether MCP allows `value` as an id: a string, or an integer that 64 bits can hold."""
    if isinstance(value, str):
        return True
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**64


def _invalid(request_id: RequestId | None, why: str, *, answers: bool = False) -> Malformed:
    return Malformed(request_id, RpcError(INVALID_REQUEST, f"Invalid request: {why}"), answers)
