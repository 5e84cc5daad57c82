"""echo_diff: what changed in a page, in sentences that a person confirms."""

from pydantic import Field

from devloop_tools.domain.documents.echo import Language, echo
from devloop_tools.domain.documents.html_diff import changes_between
from devloop_tools.domain.events import EventType
from devloop_tools.toolkit import WRITE, ToolContext, ToolInput, tool


class EchoDiffInput(ToolInput):
    path: str = Field(
        min_length=1, max_length=1024, description="The page, as it is now.",
        examples=["prd/login.html"],
    )  # fmt: skip
    since: str | None = Field(
        default=None, min_length=1, max_length=1024,
        description="The archive id of the copy to compare with. Default: the newest copy.",
    )  # fmt: skip
    language: Language | None = Field(
        default=None, description="What to write in. Default: the page's language."
    )


@tool(WRITE)
def echo_diff(args: EchoDiffInput, ctx: ToolContext) -> str:
    """Say what changed in a page since a copy of it was archived, for a person to confirm.

    Returns Markdown: one sentence a change with its section, what changed, from what and to what,
    without tags or ids; changes that no reader sees are only counted. The same text goes to the
    person's screen. Changes no file. For every detail, use diff_html.
    """
    before, after = (args.since, args.path) if args.since else (args.path, None)
    changes, _, _ = changes_between(ctx.workspace, before, after)
    markdown = echo(changes, args.language)
    ctx.events.emit(ctx.origin, EventType.DOC_ECHO, {"path": args.path, "markdown": markdown})
    return markdown
