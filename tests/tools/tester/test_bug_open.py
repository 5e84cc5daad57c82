from pathlib import Path

import pytest
from tests.tools.tester.conftest import PLAIN, Doing

from devloop_tools.domain.bugs.fingerprint import fingerprints
from devloop_tools.domain.bugs.records import Report
from devloop_tools.storage.errors import StorageError
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.tester.bug_list import bug_list
from devloop_tools.tools.tester.bug_open import bug_open

EVIDENCE = [{"path": "units/todo-be/src/路由.ts", "line": 12, "quote": "throw err"}]


async def test_a_bug_has_a_readable_id_and_what_was_said(opened: Doing, ctx: ToolContext) -> None:
    result = await opened(evidence=EVIDENCE, steps="curl -X POST", category="implementation_bug")
    assert (result.id, result.status, result.deduplicated) == ("BUG-0001", "open", False)
    [bug] = (await call_tool(bug_list, {"id": "BUG-0001"}, ctx)).bugs
    assert {name: getattr(bug, name) for name in PLAIN} == PLAIN
    assert (bug.unit_id, bug.opened_by, bug.steps) == ("todo-be", "tester", "curl -X POST")
    assert [item.model_dump() for item in bug.evidence] == EVIDENCE
    assert [(step.agent, step.to, step.reason) for step in bug.history] == [
        ("tester", "open", "reported")
    ]


async def test_the_same_failure_adds_an_occurrence_to_the_open_bug(
    opened: Doing, ctx: ToolContext
) -> None:
    await opened()
    await opened(title="another")
    again = await opened(title=PLAIN["title"].upper() + "!", severity="blocker")
    assert (again.id, again.deduplicated, again.occurrences) == ("BUG-0001", True, 2)
    [bug] = (await call_tool(bug_list, {"id": "BUG-0001"}, ctx)).bugs
    assert (bug.severity, bug.occurrences) == ("blocker", 2)
    assert [seen.severity for seen in bug.seen] == ["blocker", "major"]
    assert (await opened(severity="minor")).occurrences == 3
    assert (await call_tool(bug_list, {"severity": "blocker"}, ctx)).total == 1


async def test_a_finished_bug_of_the_same_failure_is_linked(opened: Doing, moved: Doing) -> None:
    await opened()
    await moved("BUG-0001", "triaged", "assigned", "fixing", "fixed", "verified")
    assert (await opened()).deduplicated
    await moved("BUG-0001", "closed")
    new = await opened()
    assert (new.id, new.deduplicated, new.previous) == ("BUG-0002", False, "BUG-0001")
    assert (await opened()).id == "BUG-0002"
    await moved("BUG-0002", "wontfix")
    assert (await opened()).previous == "BUG-0002"


async def test_a_known_duplicate_leads_to_its_original(opened: Doing, moved: Doing) -> None:
    await opened(title="original")
    await opened()
    assert (await moved("BUG-0002", "duplicate", duplicate_of="BUG-0001")).ok
    again = await opened()
    assert (again.id, again.deduplicated, again.occurrences) == ("BUG-0001", True, 2)


async def test_changes_and_their_events_are_one(opened: Doing, tmp_path: Path) -> None:
    await opened()
    await opened()
    events = [(event.type, dict(event.data)) for event in recorded_events(tmp_path)]
    facts = {"title": PLAIN["title"], "severity": "major", "unit_id": "todo-be", "category": None}
    assert events == [
        ("bug.opened", {"id": "BUG-0001", "status": "open", "previous": None, **facts}),
        ("bug.changed", {"id": "BUG-0001", "status": "open", "occurrences": 2}),
    ]


async def test_a_bug_whose_event_cannot_be_kept_is_not_opened(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path)
    with ctx.database.transaction() as transaction:
        transaction.execute("ALTER TABLE events RENAME TO gone")
    with pytest.raises(StorageError, match="no such table: events"):
        await call_tool(bug_open, PLAIN, ctx)
    assert ctx.database.rows("SELECT * FROM bugs") == []


async def test_many_occurrences_are_counted_and_the_newest_kept(
    opened: Doing, ctx: ToolContext
) -> None:
    for number in range(105):
        await opened(steps=f"run {number}")
    [bug] = (await call_tool(bug_list, {"id": "BUG-0001"}, ctx)).bugs
    assert (bug.occurrences, len(bug.seen)) == (105, 100)
    assert (bug.seen[0].steps, bug.seen[-1].steps) == ("run 104", "run 5")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"severity": "high"}, "severity"),
        ({"title": " \n"}, "title"),
        ({"title": "长" * 201}, "title"),
        ({"actual": ""}, "actual"),
        ({"evidence": [{"path": "a", "line": 0, "quote": "x"}]}, "evidence"),
        ({"evidence": [{"path": "a", "line": 1, "quote": "x", "why": "y"}]}, "evidence"),
        ({"status": "closed"}, "status"),
        ({"unit_id": ".."}, "unit_id"),
        ({"unit_id": "cafe\u0301"}, "unit_id"),
    ],
)
async def test_bad_arguments_name_the_field(
    changes: dict[str, object], field: str, ctx: ToolContext
) -> None:
    with pytest.raises(InvalidArguments, match=field):
        await call_tool(bug_open, PLAIN | changes, ctx)


def store_as_before(ctx: ToolContext, **report: str) -> None:
    """The bugs lie there as they were written before ports and times of day were ignored."""
    plain = Report.model_validate(PLAIN | {"unit_id": "todo-be"} | report)
    with ctx.database.transaction() as transaction:
        transaction.execute("UPDATE bugs SET fingerprint = ?", (fingerprints(plain)[1],))


async def test_a_bug_under_an_earlier_fingerprint_is_found_and_goes_on_under_todays(
    opened: Doing, ctx: ToolContext
) -> None:
    await opened(actual="no answer on port 3000")
    store_as_before(ctx, actual="no answer on port 3000")
    assert (await opened(actual="no answer on port 3000")).deduplicated
    again = await opened(actual="no answer on port 41231")
    assert (again.id, again.occurrences) == ("BUG-0001", 3)


async def test_a_finished_bug_under_an_earlier_fingerprint_is_linked(
    opened: Doing, moved: Doing, ctx: ToolContext
) -> None:
    await opened(actual="no answer at 10:15")
    await moved("BUG-0001", "wontfix")
    store_as_before(ctx, actual="no answer at 10:15")
    assert (await opened(actual="no answer at 10:15")).previous == "BUG-0001"
    refused = await moved("BUG-0001", "reopened")
    assert "BUG-0002 is open for the same failure" in refused.reason
