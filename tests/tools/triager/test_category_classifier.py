import json
import threading
from pathlib import Path
from typing import Any

import orjson
import pytest

from devloop_tools.toolkit import ToolContext, ToolSandboxError
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.tester.bug_open import bug_open
from devloop_tools.tools.triager.category_classifier import category_classifier

PORT = "服务起不来\nError: listen EADDRINUSE: address already in use :::4100，只在这台 runner 上"


async def judged(ctx: ToolContext, **arguments: Any) -> Any:
    return await call_tool(category_classifier, arguments, ctx)


def verdicts(root: Path) -> Any:
    return json.loads((root / "triage.json").read_text(encoding="utf-8"))["verdicts"]


async def test_a_verdict_has_its_signals_and_goes_into_the_file(
    ctx: ToolContext, tmp_path: Path
) -> None:
    report = {"title": "服务起不来 won't start", "severity": "blocker", "expected": "ready",
              "actual": "EADDRINUSE: address already in use, only on this runner"}  # fmt: skip
    await call_tool(bug_open, report, ctx)
    result = await judged(ctx, bug_id="BUG-0001")
    assert (result.category, result.agent, result.kept) == ("environment", "integrator", False)
    assert result.confidence > 0.6
    names = [signal.name for signal in result.signals_for]
    assert "the system says what it lacks" in names
    assert all(signal.weight > 0 and signal.quote for signal in result.signals_for)
    assert all(signal.weight < 0 for signal in result.signals_against)
    stored = verdicts(tmp_path)["BUG-0001"]
    assert (stored["category"], stored["decided_by"]) == ("environment", "bug-triager")
    assert stored["title"] == report["title"]
    event = recorded_events(tmp_path)[-1]
    assert event.type == "triage.decided"
    assert event.data == {
        "key": "BUG-0001", "category": "environment", "agent": "integrator",
        "confidence": result.confidence,
    }  # fmt: skip


async def test_a_text_gets_the_same_verdict_under_the_same_key(
    ctx: ToolContext, tmp_path: Path
) -> None:
    first, again = await judged(ctx, text=PORT), await judged(ctx, text=f"{PORT}\n")
    assert first == again
    assert list(verdicts(tmp_path)) == [first.key]
    assert first.key.startswith("text-")


async def test_quotes_are_weighed_too(ctx: ToolContext) -> None:
    quote = {"path": "logs/ci.log", "line": 9, "quote": "npm ERR! ENOSPC: no space left on device"}
    assert (await judged(ctx, text="构建失败", evidence=[quote])).category == "environment"


async def test_what_a_person_wrote_stays(ctx: ToolContext, tmp_path: Path) -> None:
    key = (await judged(ctx, text=PORT)).key
    document = {"说明": "by hand", "verdicts": verdicts(tmp_path)}
    document["verdicts"][key]["category"] = "flaky"
    document["verdicts"]["BUG-0009"] = {"category": "spec_gap", "谁": "小王"}
    (tmp_path / "triage.json").write_text(json.dumps(document, ensure_ascii=False), "utf-8")
    before = (tmp_path / "triage.json").read_bytes()
    result = await judged(ctx, text=PORT)
    assert (result.kept, result.category) == (True, "environment")
    assert (tmp_path / "triage.json").read_bytes() == before
    await judged(ctx, text="another")
    after = json.loads((tmp_path / "triage.json").read_bytes())
    assert after["说明"] == "by hand"
    assert after["verdicts"]["BUG-0009"] == document["verdicts"]["BUG-0009"]
    assert after["verdicts"][key]["category"] == "flaky"
    assert len(after["verdicts"]) == 3


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"verdicts": 1}', b"\xff\xfe"])
async def test_a_file_that_is_something_else_is_left_alone(
    content: bytes, ctx: ToolContext, tmp_path: Path
) -> None:
    (tmp_path / "triage.json").write_bytes(content)
    result = await judged(ctx, text=PORT)
    assert not result.ok
    assert result.reason.startswith("triage.json: ")
    assert (tmp_path / "triage.json").read_bytes() == content


def test_verdicts_at_once_lose_none(tmp_path: Path) -> None:
    def work(name: str) -> None:
        ctx = tool_context(tmp_path, "bug-triager")
        for number in range(10):
            arguments = category_classifier.arguments.parse("x", {"text": f"{name} {number}"})
            assert category_classifier.execute(arguments, ctx).ok

    threads = [threading.Thread(target=work, args=(name,)) for name in ("甲", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(orjson.loads((tmp_path / "triage.json").read_bytes())["verdicts"]) == 30


async def test_what_is_not_there_or_not_allowed_is_told(ctx: ToolContext, tmp_path: Path) -> None:
    assert (await judged(ctx, bug_id="BUG-0001")).reason == "bug_id: there is no BUG-0001"
    assert "exactly one of them" in (await judged(ctx)).reason
    with pytest.raises(InvalidArguments, match="text"):
        await judged(ctx, text=" \n")
    with pytest.raises(ToolSandboxError):
        await judged(tool_context(tmp_path, "tester", ("units/**",)), text=PORT)
