"""Two processes that report the same failures at the same moment make one bug of each."""

import subprocess
import sys
from pathlib import Path

from devloop_tools.domain.bugs.listing import BugShelf, Filter
from devloop_tools.storage.database import Database
from devloop_tools.toolkit.testing import recorded_events

FAILURES = 25

REPORTING = """
import asyncio, sys
from pathlib import Path
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.tester.bug_open import bug_open

ctx = tool_context(Path(sys.argv[1]), agent="tester", unit_id="todo-be")

async def main():
    print("ready", flush=True)
    for number in range(int(sys.argv[2])):
        sys.stdin.readline()
        report = {"title": f"失败 Fails ({number})", "severity": "major"}
        result = await call_tool(bug_open, {**report, "expected": "ok", "actual": "500"}, ctx)
        assert result.ok, result
        print(result.id, result.deduplicated, flush=True)

asyncio.run(main())
"""


def test_two_testers_that_open_the_same_bug_at_once_make_one(tmp_path: Path) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", REPORTING, str(tmp_path), str(FAILURES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = []
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for number in range(1, FAILURES + 1):
        for child in children:
            assert child.stdin is not None
            child.stdin.write("\n")
            child.stdin.flush()
        answers = sorted(child.stdout.readline() for child in children if child.stdout)
        said.append(answers)
        assert answers == [f"BUG-{number:04} False\n", f"BUG-{number:04} True\n"]
    for child in children:
        child.communicate(timeout=60)
    assert [child.returncode for child in children] == [0, 0]

    database = Database(tmp_path)
    page = BugShelf(database).page(Filter(), limit=100)
    database.close()
    assert {bug.occurrences for bug in page.bugs} == {2}
    types = [event.type for event in recorded_events(tmp_path)]
    assert (types.count("bug.opened"), types.count("bug.changed")) == (FAILURES, FAILURES)
