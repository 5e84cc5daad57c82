from pathlib import Path
from typing import Any

import pytest

from devloop_tools.domain.running.known_values import SavedValues
from devloop_tools.toolkit import ToolContext, ToolSandboxError
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.integrator.parse_placeholder import parse_placeholder
from devloop_tools.tools.integrator.port_picker import port_picker

VARS = {"a": "{{b}}", "b": "{{c}}", "c": "{{a}}", "over": "{{nobody}}"}


async def parse(ctx: ToolContext, **arguments: Any) -> Any:
    return await call_tool(parse_placeholder, arguments, ctx)


async def test_every_kind_of_placeholder_is_filled(ctx: ToolContext) -> None:
    port = (await call_tool(port_picker, {"names": ["todo.be"]}, ctx)).ports["todo.be"]
    SavedValues(ctx.database).replace("登录", {"token": "t-1", "user": {"id": 7}})
    text = (
        "{{port.todo.be}} {{ unit.todo.be.url }}/x {{env.TODO_MODE}} {{case.登录.token}}"
        " {{case.登录.user}} {{who}} {{who_all.0.name}}"
    )
    variables = {"who": "她", "who_all": [{"name": "Ann"}]}
    result = await parse(ctx, text=text, vars=variables)
    assert result.complete
    assert result.filled == (f'{port} http://localhost:{port}/x 测试 test t-1 {{"id":7}} 她 Ann')


async def test_a_value_keeps_its_types(ctx: ToolContext) -> None:
    value = {"port": "{{n}}", "list": ["{{n}}", "n={{n}}"], "same": None}
    result = await parse(ctx, value=value, vars={"n": 3})
    assert result.filled == {"port": 3, "list": [3, "n=3"], "same": None}


async def test_the_newest_lease_of_a_name_counts(ctx: ToolContext) -> None:
    for _ in range(2):
        picked = await call_tool(port_picker, {"names": ["a"]}, ctx)
    assert (await parse(ctx, text="{{port.a}}")).filled == str(picked.ports["a"])


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("登录\n  {{port.x}}", "2:3", "no port is leased for x; call port_picker"),
        ("{{unit.x.url}}", "1:1", "no port is leased for x"),
        ("{{unit.x.pid}}", "1:1", "of a unit there are url and port"),
        ("{{env.HOME}}", "1:1", "HOME is not granted to integrator (sandbox.env)"),
        ("{{env.TODO_KEY}}", "1:1", "TODO_KEY is granted but not set"),
        ("{{case.a.b}}", "1:1", "the case a has saved no b; run it first"),
        ("{{nobody}}", "1:1", "nothing is called so; there are a, b, c, over, port.*"),
        ("x{{a}}", "1:2", "cycle: a → b → c → a"),
        ("{{over}}", "1:1", "{{nobody}} in it has no value: nothing is called so"),
    ],
)
async def test_what_has_no_value_stays_and_is_listed(
    ctx: ToolContext, text: str, place: str, reason: str
) -> None:
    result = await parse(ctx, text=text, vars=VARS)
    assert result.filled == text
    assert not result.complete
    [unresolved] = result.unresolved
    assert unresolved.place == place
    assert unresolved.reason.startswith(reason)


async def test_an_environment_value_that_is_not_granted_never_comes_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", "hunter2-hunter2")
    ctx = tool_context(tmp_path, "integrator")
    for text in ("{{env.DATABASE_PASSWORD}}", "{{ env.DATABASE_PASSWORD }}", "{{x}}"):
        result = await parse(ctx, text=text, vars={"x": "{{env.DATABASE_PASSWORD}}"})
        assert "hunter2" not in result.model_dump_json()
        assert not result.complete


async def test_what_a_unit_answered_is_not_looked_through(ctx: ToolContext) -> None:
    SavedValues(ctx.database).replace("evil", {"name": "{{env.TODO_MODE}}"})
    assert (await parse(ctx, text="{{case.evil.name}}")).filled == "{{env.TODO_MODE}}"


async def test_vars_that_multiply_end_at_a_bound(ctx: ToolContext) -> None:
    variables = {f"v{n}": f"{{{{v{n + 1}}}}}" * 10 for n in range(9)} | {"v9": "x" * 10}
    refusal = await parse(ctx, text="{{v0}}", vars=variables)
    assert "longer than 4000000 characters" in refusal.reason


async def test_a_file_is_read_and_not_changed(ctx: ToolContext, tmp_path: Path) -> None:
    (tmp_path / "用例.json").write_text('{"who": "{{who}}",\n "no": "{{no}}"}', encoding="utf-8")
    result = await parse(ctx, path="用例.json", vars={"who": "她"})
    assert result.filled == '{"who": "她",\n "no": "{{no}}"}'
    assert result.unresolved[0].place == "用例.json:2:9"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "text: one of text, path and value."),
        ({"text": "a", "path": "b"}, "text: one of text, path and value."),
        ({"path": "gone.txt"}, "path: there is no file gone.txt."),
        ({"path": "latin"}, "path: latin is not UTF-8."),
        ({"path": "large"}, "path: large has more than 1000000 bytes."),
    ],
)
async def test_bad_input_is_named(
    ctx: ToolContext, tmp_path: Path, arguments: dict[str, Any], reason: str
) -> None:
    (tmp_path / "latin").write_bytes(b"\xff\xfe")
    (tmp_path / "large").write_bytes(b"x" * 1_000_001)
    refusal = await parse(ctx, **arguments)
    assert (refusal.ok, refusal.reason) == (False, reason)


async def test_a_file_outside_the_project_is_closed(ctx: ToolContext) -> None:
    for path in ("/etc/passwd", "../x", ".env", ".devloop/state.db"):
        with pytest.raises(ToolSandboxError):
            await parse(ctx, path=path)
