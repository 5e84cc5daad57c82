"""What of a bug is judged: its words and its quotes."""

from collections.abc import Sequence

from devloop_tools.domain.bugs.records import Bug, Evidence


def text_of_bug(bug: Bug) -> str:
    """A bug's texts as one report."""
    parts = (bug.title, bug.actual, f"Expected: {bug.expected}", bug.steps or "")
    return text_with("\n".join(parts), bug.evidence)


def text_with(text: str, evidence: Sequence[Evidence]) -> str:
    """The report with its quotes, each behind its place."""
    return "\n".join((text, *(f"{item.path}:{item.line} {item.quote}" for item in evidence)))
