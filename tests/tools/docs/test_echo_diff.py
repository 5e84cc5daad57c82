from pathlib import Path

import orjson
import pytest

from devloop_tools.toolkit import Refused, ToolSandboxError
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.docs.echo_diff import echo_diff

OLD = "<html lang=zh><h1>登录</h1><h2>规则</h2><p>token 有效 30 分钟。"
ZH = "《登录》有 1 处变化：\n\n1. 「规则」一节的段落「token 有效 30 分钟。」中，「30」改为「45」。"


def site(root: Path) -> None:
    (root / "prd/_archive").mkdir(parents=True)
    (root / "prd/a.html").write_text(OLD.replace("30", "45"), encoding="utf-8")
    for name, text in (("1-a.html", "<html lang=zh><h1>登录</h1>"), ("2-a.html", OLD)):
        (root / "prd/_archive" / name).write_text(text, encoding="utf-8")
        entry = {"archive_id": name, "source": "prd/a.html", "path": f"prd/_archive/{name}"}
        with (root / "prd/_archive/manifest.ndjson").open("ab") as manifest:
            manifest.write(orjson.dumps(entry) + b"\n")


async def test_the_newest_copy_is_compared_and_the_screen_hears_it(tmp_path: Path) -> None:
    site(tmp_path)

    result = await call_tool(echo_diff, {"path": "prd/a.html"}, tool_context(tmp_path))

    assert result == ZH
    [event] = recorded_events(tmp_path)
    assert (event.type, event.data) == ("doc.echo", {"path": "prd/a.html", "markdown": ZH})


async def test_an_older_copy_and_another_language_can_be_asked_for(tmp_path: Path) -> None:
    site(tmp_path)
    arguments = {"path": "prd/a.html", "since": "1-a.html", "language": "en"}

    result = await call_tool(echo_diff, arguments, tool_context(tmp_path))

    assert result.splitlines()[2:] == ["1. The section “规则” was added (passages: 1)."]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"path": "prd/b.html"}, "prd/b.html: nothing to compare it with"),
        ({"path": "prd/a.html", "since": "没有"}, "没有: there is no such file"),
        ({"path": "prd/b.html", "since": "1-a.html"}, "prd/b.html: there is no such file"),
    ],
)
async def test_what_can_not_be_compared_is_refused_and_nobody_told(
    arguments: dict[str, str], reason: str, tmp_path: Path
) -> None:
    site(tmp_path)

    result = await call_tool(echo_diff, arguments, tool_context(tmp_path))

    assert isinstance(result, Refused)
    assert reason in result.reason
    assert list(recorded_events(tmp_path)) == []


async def test_no_page_outside_is_echoed(tmp_path: Path) -> None:
    site(tmp_path)
    arguments = {"path": "../a.html", "since": "1-a.html"}

    with pytest.raises(ToolSandboxError):
        await call_tool(echo_diff, arguments, tool_context(tmp_path))
