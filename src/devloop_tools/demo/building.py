"""The coder writes a unit against its contract, the tester reports which tests fail."""

import re
from dataclasses import dataclass
from typing import Any

from devloop_tools.demo.agent_server import AgentServer, DemoFailed
from devloop_tools.demo.project import UNIT, WEB_UNIT, Project, TestRun

_PLACE = re.compile(r"(?P<path>units/[^\s():]+):(?P<line>\d+)")

CODE = f"units/{UNIT}/todo.py"
CASES = f"units/{UNIT}/tests/cases.json"


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the code, and what its coder says of it."""

    asset: str
    entry: str


FIRST = Version("todo_be/first/todo.py", "First version: one handler a route, 列表存放在内存里。")
SECOND = Version("todo_be/second/todo.py", "Find a todo by its id, 而不是按位置。")


def build(coder: AgentServer, project: Project, version: Version) -> None:
    """Types from the contract, then the code."""
    coder.call("contract_bridge", unit_id=UNIT, target="python")
    coder.call("sandbox_check", paths=[CODE, f"units/{UNIT}/serve.py"], operation="write")
    project.copy("todo_be/serve.py", f"units/{UNIT}/serve.py")
    write_code(coder, project, version)


def write_code(coder: AgentServer, project: Project, version: Version) -> None:
    """A version of the code with the contract that it was written against."""
    project.copy(version.asset, CODE)
    coder.does(f"Write {CODE}", version.entry)
    contract = coder.call("hash_contract", unit_id=UNIT)["hash"]
    coder.call(
        "append_coder_log", entry=version.entry, files_changed=[CODE], contract_hash=contract
    )


def build_web(coder: AgentServer, project: Project) -> None:
    """The unit in TypeScript."""
    coder.call("contract_bridge", unit_id=WEB_UNIT, target="typescript")
    for name in ("summary.ts", "tests/summary.test.ts"):
        coder.does(f"Write units/{WEB_UNIT}/{name}", "types from contract/types.ts")
        project.copy(f"todo_web/{name}", f"units/{WEB_UNIT}/{name}")


def write_tests(tester: AgentServer, project: Project) -> None:
    """Tests of the code and cases from end to end, both from the contract."""
    for name in ("tests/test_todo.py", "tests/cases.json"):
        path = project.copy(f"todo_be/{name}", f"units/{UNIT}/{name}")
        tester.does(f"Write {path}", "what the contract promises")


def run_tests(tester: AgentServer, run: TestRun) -> dict[str, Any]:
    """What the report says that the runner wrote."""
    tester.does(f"run the tests (exit code {run.exit_code})", run.closing)
    return tester.call("parse_vitest", path=run.report, exit_code=run.exit_code)


def report_failures(tester: AgentServer, project: Project, report: dict[str, Any]) -> list[str]:
    """A bug for each failure, with the line where it happened as evidence; their ids."""
    tester.call("hint_builder", report=report)
    bugs = []
    for failure in report["failures"]:
        name, message = failure["full_name"], failure["message"].strip()
        tester.call("find_similar_bug", text=f"{name}\n{message}")
        opened = tester.call(
            "bug_open",
            title=f"{name.rpartition(' > ')[2]}: {message.partition(chr(10))[0]}"[:200],
            severity="major",
            unit_id=UNIT,
            expected="A todo is done by its id, whatever was deleted before it (PRD, 完成与删除).",
            actual=message[:2000],
            steps="python -m pytest tests",
            evidence=[_evidence(project, failure)],
        )
        bugs.append(opened["id"])
    return bugs


def _evidence(project: Project, failure: dict[str, Any]) -> dict[str, Any]:
    """The place in the unit's own code at which the failure happened, quoted from the file."""
    for frame in failure["stack"]:
        place = _PLACE.search(frame)
        if place and "/tests/" not in place["path"] and (project.root / place["path"]).is_file():
            line = int(place["line"])
            quote = project.line(place["path"], line).strip()
            return {"path": place["path"], "line": line, "quote": quote}
    raise DemoFailed(f"the report names no line of the unit's own code: {failure['full_name']}")
