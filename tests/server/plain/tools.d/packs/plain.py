"""Tools for the tests of plain JSON-RPC: each ends in one of the ways in which a tool can end."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import anyio
from pydantic import Field

from devloop_tools.toolkit import (
    READ,
    WRITE,
    Done,
    Refused,
    ToolContext,
    ToolInput,
    ToolSandboxError,
    ToolValidationError,
    refused,
    tool,
)
from devloop_tools.toolkit.content import Image, Text


class Mute(Exception):
    """An exception that can't be put into words."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


RAISED: dict[str, Callable[[], BaseException]] = {
    "ValueError": lambda: ValueError("磁盘 A 满"),
    "validation": lambda: ToolValidationError("when", "昨天 is past.", "a day to come"),
    "sandbox": lambda: ToolSandboxError("../别人", "pm", "it is somebody else's"),
    "empty": ValueError,
    "mute": Mute,
    "SystemExit": lambda: SystemExit(3),
    "KeyboardInterrupt": KeyboardInterrupt,
    "CancelledError": lambda: asyncio.CancelledError("a task of the tool's own"),
    "StopIteration": StopIteration,
    "group": lambda: BaseExceptionGroup("several", [SystemExit(1), ValueError("二")]),
    "surrogate": lambda: ValueError("half a character: \udcff"),
    "long": lambda: ValueError("长" * 5000),
}

RETURNED: dict[str, Any] = {
    "text": "两行\nof prose",
    "no ok": {"found": 3},
    "not ok": {"ok": False, "reason": "找不到", "hint": "look elsewhere"},
    "list": [1, "二"],
    "nothing": None,
    "image": (Text("图"), Image(b"\x00\x01", "image/png")),
}


class NoInput(ToolInput):
    pass


class TextInput(ToolInput):
    text: str = Field(max_length=1_000_000, description="Any text.")


class KindInput(ToolInput):
    kind: str = Field(max_length=50, description="Which one.")


class PathInput(ToolInput):
    path: str = Field(max_length=1000, description="Relative to the project.")


class StepsInput(ToolInput):
    steps: int = Field(ge=0, le=100_000, description="How many reports.")


class Touched(Done):
    path: str


@tool(READ)
async def plain_echo(args: TextInput, ctx: ToolContext) -> str:
    """Return the text."""
    return args.text


@tool(READ)
async def plain_wait(args: NoInput, ctx: ToolContext) -> str:
    """Wait until it is cancelled, and say so in the timeline."""
    try:
        await anyio.sleep_forever()
    finally:
        ctx.timeline.append("wait.ended")
    return "never"


@tool(READ)
def plain_block(args: PathInput, ctx: ToolContext) -> str:
    """Keep a thread until there is a file."""
    until = time.monotonic() + 30
    while not (ctx.workspace.root / args.path).exists() and time.monotonic() < until:
        time.sleep(0.002)
    return "there"


@tool(READ)
def plain_steps(args: StepsInput, ctx: ToolContext) -> str:
    """Report each step from a thread."""
    for step in range(1, args.steps + 1):
        ctx.progress.report(step, args.steps, f"第 {step} step")
    return "done"


@tool(READ)
async def plain_chatter(args: StepsInput, ctx: ToolContext) -> str:
    """Report each step at length, without a pause."""
    for step in range(1, args.steps + 1):
        ctx.progress.report(step, args.steps, "话" * 500)
    return "done"


@tool(WRITE)
def plain_touch(args: PathInput, ctx: ToolContext) -> Touched | Refused:
    """Write an empty file; one that is there is an expected failure."""
    with ctx.workspace.locked(args.path) as file:
        if not file.create(b""):
            return refused(f"{file.path}: 已经 there", "Choose another name.")
        return Touched(path=file.path)


@tool(READ)
async def plain_raise(args: KindInput, ctx: ToolContext) -> str:
    """Raise from the event loop."""
    _raise(args.kind)
    return "never"


@tool(READ)
def plain_raise_sync(args: KindInput, ctx: ToolContext) -> str:
    """Raise as a blocking tool does."""
    _raise(args.kind)
    return "never"


@tool(READ)
async def plain_fail(args: TextInput, ctx: ToolContext) -> str:
    """Raise with this text."""
    raise OSError(args.text)


@tool(READ)
async def plain_return(args: KindInput, ctx: ToolContext) -> Any:
    """Return something that no schema describes."""
    return RETURNED[args.kind]


def _raise(kind: str) -> None:
    raise RAISED[kind]()
