"""timeline_append: one line an event, numbered without gaps, whatever happened to the file."""

import re
import threading
from pathlib import Path
from typing import Any

import orjson
import pytest

from devloop_tools.domain.outcome import Refused
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.persistence.timeline_append import timeline_append


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return tool_context(tmp_path)


def entries(root: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (root / "timeline.ndjson").read_bytes().splitlines()]


async def append(ctx: ToolContext, event: str = "unit.built", **more: Any) -> Any:
    return await call_tool(timeline_append, {"event": event, **more}, ctx)


async def test_a_line_holds_what_happened_and_who_says_so(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path, "coder", unit_id="todo-be")
    result = await append(
        ctx, "unit.built", summary="构建 done", data={"文件": ["a.ts"]}, level="warn"
    )
    assert (result.ok, result.seq) == (True, 1)
    [entry] = entries(tmp_path)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry.pop("ts"))
    assert list(entry.items()) == [
        ("seq", 1),
        ("agent", "coder"),
        ("unit_id", "todo-be"),
        ("call_id", "call-test"),
        ("session_id", "session-test"),
        ("event", "unit.built"),
        ("level", "warn"),
        ("summary", "构建 done"),
        ("data", {"文件": ["a.ts"]}),
    ]


async def test_what_is_not_given_has_a_plain_value(ctx: ToolContext, tmp_path: Path) -> None:
    await append(ctx)
    [entry] = entries(tmp_path)
    assert (entry["level"], entry["summary"], entry["data"]) == ("info", "", {})
    assert entry["unit_id"] is None


async def test_numbers_go_on_over_agents_and_sessions(ctx: ToolContext, tmp_path: Path) -> None:
    others = [ctx, tool_context(tmp_path, "architect"), tool_context(tmp_path, "pm")]
    assert [(await append(other)).seq for other in others] == [1, 2, 3]
    assert [entry["agent"] for entry in entries(tmp_path)] == ["pm", "architect", "pm"]


def line(seq: object) -> bytes:
    return orjson.dumps({"seq": seq, "event": "登录"}) + b"\n"


@pytest.mark.parametrize(
    ("before", "kept", "seq"),
    [
        pytest.param(b"", b"", 1, id="empty file"),
        pytest.param(line(7), line(7), 8, id="whole line"),
        pytest.param(line(7) + line(8)[:-1], line(7) + line(8), 9, id="only LF missing"),
        pytest.param(line(7) + line(8)[:-4], line(7), 8, id="torn line"),
        pytest.param(line(7)[:-9], b"", 1, id="only a torn line"),
        pytest.param(line(7) + b"\0" * 4096, line(7), 8, id="NUL tail"),
        pytest.param(line(7) + b"a note\n", line(7) + b"a note\n", 8, id="a note in between"),
        pytest.param(line(7) + b"\n\n", line(7) + b"\n\n", 8, id="empty lines"),
        pytest.param(line(7) + b"[1]\n12\n", line(7) + b"[1]\n12\n", 8, id="JSON of no entry"),
        pytest.param(line(7) + b"{}\n", line(7) + b"{}\n", 8, id="an object without seq"),
        pytest.param(b"noise\n", b"noise\n", 1, id="nothing but noise"),
    ],
)
async def test_the_count_goes_on_whatever_stands_at_the_end(
    ctx: ToolContext, tmp_path: Path, before: bytes, kept: bytes, seq: int
) -> None:
    (tmp_path / "timeline.ndjson").write_bytes(before)
    assert (await append(ctx)).seq == seq
    content = (tmp_path / "timeline.ndjson").read_bytes()
    assert content.startswith(kept)
    [added] = content.removeprefix(kept).splitlines()
    assert orjson.loads(added)["seq"] == seq


@pytest.mark.parametrize("seq", [True, -3, 0, 1.5, "7", None, 2**60, 2**64 - 1])
async def test_a_number_that_no_store_wrote_does_not_count(
    ctx: ToolContext, tmp_path: Path, seq: object
) -> None:
    (tmp_path / "timeline.ndjson").write_bytes(line(4) + line(seq))
    assert (await append(ctx)).seq == 5


async def test_text_of_any_script_stays_on_one_line(ctx: ToolContext, tmp_path: Path) -> None:
    texts = ["第一行\n第二行\r\n", "a\u2028b\u2029c\u0085d", "\u0000\u001f", "😀" * 100]
    for text in texts:
        await append(ctx, summary=text, data={"text": text})
    content = (tmp_path / "timeline.ndjson").read_bytes()
    assert content.count(b"\n") == len(texts)
    found = [orjson.loads(entry) for entry in content.split(b"\n")[:-1]]
    assert [entry["summary"] for entry in found] == texts
    assert [entry["data"]["text"] for entry in found] == texts


async def test_the_line_is_an_event(ctx: ToolContext, tmp_path: Path) -> None:
    await append(ctx, "prd.started", summary="开始", level="debug")
    [event] = recorded_events(tmp_path)
    assert event.type == "timeline.appended"
    assert event.data == {"seq": 1, "event": "prd.started", "level": "debug", "summary": "开始"}


async def test_data_has_a_largest_size(ctx: ToolContext, tmp_path: Path) -> None:
    assert (await append(ctx, data={"text": "x" * 65_000})).seq == 1
    result = await append(ctx, data={"text": "数" * 22_000})
    assert isinstance(result, Refused)
    assert result.reason == "data: it takes 66011 bytes; 65536 are allowed"
    assert len(entries(tmp_path)) == 1


async def test_threads_that_append_at_once_leave_no_gap(ctx: ToolContext, tmp_path: Path) -> None:
    def work() -> None:
        for _ in range(25):
            ctx.timeline.append("work", summary="并行")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert [entry["seq"] for entry in entries(tmp_path)] == list(range(1, 101))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "event: it is required"),
        ({"event": ""}, "event: "),
        ({"event": "x" * 121}, "event: "),
        ({"event": "a", "summary": "摘" * 2001}, "summary: "),
        ({"event": "a", "level": "warning"}, "level: \"warning\" is not allowed. Allowed: 'debug'"),
        ({"event": "a", "data": [1]}, "data: an object is expected, not [1]."),
        ({"event": "a", "data": {"n": [{"x": "\udc00"}]}}, "data: n[0].x holds a lone surrogate"),
        ({"event": "a", "time": "now"}, "time: unknown field"),
    ],
)
async def test_arguments_that_do_not_fit_are_named(
    ctx: ToolContext, arguments: dict[str, Any], text: str
) -> None:
    with pytest.raises(InvalidArguments) as caught:
        await call_tool(timeline_append, arguments, ctx)
    assert f"- {text}" in str(caught.value)


async def test_data_that_comes_as_a_json_string_is_taken(ctx: ToolContext, tmp_path: Path) -> None:
    await append(ctx, data='{"键": 1}', summary='{"stays": "text"}')
    [entry] = entries(tmp_path)
    assert (entry["data"], entry["summary"]) == ({"键": 1}, '{"stays": "text"}')


def test_a_long_log_message_is_cut(ctx: ToolContext, tmp_path: Path) -> None:
    ctx.timeline.append("log", summary="长" * 5000)
    [entry] = entries(tmp_path)
    assert entry["summary"] == "长" * 2000
