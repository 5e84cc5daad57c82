"""extract_evidence: quotes with file and line out of a bug, a log or a text."""

from pydantic import Field

from devloop_tools.domain.bugs.listing import BugShelf
from devloop_tools.domain.bugs.records import BugId
from devloop_tools.domain.evidence.extract import EvidenceExtracted, Extractor
from devloop_tools.toolkit import READ, Refused, ToolContext, ToolInput, refused, tool


class ExtractEvidenceInput(ToolInput):
    bug_id: BugId | None = None
    path: str | None = Field(
        default=None,
        min_length=1,
        max_length=1024,
        description="A log or a report of the project.",
        examples=["units/todo-be/logs/stderr.log"],
    )
    text: str | None = Field(
        default=None, min_length=1, max_length=1_000_000, description="A stack trace or a log."
    )


@tool(READ)
def extract_evidence(args: ExtractEvidenceInput, ctx: ToolContext) -> EvidenceExtracted | Refused:
    """Get the places that a bug, a file or a text points at, as quotes for bug_open and triage.

    Give one of bug_id, path and text. Read are stack traces of V8 (Node, browsers), CPython, Vitest
    and pytest, messages of tsc, and plain "src/a.ts:12" or "a.py line 12"; of a log also its lines
    that tell of errors, of a bug also what its unit's contract says of the names in it. Paths are
    mapped to the project's files, wherever the trace was made; places in libraries are counted in
    outside. Traces of other languages are named in unread.
    """
    match args.bug_id, args.path, args.text:
        case str(bug_id), None, None:
            bug = BugShelf(ctx.database).find(bug_id)
            if bug is None:
                return refused(f"bug_id: there is no {bug_id}", "bug_list shows those there are.")
            return Extractor(ctx.workspace, bug.unit_id).from_bug(bug)
        case None, str(path), None:
            unit = path.split("/")[1] if path.startswith("units/") else ctx.unit_id
            return Extractor(ctx.workspace, unit).from_file(path)
        case None, None, str(text):
            return Extractor(ctx.workspace, ctx.unit_id).from_text(text)
        case _:
            reason = "bug_id, path, text: exactly one of them is needed."
            return refused(reason, "Leave the other two out.")
