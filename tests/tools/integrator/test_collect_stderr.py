"""Reads logs as a keeper leaves them; `tests/processes/test_cases.py` reads a real unit's."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.domain.running.processes import process
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.integrator.collect_stderr import collect_stderr

PYTHON = """Traceback (most recent call last):
  File "/srv/app.py", line 12, in handle
    return todos[key]
           ~~~~~^^^^^
KeyError: '登录-{n}'
"""
NODE = """/srv/app.js:3
TypeError: Cannot read properties of undefined (reading 'id')
    at handle (/srv/app.js:3:15)
    at async Server.<anonymous> (file:///srv/server.mjs:40:5)
    at node:internal/main/run_main_module:28:49
"""


def wrote(root: Path, stderr: bytes, older: bytes = b"", **stream: Any) -> None:
    """A unit `a` that has ended with code 1 after writing this."""
    logs = root / "units/a/logs"
    logs.mkdir(parents=True)
    (logs / "stderr.log").write_bytes(stderr)
    if older:
        (logs / "stderr.log.1").write_bytes(older)
    ours = process(os.getpid())
    assert ours is not None
    who = {"pid": ours.pid, "started": "long ago"}
    total = {"total": len(older) + len(stderr) + stream.get("first", 0), **stream}
    record = {
        "unit_id": "a",
        "argv": ["x"],
        "cwd": "units/a",
        "started_at": "",
        "keeper": who,
        "owner": who,
        "state": "ended",
        "exit_code": 1,
        "logs": {"stderr": total},
    }
    (root / ".devloop/units").mkdir(parents=True)
    (root / ".devloop/units/a.json").write_text(json.dumps(record))


async def collect(ctx: ToolContext, **arguments: Any) -> Any:
    return await call_tool(collect_stderr, {"unit_id": "a", **arguments}, ctx)


async def test_terminal_codes_are_gone_and_odd_bytes_are_replaced(
    ctx: ToolContext, tmp_path: Path
) -> None:
    wrote(tmp_path, b"\x1b[31mred\x1b[0m \x1b]0;title\x07end\r\n10%\r20%\r\n\xc4\xe3\xba\xc3\x00\n")
    result = await collect(ctx)
    assert result.lines[:2] == ["red end", "20%"]
    assert "�" in result.lines[2]
    result.model_dump_json().encode("utf-8", "strict")
    assert (result.state, result.exit_code) == ("ended", 1)


async def test_secrets_are_masked_by_value_and_by_form(tmp_path: Path) -> None:
    env = {"TODO_API_KEY": "对-s3cret-value", "PATH": "/usr/bin-and-more"}
    ctx = tool_context(tmp_path, "integrator", env=env)
    leaks = [
        "the key is 对-s3cret-value.",
        "Authorization: Bearer abcdefgh12345678",
        '{"password": "hunter2hunter2", "user": "ann"}',
        "DB_PASSWORD=hunter2hunter2 connecting",
        "postgres://todo:hunter2hunter2@localhost:5432/todo",
        "using sk-ant-REDACTED".replace("REDACTED", "a1b2c3d4e5f6g7h8"),
        "token ghp_abcdefghijklmnopqrstuvwxyz012345",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123",
        "-----BEGIN RSA PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA",
        "-----END RSA PRIVATE KEY-----",
        "path is /usr/bin-and-more",
    ]
    wrote(tmp_path, "\n".join(leaks).encode())
    result = await collect(ctx)
    text = "\n".join(result.lines)
    for secret in ("s3cret", "abcdefgh1234", "hunter2", "a1b2c3", "ghp_abc", "eyJzd", "MIIEp"):
        assert secret not in text
    assert "the key is •••." in text
    assert "postgres://todo:•••@localhost:5432/todo" in text
    assert text.endswith("path is /usr/bin-and-more")
    assert result.masked == 9


async def test_repeats_are_folded_with_their_number(ctx: ToolContext, tmp_path: Path) -> None:
    lines = [f"retry 1{n:03} of db" for n in range(500)] + ["a", "b"] * 3 + ["the end"]
    wrote(tmp_path, "\n".join(lines).encode() + b"\n")
    result = await collect(ctx)
    assert result.lines == [
        "retry 1000 of db",
        "… the line above came 500 times in a row, but for numbers",
        "a",
        "b",
        "… the 2 lines above came 3 times in a row, but for numbers",
        "the end",
    ]
    assert result.total_lines == 507


async def test_stack_traces_are_grouped_with_counts(ctx: ToolContext, tmp_path: Path) -> None:
    text = "start\n" + NODE + "".join(PYTHON.replace("{n}", str(n)) for n in range(3)) + "end\n"
    wrote(tmp_path, text.encode())
    traces = (await collect(ctx)).traces
    assert [(trace.error, trace.count, trace.first_line) for trace in traces] == [
        ("KeyError: '登录-0'", 3, 7),
        ("TypeError: Cannot read properties of undefined (reading 'id')", 1, 3),
    ]
    assert traces[0].frames == ["/srv/app.py:12 handle"]
    assert traces[1].frames[:2] == [
        "/srv/app.js:3 handle",
        "/srv/server.mjs:40 async Server.<anonymous>",
    ]


async def test_paths_of_the_project_are_relative(ctx: ToolContext, tmp_path: Path) -> None:
    wrote(tmp_path, f'  File "{tmp_path}/units/a/登录.py", line 1, in x\n'.encode())
    assert (await collect(ctx)).lines == ['  File "units/a/登录.py", line 1, in x']


async def test_tail_and_grep(ctx: ToolContext, tmp_path: Path) -> None:
    wrote(tmp_path, "".join(f"{word} {n}\n" for n in "abc" for word in ("登录", "Sync")).encode())
    result = await collect(ctx, tail=1, grep="sync")
    assert (result.lines, result.left_out) == (["Sync c"], 2)
    assert (await collect(ctx, grep="登录 [ab]")).lines == []
    assert (await collect(ctx, tail=0)).lines == []


async def test_what_was_dropped_is_said_and_half_a_line_is_no_line(
    ctx: ToolContext, tmp_path: Path
) -> None:
    wrote(tmp_path, b"three\n", b"wo\ntwo and a half\n", first=1000, total=1024)
    result = await collect(ctx)
    assert result.lines == ["two and a half", "three"]
    assert result.dropped_bytes == 1003


async def test_since_brings_what_came_after(ctx: ToolContext, tmp_path: Path) -> None:
    marks = [(1_796_072_400_000, 0), (1_796_072_401_000, 4), (1_796_072_405_000, 8)]
    wrote(tmp_path, b"one\ntwo\nthree\n", marks=marks)
    assert (await collect(ctx)).until == "2026-11-30T21:00:05.000Z"
    assert (await collect(ctx, since="2026-11-30T21:00:01.500Z")).lines == ["two", "three"]
    assert (await collect(ctx, since="2026-11-30T22:00:06+01:00")).lines == ["three"]
    assert (await collect(ctx, since="2026-11-30T22:00:00Z")).lines == []
    refusal = await collect(ctx, since="yesterday")
    assert refusal.reason == "since: yesterday is no time."


async def test_a_unit_that_never_ran_is_named(ctx: ToolContext) -> None:
    assert (await collect(ctx)).reason == "unit_id: the unit a was never started."


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff" * 100, b"x" * 3_000_000, b" at " * 9999])
async def test_whatever_was_written_is_read(
    ctx: ToolContext, tmp_path: Path, content: bytes
) -> None:
    wrote(tmp_path, content)
    assert (await collect(ctx)).ok
