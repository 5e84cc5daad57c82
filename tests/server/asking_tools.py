"""Tools that ask the client, for the tests of both eras."""

import builtins
import json
from typing import Any

import anyio
from pydantic import Field

from devloop_tools.toolkit import READ, ToolContext, ToolInput, tool
from devloop_tools.toolkit.client import ClientRefused, Question, elicitation

NAME: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}}
SAY: dict[str, Any] = {
    "messages": [{"role": "user", "content": {"type": "text", "text": "你好 hello"}}],
    "maxTokens": 10,
}


class NoInput(ToolInput):
    pass


class GreetInput(ToolInput):
    greeting: str = Field(default="你好 hello", max_length=200, description="How to greet.")


def greeting(name: object, words: str) -> str:
    """What `greet` returns."""
    return f"{words}, {name}"


@tool(READ)
async def greet(args: GreetInput, ctx: ToolContext) -> str:
    """Greet a person by name."""
    answer = await ctx.client.elicit("name", "名字? Your name?", NAME)
    if answer.action != "accept":
        return answer.action
    return greeting(answer.content.get("name"), args.greeting)


@tool(READ)
async def interview(args: NoInput, ctx: ToolContext) -> str:
    """Ask one thing after the other."""
    name = await ctx.client.elicit("name", "名字? Your name?", NAME)
    color = await ctx.client.elicit("color", f"{name.content['name']}: 颜色? Color?", NAME)
    return f"{name.content['name']}, {color.content['name']}"


@tool(READ)
async def survey(args: NoInput, ctx: ToolContext) -> str:
    """Ask a person, a model and the client at once."""
    answers = await ctx.client.ask(
        {
            "person": elicitation("名字? Your name?", NAME),
            "model": Question("sampling/createMessage", SAY),
            "folders": Question("roots/list"),
        }
    )
    return json.dumps(answers, ensure_ascii=False, sort_keys=True)


@tool(READ)
async def folders(args: NoInput, ctx: ToolContext) -> str:
    """Name the client's folders."""
    return json.dumps([root["uri"] for root in await ctx.client.roots("folders")])


@tool(READ)
async def dictate(args: NoInput, ctx: ToolContext) -> str:
    """Let the client's model write."""
    return str((await ctx.client.sample("text", SAY))["content"])


@tool(READ)
async def ask_side_by_side(args: NoInput, ctx: ToolContext) -> str:
    """Ask two things in two tasks of its own."""
    names: list[str] = []

    async def ask(key: str) -> None:
        answer = await ctx.client.elicit(key, f"{key}?", NAME)
        names.append(str(answer.content.get("name")))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, "左")
        tasks.start_soon(ask, "right")
    return ", ".join(sorted(names))


@tool(READ)
async def ask_and_fail(args: GreetInput, ctx: ToolContext) -> str:
    """Ask in one task and raise what `greeting` names in another."""

    async def fail() -> None:
        raise getattr(builtins, args.greeting)("坏了 broken")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ctx.client.elicit, "name", "名字? Your name?", NAME)
        tasks.start_soon(fail)
    return "不会到这里 never"


@tool(READ)
async def do_without(args: NoInput, ctx: ToolContext) -> str:
    """Ask, and do without where the client can't be asked."""
    try:
        return (await ctx.client.elicit("name", "名字? Your name?", NAME)).action
    except ClientRefused as exc:
        return f"without: {exc.reason}"
