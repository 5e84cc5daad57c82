"""What a client can expect of a conversation, judged without the server's own code."""

import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

import anyio

from devloop_tools.app import Application, run_connection
from devloop_tools.rpc.connection import Connection
from devloop_tools.rpc.memory import MemoryTransport, memory_pair

Key = tuple[type, Any]
"""An id with its type: 1 and "1" are two."""

HANG_S = 20
SENTINEL = "the last request \N{BLACK FLAG}"


@dataclass
class Expected:
    """The ids that must be answered exactly once, and those that may be left without."""

    answered: set[Key] = field(default_factory=set)
    maybe: set[Key] = field(default_factory=set)
    listening: set[Key] = field(default_factory=set)


def expected_of(lines: Iterable[bytes]) -> Expected:
    """What a conversation's lines ask for (JSON-RPC 2.0, and MCP's rules for ids)."""
    expected = Expected()
    for line in lines:
        for message in _messages(line):
            _expect(message, expected)
    expected.answered -= expected.maybe
    expected.listening -= expected.maybe
    expected.answered -= expected.listening
    return expected


async def converse(
    application: Application, lines: Sequence[bytes], answers: Sequence[Any]
) -> list[Any]:
    """Send the lines, answer what the server asks, wait for all that must come, and leave."""
    theirs, ours = memory_pair()
    received: list[Any] = []
    waiting = expected_of(lines).answered | {(str, SENTINEL)}
    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as tasks:

            async def serve() -> None:
                await run_connection(application, Connection(ours), [])
                ours.close()

            tasks.start_soon(serve)
            for line in lines:
                theirs.send(line)
            theirs.send(_line({"id": SENTINEL, "method": "server.info"}))
            while waiting:
                for message in await _next(theirs):
                    received.append(message)
                    if "method" not in message:
                        waiting.discard(_key(message["id"]))
                    elif "id" in message:
                        answer = answers[len(received) % len(answers)] if answers else None
                        theirs.send(_line({"id": message["id"], "result": answer}))
            theirs.close()
            while messages := await _next(theirs):
                received += messages
    return received


def check(lines: Sequence[bytes], received: Sequence[Any]) -> None:
    """Every request has exactly one answer, and no answer is to something else."""
    expected = expected_of(lines)
    replies = [message for message in received if "method" not in message]
    counted = Counter(_key(reply["id"]) for reply in replies if reply["id"] is not None)
    for key in expected.answered | expected.listening:
        assert counted.pop(key, 0) == 1, f"{key} has not exactly one answer"
    for key in expected.maybe:
        assert counted.pop(key, 0) <= 1, f"{key} has a second answer"
    assert counted.pop((str, SENTINEL), 0) == 1
    assert not counted, f"answers to nothing: {counted}"
    for reply in replies:
        assert ("result" in reply) != ("error" in reply)
        if "error" in reply:
            assert isinstance(reply["error"]["code"], int)
            assert reply["error"]["message"]
            assert "Traceback" not in reply["error"]["message"]
            assert reply["error"]["message"] != "Internal error"


class Faults(logging.Handler):
    """What the server says of itself: any of these is a bug."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(logging.Formatter().format(record))


@contextmanager
def no_faults() -> Iterator[None]:
    """Nothing of the server's own may fail in the block; what its tools raise is an answer."""
    faults = Faults()
    loggers = [logging.getLogger(f"devloop_tools.{name}") for name in ("server.dispatcher", "rpc")]
    for logger in loggers:
        logger.addHandler(faults)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(faults)
    assert not faults.records, "\n".join(faults.records)


def _messages(line: bytes) -> list[Any]:
    """The objects in a line: one, or those of a batch."""
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return []
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict)]


def _expect(message: dict[str, Any], expected: Expected) -> None:
    key = message.get("id")
    if not isinstance(key, int | str) or isinstance(key, bool):
        params = message.get("params")
        if message.get("method") in ("notifications/cancelled", "$/cancel"):
            for name in ("requestId", "id"):
                named = params.get(name) if isinstance(params, dict) else None
                if isinstance(named, int | str):
                    expected.maybe.add(_key(named))
        return
    if isinstance(key, int) and not -(2**63) <= key < 2**64:
        return
    if message.get("method") == "subscriptions/listen":
        expected.listening.add(_key(key))
    if "method" in message or not {"result", "error"} & message.keys():
        expected.answered.add(_key(key))
    elif message.get("jsonrpc") != "2.0":
        expected.answered.add(_key(key))


async def _next(transport: MemoryTransport) -> list[Any]:
    """The messages of the next line; none at the end."""
    line = await transport.receive()
    if line is None:
        return []
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    value = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    messages = value if isinstance(value, list) else [value]
    assert messages
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    return messages


def _line(body: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **body}).encode() + b"\n"


def _key(request_id: Any) -> Key:
    return (type(request_id), request_id)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
