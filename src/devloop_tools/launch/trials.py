"""Tries an agent's set-up without a model: its server by itself, its CLI up to the first event."""

import json
import os
import selectors
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devloop_tools.launch.arguments import CommandLine
from devloop_tools.launch.errors import LaunchError
from devloop_tools.launch.verification import is_init
from devloop_tools.registry.names import CLI_PREFIX, HOOK_TOOL

LIMIT_S = 60
"""How long a server or a CLI may take to say its first words."""

QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}
HEADLESS = ("-p", "--output-format=stream-json", "--verbose")

_KEPT = ("PATH", "HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
_SHOWN = 500

_QUESTIONS: Sequence[tuple[str, dict[str, Any]]] = (
    (
        "initialize",
        {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "devloop-tools", "version": "1"},
        },
    ),
    ("tools/list", {}),
    # One of ours: the hook lets it pass and leaves no event.
    (
        "tools/call",
        {
            "name": HOOK_TOOL,
            "arguments": {"tool_name": f"{CLI_PREFIX}trial", "tool_input": "{}"},
        },
    ),
)


@dataclass(frozen=True)
class ServerTrial:
    """What the server answered: its tools, and whether its hook did."""

    tools: frozenset[str]
    hook_answers: bool


def try_server(command: Sequence[str], environ: Mapping[str, str]) -> ServerTrial:
    """Shake hands, list the tools and ask the hook. Raises LaunchError with what it said."""
    kept = {name: environ[name] for name in _KEPT if name in environ}
    lines = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        for number, (method, params) in enumerate(_QUESTIONS)
    ]
    lines.insert(1, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command,
                # What a server that has ended didn't read is not sent again at the close.
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=kept | {"PYTHONUTF8": "1"},
            )
        except OSError as exc:
            raise LaunchError(f"the server can't be started: {exc.strerror}") from None
        with process:
            try:
                _send(process, lines)
                replies = _replies(process, len(_QUESTIONS))
            finally:
                process.kill()
        if len(replies) < len(_QUESTIONS):
            errors.seek(0)
            said = errors.read(_SHOWN).decode(errors="replace").strip()
            raise LaunchError(f"the server did not answer: {said or f'within {LIMIT_S} s'}")
    listed = replies[1].get("result", {}).get("tools", ())
    hook = replies[2].get("result", {})
    return ServerTrial(
        frozenset(tool["name"] for tool in listed),
        hook.get("content") == [{"type": "text", "text": "{}"}],
    )


def first_event(line: CommandLine, folder: Path, environ: Mapping[str, str]) -> dict[str, Any]:
    """The `system/init` event of the CLI, which comes before it asks its model anything.

    Its model is a port of this machine that never answers, its home an empty folder. Raises
    LaunchError with what it said instead.
    """
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        tempfile.TemporaryDirectory() as home,
        tempfile.TemporaryFile() as errors,
    ):
        kept = {name: environ[name] for name in _KEPT if name in environ}
        own = {
            "HOME": home,
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{silent.getsockname()[1]}",
        }
        command = [*line.argv, *HEADLESS, "--no-session-persistence", "--", "hi"]
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**kept, **own, **QUIET, **line.env},
            cwd=folder,
        ) as process:
            try:
                event = _first_init(process)
            finally:
                process.kill()
        if event is None:
            errors.seek(0)
            said = errors.read(_SHOWN).decode(errors="replace").strip()
            raise LaunchError(f"the CLI said nothing of its tools: {said or 'no word'}")
        return event


def _send(process: subprocess.Popen[bytes], lines: Sequence[dict[str, Any]]) -> None:
    assert process.stdin
    try:
        process.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        process.stdin.flush()
    except BrokenPipeError:
        # It has ended; what it said on stderr tells why.
        return


def _replies(process: subprocess.Popen[bytes], wanted: int) -> list[dict[str, Any]]:
    found = {}
    for message in _messages(process):
        if "id" in message and "method" not in message:
            found[message["id"]] = message
        if len(found) == wanted:
            break
    return [found[number] for number in sorted(found)]


def _first_init(process: subprocess.Popen[bytes]) -> dict[str, Any] | None:
    return next((event for event in _messages(process) if is_init(event)), None)


def _messages(process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """Each JSON object on the process's stdout, until it ends or the time is up."""
    assert process.stdout
    fd, rest, deadline = process.stdout.fileno(), b"", time.monotonic() + LIMIT_S
    with selectors.DefaultSelector() as ready:
        ready.register(fd, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0 and ready.select(left):
            if not (chunk := os.read(fd, 1 << 16)):
                return
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                try:
                    message = json.loads(line)
                except ValueError:
                    continue
                if isinstance(message, dict):
                    yield message
