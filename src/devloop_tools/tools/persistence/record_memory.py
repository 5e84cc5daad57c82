"""record_memory: keep something for later sessions."""

from typing import Annotated

from pydantic import Field

from devloop_tools.domain.memories import Kind, MemoryRecorded
from devloop_tools.toolkit import WRITE, Refused, ToolContext, ToolInput, tool

Tag = Annotated[str, Field(min_length=1, max_length=64)]


class RecordMemoryInput(ToolInput):
    topic: str = Field(
        min_length=1, max_length=120, description="What it is about, in a few words.",
        examples=["登录 token lifetime"],
    )  # fmt: skip
    content: str = Field(min_length=1, max_length=100_000, description="The memory, in Markdown.")
    kind: Kind = Field(default=Kind.FACT, description="What sort of memory it is.")
    tags: list[Tag] = Field(default_factory=list, max_length=20, description="Words to find it by.")
    supersedes: str | None = Field(
        default=None, max_length=64, description="The id of the memory that this one replaces."
    )


@tool(WRITE)
def record_memory(args: RecordMemoryInput, ctx: ToolContext) -> MemoryRecorded | Refused:
    """Keep a decision, fact, lesson, preference or todo for later sessions, as a Markdown file.

    Recording the same content again makes no second memory (deduplicated: true). To correct an
    earlier memory, record the new one and name the old one in supersedes. Returns id and path.
    """
    return ctx.memories.record(
        args.topic, args.content, kind=args.kind, tags=args.tags, supersedes=args.supersedes
    )
