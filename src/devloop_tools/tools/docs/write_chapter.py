"""write_chapter: write a chapter of a site, or one section of it."""

from pydantic import Field

from devloop_tools.domain.documents.chapters import (
    ChapterStore,
    ChapterWritten,
    Draft,
    HashConflict,
    Mode,
)
from devloop_tools.domain.documents.site import DocId, SiteName
from devloop_tools.toolkit import (
    Annotations,
    Refused,
    ToolContext,
    ToolInput,
    ToolValidationError,
    tool,
)

MAX_TEXT = 4_000_000


class WriteChapterInput(ToolInput):
    site: SiteName = Field(description="Which site.")
    chapter_id: DocId = Field(description="The chapter; a new id adds a chapter at the end.")
    title: str | None = Field(
        default=None, min_length=1, max_length=200, description="Its title, as plain text."
    )
    markdown: str | None = Field(
        default=None, max_length=MAX_TEXT, description="The text; give this or html, not both."
    )
    html: str | None = Field(
        default=None, max_length=MAX_TEXT, description="The text as HTML of an article's inside."
    )
    mode: Mode = Field(
        default=Mode.REPLACE,
        description="replace the chapter's text, append to it, or rewrite one section.",
    )
    section_id: str | None = Field(
        default=None, max_length=128, description="With mode section: the section's anchor."
    )
    expected_hash: str | None = Field(
        default=None,
        max_length=80,
        description="Refuse if the page is no longer the one with this hash.",
        examples=["sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    )


@tool(Annotations(read_only=False, destructive=True))
def write_chapter(
    args: WriteChapterInput, ctx: ToolContext
) -> ChapterWritten | HashConflict | Refused:
    """Write a chapter of the PRD or SDD site from Markdown or HTML.

    Each h2 starts a section; sections and headings get stable ids (returned as anchors). With mode
    section only that section changes, every other byte of the page stays; text that begins with no
    heading keeps the section's. Scripts, styles and event handlers are taken out and named in
    warnings. Send expected_hash from your last write so as not to lose what others wrote; on a
    conflict nothing is written and you get the present hash. Call update_search_index afterwards.
    """
    if (args.markdown is None) == (args.html is None):
        raise ToolValidationError("markdown", "exactly one of markdown and html must be given.")
    if (args.section_id is None) == (args.mode is Mode.SECTION):
        raise ToolValidationError("section_id", "it goes with mode section, and only with that.")
    draft = Draft(
        site=args.site,
        chapter_id=args.chapter_id,
        title=args.title,
        markdown=args.markdown,
        markup=args.html,
        mode=args.mode,
        section_id=args.section_id,
        expected_hash=args.expected_hash,
    )
    return ChapterStore(ctx.workspace, ctx.origin, ctx.events).write(draft)
