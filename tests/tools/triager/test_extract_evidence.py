import json
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.toolkit import ToolContext, ToolSandboxError
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.tester.bug_open import bug_open
from devloop_tools.tools.triager.extract_evidence import extract_evidence

SOURCE = "units/todo-be/src/路由.ts"


@pytest.fixture(autouse=True)
def source(tmp_path: Path) -> None:
    (tmp_path / SOURCE).parent.mkdir(parents=True)
    (tmp_path / SOURCE).write_text(
        "import x\n  const 标题 = body.title\nsave(标题)\n", encoding="utf-8"
    )


async def extracted(ctx: ToolContext, **arguments: Any) -> Any:
    return await call_tool(extract_evidence, arguments, ctx)


async def test_a_trace_made_elsewhere_is_mapped_to_the_projects_files(ctx: ToolContext) -> None:
    text = f"""TypeError: Cannot read properties of undefined (reading 'title')
    at create (/home/小王/代码/{SOURCE}:2:20)
    at Layer.handle (/home/小王/代码/node_modules/express/lib/router/layer.js:95:5)
    at node:internal/process/task_queues:95:5
    at gone (/srv/app/src/gone.ts:9:1)
"""
    result = await extracted(ctx, text=text)
    first, second = result.evidence
    assert first.model_dump(mode="json") == {
        "path": SOURCE, "line": 2, "quote": "const 标题 = body.title", "source": "v8",
        "function": "create", "in_project": True, "count": 1,
    }  # fmt: skip
    assert (second.path, second.in_project) == ("app/src/gone.ts", False)
    assert result.outside == 2
    assert result.errors == ["TypeError: Cannot read properties of undefined (reading 'title')"]


async def test_the_line_that_the_text_shows_is_quoted_and_not_todays(ctx: ToolContext) -> None:
    text = f" ❯ {SOURCE}:2:3\n     2|   const 旧 = body.old\n"
    assert (await extracted(ctx, text=text)).evidence[0].quote == "const 旧 = body.old"


async def test_a_log_gives_places_and_its_own_lines_of_errors(
    ctx: ToolContext, tmp_path: Path
) -> None:
    log = tmp_path / "units/todo-be/logs/stderr.log"
    log.parent.mkdir()
    lines = ["INFO 启动 started", "Error: 空标题\n    at f (/app/src/路由.ts:3:1)"]
    lines += [f"2026-11-30 ERROR 请求 {n} failed" for n in range(40)]
    log.write_text("\n".join(lines), encoding="utf-8")
    result = await extracted(ctx, path="units/todo-be/logs/stderr.log")
    found = [(item.path, item.line, item.quote, item.count) for item in result.evidence]
    assert found == [
        (SOURCE, 3, "save(标题)", 1),
        ("units/todo-be/logs/stderr.log", 2, "Error: 空标题", 1),
        ("units/todo-be/logs/stderr.log", 4, "2026-11-30 ERROR 请求 0 failed", 40),
    ]


async def test_a_bug_gives_its_own_evidence_and_what_the_contract_says(tmp_path: Path) -> None:
    contract = {
        "unit": "todo-be", "version": 1,
        "endpoints": [{"method": "GET", "path": "/todos/:id", "responses": {"200": {}}},
                      {"method": "GET", "path": "/users"}],
        "errors": [{"code": "title_empty", "when": "标题为空"}],
    }  # fmt: skip
    page = tmp_path / "sdd/units/todo-be.html"
    page.parent.mkdir(parents=True)
    body = json.dumps(contract, ensure_ascii=False, indent=1)
    page.write_text(
        f'<html><script type="application/json" id="data-contract">{body}</script></html>',
        encoding="utf-8",
    )
    ctx = tool_context(tmp_path, unit_id="todo-be")
    given = {"path": SOURCE, "line": 3, "quote": "save(标题)"}
    report = {"title": "GET /todos/17 没有 title_empty", "severity": "major", "expected": "400",
              "actual": f"500\n    at f ({SOURCE}:2:1)", "evidence": [given]}  # fmt: skip
    await call_tool(bug_open, report, ctx)
    result = await extracted(ctx, bug_id="BUG-0001")
    assert [(item.line, item.source) for item in result.evidence[:2]] == [(3, "log"), (2, "v8")]
    passages = [item for item in result.evidence if item.source == "contract"]
    lines = page.read_text(encoding="utf-8").splitlines()
    assert len(passages) == 2
    assert all(item.quote in lines[item.line - 1] for item in passages)
    assert {"/todos/:id" in item.quote or "title_empty" in item.quote for item in passages} == {
        True
    }


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("    at com.acme.Cart.add(Cart.java:12)", "Java or Kotlin"),
        ("goroutine 1 [running]:\nmain.main()\n\t/app/main.go:12 +0x1d", "Go"),
        ("thread 'main' panicked at src/main.rs:4:5:", "Rust"),
        ("\tfrom app.rb:3:in `<main>'", "Ruby"),
        ("#0 /var/www/index.php(12): save()", "PHP"),
        ("   at Shop.Cart.Add(Int32 n) in /src/Cart.cs:line 12", "C#"),
        ("    #1 0x55d0c in main /src/a.c:3", "C or C++"),
    ],
)
async def test_a_trace_in_a_language_that_is_not_read_is_named(
    text: str, language: str, ctx: ToolContext
) -> None:
    result = await extracted(ctx, text=f"坏了 broken\n{text}")
    assert not result.ok
    assert f"looks like a stack trace of {language}, which is not read" in result.reason
    assert "V8, CPython" in result.hint
    mixed = await extracted(ctx, text=f"{text}\n    at f ({SOURCE}:1:1)")
    assert [trace.language for trace in mixed.unread] == [language]
    assert mixed.evidence[0].line == 1


async def test_what_holds_no_place_is_told_so(ctx: ToolContext) -> None:
    result = await extracted(ctx, text="登录失败\nlogin fails")
    assert result.reason == "text: there is no stack trace and no file with a line in it."
    result = await extracted(ctx, text="    at run (node_modules/x/a.js:1:2)")
    assert "all in libraries" in result.reason
    assert (await extracted(ctx, bug_id="BUG-0009")).reason == "bug_id: there is no BUG-0009"
    assert "exactly one of them" in (await extracted(ctx)).reason
    assert "exactly one of them" in (await extracted(ctx, text="a", path="b")).reason


async def test_a_log_without_line_ends_and_a_binary_file_get_an_answer(
    ctx: ToolContext, tmp_path: Path
) -> None:
    (tmp_path / "one.log").write_text("错 " * 2_000_000, encoding="utf-8")
    (tmp_path / "large.log").write_bytes(b"x" * 40_000_000)
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    assert "Its lines are too long" in (await extracted(ctx, path="one.log")).reason
    assert "one line without an end" in (await extracted(ctx, path="large.log")).reason
    assert (await extracted(ctx, path="a.png")).reason == "path: a.png is a binary file."
    with pytest.raises(ToolSandboxError):
        await extracted(ctx, path="../secret.log")


async def test_a_log_of_any_number_of_files_costs_a_bounded_time(
    ctx: ToolContext, tmp_path: Path
) -> None:
    lines = (f"    at f (/x/{n}/src/m{n}/a{n}.ts:{n}:1)" for n in range(20_000))
    (tmp_path / "many.log").write_text("\n".join(lines), encoding="utf-8")
    result = await extracted(ctx, path="many.log")
    assert (len(result.evidence), result.evidence[0].line) == (40, 1)
    assert result.outside == 19_000


async def test_many_places_are_bounded_and_said(ctx: ToolContext) -> None:
    text = "\n".join(f"    at f (src/a{n}.ts:1:1)" for n in range(1000))
    result = await extracted(ctx, text=text)
    assert len(result.evidence) == 40
    assert result.notes == ["400 places were found; these are the first 40."]
