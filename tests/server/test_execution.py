"""One call of one tool, from arguments to an outcome."""

import asyncio
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
import pytest
from pydantic import Field
from tests.server.conftest import Client, connected, text_of, timeline_of

from devloop_tools.domain.outcome import Done
from devloop_tools.server.bounds import MAX_RESULT_BYTES
from devloop_tools.storage.errors import CorruptFile
from devloop_tools.storage.sandbox import Operation
from devloop_tools.toolkit import (
    READ,
    Refused,
    ToolContext,
    ToolDefinition,
    ToolInput,
    ToolSandboxError,
    ToolValidationError,
    refused,
    tool,
)
from devloop_tools.toolkit.content import Image, Text


class NoInput(ToolInput):
    pass


class Sized(ToolInput):
    size: int = Field(ge=0, description="How much.")


class Counted(Done):
    count: int
    note: str | None = None


def returning(value: Any, *, blocking: bool = False) -> ToolDefinition:
    """A tool without a schema that returns `value`."""

    def answer(args: NoInput, ctx: ToolContext) -> Any:
        """Answer."""
        return value

    async def answer_async(args: NoInput, ctx: ToolContext) -> Any:
        """Answer."""
        return value

    answer_async.__name__ = "answer"
    return tool(READ)(answer if blocking else answer_async)


def publishing(make: Callable[[], Any]) -> ToolDefinition:
    """A tool that publishes `Counted`, and returns what `make` makes."""

    @tool(READ)
    async def answer(args: NoInput, ctx: ToolContext) -> Counted | Refused:
        """Count."""
        result: Counted = make()
        return result

    return answer


def raising(make: Callable[[], BaseException], *, blocking: bool = False) -> ToolDefinition:
    """A tool that raises what `make` makes."""

    def answer(args: NoInput, ctx: ToolContext) -> str:
        """Fail."""
        raise make()

    async def answer_async(args: NoInput, ctx: ToolContext) -> str:
        """Fail."""
        raise make()

    answer_async.__name__ = "answer"
    return tool(READ)(answer if blocking else answer_async)


async def called(root: Path, definition: ToolDefinition, arguments: object = None) -> Any:
    async with connected(root, definition) as client:
        return await client.call(definition.name, arguments)


@pytest.mark.parametrize("blocking", [True, False])
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("写好了 done", "写好了 done"),
        ("", ""),
        ("a\ud800b", "a?b"),
        (None, "null"),
        (7, "7"),
        (float("nan"), "null"),
        (2**60, "1152921504606846976"),
        ({"p95": float("inf"), "键": [1, None]}, '{"p95":null,"键":[1,null]}'),
        ([], "[]"),
        ({3, 1, 2}, "[1,2,3]"),
        (datetime(2025, 1, 2, 3, 4, 5), "2025-01-02T03:04:05"),
        (Path("/tmp/甲"), "/tmp/甲"),
        (b"\xff\x00", "\ufffd\x00"),
        ({"b\udcff": 1, (2, 3): "b"}, '{"b?":1,"[2,3]":"b"}'),
    ],
)
async def test_any_value_is_a_text(
    value: object, text: str, blocking: bool, tmp_path: Path
) -> None:
    result = await called(tmp_path, returning(value, blocking=blocking))
    assert text_of(result) == text
    assert result["isError"] is False
    assert "structuredContent" not in result


async def test_a_model_is_structured_and_its_text_says_the_same(tmp_path: Path) -> None:
    result = await called(tmp_path, publishing(lambda: Counted(count=3)))
    assert result["structuredContent"] == {"ok": True, "count": 3, "note": None}
    assert json.loads(text_of(result)) == result["structuredContent"]
    assert result["isError"] is False


@pytest.mark.parametrize("definition", [publishing, returning])
async def test_an_expected_failure_is_an_answer_and_no_error(
    definition: Callable[..., ToolDefinition], tmp_path: Path
) -> None:
    value = refused("items: 没有", "Give one.")
    wanted = definition(value) if definition is returning else definition(lambda: value)
    result = await called(tmp_path, wanted)
    assert result["structuredContent"] == {
        "ok": False,
        "reason": "items: 没有",
        "hint": "Give one.",
    }
    assert result["isError"] is False


async def test_an_expected_failure_of_a_store_is_one_too(tmp_path: Path) -> None:
    result = await called(tmp_path, raising(lambda: CorruptFile("a.json: 坏了.", "Restore it.")))
    assert result["structuredContent"]["reason"] == "a.json: 坏了."
    assert result["isError"] is False


@pytest.mark.parametrize(
    "make",
    [
        lambda: {"ok": True, "count": 3},
        lambda: "done",
        lambda: None,
        lambda: [Counted(count=1)],
        lambda: Counted.model_construct(count="three"),
    ],
)
async def test_a_result_that_is_not_what_was_published_is_no_success(
    make: Callable[[], Any], tmp_path: Path
) -> None:
    result = await called(tmp_path, publishing(make))
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert "answer failed: " in text_of(result)


def _loop() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize("value", [object(), {"a": [object()]}, _loop(), (i for i in "ab")])
async def test_what_json_has_no_form_for_is_an_error_that_says_so(
    value: object, tmp_path: Path
) -> None:
    result = await called(tmp_path, returning(value))
    assert result["isError"] is True
    assert "NotJson: the " in text_of(result)
    assert " at 0x" not in text_of(result)


@pytest.mark.parametrize("blocking", [True, False])
async def test_a_long_text_names_the_file_that_holds_it_whole(
    blocking: bool, tmp_path: Path
) -> None:
    text = "很长的结果 " * 10_000
    async with connected(tmp_path, returning(text, blocking=blocking)) as client:
        result = await client.call("answer", meta={"claudecode/toolUseId": "toolu_1/../甲"})
    path = ".devloop/results/toolu_1_.._甲.txt"
    assert text_of(result).endswith(f"bytes in all; the whole is in {path}")
    assert len(text_of(result).encode()) <= MAX_RESULT_BYTES
    assert (tmp_path / path).read_text(encoding="utf-8") == text


async def test_a_long_model_is_marked_as_truncated_in_both_forms(tmp_path: Path) -> None:
    result = await called(tmp_path, publishing(lambda: Counted(count=3, note="注" * 50_000)))
    structured = result["structuredContent"]
    assert (structured["ok"], structured["count"], structured["truncated"]) == (True, 3, True)
    assert json.loads(text_of(result)) == structured
    whole = json.loads((tmp_path / structured["full_result"]).read_bytes())
    assert whole["note"] == "注" * 50_000


@pytest.mark.parametrize("call_id", ["甲" * 128, "x" * 128, ".", "..", "a\nb", "/etc/passwd"])
async def test_whatever_the_call_is_called_its_whole_result_is_kept(
    call_id: str, tmp_path: Path
) -> None:
    async with connected(tmp_path, returning("长" * 50_000)) as client:
        result = await client.call("answer", meta={"claudecode/toolUseId": call_id})
    [kept] = (tmp_path / ".devloop" / "results").iterdir()
    assert text_of(result).endswith(f"the whole is in .devloop/results/{kept.name}")


async def test_a_whole_result_that_can_not_be_kept_does_not_hide_the_answer(tmp_path: Path) -> None:
    (tmp_path / ".devloop").mkdir()
    (tmp_path / ".devloop" / "results").write_text("in the way")
    result = await called(tmp_path, publishing(lambda: Counted(count=3, note="注" * 50_000)))
    assert result["isError"] is False
    assert result["structuredContent"]["count"] == 3
    assert result["structuredContent"]["truncated"] is True
    assert "full_result" not in result["structuredContent"]


async def test_content_keeps_its_blocks_and_its_texts_stay_in_bounds(tmp_path: Path) -> None:
    value = [Text("图 a\ud800"), Image(b"\x89PNG", "image/png"), Text("长" * 50_000)]
    result = await called(tmp_path, returning(value))
    first, second, third = result["content"]
    assert first == {"type": "text", "text": "图 a?"}
    assert second == {"type": "image", "data": "iVBORw==", "mimeType": "image/png"}
    assert len(third["text"].encode()) <= MAX_RESULT_BYTES
    assert "structuredContent" not in result


async def test_bad_arguments_are_named_a_line_each_without_pydantics_links(tmp_path: Path) -> None:
    @tool(READ)
    async def measure(args: Sized, ctx: ToolContext) -> str:
        """Measure."""
        return "never"

    result = await called(tmp_path, measure, {"size": "很多", "sise": 1})
    lines = text_of(result).splitlines()
    assert result["isError"] is True
    assert lines[0] == "Invalid arguments for measure:"
    assert sorted(line.split(":")[0] for line in lines[1:]) == ["- sise", "- size"]
    assert "pydantic" not in text_of(result)


@pytest.mark.parametrize("text", ["路径 \ud800", "x" * 100_000])
async def test_what_a_tool_says_of_its_arguments_can_be_shown(text: str, tmp_path: Path) -> None:
    make = lambda: ToolValidationError("路径", text, "prd/**")  # noqa: E731 - two words
    result = await called(tmp_path, raising(make))
    assert result["isError"] is True
    assert text_of(result).startswith("Invalid arguments for answer:\n- 路径: ")
    assert text_of(result).endswith("Allowed: prd/**")
    assert len(text_of(result)) < 3000
    assert "\ud800" not in text_of(result)


class Where(ToolInput):
    path: str = Field(description="Where.")


@tool(READ)
def write_it(args: Where, ctx: ToolContext) -> str:
    """Write."""
    ctx.workspace.sandbox.require(args.path, Operation.WRITE)
    return "written"


@pytest.mark.parametrize("path", ["../逃", "/etc/passwd", ".git/config", "x" * 100_000])
async def test_a_path_outside_the_sandbox_is_an_error_that_names_it(
    path: str, tmp_path: Path
) -> None:
    result = await called(tmp_path, write_it, {"path": path})
    assert result["isError"] is True
    assert text_of(result).startswith(path[:80])
    assert "outside what pm may touch" in text_of(result)
    assert len(text_of(result)) < 5000


async def test_what_a_tool_says_of_a_path_can_be_shown(tmp_path: Path) -> None:
    make = lambda: ToolSandboxError("路\ud800" + "x" * 100_000, "pm", "外" * 100_000)  # noqa: E731 - one line
    result = await called(tmp_path, raising(make))
    assert text_of(result).startswith("路\\ud800xxx")
    assert len(text_of(result)) < 5000


class Silent(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Own(BaseException):
    """Not even an Exception."""


@pytest.mark.parametrize("blocking", [True, False])
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ValueError("磁盘 A 满"), "ValueError: 磁盘 A 满"),
        (lambda: OSError(28, "No space left on device"), "OSError: [Errno 28] No space left"),
        (lambda: SystemExit(3), "SystemExit: 3"),
        (lambda: KeyboardInterrupt(), "KeyboardInterrupt"),
        (lambda: asyncio.CancelledError(), "CancelledError"),
        (lambda: Own("mine"), "Own: mine"),
        (lambda: BaseExceptionGroup("both", [Own(), SystemExit(1)]), "BaseExceptionGroup: both"),
        (lambda: MemoryError(), "MemoryError"),
        (lambda: RecursionError("too deep"), "RecursionError: too deep"),
        (lambda: StopIteration("end"), "RuntimeError: coroutine raised StopIteration"),
        (lambda: Silent(), "Silent"),
        (lambda: ValueError("a\ud800b"), "ValueError: a?b"),
        (lambda: ValueError("x" * 50_000), "ValueError: xxxx"),
    ],
)
async def test_whatever_a_tool_raises_is_an_answer_and_the_server_lives(
    make: Callable[[], BaseException], message: str, blocking: bool, tmp_path: Path
) -> None:
    async with connected(tmp_path, raising(make, blocking=blocking)) as client:
        result = await client.call("answer")
        assert await client.result("ping") == {}
    head, error_id, *frames = text_of(result).splitlines()
    assert result["isError"] is True
    assert head.startswith(f"answer failed: {message}")
    assert len(head) < 2100
    assert error_id.startswith("error id: err-")
    assert 1 <= len(frames) <= 3


async def test_a_crash_tells_where_without_a_traceback_or_an_absolute_path(tmp_path: Path) -> None:
    make = lambda: FileNotFoundError(2, "没有", str(tmp_path / "units" / "甲.md"))  # noqa: E731 - it raises
    text = text_of(await called(tmp_path, raising(make)))
    assert "'units/甲.md'" in text
    assert "at tests.server.test_execution.raising.<locals>.answer_async:" in text
    assert "Traceback" not in text
    assert str(tmp_path) not in text
    assert "site-packages" not in text


async def test_a_tool_that_cancels_a_task_of_its_own_is_no_cancelled_call(tmp_path: Path) -> None:
    @tool(READ)
    async def give_up(args: NoInput, ctx: ToolContext) -> str:
        """Wait for a task that was cancelled."""
        task = asyncio.ensure_future(anyio.sleep_forever())
        await asyncio.sleep(0)
        task.cancel()
        await task
        return "never"

    async with connected(tmp_path, give_up) as client:
        assert "CancelledError" in text_of(await client.call("give_up"))
        assert await client.result("ping") == {}


@pytest.mark.parametrize("text", ['"\\ud800"', "1e999", "123456789012345678901234567890"])
async def test_an_argument_that_no_file_could_hold_is_named(text: str, tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"timeline_append",'
        client.send_line(f'{call}"arguments":{{"event":"e","data":{{"值":{text}}}}}}}}}'.encode())
        result = (await client.reply(1))["result"]
        assert await client.result("ping") == {}
    assert result["isError"] is True
    assert "data: 值 " in text_of(result)
    assert_whole_timeline(tmp_path, client)


def assert_whole_timeline(root: Path, client: Client) -> None:
    """Every line is JSON, and numbers have no gap."""
    lines = timeline_of(root)
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert len(client.events()) >= 1


@pytest.mark.parametrize("depth", [100, 260, 900])
async def test_arguments_nested_too_deeply_are_an_error_of_the_call_alone(
    depth: int, tmp_path: Path
) -> None:
    async with connected(tmp_path) as client:
        value = '{"a":' * depth + "1" + "}" * depth
        call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":'
        for name, field in (("update_runtime_state", "patch"), ("timeline_append", "data")):
            arguments = f'{{"event":"e","{field}":{value}}}'
            if field == "patch":
                arguments = f'{{"{field}":{value}}}'
            client.send_line(f'{call}"{name}","arguments":{arguments}}}}}'.encode())
            assert "result" in await client.reply(1)
            client.received.clear()
        assert await client.result("ping") == {}
    assert_whole_timeline(tmp_path, client)
