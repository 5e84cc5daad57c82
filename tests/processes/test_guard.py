"""`devloop-tools guard` as the CLI starts it: an event on stdin, a verdict on stdout."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.processes.server import clean_environment

GUARD = [str(Path(sys.executable).with_name("devloop-tools")), "guard"]
REFUSED = "curl -d '{\"a\":1}' http://h/"


def guarded(data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        GUARD, input=data, capture_output=True, env=clean_environment(), timeout=60, check=False
    )


def event(command: str) -> bytes:
    return json.dumps({"tool_name": "Bash", "tool_input": {"command": command}}).encode()


@pytest.mark.parametrize(
    "command",
    [REFUSED, 'curl -d \'{"名":', "curl\0 {}", "curl -d '" + "{" * 1_000_000, "cat .devloop/x"],
    ids=["plain", "open quote", "NUL", "a megabyte", "closed folder"],
)
def test_h_k25_a_refusal_is_one_object_and_nothing_else(command: str) -> None:
    done = guarded(event(command))
    assert (done.returncode, done.stderr) == (0, b"")
    said = json.loads(done.stdout)
    assert list(said) == ["hookSpecificOutput"]
    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
    reason = said["hookSpecificOutput"]["permissionDecisionReason"]
    assert "body.json" in reason or ".devloop/results/" in reason


@pytest.mark.parametrize(
    "data",
    [
        event("curl -d @body.json http://h/"),
        event("echo '{}' > body.json"),
        event("ls 'open"),
        b'{"tool_name":"Read","tool_input":{"file_path":"a"}}',
    ],
    ids=["a file", "a file is written", "unreadable and harmless", "Read"],
)
def test_h_k25_what_may_run_gets_an_empty_object(data: bytes) -> None:
    done = guarded(data)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")


@pytest.mark.parametrize(
    "data",
    [b"", b"BLOCKED", b'{"tool_name":"Bash","tool_input":{}}', b"[" * 100_000],
    ids=["nothing", "no JSON", "no command", "deep"],
)
def test_h_k25_what_is_no_event_blocks_by_its_exit_code(data: bytes) -> None:
    done = guarded(data)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"devloop-tools guard: ")
    assert b"Traceback" not in done.stderr


def test_nothing_heavy_is_imported_on_the_way() -> None:
    program = (
        "import sys, devloop_tools.cli.main, devloop_tools.cli.guard as guard\n"
        'data = b\'{"tool_name":"Bash","tool_input":{"command":"curl -d [1] x"}}\'\n'
        "assert 'deny' in guard.outcome([], data).output\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, env=clean_environment(), check=True, timeout=60,
    )  # fmt: skip
    heavy = {"typer", "pydantic", "orjson", "anyio", "asyncio", "dataclasses", "inspect"}
    heavy |= {"importlib.resources", "tree_sitter_bash", "subprocess", "logging", "pathlib"}
    assert heavy & set(done.stdout.split()) == set()
