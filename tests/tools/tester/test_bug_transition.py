from pathlib import Path
from typing import Any

import pytest
from tests.tools.tester.conftest import Doing

from devloop_tools.domain.bugs.states import STATES, Status
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events
from devloop_tools.tools.tester.bug_list import bug_list
from devloop_tools.tools.tester.bug_transition import bug_transition

WAY = ["triaged", "assigned", "fixing", "fixed", "verified", "closed"]


def way_to(status: str) -> list[str]:
    """The shortest way from open."""
    ways: dict[str, list[str]] = {"open": []}
    waiting = ["open"]
    while status not in ways:
        here = waiting.pop(0)
        for to in STATES[Status(here)].to:
            if to not in ways:
                ways[to] = [*ways[here], to]
                waiting.append(to)
    return ways[status]


def with_original(to: str) -> dict[str, str]:
    return {"duplicate_of": "BUG-0001"} if to == "duplicate" else {}


async def test_a_bug_goes_all_the_way_and_every_step_is_kept(
    opened: Doing, moved: Doing, ctx: ToolContext, tmp_path: Path
) -> None:
    await opened()
    for to in WAY:
        result = await moved("BUG-0001", to)
        assert (result.ok, result.status) == (True, to)
    [bug] = (await call_tool(bug_list, {"id": "BUG-0001"}, ctx)).bugs
    assert [(kept.from_status, kept.to, kept.reason) for kept in bug.history[1:]] == [
        (before, to, f"因为 {to}") for before, to in zip(["open", *WAY], WAY, strict=False)
    ]
    assert all(kept.agent == "tester" and kept.ts.endswith("Z") for kept in bug.history)
    assert [kept.ts for kept in bug.history] == sorted(kept.ts for kept in bug.history)
    last = recorded_events(tmp_path)[-1]
    assert last.type == "bug.changed"
    assert last.data == {
        "id": "BUG-0001", "status": "closed", "from": "verified",
        "reason": "因为 closed", "fields": {},
    }  # fmt: skip


@pytest.mark.parametrize("status", list(Status))
async def test_from_each_status_the_table_holds(
    status: Status, opened: Doing, moved: Doing, ctx: ToolContext
) -> None:
    await opened(title="another")
    await opened()
    for to in way_to(status):
        await moved("BUG-0002", to, **with_original(to))
    for to in set(Status) - set(STATES[status].to):
        result = await moved("BUG-0002", to, **with_original(to))
        assert (result.ok, result.status, result.legal) == (False, status, [*STATES[status].to])
        assert result.reason == f"to: BUG-0002 is {status}; from there it can't become {to}"
        assert result.hint == f"Legal now: {', '.join(STATES[status].to)}."
    [bug] = (await call_tool(bug_list, {"id": "BUG-0002"}, ctx)).bugs
    assert (bug.status, len(bug.history)) == (status, len(way_to(status)) + 1)


async def test_fields_change_with_the_step_and_are_kept_in_it(
    opened: Doing, moved: Doing, ctx: ToolContext
) -> None:
    await opened()
    await moved("BUG-0001", "triaged", category="contract_mismatch", severity="critical")
    await moved("BUG-0001", "assigned", assignee="coder 小王", unit_id="todo-fe")
    [bug] = (await call_tool(bug_list, {"id": "BUG-0001"}, ctx)).bugs
    assert (bug.category, bug.severity) == ("contract_mismatch", "critical")
    assert (bug.assignee, bug.unit_id) == ("coder 小王", "todo-fe")
    assert bug.history[1].fields == {"category": "contract_mismatch", "severity": "critical"}


async def test_an_id_with_more_zeros_is_the_same_bug(opened: Doing, moved: Doing) -> None:
    await opened()
    assert (await moved("BUG-000000000001", "triaged")).id == "BUG-0001"


async def test_a_duplicate_names_its_original_and_forgets_it_when_reopened(
    opened: Doing, moved: Doing, ctx: ToolContext
) -> None:
    await opened()
    await opened(title="b")
    assert (await moved("BUG-0002", "duplicate", duplicate_of="BUG-0001")).ok
    [bug] = (await call_tool(bug_list, {"status": "duplicate"}, ctx)).bugs
    assert bug.duplicate_of == "BUG-0001"
    await moved("BUG-0002", "reopened")
    [bug] = (await call_tool(bug_list, {"status": "reopened"}, ctx)).bugs
    assert bug.duplicate_of is None


@pytest.mark.parametrize(
    ("to", "fields", "reason"),
    [
        ("duplicate", {}, "fields.duplicate_of: it goes with to duplicate, and only with that"),
        ("triaged", {"duplicate_of": "BUG-0002"}, "fields.duplicate_of: it goes with"),
        ("duplicate", {"duplicate_of": "BUG-0001"}, "fields.duplicate_of: BUG-0001 is BUG-0001"),
        ("duplicate", {"duplicate_of": "BUG-0002"}, "fields.duplicate_of: BUG-0002 is BUG-0001"),
        ("duplicate", {"duplicate_of": "BUG-0099"}, "fields.duplicate_of: there is no BUG-0099"),
    ],
)
async def test_duplicates_go_in_no_circle(
    to: str, fields: dict[str, str], reason: str, opened: Doing, moved: Doing, ctx: ToolContext
) -> None:
    await opened()
    await opened(title="b")
    await moved("BUG-0002", "duplicate", duplicate_of="BUG-0001")
    result = await moved("BUG-0001", to, **fields)
    assert not result.ok
    assert result.reason.startswith(reason)
    assert (await call_tool(bug_list, {"status": "open"}, ctx)).total == 1


async def test_two_bugs_of_one_failure_are_never_open_at_once(opened: Doing, moved: Doing) -> None:
    await opened()
    await moved("BUG-0001", "wontfix")
    await opened()
    result = await moved("BUG-0001", "reopened")
    assert not result.ok
    assert result.reason == (
        "id: BUG-0001 can't be reopened: BUG-0002 is open for the same failure"
    )
    await moved("BUG-0002", "cannot_reproduce", "closed")
    assert (await moved("BUG-0001", "reopened")).ok


async def test_an_unknown_bug_is_named_with_the_newest(opened: Doing, moved: Doing) -> None:
    nothing = await moved("BUG-0007", "triaged")
    assert (nothing.reason, nothing.hint) == ("id: there is no BUG-0007", "There is none.")
    await opened()
    assert (await moved("BUG-0007", "triaged")).hint.startswith("The newest is BUG-0001")


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"id": "1"}, "id"),
        ({"id": "BUG-٠٠٠١"}, "id"),
        ({"to": "done"}, "to"),
        ({"reason": "  "}, "reason"),
        ({"fields": {"status": "closed"}}, "fields"),
        ({"fields": {"category": "bad"}}, "category"),
    ],
)
async def test_bad_arguments_name_the_field(
    arguments: dict[str, Any], field: str, ctx: ToolContext
) -> None:
    plain = {"id": "BUG-0001", "to": "triaged", "reason": "r"}
    with pytest.raises(InvalidArguments, match=field):
        await call_tool(bug_transition, plain | arguments, ctx)
