"""Looks through a project's bugs, open and finished, for those that a bug or text may repeat."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from devloop_tools.domain.bugs.listing import BugShelf
from devloop_tools.domain.bugs.records import Bug
from devloop_tools.domain.bugs.similar import known, rank
from devloop_tools.domain.bugs.states import Status
from devloop_tools.domain.embeddings import likeness
from devloop_tools.domain.outcome import Done, Refused, refused

MAX_BUGS = 5_000
"""The newest ones that are looked through."""

_SHOWN = 10


class SimilarBug(BaseModel):
    """`score` is 1 for the same text; `shared` are the terms that count most."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    id: str
    title: str
    status: Status
    unit_id: str | None
    score: float
    shared: list[str]


class SimilarBugs(Done):
    """The best first; `searched` is the number of bugs that were looked through."""

    bugs: list[SimilarBug]
    searched: int


def similar_to_bug(shelf: BugShelf, name: str, limit: int) -> SimilarBugs | Refused:
    """Those like a bug, without the bug itself."""
    bug = shelf.find(name)
    if bug is None:
        return refused(f"bug_id: there is no {name}", "bug_list shows those there are.")
    others = [other for other in shelf.newest(MAX_BUGS) if other.id != name]
    return _ranked(_text_of(bug), bug.title, others, limit)


def similar_to_text(shelf: BugShelf, text: str, limit: int) -> SimilarBugs:
    """Those like a text, whose first line counts as its title."""
    title, _, rest = text.strip().partition("\n")
    return _ranked(rest, title, shelf.newest(MAX_BUGS), limit)


def _ranked(text: str, title: str, bugs: Sequence[Bug], limit: int) -> SimilarBugs:
    searched = [known(bug.id, bug.title, _text_of(bug)) for bug in bugs]
    compare = likeness() if bugs else None
    by_id = {bug.id: bug for bug in bugs}
    found = [
        SimilarBug(
            id=match.id,
            title=by_id[match.id].title,
            status=by_id[match.id].status,
            unit_id=by_id[match.id].unit_id,
            score=match.score,
            shared=list(match.shared)[:_SHOWN],
        )
        for match in rank(known("", title, text), searched, limit, compare)
    ]
    return SimilarBugs(bugs=found, searched=len(bugs))


def _text_of(bug: Bug) -> str:
    quotes = (f"{item.path} {item.quote}" for item in bug.evidence)
    return "\n".join((bug.expected, bug.actual, bug.steps or "", *quotes))
