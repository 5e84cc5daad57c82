"""A scripted model: the part of the Messages API that the Claude CLI needs, on loopback.

Which step is answered follows from the conversation alone (how often the assistant has spoken), so
that a request that is sent again gets the same answer.
"""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """The model calls a tool."""

    tool: str
    arguments: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One answer of the model: a text, and the calls of one turn."""

    text: str = ""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class ToolResult:
    """What the model was told about a call."""

    text: str
    is_error: bool


class MessagesStub:
    """Answers by `steps`, and says "done" when they are used up; keeps each request.

    `script` may choose other steps for a request: those of a subagent.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.requests: list[Json] = []
        self.script: Callable[[Json], Sequence[Step]] = lambda _: steps
        self._lock = threading.Lock()

    def answer(self, request: Json) -> Json:
        """The reply to one request, as a whole message."""
        with self._lock:
            self.requests.append(request)
        spoken = sum(message["role"] == "assistant" for message in request["messages"])
        steps = self.script(request)
        step = steps[spoken] if spoken < len(steps) else Step("done")
        return {
            "id": f"msg_{spoken:04d}",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": _blocks(step, spoken),
            "stop_reason": "tool_use" if step.calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }

    @property
    def results(self) -> list[ToolResult]:
        """Every tool result in the last request, in order."""
        return self.results_in(self.requests[-1])

    @staticmethod
    def results_in(request: Json) -> list[ToolResult]:
        """Every tool result in one request, in order."""
        messages = request["messages"]
        blocks = [
            block
            for message in messages
            if isinstance(message["content"], list)
            for block in message["content"]
        ]
        return [
            ToolResult(_text(block.get("content")), block.get("is_error", False))
            for block in blocks
            if block["type"] == "tool_result"
        ]


@contextmanager
def served(stub: MessagesStub) -> Iterator[str]:
    """The address at which `stub` answers."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.stub = stub
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def _blocks(step: Step, spoken: int) -> list[Json]:
    text = [{"type": "text", "text": step.text}] if step.text else []
    calls = [
        {
            "type": "tool_use",
            "id": f"toolu_{spoken:04d}{position:04d}",
            "name": call.tool,
            "input": call.arguments,
        }
        for position, call in enumerate(step.calls)
    ]
    return [*text, *calls]


def _text(content: Any) -> str:
    """The result's own text: the CLI adds a note of its own to the last one of a request."""
    if isinstance(content, list):
        content = "".join(block.get("text", "") for block in content)
    return str(content or "").partition("\n\n<system-reminder>")[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    stub: MessagesStub


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        match self.path.partition("?")[0]:
            case "/v1/messages":
                message = self.server.stub.answer(body)
                if body.get("stream"):
                    self._stream(message)
                else:
                    self._json(200, message)
            case "/v1/messages/count_tokens":
                self._json(200, {"input_tokens": 1})
            case _:
                self._not_found()

    def do_GET(self) -> None:
        self._not_found()

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the requests are kept."""

    def _not_found(self) -> None:
        error = {"type": "not_found_error", "message": "the stub has no such path"}
        self._json(404, {"type": "error", "error": error})

    def _json(self, status: int, value: Json) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, message: Json) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in _events(message):
            data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
            self.wfile.write(data.encode())


def _events(message: Json) -> Iterator[Json]:
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start = {**block, "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}
