"""resources/*: the project's files and those of packs, by URI."""

import base64
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import Client, connected

from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.packs import Packs
from devloop_tools.storage.errors import CorruptFile
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.resources import ResourceDefinition, resource

serving = partial(connected, agents=("pm", "architect"))

TIMELINE = "devloop://timeline"
MEMORY = "devloop://memory/pm/%E5%86%B3%E5%AE%9A-decision"
CALLS: list[tuple[str, JsonObject]] = [
    ("timeline_append", {"event": "单元.built", "summary": "好了 done"}),
    ("write_todolist", {"items": [{"id": "step-001", "description": "写测试 write"}]}),
    ("update_runtime_state", {"patch": {"阶段": "二 two"}}),
    ("record_memory", {"topic": "决定 Decision", "content": "用 SQLite, use it"}),
]


async def worked(client: Client) -> None:
    """pm has written one of each."""
    for tool, arguments in CALLS:
        assert not (await client.call(tool, arguments))["isError"]


async def uris(client: Client) -> list[str]:
    return [found["uri"] for found in (await client.result("resources/list"))["resources"]]


async def read(client: Client, uri: str) -> Any:
    """The only content at `uri`."""
    [content] = (await client.result("resources/read", {"uri": uri}))["contents"]
    assert content["uri"] == uri
    return content


async def test_an_empty_project_lists_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        assert await client.result("resources/list") == {"resources": []}


async def test_what_agents_wrote_is_listed_and_can_be_read(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        await worked(client)
        listed = (await client.result("resources/list"))["resources"]
        texts = {found["uri"]: (await read(client, found["uri"]))["text"] for found in listed}
    assert [(found["uri"], found["name"], found["mimeType"]) for found in listed] == [
        (TIMELINE, "timeline", "application/x-ndjson"),
        ("devloop://todo/pm", "pm-todo", "application/json"),
        ("devloop://runtime/pm", "pm-runtime", "application/json"),
        (MEMORY, "决定-decision", "text/markdown"),
    ]
    assert all(found["description"] for found in listed)
    assert json.loads(texts[TIMELINE])["summary"] == "好了 done"
    assert json.loads(texts["devloop://todo/pm"])["items"][0]["description"] == "写测试 write"
    assert json.loads(texts["devloop://runtime/pm"])["state"] == {"阶段": "二 two"}
    assert texts[MEMORY].endswith("用 SQLite, use it\n")


async def test_what_another_agent_wrote_can_be_read_too(tmp_path: Path) -> None:
    async with serving(tmp_path) as pm:
        await worked(pm)
        async with connected(tmp_path, agents=("architect", "pm")) as architect:
            assert await uris(architect) == await uris(pm)
            assert (await read(architect, MEMORY))["text"] == (await read(pm, MEMORY))["text"]


async def test_agents_may_have_names_in_every_script(tmp_path: Path) -> None:
    async with connected(tmp_path, agents=("测试员 a/b",)) as client:
        await worked(client)
        [todo] = [uri for uri in await uris(client) if "todo" in uri]
        assert todo == "devloop://todo/%E6%B5%8B%E8%AF%95%E5%91%98%20a%2Fb"


@pytest.mark.parametrize(
    "uri",
    [
        "devloop://todo/p%6D",
        "devloop://memory/pm/决定-decision",
        "devloop://memory/%70m/" + "决定-decision",
    ],
)
async def test_a_uri_may_be_written_in_other_ways(tmp_path: Path, uri: str) -> None:
    async with serving(tmp_path) as client:
        await worked(client)
        assert (await read(client, uri))["text"]


NOWHERE = [
    "devloop://todo/nobody",
    "devloop://todo/architect",
    "devloop://todo/",
    "devloop://todo",
    "devloop://todo/pm/",
    "devloop://todo/pm/more",
    "devloop://runtime/..",
    "devloop://runtime/%2e%2e",
    "devloop://memory/pm",
    "devloop://memory/pm/",
    "devloop://memory/pm/gone",
    "devloop://memory/pm/..",
    "devloop://memory/pm/%2E%2E",
    "devloop://memory/pm/..%2F..%2F..%2Ftimeline",
    "devloop://memory/pm/%2Fetc%2Fpasswd",
    "devloop://memory/pm/..%5C..%5Ctimeline",
    "devloop://memory/nobody/决定-decision",
    "devloop://memory/pm/%00",
    "devloop://memory/pm/%FF%FE",
    "devloop://memory/pm/\ud800",
    "devloop://memory/pm/" + "长" * 500,
    "devloop://memory/pm/.env",
    "devloop://timeline/",
    "DEVLOOP://timeline",
    "devloop:///timeline",
    "file:///etc/passwd",
    "时间线",
    "",
]


@pytest.mark.parametrize("uri", NOWHERE)
async def test_where_nothing_is_that_is_said(tmp_path: Path, uri: str) -> None:
    async with serving(tmp_path) as client:
        await worked(client)
        older = await client.error("resources/read", {"uri": uri})
        newer = (await client.modern("resources/read", {"uri": uri}))["error"]
    assert (older["code"], newer["code"]) == (-32002, -32602)
    assert older["data"] == newer["data"] == {"uri": uri}
    assert older["message"] == newer["message"] == f"Resource not found: {uri}"


@pytest.mark.parametrize("uri", [None, 1, ["devloop://timeline"], {}])
@pytest.mark.parametrize("method", ["read", "subscribe", "unsubscribe"])
async def test_a_uri_is_a_text(tmp_path: Path, method: str, uri: Any) -> None:
    async with serving(tmp_path) as client:
        error = await client.error(f"resources/{method}", {"uri": uri})
    assert error == {"code": -32602, "message": "uri: a text is required"}


def _link_out(file: Path) -> None:
    file.unlink()
    file.symlink_to("/etc/hostname")


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("spoil", [_link_out, _folder])
@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("timeline.ndjson", TIMELINE),
        ("agent-state/pm-todo.json", "devloop://todo/pm"),
        ("agent-state/pm-runtime.json", "devloop://runtime/pm"),
        ("memory/devloop/pm/决定-decision.md", MEMORY),
    ],
)
async def test_what_is_no_file_of_the_project_is_not_there_and_hides_no_other(
    tmp_path: Path, path: str, uri: str, spoil: Callable[[Path], None]
) -> None:
    async with serving(tmp_path) as client:
        await worked(client)
        spoil(tmp_path / path)
        assert (await client.error("resources/read", {"uri": uri}))["code"] == -32002
        rest = [other for other in await uris(client) if other != uri]
        assert len(rest) == 3


@pytest.mark.parametrize("content", [b"{", b"\xff", b'{"agent": 1}', b""])
async def test_a_damaged_index_of_memories_hides_no_other(tmp_path: Path, content: bytes) -> None:
    async with serving(tmp_path) as client:
        await worked(client)
        (tmp_path / "memory/devloop/pm/index.json").write_bytes(content)
        assert len(await uris(client)) == 3


async def test_a_linked_index_of_memories_hides_no_other(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        await worked(client)
        _link_out(tmp_path / "memory/devloop/pm/index.json")
        assert len(await uris(client)) == 3


async def test_a_file_that_is_too_large_says_so(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        await worked(client)
        with (tmp_path / "agent-state/pm-todo.json").open("r+b") as file:
            file.truncate(64 * 1024 * 1024 + 1)
        error = await client.error("resources/read", {"uri": "devloop://todo/pm"})
    assert (error["code"], "agent-state/pm-todo.json" in error["message"]) == (-32603, True)
    assert str(tmp_path) not in error["message"]


async def test_of_a_long_timeline_its_end_is_read(tmp_path: Path) -> None:
    lines = [json.dumps({"seq": number, "摘要": "长" * 100}) for number in range(5000)]
    (tmp_path / "timeline.ndjson").write_text("\n".join(lines) + "\n", encoding="utf-8")
    async with serving(tmp_path) as client:
        text = (await read(client, TIMELINE))["text"]
    read_lines = [json.loads(line) for line in text.splitlines()]
    assert read_lines[-1]["seq"] == 4999
    assert len(text.encode()) <= 256 * 1024
    assert 100 < len(read_lines) < 5000


async def test_bytes_that_are_no_text_are_shown_as_far_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "timeline.ndjson").write_bytes(b'{"seq": 1}\n\xff\xfe\n')
    async with serving(tmp_path) as client:
        assert (await read(client, TIMELINE))["text"] == '{"seq": 1}\n\ufffd\ufffd\n'


# Packs


@resource("test://静态 static")
def static(ctx: ToolContext) -> str:
    """A text that stays."""
    return f"给 {ctx.agent}"


@resource("test://图 image", mime_type="image/png")
def image(ctx: ToolContext) -> bytes:
    """An image."""
    return b"\x89PNG\0"


@resource("test://每个/{kind}/{id}", mime_type="application/json")
def each(ctx: ToolContext, kind: str, id: str) -> str:
    """Something of each kind."""
    return json.dumps([kind, id], ensure_ascii=False)


@resource("test://broken")
def broken(ctx: ToolContext) -> str:
    """Something that can't be read."""
    raise ZeroDivisionError("密 secret")


@resource("test://corrupt")
def corrupt(ctx: ToolContext) -> str:
    """Something that a store finds damaged."""
    raise CorruptFile("文件 is damaged", "Mend it.")


def offering(*resources: ResourceDefinition) -> Packs:
    return Packs(resources=resources)


async def test_what_packs_offer_comes_first(tmp_path: Path) -> None:
    async with serving(tmp_path, packs=offering(each, static, image)) as client:
        await worked(client)
        listed = (await client.result("resources/list"))["resources"]
        templates = (await client.result("resources/templates/list"))["resourceTemplates"]
    assert [found["uri"] for found in listed[:3]] == [
        "test://静态 static",
        "test://图 image",
        TIMELINE,
    ]
    assert listed[0] == {
        "uri": "test://静态 static",
        "name": "static",
        "description": "A text that stays.",
        "mimeType": "text/plain",
    }
    assert [found["uriTemplate"] for found in templates] == [
        "devloop://todo/{agent}",
        "devloop://runtime/{agent}",
        "devloop://memory/{agent}/{id}",
        "test://每个/{kind}/{id}",
    ]
    assert templates[-1]["name"] == "each"


async def test_text_and_bytes_of_a_pack_are_read(tmp_path: Path) -> None:
    async with serving(tmp_path, packs=offering(static, image)) as client:
        text = await read(client, "test://静态 static")
        blob = await read(client, "test://图 image")
    assert (text["text"], text["mimeType"]) == ("给 pm", "text/plain")
    assert base64.b64decode(blob["blob"]) == b"\x89PNG\0"
    assert "text" not in blob


@pytest.mark.parametrize(
    ("uri", "values"),
    [
        ("test://每个/a/1", ["a", "1"]),
        ("test://每个/%E7%94%B2/b%20c", ["甲", "b c"]),
        ("test://每个/甲/a%2Fb", ["甲", "a/b"]),
        ("test://每个/../..", ["..", ".."]),
    ],
)
async def test_a_template_gets_its_values_decoded(
    tmp_path: Path, uri: str, values: list[str]
) -> None:
    async with serving(tmp_path, packs=offering(each)) as client:
        assert json.loads((await read(client, uri))["text"]) == values


@pytest.mark.parametrize(
    "uri", ["test://每个/a", "test://每个/a/b/c", "test://每个//b", "test://每个/a/"]
)
async def test_a_uri_that_no_template_fits_is_not_there(tmp_path: Path, uri: str) -> None:
    async with serving(tmp_path, packs=offering(each)) as client:
        assert (await client.error("resources/read", {"uri": uri}))["code"] == -32002


async def test_a_pack_that_fails_tells_nothing_of_itself(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path, packs=offering(broken)) as client:
        error = await client.error("resources/read", {"uri": "test://broken"})
    assert error == {"code": -32603, "message": "Internal error"}
    assert "ZeroDivisionError" in caplog.text


async def test_a_store_that_finds_damage_says_which(tmp_path: Path) -> None:
    async with serving(tmp_path, packs=offering(corrupt)) as client:
        older = await client.error("resources/read", {"uri": "test://corrupt"})
        newer = (await client.modern("resources/read", {"uri": "test://corrupt"}))["error"]
    assert older == newer == {"code": -32603, "message": "文件 is damaged"}


# Both eras


@pytest.mark.parametrize(
    ("method", "ttl_ms"),
    [("resources/list", 0), ("resources/templates/list", 60_000), ("resources/read", 0)],
)
async def test_modern_results_say_how_long_they_hold(
    tmp_path: Path, method: str, ttl_ms: int
) -> None:
    async with serving(tmp_path, packs=offering(static)) as client:
        params = {"uri": "test://静态 static"}
        newer = (await client.modern(method, params))["result"]
        older = await client.result(method, params)
    assert (newer["ttlMs"], newer["cacheScope"]) == (ttl_ms, "private")
    assert newer["resultType"] == "complete"
    assert older.items() <= newer.items()
    assert not {"ttlMs", "cacheScope", "resultType"} & older.keys()


async def test_a_long_list_comes_in_pages(tmp_path: Path) -> None:
    offered = [
        ResourceDefinition(
            f"test://{number}", f"第{number}", "One of many.", "text/plain", static.read
        )
        for number in range(250)
    ]
    async with serving(tmp_path, packs=offering(*offered)) as client:
        seen, cursor, pages = [], None, 0
        while pages == 0 or cursor:
            page = await client.result("resources/list", {"cursor": cursor} if cursor else {})
            seen += [found["uri"] for found in page["resources"]]
            cursor, pages = page.get("nextCursor"), pages + 1
    assert seen == [f"test://{number}" for number in range(250)]
    assert pages == 3


@pytest.mark.parametrize("cursor", ["nowhere", "", 7, [], "游标"])
@pytest.mark.parametrize("method", ["resources/list", "resources/templates/list", "prompts/list"])
async def test_a_cursor_that_was_never_given_out_is_refused(
    tmp_path: Path, method: str, cursor: Any
) -> None:
    async with serving(tmp_path) as client:
        assert (await client.error(method, {"cursor": cursor}))["code"] == -32602
