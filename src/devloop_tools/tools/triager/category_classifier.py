"""category_classifier: say what kind of fault a bug is, and who goes on with it."""

from pydantic import Field

from devloop_tools.domain.bugs.listing import BugShelf
from devloop_tools.domain.bugs.records import MAX_EVIDENCE, BugId, Evidence
from devloop_tools.domain.triage.classifier import judge
from devloop_tools.domain.triage.report import text_of_bug, text_with
from devloop_tools.domain.triage.verdicts import Triaged, VerdictStore, key_of_text
from devloop_tools.toolkit import (
    Annotations,
    Refused,
    ToolContext,
    ToolInput,
    refused,
    tool,
)


class CategoryClassifierInput(ToolInput):
    bug_id: BugId | None = None
    text: str | None = Field(
        default=None,
        min_length=1,
        max_length=20_000,
        pattern=r"\S",
        description="A report in words, what it is about in the first line.",
    )
    evidence: list[Evidence] = Field(
        default_factory=list, max_length=MAX_EVIDENCE, description="Quotes to weigh with it."
    )


@tool(Annotations(read_only=False, idempotent=True))
def category_classifier(args: CategoryClassifierInput, ctx: ToolContext) -> Triaged | Refused:
    """Judge a bug by the signals in its words, and keep the verdict in triage.json.

    Give bug_id or text. Returns the category, how sure it is (0 to 1), the agent that it goes to,
    the runner-up, and each signal that spoke for and against with the words that gave it. It is a
    proposal: read the signals, and below 0.6 judge by yourself. A verdict that a person edited in
    triage.json stays (kept: true). To move the bug on call bug_transition with fields.category.
    """
    match args.bug_id, args.text:
        case str(bug_id), None:
            bug = BugShelf(ctx.database).find(bug_id)
            if bug is None:
                return refused(f"bug_id: there is no {bug_id}", "bug_list shows those there are.")
            key, title, text = bug_id, bug.title, text_of_bug(bug)
        case None, str(text):
            key, title = key_of_text(text), text.strip().partition("\n")[0][:200]
        case _:
            return refused("bug_id, text: exactly one of them is needed.", "Leave the other out.")
    judgement = judge(text_with(text, args.evidence))
    return VerdictStore(ctx.workspace, ctx.origin, ctx.events).keep(key, title, judgement)
