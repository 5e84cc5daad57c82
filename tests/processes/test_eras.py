"""Both eras of MCP, spoken by real server processes of one project."""

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.processes.server import Server, command

TOOLS = Path(__file__).resolve().parents[1] / "conformance" / "tools.d"
ASKING = "test_input_required_result_elicitation"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
ANSWER = {"user_name": {"action": "accept", "content": {"name": "小明 Ming"}}}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "项目"
    folder.mkdir()
    return folder


@pytest.fixture
def servers(project: Path, state: Path) -> Iterator[list[Server]]:
    """Two servers of one project and one user."""
    words = command(project, tools_dir=TOOLS)
    with ExitStack() as stack:
        env = {"XDG_STATE_HOME": str(state)}
        yield [stack.enter_context(Server(words, env=env)) for _ in range(2)]


def ask(server: Server, request_id: int | str, method: str, **params: Any) -> dict[str, Any]:
    """The reply to a stateless request."""
    server.request(request_id, method, {**params, "_meta": META})
    return server.reply(request_id)


def notifications(server: Server, method: str) -> list[dict[str, Any]]:
    """The params of what has come with this method."""
    messages = [line.message for line in server.lines if line.message is not None]
    return [message["params"] for message in messages if message.get("method") == method]


def test_a_call_that_asks_one_server_may_be_finished_by_another_and_only_once(
    servers: list[Server], state: Path
) -> None:
    one, other = servers
    first = ask(one, 1, "tools/call", name=ASKING)["result"]
    retry = {"name": ASKING, "requestState": first["requestState"], "inputResponses": ANSWER}
    second = ask(other, 1, "tools/call", **retry)["result"]
    errors = [ask(server, 2, "tools/call", **retry)["error"] for server in servers]
    assert first["resultType"] == "input_required"
    assert second["content"] == [{"type": "text", "text": "Hello, 小明 Ming!"}]
    assert [error["code"] for error in errors] == [-32602, -32602]
    assert all("used before" in error["message"] for error in errors)
    [key] = (state / "devloop-tools" / "keys").iterdir()
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_call_that_asks_survives_the_server_that_asked(servers: list[Server]) -> None:
    one, other = servers
    first = ask(one, 1, "tools/call", name=ASKING)["result"]
    one.kill()
    retry = {"requestState": first["requestState"], "inputResponses": ANSWER}
    assert not ask(other, 1, "tools/call", name=ASKING, **retry)["result"]["isError"]


def test_two_servers_that_ask_for_the_first_time_at_once_make_one_key(
    servers: list[Server], state: Path
) -> None:
    for server in servers:
        server.request(1, "tools/call", {"name": ASKING, "_meta": META})
    states = [server.reply(1)["result"]["requestState"] for server in servers]
    for server, made in zip(servers, reversed(states), strict=True):
        retry = {"requestState": made, "inputResponses": ANSWER}
        assert "result" in ask(server, 2, "tools/call", name=ASKING, **retry)
    assert len(list((state / "devloop-tools" / "keys").iterdir())) == 1


def test_a_key_that_others_can_read_is_never_used(servers: list[Server], state: Path) -> None:
    one, other = servers
    ask(one, 1, "tools/call", name=ASKING)
    [key] = (state / "devloop-tools" / "keys").iterdir()
    key.chmod(0o644)
    error = ask(other, 1, "tools/call", name=ASKING)["error"]
    assert error == {"code": -32603, "message": "Internal error"}
    assert "result" in ask(other, 2, "tools/list")
    assert other.wait_until(lambda: "others can read the project's key" in other.stderr, 5)


def test_a_change_by_one_process_is_told_by_another(servers: list[Server]) -> None:
    listener, other = servers
    wishes = {"resourceSubscriptions": ["devloop://timeline", "devloop://todo/pm"]}
    listener.request("听", "subscriptions/listen", {"notifications": wishes, "_meta": META})
    acknowledged = "notifications/subscriptions/acknowledged"
    assert listener.wait_until(lambda: bool(notifications(listener, acknowledged)), 20)
    event = {"event": "单元.built"}
    assert "result" in ask(other, 1, "tools/call", name="timeline_append", arguments=event)
    updated = "notifications/resources/updated"
    assert listener.wait_until(lambda: bool(notifications(listener, updated)), 10)
    meta = {SUBSCRIPTION: "听"}
    assert notifications(listener, acknowledged) == [{"_meta": meta, "notifications": wishes}]
    assert notifications(listener, updated) == [{"uri": "devloop://timeline", "_meta": meta}]


@pytest.mark.parametrize("how", ["end of input", "SIGTERM", "SIGINT"])
def test_the_end_of_the_process_completes_what_listens(servers: list[Server], how: str) -> None:
    server = servers[0]
    wishes = {"notifications": {"toolsListChanged": True}, "_meta": META}
    server.request("listen:0", "subscriptions/listen", wishes)
    assert server.wait_until(lambda: bool(server.lines), 20)
    if how == "end of input":
        server.close_stdin()
    else:
        server.signal(signal.Signals[how])
    ended = server.wait_ended(5)
    assert ended is not None
    result = server.reply("listen:0")["result"]
    assert (ended.code, result["resultType"]) == (0, "complete")
    assert result["_meta"][SUBSCRIPTION] == "listen:0"


def test_what_was_answered_before_anything_was_loaded_is_the_same_after(
    servers: list[Server],
) -> None:
    server = servers[0]
    early = ask(server, "server-discover-probe-1", "server/discover")
    ask(server, 1, "tools/list")
    late = ask(server, "又一次", "server/discover")
    assert early["result"] == late["result"]
    assert early["result"]["supportedVersions"][0] == "2026-07-28"


@pytest.mark.parametrize(
    ("flags", "discover", "handshake", "bare"),
    [
        ([], None, None, -32600),
        (["--protocol", "all"], None, None, -32600),
        (["--protocol=legacy"], -32601, None, -32600),
        (["--protocol", "modern"], None, -32022, -32602),
    ],
)
def test_the_flag_holds_from_the_first_line_on(
    project: Path, flags: list[str], discover: int | None, handshake: int | None, bare: int
) -> None:
    def code(reply: dict[str, Any]) -> int | None:
        return reply["error"]["code"] if "error" in reply else None

    with Server(command(project, more=flags)) as server:
        assert code(ask(server, 1, "server/discover")) == discover
        server.request(2, "tools/list")
        assert code(server.reply(2)) == bare
        server.request(3, "initialize", {"protocolVersion": "2025-11-25"})
        assert code(server.reply(3)) == handshake
        assert code(ask(server, 4, "server/discover")) == discover


def test_an_unknown_value_of_the_flag_is_said(project: Path) -> None:
    with Server(command(project, more=["--protocol", "未来"])) as server:
        server.close_stdin()
        ended = server.wait_ended(20)
    assert ended is not None
    assert ended.code == 2
    assert "--protocol" in server.stderr


def test_both_eras_interleave_in_one_process(servers: list[Server]) -> None:
    server = servers[0]
    server.shake_hands("2025-06-18")
    for number in range(10):
        modern = {"_meta": META} if number % 2 else {}
        arguments = {"event": "轮.step", "summary": str(number)}
        call = {"name": "timeline_append", "arguments": arguments, **modern}
        server.request(number, "tools/call", call)
    results = [server.reply(number)["result"] for number in range(10)]
    assert [("resultType" in result) for result in results] == [False, True] * 5
    texts = [json.loads(result["content"][0]["text"]) for result in results]
    assert sorted(text["seq"] for text in texts) == list(range(1, 11))
