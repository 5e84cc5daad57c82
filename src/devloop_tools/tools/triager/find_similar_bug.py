"""find_similar_bug: see whether a failure is known in other words."""

from pydantic import Field

from devloop_tools.domain.bugs.finding import SimilarBugs, similar_to_bug, similar_to_text
from devloop_tools.domain.bugs.listing import BugShelf
from devloop_tools.domain.bugs.records import BugId
from devloop_tools.toolkit import READ, Refused, ToolContext, ToolInput, refused, tool


class FindSimilarBugInput(ToolInput):
    bug_id: BugId | None = None
    text: str | None = Field(
        default=None,
        min_length=1,
        max_length=20_000,
        description="A failure in your words, what it is about in the first line.",
        examples=["登录后 session cookie 立刻过期"],
    )
    limit: int = Field(default=5, ge=1, le=50, description="At most so many.")


@tool(READ)
def find_similar_bug(args: FindSimilarBugInput, ctx: ToolContext) -> SimilarBugs | Refused:
    """Rank the project's bugs, open and finished, by how alike they are to a bug or a text.

    Give bug_id or text. Chinese and English find each other by identifiers and by words that mean
    the same, a symptom its cause by a "failure mode: ..." that both touch. Each match comes with a
    score (1 is the same text; below 0.1 it is mostly chance) and the terms shared. Look at the
    first five before you open a bug or call one a duplicate.
    """
    shelf = BugShelf(ctx.database)
    match args.bug_id, args.text:
        case str(bug_id), None:
            return similar_to_bug(shelf, bug_id, args.limit)
        case None, str(text):
            return similar_to_text(shelf, text, args.limit)
        case _:
            return refused("bug_id, text: exactly one of them is needed.", "Leave the other out.")
