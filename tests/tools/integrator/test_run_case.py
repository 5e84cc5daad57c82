"""What is said before anything is sent; `tests/processes/test_cases.py` asks real units."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.tools.integrator.listeners import OK, listening

from devloop_tools.domain.running.ports import PortLeases
from devloop_tools.domain.running.processes import process
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events
from devloop_tools.tools.integrator.run_case import run_case


def case(url: str = "http://localhost:1/", case_id: str = "a", **more: Any) -> dict[str, Any]:
    return {"id": case_id, "request": {"method": "GET", "url": url}, **more}


async def run(ctx: ToolContext, the_case: dict[str, Any], **more: Any) -> Any:
    result = await call_tool(run_case, {"case": the_case, **more}, ctx)
    assert result.ok
    return result.cases[0]


async def run_file(ctx: ToolContext, text: str, **more: Any) -> Any:
    (ctx.workspace.root / "cases.json").write_text(text, encoding="utf-8")
    return await call_tool(run_case, {"path": "cases.json", **more}, ctx)


async def test_a_port_that_is_not_leased_gets_no_request(ctx: ToolContext, tmp_path: Path) -> None:
    with listening(OK) as (port, requests):
        result = await run(ctx, case(f"http://localhost:{port}/"))
    assert result.reason.startswith(f"request.url: port {port} is not leased in this project.")
    assert not result.passed
    assert requests == []
    [event] = recorded_events(tmp_path)
    assert (event.type, event.data) == ("case.finished", {"id": "a", "passed": False})


async def test_a_leased_port_that_a_stranger_holds_gets_no_request(ctx: ToolContext) -> None:
    ours = process(os.getpid())
    assert ours is not None
    with listening(OK) as (port, requests):
        PortLeases(ctx.database).hold(port, "a", ours)
        result = await run(ctx, case("{{unit.a.url}}/"))
    assert f"port {port} is held by pid {os.getpid()} (" in result.reason
    assert "no unit of this project" in result.reason
    assert requests == []


async def test_a_leased_port_on_which_nobody_listens_is_no_answer(ctx: ToolContext) -> None:
    picked = PortLeases(ctx.database).pick(["a"], 20_000, 29_999)
    assert isinstance(picked, dict)
    result = await run(ctx, case("{{unit.a.url}}"))
    assert result.reason == "no answer: refused on 127.0.0.1, ::1"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://example.org:80/", "request.url: example.org is not this machine"),
        ("http://localhost.:80/", "request.url: localhost. is not this machine"),
        ("http://127.0.0.1.nip.io:80/", "request.url: 127.0.0.1.nip.io is not this machine"),
        ("http://0x7f000001:80/", "request.url: 0x7f000001 is not this machine"),
        ("http://10.1.2.3:80/", "request.url: 10.1.2.3 is not this machine"),
        ("http://[::ffff:10.1.2.3]:80/", "request.url: ::ffff:10.1.2.3 is not this machine"),
        ("http://0.0.0.0:80/", "request.url: 0.0.0.0 is not this machine"),
        ("ftp://localhost:80/", "request.url: ftp://localhost:80/ is no plain http URL"),
        ("http://u:p@localhost:80/", "request.url: http://u:p@localhost:80/ is no plain"),
        ("{{unit.nobody.url}}", "request.url:1:1: {{unit.nobody.url}}: no port is leased"),
        ("http://localhost:80/\r\nX: y", "request.url: a URL has at most"),
    ],
)
async def test_a_request_goes_nowhere_else(ctx: ToolContext, url: str, reason: str) -> None:
    result = await run(ctx, case(url))
    assert result.reason.startswith(reason)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"json": {}, "body": ""}, "request: json and body exclude each other."),
        ({"headers": {"X y": "1"}}, "request.headers: X y can't be sent as a header."),
        ({"headers": {"X": "1\r\nY: 2"}}, "request.headers: X can't be sent as a header."),
        ({"headers": {"X": "登录"}}, "request.headers: X can't be sent as a header."),
    ],
)
async def test_what_can_not_be_sent_is_said(
    ctx: ToolContext, request_: dict[str, Any], reason: str
) -> None:
    the_case = {"id": "a", "request": {"url": "http://localhost:1/", **request_}}
    assert (await run(ctx, the_case)).reason.startswith(reason)


USES_B = {"request": {"url": "http://localhost:1/{{case.b.x}}"}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "cases.json: not JSON: "),
        ("{", "cases.json: not JSON: "),
        ('{"id": 1}\n{"id":', "cases.json: not JSON: "),
        ("[]", "cases.json: cases: "),
        ("3", "cases.json: cases: "),
        ('{"cases": [{"id": "a"}]}', "cases.json: cases.0.request: Field required"),
        ('[{"id": "a/b", "request": {"url": "x"}}]', "cases.json: cases.0.id: "),
        (json.dumps([case(), case()]), "cases.json: two cases are called a."),
        ("[" * 100_000, "cases.json: nested too deep."),
        (
            json.dumps([{"id": "a", **USES_B}, case("http://localhost:1/{{case.a.y}}", "b")]),
            "cases.json: the cases use each other's values in a circle: ",
        ),
    ],
)
async def test_a_file_that_can_not_be_used_is_named(
    ctx: ToolContext, tmp_path: Path, text: str, reason: str
) -> None:
    refusal = await run_file(ctx, text)
    assert not refusal.ok
    assert refusal.reason.startswith(reason)
    assert refusal.hint
    assert list(recorded_events(tmp_path)) == []


async def test_a_file_runs_each_case_behind_those_that_it_uses(ctx: ToolContext) -> None:
    lines = [json.dumps({"id": "a", **USES_B}), json.dumps(case(case_id="b")), ""]
    result = await run_file(ctx, "\n".join(lines))
    assert [one.id for one in result.cases] == ["b", "a"]
    assert (result.passed, result.total, result.failed) == (False, 2, 2)


async def test_vars_in_a_circle_are_said(ctx: ToolContext) -> None:
    variables = {"a": "{{b}}", "b": "{{a}}"}
    result = await run(ctx, case("http://localhost:1/{{a}}"), vars=variables)
    assert "cycle: a → b → a" in result.reason


async def test_a_case_or_a_path(ctx: ToolContext) -> None:
    for arguments in ({}, {"case": case(), "path": "x"}):
        refusal = await call_tool(run_case, arguments, ctx)
        assert refusal.reason == "case: one of case and path."
    refusal = await call_tool(run_case, {"path": "gone.json"}, ctx)
    assert refusal.reason == "path: there is no file gone.json."


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"request": {"url": "x", "methode": "GET"}}, "case.request.methode"),
        ({"request": {"url": "x", "method": "BREW"}}, "case.request.method"),
        ({"expect": {"status": 20}}, "case.expect.status"),
        ({"save": {"a b": "$"}}, "case.save.a b"),
    ],
)
async def test_odd_arguments_are_named(
    ctx: ToolContext, change: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidArguments, match=f"- {field}"):
        await call_tool(run_case, {"case": case() | change}, ctx)
