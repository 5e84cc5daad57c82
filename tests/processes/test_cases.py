"""Cases against real units: what is sent, what is judged, what later cases get."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.processes.units import free_port, python, running_in, start, wait_until

from devloop_tools.domain.running.records import UnitRecords
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.integrator.collect_stderr import collect_stderr
from devloop_tools.tools.integrator.health_wait import health_wait
from devloop_tools.tools.integrator.run_case import run_case

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

TODO = """
import http.server, json, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body, **headers):
        text = json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def do_GET(self):
        if self.path == "/away": self.answer(302, {}, Location=os.environ["AWAY"])
        elif self.path.startswith("/boom"): raise KeyError("登录")
        elif self.path == "/slow": import time; time.sleep(60)
        elif self.path == "/broken":
            self.send_response(200); self.send_header("Content-Length", "100"); self.end_headers()
            self.wfile.write(b"abc")
        else:
            items = [{"id": 1, "title": "买牛奶"}]
            self.answer(200, {"items": items, "auth": self.headers["Authorization"]})
    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(length))
        self.answer(201, {"token": "t-" + body["user"], "id": 7}, ETag="v1")
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[ToolContext]:
    ctx = tool_context(tmp_path, agent="integrator", env={"PATH": os.environ["PATH"]})
    yield ctx
    ctx.units.close()
    assert wait_until(lambda: running_in(tmp_path) == [])


@pytest.fixture
async def todo(ctx: ToolContext) -> ToolContext:
    port = await free_port(ctx, "todo-be")
    unit = {
        "unit_id": "todo-be",
        "argv": python(TODO),
        "port": port,
        "env": {"AWAY": "http://localhost:9/"},
        "ready": {"tcp": f"localhost:{port}"},
    }
    assert (await start(ctx, unit)).passed
    return ctx


async def run(ctx: ToolContext, case: dict[str, Any], **more: Any) -> Any:
    return (await call_tool(run_case, {"case": case, **more}, ctx)).cases[0]


def get(path: str, **more: Any) -> dict[str, Any]:
    return {"id": "get", "request": {"url": f"{{{{unit.todo-be.url}}}}{path}"}, **more}


async def test_what_one_case_saves_the_next_one_sends(todo: ToolContext) -> None:
    login = {
        "id": "登录",
        "request": {
            "method": "POST",
            "url": "{{unit.todo-be.url}}/login",
            "json": {"user": "{{who}}"},
        },
        "expect": {"status": 201, "json": {"id": 7}, "headers": {"etag": "v1"}},
        "save": {"token": "$.token", "tag": "headers.ETag"},
    }
    first = await run(todo, login, vars={"who": "她"})
    assert (first.passed, first.saved) == (True, ["token", "tag"])
    request = {"url": "{{unit.todo-be.url}}/", "headers": {"Authorization": "{{case.登录.tag}}"}}
    second = await run(todo, {"id": "list", "request": request, "expect": {"json": {"auth": "v1"}}})
    assert second.passed


async def test_each_expectation_that_fails_has_both_sides(todo: ToolContext) -> None:
    expect = {"status": 200, "json": {"items": [{"id": 2}]}, "body_contains": "牛奶"}
    result = await run(todo, get("/", expect=expect))
    assert not result.passed
    found = [(one.what, one.passed, one.expected, one.actual) for one in result.expectations]
    assert found[:2] == [("status", True, 200, 200), ("json.items[0].id", False, 2, 1)]
    assert "items" in result.body


async def test_a_redirect_is_judged_and_never_followed(todo: ToolContext) -> None:
    result = await run(todo, get("/away", expect={"status": 302}))
    assert (result.passed, result.location) == (True, "http://localhost:9/")


async def test_an_answer_whose_body_breaks_off_is_none(todo: ToolContext) -> None:
    result = await run(todo, get("/broken", expect={"status": 200}))
    assert (result.passed, result.reason) == (
        False,
        "no answer: the body broke off after 3 of 100 bytes",
    )


async def test_a_unit_that_answers_too_late_fails_the_case(todo: ToolContext) -> None:
    result = await run(todo, get("/slow"), timeout_s=0.5)
    assert result.reason == "no answer: timed out"


async def test_what_a_unit_throws_is_collected_masked_and_counted(todo: ToolContext) -> None:
    for _ in range(3):
        assert not (await run(todo, get("/boom?token=s3cret-value"))).passed
    result = await call_tool(collect_stderr, {"unit_id": "todo-be"}, todo)
    assert result.state == "running"
    [trace] = result.traces
    assert (trace.error, trace.count) == ("KeyError: '登录'", 3)
    assert "s3cret" not in result.model_dump_json()


async def test_a_unit_that_has_died_is_named_by_the_case(ctx: ToolContext) -> None:
    port = await free_port(ctx, "todo-be")
    unit = {"unit_id": "todo-be", "argv": ["sh", "-c", "echo 坏了 >&2; exit 75"], "port": port}
    await start(ctx, unit)
    result = await run(ctx, get("/"))
    assert "todo-be ended with exit code 75\n坏了" in result.reason


async def test_a_unit_that_floods_its_logs_gets_ready_all_the_same_h_j05(ctx: ToolContext) -> None:
    port = await free_port(ctx)
    program = (
        "import os, socket, time\n"
        "os.write(2, b'x' * 1_000_000 + b'\\n')\n"
        "line = '你好'.encode('gbk') * 2500 + b' \\x1b[31mred\\x1b[0m\\n'\n"
        "for _ in range(1200): os.write(2, line)\n"
        "s = socket.socket(); s.bind(('127.0.0.1', int(os.environ['PORT']))); s.listen()\n"
        "time.sleep(600)\n"
    )
    await start(ctx, {"unit_id": "a", "argv": python(program), "port": port})
    health = await call_tool(health_wait, {"targets": [{"unit_id": "a"}], "timeout_s": 10}, ctx)
    assert health.ready
    result = await call_tool(collect_stderr, {"unit_id": "a", "tail": 3}, ctx)
    assert result.dropped_bytes > 0
    result.model_dump_json().encode("utf-8", "strict")
    record = UnitRecords(ctx.workspace.root, "integrator").of("a")
    assert record is not None
    assert resident_mb(record.keeper.pid) < 20


def resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no VmRSS")
