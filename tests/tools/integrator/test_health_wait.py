"""Listeners of the test itself; `tests/processes/test_health.py` waits for real units."""

import math
import socket
from typing import Any

import anyio
import pytest
from tests.tools.integrator.listeners import OK, answer, listening

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool
from devloop_tools.tools.integrator.health_wait import health_wait


async def wait(ctx: ToolContext, *targets: dict[str, Any], **more: Any) -> Any:
    arguments = {"targets": list(targets), "timeout_s": 5, "interval_ms": 20, **more}
    return await call_tool(health_wait, arguments, ctx)


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.mark.parametrize(
    ("host", "seen"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]"), ("0.0.0.0", "127.0.0.1"),
                       ("::", "127.0.0.1")],
)  # fmt: skip
async def test_localhost_is_tried_on_both_families_h_j02(
    ctx: ToolContext, host: str, seen: str
) -> None:
    with listening(OK, host=host) as (port, _):
        result = await wait(ctx, {"url": f"http://localhost:{port}/"}, {"tcp": f"localhost:{port}"})
    assert result.ready
    assert result.waited_s < 2
    assert [target.address for target in result.targets] == [f"{seen}:{port}"] * 2


async def test_other_statuses_are_tried_again_until_one_is_right_h_j06(ctx: ToolContext) -> None:
    answers = [answer(status) for status in (500, 500, 500, 503, 503, 503, 404, 200)]
    with listening(*answers) as (port, requests):
        result = await wait(ctx, {"url": f"http://localhost:{port}/health?deep=1"})
    [target] = result.targets
    assert (target.ready, target.status, target.attempts) == (True, 200, 8)
    history = [(outcomes.outcome, outcomes.times) for outcomes in target.history]
    assert history == [("500", 3), ("503", 3), ("404", 1), ("200", 1)]
    assert requests[0].startswith(b"GET /health?deep=1 HTTP/1.1\r\n")


async def test_expected_statuses_are_a_parameter_h_j06(ctx: ToolContext) -> None:
    with listening(answer(503), answer(401)) as (port, _):
        url = f"http://localhost:{port}/"
        result = await wait(ctx, {"url": url}, expect_status=[200, 401])
    assert result.targets[0].status == 401


async def test_a_redirect_is_reported_and_not_followed(ctx: ToolContext) -> None:
    with listening(OK) as (other, requests):
        location = f"http://localhost:{other}/"
        with listening(answer(302, b"", f"Location: {location}")) as (port, _):
            result = await wait(ctx, {"url": f"http://localhost:{port}/"}, timeout_s=0.3)
    [target] = result.targets
    assert (target.ready, target.status) == (False, 302)
    assert target.location == location
    assert requests == []


async def test_what_never_answers_ends_with_the_time_and_says_why_h_j07(ctx: ToolContext) -> None:
    url = f"http://127.0.0.1:{closed_port()}/"
    result = await wait(ctx, {"url": url}, timeout_s=0.3)
    assert (result.ok, result.ready) == (True, False)
    assert 0.25 < result.waited_s < 2
    [target] = result.targets
    assert (
        target.reason == f"not ready within 0.3 s; the last of {target.attempts} attempts: refused"
    )
    assert target.attempts > 2


async def test_a_listener_that_says_nothing_holds_nobody_up(ctx: ToolContext) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        with anyio.fail_after(4):
            result = await wait(ctx, {"url": url}, timeout_s=0.3)
    assert result.targets[0].history == []


async def test_what_is_no_http_is_not_ready(ctx: ToolContext) -> None:
    with listening(b"SSH-2.0-OpenSSH\r\n") as (port, _):
        url, tcp = {"url": f"http://127.0.0.1:{port}"}, {"tcp": f"127.0.0.1:{port}"}
        result = await wait(ctx, url, tcp, timeout_s=0.3)
    assert [target.ready for target in result.targets] == [False, True]
    assert "no valid HTTP" in result.targets[0].history[-1].outcome


async def test_a_call_can_be_cancelled(ctx: ToolContext) -> None:
    with anyio.move_on_after(0.2) as scope:
        await wait(ctx, {"tcp": f"localhost:{closed_port()}"}, timeout_s=600)
    assert scope.cancelled_caught


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ({"unit_id": "nobody"}, "targets[0]: the unit nobody was never started."),
        ({}, "targets[0]: one of unit_id, url and tcp."),
        ({"url": "http://localhost:1/", "tcp": "localhost:1"}, "targets[0]: one of unit_id, url"),
        ({"url": "http://example.org:80/"}, "targets[0].url: example.org is not this machine"),
        ({"url": "http://10.0.0.1:80/"}, "targets[0].url: 10.0.0.1 is not this machine"),
        ({"url": "http://[fe80::1]:80/"}, "targets[0].url: fe80::1 is not this machine"),
        ({"url": "http://localhost/"}, "targets[0].url: http://localhost/ is no plain http URL"),
        ({"url": "https://localhost:1/"}, "targets[0].url: https://localhost:1/ is no plain"),
        ({"url": "http://localhost:1@example.org:80/"}, "targets[0].url: http://localhost:1@"),
        ({"url": "http://localhost:99999/"}, "targets[0].url: http://localhost:99999/ is no URL"),
        ({"url": "http://2130706433:80/"}, "targets[0].url: 2130706433 is not this machine"),
        ({"url": "http://localhost.example.org:80/"}, "targets[0].url: localhost.example.org"),
        ({"url": "http://localhost:1/a b"}, "targets[0].url: a URL has at most"),
        ({"url": "http://localhost:1\\@example.org/"}, "targets[0].url: a URL has at most"),
        ({"tcp": "localhost"}, "targets[0].tcp: localhost is no address with a port."),
        ({"tcp": "example.org:80"}, "targets[0].tcp: example.org is not this machine"),
    ],
)
async def test_only_this_machine_is_asked_and_names_are_never_looked_up(
    ctx: ToolContext, monkeypatch: pytest.MonkeyPatch, target: dict[str, str], reason: str
) -> None:
    def looked_up(*_: object) -> None:
        raise AssertionError("a name was looked up")

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    refusal = await wait(ctx, target)
    assert refusal.reason.startswith(reason)
    assert refusal.hint


@pytest.mark.parametrize("timeout_s", [0, -1, math.nan, math.inf, 601])
async def test_a_timeout_is_a_positive_number_h_j07(ctx: ToolContext, timeout_s: float) -> None:
    with pytest.raises(InvalidArguments, match="- timeout_s: "):
        await wait(ctx, {"tcp": "localhost:1"}, timeout_s=timeout_s)
