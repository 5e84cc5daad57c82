"""prompts/* and completion/complete."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.server import asking_tools
from tests.server.conftest import connected

from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.agents import AgentTemplate, CliSettings
from devloop_tools.registry.packs import Packs
from devloop_tools.server.agent_prompts import agent_prompts
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.content import Embedded, Image, Text
from devloop_tools.toolkit.prompts import PromptArgument, PromptDefinition, PromptMessage, prompt


@prompt(
    PromptArgument("城市 city", "Where to.", choices=("北京", "Paris", "parma", "北海")),
    PromptArgument("how", "How to go there.", required=False),
)
async def travel(args: dict[str, str], ctx: ToolContext) -> Sequence[PromptMessage]:
    """Plan a way."""
    words = ", ".join(f"{name}={args[name]}" for name in sorted(args))
    return [PromptMessage("user", Text(f"{ctx.agent}: {words}"))]


@prompt()
async def gallery(args: dict[str, str], ctx: ToolContext) -> Sequence[PromptMessage]:
    """Look at things."""
    return [
        PromptMessage("user", Image(b"\x89PNG", "image/png")),
        PromptMessage("assistant", Embedded("test://文件", "内容")),
    ]


@prompt()
async def broken(args: dict[str, str], ctx: ToolContext) -> Sequence[PromptMessage]:
    """Fail."""
    raise ZeroDivisionError("密 secret")


@prompt()
async def about(args: dict[str, str], ctx: ToolContext) -> Sequence[PromptMessage]:
    """Ask first."""
    answer = await ctx.client.elicit("topic", "关于? About what?", asking_tools.NAME)
    return [PromptMessage("user", Text(f"关于 {answer.content['name']}"))]


serving = partial(
    connected,
    packs=Packs(prompts=[travel, gallery, broken, about]),
    agents=("pm", "architect"),
)


async def test_prompts_are_listed_by_name(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        prompts = (await client.result("prompts/list"))["prompts"]
    assert [found["name"] for found in prompts] == ["about", "broken", "gallery", "travel"]
    assert prompts[-1] == {
        "name": "travel",
        "description": "Plan a way.",
        "arguments": [
            {"name": "城市 city", "description": "Where to.", "required": True},
            {"name": "how", "description": "How to go there.", "required": False},
        ],
    }


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"城市 city": "北京"}, "pm: 城市 city=北京"),
        ({"城市 city": "Paris", "how": "火车"}, "pm: how=火车, 城市 city=Paris"),
        ({"城市 city": ""}, "pm: 城市 city="),
    ],
)
async def test_a_prompt_is_filled_in(tmp_path: Path, arguments: JsonObject, text: str) -> None:
    async with serving(tmp_path) as client:
        got = await client.result("prompts/get", {"name": "travel", "arguments": arguments})
    assert got == {
        "description": "Plan a way.",
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }


async def test_a_prompt_may_hold_more_than_text(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        messages = (await client.result("prompts/get", {"name": "gallery"}))["messages"]
    assert [message["content"]["type"] for message in messages] == ["image", "resource"]
    assert messages[1]["role"] == "assistant"


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({}, "Unknown prompt: None"),
        ({"name": "没有 none"}, "Unknown prompt: 没有 none"),
        ({"name": 1}, "Unknown prompt: 1"),
        ({"name": "travel"}, "arguments: 城市 city is required"),
        ({"name": "travel", "arguments": None}, "arguments: 城市 city is required"),
        ({"name": "travel", "arguments": {"how": "火车"}}, "arguments: 城市 city is required"),
        ({"name": "travel", "arguments": ["北京"]}, "arguments: an object is expected"),
        ({"name": "travel", "arguments": {"城市 city": 1}}, "arguments: each value is a text"),
        (
            {"name": "travel", "arguments": {"城市 city": "北京", "how": None}},
            "arguments: each value is a text",
        ),
    ],
)
async def test_what_is_wrong_with_a_request_is_named(
    tmp_path: Path, params: JsonObject, says: str
) -> None:
    async with serving(tmp_path) as client:
        older = await client.error("prompts/get", params)
        newer = (await client.modern("prompts/get", params))["error"]
    assert older == newer == {"code": -32602, "message": says}


async def test_a_prompt_that_fails_tells_nothing_of_itself(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path) as client:
        error = await client.error("prompts/get", {"name": "broken"})
        assert "result" in await client.request("prompts/list")
    assert error == {"code": -32603, "message": "Internal error"}
    assert "ZeroDivisionError" in caplog.text


async def test_a_prompt_asks_the_client_of_the_older_era_while_it_waits(tmp_path: Path) -> None:
    async with serving(tmp_path, version=None) as client:
        await client.shake_hands()
        request_id = client.start("prompts/get", {"name": "about"})
        asked = await client.incoming("elicitation/create")
        client.answer(asked, {"action": "accept", "content": {"name": "天气 weather"}})
        [message] = (await client.reply(request_id))["result"]["messages"]
    assert message["content"]["text"] == "关于 天气 weather"


async def test_a_prompt_that_needs_what_the_client_lacks_says_so(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        error = await client.error("prompts/get", {"name": "about"})
    message = "the client has not declared elicitation"
    assert error == {"code": -32603, "message": message}


async def test_modern_lists_say_how_long_they_hold(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        listed = (await client.modern("prompts/list"))["result"]
        params = {"name": "travel", "arguments": {"城市 city": "北京"}}
        got = (await client.modern("prompts/get", params))["result"]
    assert (listed["ttlMs"], listed["cacheScope"]) == (60_000, "private")
    assert got["resultType"] == "complete"
    assert "ttlMs" not in got


# The agents' own


def templates(*names: str | None) -> list[AgentTemplate]:
    """An agent for each prompt file."""
    return [
        AgentTemplate(
            id=f"devloop-{number}", name="产品 PM", cli=CliSettings(system_prompt_file=name)
        )
        for number, name in enumerate(names)
    ]


def offered(folder: Path, *names: str | None) -> list[PromptDefinition]:
    return list(agent_prompts(templates(*names), folder))


async def test_agents_prompts_are_the_files_as_they_are_now(tmp_path: Path) -> None:
    file = tmp_path / "pm.md"
    file.write_text("你是 pm. You plan.", encoding="utf-8")
    definitions = offered(tmp_path, "pm.md", None, "gone.md")
    assert [(found.name, found.description) for found in definitions] == [("0", "Work as 产品 PM.")]
    async with connected(tmp_path, packs=Packs(prompts=definitions)) as client:
        texts = []
        for text in ("你是 pm. You plan.", "你变了. You changed."):
            file.write_text(text, encoding="utf-8")
            [message] = (await client.result("prompts/get", {"name": "0"}))["messages"]
            texts.append(message["content"]["text"])
    assert texts == ["你是 pm. You plan.", "你变了. You changed."]


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
async def test_a_prompt_file_that_cannot_be_read_is_named(
    tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "产品.md"
    file.write_text("你好", encoding="utf-8")
    definitions = offered(tmp_path, "产品.md")
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    async with connected(tmp_path, packs=Packs(prompts=definitions)) as client:
        error = await client.error("prompts/get", {"name": "0"})
    assert error == {"code": -32603, "message": "产品.md can't be read"}


# Completions


def completion(ref: object, name: object, value: object, **context: str) -> JsonObject:
    params: JsonObject = {"ref": ref, "argument": {"name": name, "value": value}}
    return params | ({"context": {"arguments": context}} if context else {})


def of_prompt(argument: str, value: str) -> JsonObject:
    return completion({"type": "ref/prompt", "name": "travel"}, argument, value)


def of_template(uri: str, argument: str, value: str, **context: str) -> JsonObject:
    return completion({"type": "ref/resource", "uri": uri}, argument, value, **context)


MEMORIES = "devloop://memory/{agent}/{id}"


@pytest.mark.parametrize(
    ("params", "values"),
    [
        (of_prompt("城市 city", ""), ["北京", "Paris", "parma", "北海"]),
        (of_prompt("城市 city", "pAr"), ["Paris", "parma"]),
        (of_prompt("城市 city", "北"), ["北京", "北海"]),
        (of_prompt("城市 city", "x"), []),
        (of_prompt("how", ""), []),
        (of_prompt("没有 none", ""), []),
        (of_template("devloop://todo/{agent}", "agent", ""), ["architect", "pm"]),
        (of_template("devloop://runtime/{agent}", "agent", "P"), ["pm"]),
        (of_template("devloop://todo/{agent}", "id", ""), []),
        (of_template(MEMORIES, "agent", "arch"), ["architect"]),
        (of_template(MEMORIES, "id", "", agent="pm"), ["第二-two", "决定-decision"]),
        (of_template(MEMORIES, "id", "决", agent="pm"), ["决定-decision"]),
        (of_template(MEMORIES, "id", "", agent="architect"), []),
        (of_template(MEMORIES, "id", "", agent="nobody"), []),
        (of_template(MEMORIES, "id", "", agent="../pm"), []),
        (of_template(MEMORIES, "id", ""), []),
        (of_template(MEMORIES, "陌生", ""), []),
    ],
)
async def test_values_go_on_from_what_was_typed(
    tmp_path: Path, params: JsonObject, values: list[str]
) -> None:
    async with serving(tmp_path) as client:
        for topic in ("决定 Decision", "第二 Two"):
            await client.call("record_memory", {"topic": topic, "content": topic})
        older = await client.result("completion/complete", params)
        newer = (await client.modern("completion/complete", params))["result"]
    assert older == {"completion": {"values": values, "total": len(values), "hasMore": False}}
    assert newer["completion"] == older["completion"]


async def test_at_most_a_hundred_values_come_at_once(tmp_path: Path) -> None:
    @prompt(PromptArgument("n", "A number.", choices=tuple(map(str, range(250)))))
    async def counting(args: dict[str, str], ctx: ToolContext) -> Sequence[PromptMessage]:
        """Count."""
        return []

    params = completion({"type": "ref/prompt", "name": "counting"}, "n", "")
    async with connected(tmp_path, packs=Packs(prompts=[counting])) as client:
        found = (await client.result("completion/complete", params))["completion"]
    assert len(found["values"]) == 100
    assert (found["total"], found["hasMore"]) == (250, True)


PROMPT: JsonObject = {"type": "ref/prompt", "name": "travel"}


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({}, "ref and argument {name, value} are required"),
        ({"ref": PROMPT}, "ref and argument {name, value} are required"),
        (completion(PROMPT, "城市 city", 1), "ref and argument {name, value} are required"),
        (completion(PROMPT, None, ""), "ref and argument {name, value} are required"),
        (completion({"type": "ref/别的"}, "a", ""), "ref and argument {name, value} are required"),
        (completion([], "a", ""), "ref and argument {name, value} are required"),
        (completion({**PROMPT, "name": "没有"}, "a", ""), "Unknown prompt: 没有"),
        (of_template("test://{没有}", "没有", ""), "Unknown resource template: test://{没有}"),
        (of_template("devloop://todo/pm", "agent", ""), "Unknown resource template"),
    ],
)
async def test_what_cannot_be_completed_is_named(
    tmp_path: Path, params: JsonObject, says: str
) -> None:
    async with serving(tmp_path) as client:
        error: Any = await client.error("completion/complete", params)
    assert (error["code"], says in error["message"]) == (-32602, True)
