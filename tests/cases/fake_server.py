"""A small server that is right but for one named fault, to see that the runner finds it.

Run as a script: fake_server.py [FAULT]. Standard library alone; replies are written by hand.
"""

import json
import os
import subprocess
import sys
import threading
import time
from typing import Any

_LOCK = threading.Lock()
_CANCELLED: set[Any] = set()
_RAW = {"raw separators": ("\\u2028", "\u2028"), "nan": ('"finite"', "NaN")}


def main(fault: str) -> int:
    """Serve until the input ends."""
    if fault == "banner":
        write(b"Fake server ready\n")
    for line in sys.stdin.buffer:
        take(line, fault)
    match fault:
        case "deaf to the end":
            time.sleep(60)
        case "spins at the end":
            end = time.process_time() + 1.5
            while time.process_time() < end:
                pass
        case "leaves a child":
            nothing = subprocess.DEVNULL
            subprocess.Popen(["sleep", "20"], stdin=nothing, stdout=nothing, stderr=nothing)
        case "wrong exit code":
            return 3
    return 0


def take(line: bytes, fault: str) -> None:
    """Answer one line."""
    try:
        message = json.loads(line.decode(), parse_constant=refuse)
    except ValueError:
        if fault == "traceback":
            sys.stderr.write("Traceback (most recent call last):\n")
            sys.stderr.flush()
        if fault != "silent about garbage":
            error(None, -32700, fault)
        return
    if isinstance(message, list):
        if fault == "answers batches":
            for item in message:
                answer(item["id"], item, fault)
        else:
            error(None, -32600, fault)
        return
    if "id" not in message:
        if str(message.get("method")).endswith("cancelled") and fault != "deaf to cancels":
            _CANCELLED.add(message["params"]["requestId"])
        return
    if fault == "dies" and message["method"] != "initialize":
        os._exit(0)
    answer(message["id"], message, fault)


def answer(request_id: Any, message: dict[str, Any], fault: str) -> None:
    """The reply to a request, as `fault` wants it."""
    match message["method"]:
        case "initialize":
            asked = message["params"]["protocolVersion"]
            version = asked if fault == "echoes any version" else "2025-11-25"
            result(request_id, {"protocolVersion": version, "capabilities": {}}, "")
        case "ping":
            result(request_id, {"late": True} if fault == "says too much" else {}, fault)
        case "tools/list":
            result(request_id, {"tools": tools(fault)}, fault)
        case "tools/call":
            threading.Thread(target=call, args=(request_id, message["params"], fault)).start()
        case _:
            error(request_id, -32601, fault)


def call(request_id: Any, params: dict[str, Any], fault: str) -> None:
    """One tool call, in a thread of its own."""
    arguments = params["arguments"]
    match params["name"]:
        case "f_sleep":
            time.sleep(arguments["seconds"])
            if request_id not in _CANCELLED:
                text(request_id, "ok", fault)
        case "f_progress":
            report(request_id, params["_meta"]["progressToken"], fault)
        case "f_print":
            if fault == "forged":
                write(arguments["text"].encode())
            text(request_id, "ok", fault)
        case "f_raise":
            fail(request_id, fault)
        case "f_echo":
            text(request_id, arguments["text"], fault)
        case _:
            error(request_id, -32603 if fault == "wrong code" else -32602, fault)


def report(request_id: Any, token: Any, fault: str) -> None:
    """Progress, and the end."""
    if fault == "progress after the reply":
        text(request_id, "ok", fault)
    token = str(token) if fault == "token as text" else token
    for count in range(2 if fault == "too little progress" else 3):
        progress = {"progressToken": token, "progress": count}
        send({"method": "notifications/progress", "params": progress}, fault)
    if fault != "progress after the reply":
        text(request_id, "ok", fault)


def fail(request_id: Any, fault: str) -> None:
    """A result that is an error."""
    where = "Traceback" if fault == "shows a traceback" else "磁盘 A 满"
    shown = {"content": [{"type": "text", "text": where}], "isError": fault != "no error"}
    if fault == "structured error":
        shown["structuredContent"] = {}
    result(request_id, shown, fault)


def tools(fault: str) -> list[dict[str, Any]]:
    """What is listed."""
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    if fault == "union at the root":
        schema = {"type": "object", "anyOf": [{}]}
    if fault == "dangling reference":
        schema["properties"] = {"x": {"$ref": "#/$defs/Gone"}}
    names = ["f_echo", "f_echo" if fault == "a name twice" else "f_sleep"]
    return [{"name": name, "inputSchema": schema} for name in names]


def text(request_id: Any, value: str, fault: str) -> None:
    """A result with one text block."""
    value = {"changed text": "other", "nan": '{"p": "finite"}'}.get(fault, value)
    result(request_id, {"content": [{"type": "text", "text": value}]}, fault)


def result(request_id: Any, value: Any, fault: str) -> None:
    """A result reply."""
    if fault == "mute":
        return
    if fault == "late":
        time.sleep(1.5)
    request_id = str(request_id) if fault == "id as text" else request_id
    for _ in range(2 if fault == "twice" else 1):
        send({"id": request_id, "result": value}, fault)


def error(request_id: Any, code: int, fault: str) -> None:
    """An error reply."""
    send({"id": request_id, "error": {"code": code, "message": "no_such_tool"}}, fault)


def send(body: dict[str, Any], fault: str) -> None:
    """One line."""
    line = json.dumps({"jsonrpc": "2.0", **body})
    if fault in _RAW:
        line = line.replace(*_RAW[fault]).replace('\\"finite\\"', "NaN")
    ending = {"crlf": "\r\n", "no line feed": ""}.get(fault, "\n")
    encoding = "utf-16-le" if fault == "utf-16" else "utf-8"
    write((line + ending).encode(encoding))


def write(data: bytes) -> None:
    """All of it, in one piece."""
    with _LOCK:
        os.write(1, data)


def refuse(name: str) -> None:
    """NaN and Infinity are no JSON."""
    raise ValueError(name)


if __name__ == "__main__":
    code = main(sys.argv[1] if len(sys.argv) > 1 else "")
    os._exit(code)
