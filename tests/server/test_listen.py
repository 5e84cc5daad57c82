"""subscriptions/listen, and what is told of changes in both eras."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.server.conftest import Client, connected, stateless

from devloop_tools.protocol.mcp import META_SERVER, META_SUBSCRIPTION
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.packs import Packs
from devloop_tools.server import committed, resources
from devloop_tools.server.era import LEGACY_ONLY, SERVER_INFO
from devloop_tools.storage.database import database_file
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.resources import resource

serving = partial(connected, version=None)

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
LIST_CHANGED = "notifications/tools/list_changed"
UPDATED = "notifications/resources/updated"
TIMELINE = "devloop://timeline"
TOOL: JsonObject = {
    "name": "ask_host",
    "description": "问主机 Ask the host.",
    "input_schema": {"type": "object"},
}
APPEND: JsonObject = {"name": "timeline_append", "arguments": {"event": "单元.built"}}


async def listening(client: Client, **wishes: Any) -> tuple[int, JsonObject]:
    """The id of an acknowledged subscription, and what it is granted."""
    request_id = client.start_modern("subscriptions/listen", {"notifications": wishes})
    params = (await client.incoming(ACKNOWLEDGED))["params"]
    assert params["_meta"] == {META_SUBSCRIPTION: request_id}
    return request_id, params["notifications"]


def heard(client: Client, method: str) -> list[JsonObject]:
    """The params of all notifications with this method."""
    return [note["params"] for note in client.notifications if note["method"] == method]


@resource("test://文件")
def pack_file(ctx: ToolContext) -> str:
    """A file of a pack."""
    return "内容"


@resource("test://每个/{id}")
def pack_template(ctx: ToolContext, id: str) -> str:
    """Something for each id."""
    return id


PACKS = Packs(resources=[pack_file, pack_template])


@pytest.mark.parametrize(
    ("wishes", "granted"),
    [
        ({}, {}),
        ({"toolsListChanged": True}, {"toolsListChanged": True}),
        ({"toolsListChanged": False}, {}),
        ({"toolsListChanged": "是"}, {}),
        ({"promptsListChanged": True, "resourcesListChanged": True, "未来": True}, {}),
        ({"resourceSubscriptions": []}, {}),
        ({"resourceSubscriptions": None}, {}),
        ({"resourceSubscriptions": [TIMELINE]}, {"resourceSubscriptions": [TIMELINE]}),
        (
            {"resourceSubscriptions": ["devloop://todo/nobody", "file:///etc/passwd", "时间线"]},
            {},
        ),
        (
            {"resourceSubscriptions": ["devloop://todo/pm", "devloop://memory/pm/不在 gone"]},
            {"resourceSubscriptions": ["devloop://todo/pm", "devloop://memory/pm/不在 gone"]},
        ),
        (
            {"resourceSubscriptions": ["test://文件", "test://每个/一", "test://nothing"]},
            {"resourceSubscriptions": ["test://文件", "test://每个/一"]},
        ),
    ],
)
async def test_what_can_be_kept_is_acknowledged_first(
    tmp_path: Path, wishes: JsonObject, granted: JsonObject
) -> None:
    async with serving(tmp_path, packs=PACKS) as client:
        assert (await listening(client, **wishes))[1] == granted
        await client.settle()
    assert [note["method"] for note in client.notifications] == [ACKNOWLEDGED]


@pytest.mark.parametrize(
    ("wishes", "says"),
    [
        (None, "notifications: an object"),
        (["toolsListChanged"], "notifications: an object"),
        ({"resourceSubscriptions": TIMELINE}, "at most 1000 URIs in a list"),
        ({"resourceSubscriptions": [TIMELINE] * 1001}, "at most 1000 URIs in a list"),
        ({"resourceSubscriptions": [TIMELINE, 1]}, "a URI is a text"),
    ],
)
async def test_wishes_that_make_no_sense_are_named(tmp_path: Path, wishes: Any, says: str) -> None:
    async with serving(tmp_path) as client:
        reply = await client.modern("subscriptions/listen", {"notifications": wishes})
        await client.settle()
    assert (reply["error"]["code"], says in reply["error"]["message"]) == (-32602, True)
    assert client.notifications == []


async def test_a_changed_list_is_told_to_those_who_asked(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        wanting, _ = await listening(client, toolsListChanged=True)
        await listening(client, promptsListChanged=True)
        await client.result("tools.register", {"tools": [TOOL]})
        await client.settle()
        tools = (await client.modern("tools/list"))["result"]["tools"]
    assert heard(client, LIST_CHANGED) == [{"_meta": {META_SUBSCRIPTION: wanting}}]
    assert "ask_host" in [tool["name"] for tool in tools]


async def test_a_changed_list_is_told_in_both_eras_at_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        await client.shake_hands()
        wanting, _ = await listening(client, toolsListChanged=True)
        await client.result("tools.register", {"tools": [TOOL]})
        await client.result("tools.unregister", {"names": ["ask_host"]})
        await client.settle()
    tagged = {"_meta": {META_SUBSCRIPTION: wanting}}
    assert heard(client, LIST_CHANGED) == [{}, tagged, {}, tagged]


async def test_without_a_handshake_nobody_is_told_unasked(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        await client.result("tools.register", {"tools": [TOOL]})
        await client.settle()
    assert client.notifications == []


async def test_a_refused_registration_is_no_change(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        await listening(client, toolsListChanged=True)
        await client.error("tools.register", {"tools": [{**TOOL, "name": "timeline_append"}]})
        await client.error("tools.unregister", {"names": ["没有 none"]})
        await client.settle()
    assert heard(client, LIST_CHANGED) == []


async def test_a_cancelled_subscription_hears_no_more_and_is_not_answered(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        cancelled, _ = await listening(client, toolsListChanged=True)
        client.notify("notifications/cancelled", {"requestId": cancelled})
        kept, _ = await listening(client, toolsListChanged=True)
        await client.result("tools.register", {"tools": [TOOL]})
        await client.settle()
        assert client.replies(cancelled) == []
    assert heard(client, LIST_CHANGED) == [{"_meta": {META_SUBSCRIPTION: kept}}]


async def test_the_servers_end_completes_what_listens(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        ids = [(await listening(client, toolsListChanged=True))[0] for _ in range(2)]
        client.close()
        results = [(await client.reply(request_id))["result"] for request_id in ids]
    assert [result["resultType"] for result in results] == ["complete"] * 2
    metas = [{META_SUBSCRIPTION: request_id, META_SERVER: SERVER_INFO} for request_id in ids]
    assert [result["_meta"] for result in results] == metas


async def test_the_id_of_a_subscription_keeps_its_type(tmp_path: Path) -> None:
    params = {"notifications": {"toolsListChanged": True}}
    async with serving(tmp_path) as client:
        for request_id in (7, "7", "听 listen"):
            client.start("subscriptions/listen", stateless(params), request_id=request_id)
            meta = (await client.incoming(ACKNOWLEDGED))["params"]["_meta"]
            assert meta == {META_SUBSCRIPTION: request_id}
            assert type(meta[META_SUBSCRIPTION]) is type(request_id)


# Changes of resources


def changes(arguments: JsonObject, tool: str) -> JsonObject:
    """A call that changes a resource."""
    return {"name": tool, "arguments": arguments}


PLAN = changes({"items": [{"id": "step-001", "description": "写测试 write"}]}, "write_todolist")
STATE = changes({"patch": {"阶段": "二 two"}}, "update_runtime_state")
MEMORY = changes({"topic": "决定 Decision", "content": "用 SQLite"}, "record_memory")


@pytest.mark.parametrize(
    ("call", "uri"),
    [
        (APPEND, TIMELINE),
        (PLAN, "devloop://todo/pm"),
        (STATE, "devloop://runtime/pm"),
        (MEMORY, "devloop://memory/pm/%E5%86%B3%E5%AE%9A-decision"),
        (MEMORY, "devloop://memory/pm/决定-decision"),
        (PLAN, "devloop://todo/p%6D"),
    ],
)
async def test_a_change_is_told_in_both_eras_by_the_uri_that_was_asked_for(
    tmp_path: Path, call: JsonObject, uri: str
) -> None:
    async with serving(tmp_path) as client:
        await client.shake_hands()
        assert await client.result("resources/subscribe", {"uri": uri}) == {}
        listener, granted = await listening(client, resourceSubscriptions=[uri])
        assert granted == {"resourceSubscriptions": [uri]}
        assert not (await client.result("tools/call", call))["isError"]
        notes = [(await client.incoming(UPDATED))["params"] for _ in range(2)]
    tagged = {"uri": uri, "_meta": {META_SUBSCRIPTION: listener}}
    assert sorted(notes, key=len) == [{"uri": uri}, tagged]


async def test_a_change_by_another_server_is_told(tmp_path: Path) -> None:
    async with serving(tmp_path) as listener, serving(tmp_path) as other:
        await listening(listener, resourceSubscriptions=[TIMELINE])
        await other.modern("tools/call", APPEND)
        assert (await listener.incoming(UPDATED))["params"]["uri"] == TIMELINE


async def test_no_change_after_the_acknowledgement_is_missed(tmp_path: Path) -> None:
    async with serving(tmp_path) as listener, serving(tmp_path) as other:
        for count in range(1, 6):
            request_id, _ = await listening(listener, resourceSubscriptions=[TIMELINE])
            await other.modern("tools/call", APPEND)
            note = await listener.incoming(UPDATED)
            assert note["params"]["_meta"] == {META_SUBSCRIPTION: request_id}, count
            listener.notify("notifications/cancelled", {"requestId": request_id})
            await listener.settle()


async def test_only_what_was_asked_for_is_told(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        await listening(client, resourceSubscriptions=["devloop://todo/pm"])
        await client.modern("tools/call", APPEND)
        await client.modern("tools/call", PLAN)
        note = await client.incoming(UPDATED)
        await client.settle()
    assert note["params"]["uri"] == "devloop://todo/pm"
    assert len(heard(client, UPDATED)) == 1


async def test_whoever_unsubscribes_hears_no_more(tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        for uri in (TIMELINE, "devloop://todo/pm"):
            await client.result("resources/subscribe", {"uri": uri})
        assert await client.result("resources/unsubscribe", {"uri": TIMELINE}) == {}
        await client.result("tools/call", APPEND)
        await client.result("tools/call", PLAN)
        assert (await client.incoming(UPDATED))["params"] == {"uri": "devloop://todo/pm"}
    assert heard(client, UPDATED) == [{"uri": "devloop://todo/pm"}]


async def test_a_subscription_can_be_taken_up_again(tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        for _ in range(3):
            await client.result("resources/subscribe", {"uri": TIMELINE})
            await client.result("tools/call", APPEND)
            assert (await client.incoming(UPDATED))["params"] == {"uri": TIMELINE}
            await client.result("resources/unsubscribe", {"uri": TIMELINE})
        await client.result("tools/call", APPEND)
        await client.settle()
    assert len(heard(client, UPDATED)) == 3


async def test_unsubscribing_from_nothing_is_fine(tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        assert await client.result("resources/unsubscribe", {"uri": "没有 none"}) == {}


@pytest.mark.parametrize("uri", ["devloop://todo/nobody", "test://nothing", "", "时间线"])
async def test_there_is_no_subscription_to_what_can_never_be(tmp_path: Path, uri: str) -> None:
    async with connected(tmp_path) as client:
        error = await client.error("resources/subscribe", {"uri": uri})
    assert (error["code"], error["data"]) == (-32002, {"uri": uri})


async def test_subscriptions_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "MAX_SUBSCRIBED", 3)
    uris = [f"test://每个/{number}" for number in range(5)]
    async with connected(tmp_path, packs=PACKS) as client:
        ids = [client.start("resources/subscribe", {"uri": uri}) for uri in uris]
        replies = [await client.reply(request_id) for request_id in ids]
        taken = next(uri for uri, reply in zip(uris, replies, strict=True) if "result" in reply)
        again = await client.result("resources/subscribe", {"uri": taken})
    errors = [reply["error"] for reply in replies if "error" in reply]
    assert errors == [{"code": -32602, "message": "uri: at most 3 subscriptions"}] * 2
    assert again == {}


class Noticed(logging.Handler):
    """Tells when something was logged."""

    def __init__(self) -> None:
        super().__init__()
        self.something = anyio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.something.set()


@contextmanager
def without_events(root: Path) -> Iterator[None]:
    """The project's database has lost its table of events."""
    with closing(sqlite3.connect(database_file(root), isolation_level=None)) as connection:
        connection.execute("ALTER TABLE events RENAME TO away")
        yield
        connection.execute("ALTER TABLE away RENAME TO events")


@pytest.fixture
def noticed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Noticed]:
    monkeypatch.setattr(committed, "RETRY_S", 0.01)
    handler = Noticed()
    logger = logging.getLogger(committed.__name__)
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


async def test_a_log_that_cannot_be_read_for_a_while_ends_no_subscription(
    tmp_path: Path, noticed: Noticed
) -> None:
    async with serving(tmp_path) as client:
        await listening(client, resourceSubscriptions=[TIMELINE])
        await client.result("events.subscribe")
        with without_events(tmp_path):
            await noticed.something.wait()
        await client.modern("tools/call", APPEND)
        assert (await client.incoming(UPDATED))["params"]["uri"] == TIMELINE
        assert (await client.incoming("event"))["params"]["type"] == "timeline.appended"


async def test_where_changes_cannot_be_watched_that_is_said(tmp_path: Path) -> None:
    wishes = {"notifications": {"resourceSubscriptions": [TIMELINE]}}
    async with connected(tmp_path) as client:
        await client.result("tools/call", APPEND)
        with without_events(tmp_path):
            older = await client.error("resources/subscribe", {"uri": TIMELINE})
            newer = (await client.modern("subscriptions/listen", wishes))["error"]
        assert await client.result("resources/subscribe", {"uri": TIMELINE}) == {}
    assert older == newer
    assert (older["code"], "changes can't be watched" in older["message"]) == (-32603, True)


async def test_an_older_server_knows_no_subscriptions_of_the_newer_kind(tmp_path: Path) -> None:
    async with serving(tmp_path, protocol=LEGACY_ONLY) as client:
        error = (await client.modern("subscriptions/listen", {"notifications": {}}))["error"]
    assert error["code"] == -32601
