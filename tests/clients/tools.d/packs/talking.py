"""Tools, resources and prompts that let a client use all that it can do."""

import json
import os
from collections.abc import Sequence
from typing import Any

import anyio
from pydantic import Field

from devloop_tools.toolkit import READ, WRITE, Done, ToolContext, ToolInput, tool
from devloop_tools.toolkit.client import Question
from devloop_tools.toolkit.content import Image, Text
from devloop_tools.toolkit.prompts import PromptArgument, PromptMessage, prompt
from devloop_tools.toolkit.resources import resource

PNG = b"\x89PNG\r\n\x1a\n"
NAME: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string", "description": "名字 Name"}},
    "required": ["name"],
}
COLOR: dict[str, Any] = {"type": "object", "properties": {"color": {"type": "string"}}}


class NoInput(ToolInput):
    pass


class AddInput(ToolInput):
    a: int = Field(description="A number.")
    b: int = Field(description="Another number.")


class Sum(Done):
    sum: int


class CountInput(ToolInput):
    to: int = Field(ge=1, le=100, description="How far.")


@tool(READ)
async def add(args: AddInput, ctx: ToolContext) -> Sum:
    """Add two numbers. 两数相加。"""
    return Sum(sum=args.a + args.b)


@tool(READ)
async def own_pid(args: NoInput, ctx: ToolContext) -> str:
    """Return the id of the server's process."""
    return str(os.getpid())


@tool(READ)
async def fail(args: NoInput, ctx: ToolContext) -> str:
    """Fail."""
    raise RuntimeError("坏了 broken")


@tool(READ)
async def picture(args: NoInput, ctx: ToolContext) -> list[Text | Image]:
    """Return a text and an image."""
    return [Text("图 a picture"), Image(PNG, "image/png")]


@tool(READ)
async def count(args: CountInput, ctx: ToolContext) -> str:
    """Count, and tell how far it is."""
    for number in range(1, args.to + 1):
        ctx.progress.report(number, args.to, f"第 {number}")
        ctx.client.log("info", f"第 {number}")
        await anyio.lowlevel.checkpoint()
    return "数完了 done"


@tool(WRITE)
async def wait_to_be_cancelled(args: NoInput, ctx: ToolContext) -> str:
    """Wait; leave a line in the timeline when the call is cancelled."""
    try:
        await anyio.sleep_forever()
    finally:
        ctx.timeline.append("call.cancelled", summary="不等了 cancelled")
    return ""


@tool(READ)
async def interview(args: NoInput, ctx: ToolContext) -> str:
    """Ask a person two things, one after the other."""
    ctx.progress.report(1, 2, "第 1")
    name = await ctx.client.elicit("name", "名字? Your name?", NAME)
    if name.action != "accept":
        return name.action
    ctx.progress.report(2, 2, "第 2")
    color = await ctx.client.elicit("color", f"{name.content['name']}: 颜色? Color?", COLOR)
    return f"{name.content['name']}, {color.content['color']}"


@tool(READ)
async def survey(args: NoInput, ctx: ToolContext) -> str:
    """Ask the client's model and for its folders at once."""
    message = {"role": "user", "content": {"type": "text", "text": "说好 say yes"}}
    answers = await ctx.client.ask(
        {
            "model": Question("sampling/createMessage", {"messages": [message], "maxTokens": 5}),
            "folders": Question("roots/list"),
        }
    )
    said = answers["model"]["content"]["text"]
    return json.dumps([said, [root["uri"] for root in answers["folders"]["roots"]]])


@resource("talk://图", mime_type="image/png")
def drawing(ctx: ToolContext) -> bytes:
    """An image."""
    return PNG


@resource("talk://每个/{id}")
def each(ctx: ToolContext, id: str) -> str:
    """Something for each id."""
    return f"给 {id}"


@prompt(PromptArgument("城市", "Where to. 去哪里。", choices=("北京", "北海", "Paris")))
async def travel(args: dict[str, str], ctx: ToolContext) -> Sequence[PromptMessage]:
    """Plan a way."""
    return [PromptMessage("user", Text(f"去 {args['城市']}"))]


@prompt()
async def greet(args: dict[str, str], ctx: ToolContext) -> Sequence[PromptMessage]:
    """Greet whoever says who it is."""
    answer = await ctx.client.elicit("name", "名字? Your name?", NAME)
    return [PromptMessage("user", Text(f"你好 {answer.content['name']}"))]
