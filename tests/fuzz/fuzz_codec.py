"""The codec and the framing under atheris, by hand: coverage guides what is tried.

    python -m venv .fuzz && .fuzz/bin/pip install atheris orjson
    PYTHONPATH=src .fuzz/bin/python tests/fuzz/fuzz_codec.py -max_total_time=600

It ends with an exception and the input that brought it about, or with nothing; docs/fuzz.md keeps
what came of it.
"""

import importlib
import json
import math
import sys
import tempfile
from pathlib import Path
from typing import Any

_MEMBERS = ("id", "method", "params", "result", "error")

SEEDS = (
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\xe5\x90\x8d"}}',
    b'{"jsonrpc":"2.0","id":"\\ud800","result":{"n":18446744073709551616}}',
    b'[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1e999}},[],1]',
    b"\xff\n\n{}\r\n[]\x00",
)


def main(arguments: list[str]) -> None:
    """Fuzz until time is up, as libFuzzer's flags say."""
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["devloop_tools"]):
        codec = importlib.import_module("devloop_tools.protocol.codec")
        framing = importlib.import_module("devloop_tools.protocol.framing")
        messages = importlib.import_module("devloop_tools.protocol.messages")

    def one_input(data: bytes) -> None:
        for line in _framed(framing, data):
            _decoded(codec, messages, line)
        _decoded(codec, messages, data)
        composed = _composed(atheris.FuzzedDataProvider(data), 4)
        # ASCII, so that half a character passes too; and now and then a number that is none.
        _decoded(codec, messages, json.dumps(composed).encode())

    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(SEEDS):
            Path(corpus, str(number)).write_bytes(seed)
        atheris.Setup([*arguments, corpus], one_input)
        atheris.Fuzz()


def _composed(data: Any, depth: int) -> Any:
    """A value of JSON that the bytes spell, often a message."""
    match data.ConsumeIntInRange(0, 9 if depth else 5):
        case 0:
            return data.ConsumeUnicode(6)
        case 1:
            return data.ConsumeInt(10)
        case 2:
            return data.ConsumeFloat()
        case 3:
            return data.ConsumeBool()
        case 4:
            return None
        case 5:
            return data.PickValueInList(["2.0", "tools/call", "\ud800", 2**64, -1, "\u2028"])
        case 6:
            return [_composed(data, depth - 1) for _ in range(data.ConsumeIntInRange(0, 3))]
        case _:
            names = data.ConsumeIntInRange(0, 31)
            kept = [name for bit, name in enumerate(_MEMBERS) if names >> bit & 1]
            message = {name: _composed(data, depth - 1) for name in kept}
            return {"jsonrpc": "2.0", **message} if data.ConsumeBool() else message


def _framed(framing: Any, data: bytes) -> list[bytes]:
    """The lines of `data`, fed in pieces whose sizes are its own bytes."""
    framer, rest, taken = framing.LineFramer(), data, []
    while rest:
        size = rest[0] % 16 + 1
        framer.feed(rest[:size])
        rest = rest[size:]
    framer.finish()
    while (line := framer.take()) is not None:
        taken.append(line)
    assert taken == [line for line in data.split(b"\n") if line.strip()]
    return taken


def _decoded(codec: Any, messages: Any, line: bytes) -> None:
    """Whatever it is, it is a message, and what is answered to it can be written."""
    message = codec.decode(line)
    items = message.items if isinstance(message, messages.Batch) else (message,)
    assert items
    for item in items:
        match item:
            case messages.Request():
                _round_trip(codec, item.id, item.params)
            case messages.Malformed():
                _round_trip(codec, item.id, item.error.body())
            case messages.Response():
                assert item.id is None or codec.is_request_id(item.id)
            case messages.Notification():
                assert isinstance(item.params, dict)
            case _:
                raise AssertionError(f"no message: {item!r}")


def _round_trip(codec: Any, request_id: Any, body: Any) -> None:
    if request_id is None:
        return
    try:
        line = codec.encode({"id": request_id, "result": body})
    except TypeError:
        # Numbers that overflow and depths that no writer has: the connection says that instead.
        assert _overflows(body, 0)
        return
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    again = codec.decode(line[:-1])
    assert (again.id, type(again.id)) == (request_id, type(request_id))
    json.loads(line)


def _overflows(value: Any, depth: int) -> bool:
    if depth > 200:
        return True
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return any(_overflows(item, depth + 1) for item in value.values())
    return isinstance(value, list) and any(_overflows(item, depth + 1) for item in value)


if __name__ == "__main__":
    main(sys.argv)
