"""The official Python client, in each of its modes, drives the installed server."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.session import ClientRequestContext
from mcp.client.subscriptions import ResourceUpdated, SubscriptionLost
from tests.clients.conftest import environment, server_words

pytestmark = [
    pytest.mark.clients,
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]

MODES = {"auto": "2026-07-28", "legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
every_mode = pytest.mark.parametrize("mode", MODES)
modern_modes = pytest.mark.parametrize("mode", ["auto", "2026-07-28"])
HANG_S = 30
TIMELINE = "devloop://timeline"


@asynccontextmanager
async def connected(project: Path, mode: str, **callbacks: Any) -> AsyncIterator[Client]:
    """A client of a server of its own."""
    command, *args = server_words(project)
    env = environment(project.parent)
    parameters = StdioServerParameters(command=command, args=args, env=env)
    with (project.parent / "stderr").open("a") as log, anyio.fail_after(HANG_S):
        async with Client(stdio_client(parameters, log), mode=mode, **callbacks) as client:
            yield client


def text_of(result: types.CallToolResult) -> str:
    """The text of the only block."""
    [block] = result.content
    assert isinstance(block, types.TextContent)
    return block.text


@every_mode
async def test_it_agrees_on_a_revision_and_lists_tools(project: Path, mode: str) -> None:
    async with connected(project, mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert client.protocol_version == MODES[mode]
    assert {"timeline_append", "add", "interview"} <= tools.keys()
    assert tools["add"].input_schema["required"] == ["a", "b"]
    assert tools["add"].output_schema is not None
    annotations = tools["add"].annotations
    assert annotations is not None
    assert annotations.read_only_hint


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_it_learns_who_the_server_is(project: Path, mode: str) -> None:
    async with connected(project, mode) as client:
        info, capabilities = client.server_info, client.server_capabilities
        assert "write_todolist" in (client.instructions or "")
    assert info is not None
    assert info.name == "devloop-tools"
    assert capabilities.tools is not None
    assert capabilities.tools.list_changed
    assert capabilities.resources is not None
    assert capabilities.resources.subscribe
    assert capabilities.completions is not None


@every_mode
async def test_it_calls_tools(project: Path, mode: str) -> None:
    async with connected(project, mode) as client:
        added = await client.call_tool("add", {"a": 1, "b": 2})
        event = {"event": "单元.built", "summary": "好了 done"}
        appended = await client.call_tool("timeline_append", event)
        drawn = await client.call_tool("picture")
    assert added.structured_content == {"ok": True, "sum": 3}
    assert json.loads(text_of(added)) == added.structured_content
    assert not added.is_error
    assert appended.structured_content is not None
    assert appended.structured_content["seq"] == 1
    assert [block.type for block in drawn.content] == ["text", "image"]
    [line] = (project / "timeline.ndjson").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["summary"] == "好了 done"


@every_mode
async def test_it_tells_errors_of_three_kinds(project: Path, mode: str) -> None:
    async with connected(project, mode) as client:
        with pytest.raises(MCPError, match="Unknown tool: 没有") as unknown:
            await client.call_tool("没有")
        invalid = await client.call_tool("add", {"a": "一", "c": 1})
        crashed = await client.call_tool("fail")
        assert text_of(await client.call_tool("count", {"to": 1})) == "数完了 done"
    assert unknown.value.code == types.INVALID_PARAMS
    assert invalid.is_error
    assert "- a: " in text_of(invalid)
    assert "- b: " in text_of(invalid)
    assert crashed.is_error
    assert "坏了 broken" in text_of(crashed)


@every_mode
async def test_a_call_that_takes_too_long_is_cancelled_in_the_server(
    project: Path, mode: str
) -> None:
    async with connected(project, mode) as client:
        with pytest.raises(MCPError):
            await client.call_tool("wait_to_be_cancelled", read_timeout_seconds=0.5)
        assert text_of(await client.call_tool("count", {"to": 1})) == "数完了 done"
        [content] = (await client.read_resource(TIMELINE)).contents
    assert isinstance(content, types.TextResourceContents)
    [line] = [json.loads(line) for line in content.text.splitlines()]
    assert line["event"] == "call.cancelled"


@every_mode
async def test_a_call_that_is_given_up_is_cancelled_in_the_server(project: Path, mode: str) -> None:
    async with connected(project, mode) as client:
        with anyio.move_on_after(0.5):
            await client.call_tool("wait_to_be_cancelled")
        await client.call_tool("count", {"to": 1})
        [content] = (await client.read_resource(TIMELINE)).contents
    assert isinstance(content, types.TextResourceContents)
    assert "call.cancelled" in content.text


class Person:
    """Answers the server's questions, and notes them."""

    def __init__(self, *answers: dict[str, Any] | None) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def answer(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        self.asked.append(params.message)
        answer = self._answers.pop(0)
        if answer is None:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content=answer)


@every_mode
async def test_a_person_is_asked_in_as_many_rounds_as_it_takes(project: Path, mode: str) -> None:
    person = Person({"name": "小明 Ming"}, {"color": "蓝 blue"})
    async with connected(project, mode, elicitation_callback=person.answer) as client:
        result = await client.call_tool("interview")
    assert text_of(result) == "小明 Ming, 蓝 blue"
    assert person.asked == ["名字? Your name?", "小明 Ming: 颜色? Color?"]


@every_mode
async def test_a_person_may_decline(project: Path, mode: str) -> None:
    person = Person(None)
    async with connected(project, mode, elicitation_callback=person.answer) as client:
        assert text_of(await client.call_tool("interview")) == "decline"


async def _sample(
    context: ClientRequestContext, params: types.CreateMessageRequestParams
) -> types.CreateMessageResult:
    content = types.TextContent(type="text", text=f"好 {params.max_tokens}")
    return types.CreateMessageResult(role="assistant", content=content, model="模型")


async def _roots(context: ClientRequestContext) -> types.ListRootsResult:
    return types.ListRootsResult.model_validate({"roots": [{"uri": "file:///demo"}]})


@every_mode
async def test_the_model_and_the_folders_of_the_client_are_asked_at_once(
    project: Path, mode: str
) -> None:
    callbacks = {"sampling_callback": _sample, "list_roots_callback": _roots}
    async with connected(project, mode, **callbacks) as client:
        result = await client.call_tool("survey")
    assert json.loads(text_of(result)) == ["好 5", ["file:///demo"]]


async def test_what_the_client_cannot_do_is_said_to_its_program_or_to_the_model(
    project: Path,
) -> None:
    async with connected(project, "legacy") as client:
        older = await client.call_tool("interview")
    async with connected(project, "auto") as client:
        with pytest.raises(MCPError) as newer:
            await client.call_tool("interview")
    assert "has not declared elicitation" in text_of(older)
    assert newer.value.code == -32021
    assert newer.value.error.data == {"requiredCapabilities": {"elicitation": {}}}


@every_mode
async def test_progress_arrives_in_order(project: Path, mode: str) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async with connected(project, mode) as client:
        await client.call_tool("count", {"to": 3}, progress_callback=note)
    assert seen == [(1, 3, "第 1"), (2, 3, "第 2"), (3, 3, "第 3")]


@every_mode
async def test_messages_are_heard_by_who_wants_them(project: Path, mode: str) -> None:
    heard: list[Any] = []

    async def note(params: types.LoggingMessageNotificationParams) -> None:
        heard.append(params.data)

    async with connected(project, mode, logging_callback=note, log_level="info") as client:
        if mode == "legacy":
            await client.set_logging_level("info")
        await client.call_tool("count", {"to": 2})
        await client.list_tools(cache_mode="bypass")
    assert heard == ["第 1", "第 2"]


@every_mode
async def test_resources_are_listed_and_read(project: Path, mode: str) -> None:
    async with connected(project, mode) as client:
        await client.call_tool("timeline_append", {"event": "单元.built"})
        listed = [str(found.uri) for found in (await client.list_resources()).resources]
        templates = (await client.list_resource_templates()).resource_templates
        [text] = (await client.read_resource("talk://每个/一 one")).contents
        [blob] = (await client.read_resource("talk://图")).contents
        with pytest.raises(MCPError, match="Resource not found") as missing:
            await client.read_resource("devloop://todo/nobody")
    assert listed == ["talk://图", TIMELINE]
    assert [found.uri_template for found in templates][-1] == "talk://每个/{id}"
    assert isinstance(text, types.TextResourceContents)
    assert text.text == "给 一 one"
    assert isinstance(blob, types.BlobResourceContents)
    assert missing.value.code == (-32002 if mode == "legacy" else -32602)


async def test_an_older_client_hears_of_a_changed_resource(project: Path) -> None:
    heard = anyio.Event()

    async def note(message: object) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            assert str(message.params.uri) == TIMELINE
            heard.set()

    async with connected(project, "legacy", message_handler=note) as client:
        await client.subscribe_resource(TIMELINE)
        await client.call_tool("timeline_append", {"event": "单元.built"})
        await heard.wait()
        await client.unsubscribe_resource(TIMELINE)


@modern_modes
async def test_a_newer_client_listens_to_changes_of_another_server(
    project: Path, mode: str
) -> None:
    async with connected(project, mode) as client, connected(project, "legacy") as other:
        async with client.listen(resource_subscriptions=[TIMELINE]) as subscription:
            assert subscription.honored.resource_subscriptions == [TIMELINE]
            await other.call_tool("timeline_append", {"event": "单元.built"})
            async for event in subscription:
                assert event == ResourceUpdated(uri=TIMELINE)
                break


async def test_a_listener_hears_that_the_server_ends(project: Path) -> None:
    ends: list[str] = []
    async with connected(project, "auto") as client:
        async with client.listen(tools_list_changed=True) as subscription:
            assert subscription.honored.tools_list_changed
            pid = await _server_pid(client)
            await anyio.run_process(["kill", "-TERM", str(pid)])
            try:
                async for _ in subscription:
                    pass
                ends.append("graceful")
            except SubscriptionLost:
                ends.append("lost")
    assert ends == ["graceful"]


async def _server_pid(client: Client) -> int:
    result = await client.call_tool("own_pid")
    return int(text_of(result))


@every_mode
async def test_prompts_are_listed_and_filled_in(project: Path, mode: str) -> None:
    person = Person({"name": "小明 Ming"})
    async with connected(project, mode, elicitation_callback=person.answer) as client:
        names = [found.name for found in (await client.list_prompts()).prompts]
        travel = await client.get_prompt("travel", {"城市": "北京"})
        greet = await client.get_prompt("greet")
        with pytest.raises(MCPError, match="城市 is required"):
            await client.get_prompt("travel")
    texts = [_prompt_text(result.messages) for result in (travel, greet)]
    assert names == ["greet", "travel"]
    assert texts == ["去 北京", "你好 小明 Ming"]


def _prompt_text(messages: Sequence[types.PromptMessage]) -> str:
    [message] = messages
    assert isinstance(message.content, types.TextContent)
    return message.content.text


@every_mode
async def test_values_are_completed(project: Path, mode: str) -> None:
    prompt = types.PromptReference(type="ref/prompt", name="travel")
    template = types.ResourceTemplateReference(type="ref/resource", uri="devloop://todo/{agent}")
    async with connected(project, mode) as client:
        cities = await client.complete(prompt, {"name": "城市", "value": "北"})
        agents = await client.complete(template, {"name": "agent", "value": ""})
    assert cities.completion.values == ["北京", "北海"]
    assert agents.completion.values == ["pm"]


async def test_an_older_client_may_ping(project: Path) -> None:
    async with connected(project, "legacy") as client:
        await client.send_ping()
