"""Judges what a case left behind: files of the project, processes, processor time."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from tests.cases.run import Run
from tests.cases.verdict import Verdict
from tests.processes.server import strict_json

SPIN_S = 1.0
"""Less processor time is the work of loading and ending; who spins burns seconds."""

_STATE = ".devloop"


def entries_after(run: Run, wanted: int, verdict: Verdict) -> None:
    """How many entries the store of the called tool holds now."""
    called = {
        params.get("name")
        for _, method, params, _ in run.requests
        if method == "tools/call" and isinstance(params, dict)
    }
    counts = [_entries(run.project, str(tool)) for tool in sorted(map(str, called))]
    known = [count for count in counts if count is not None]
    if not known:
        verdict.unknown.append("entries_after")
    elif sum(known) != wanted:
        verdict.faults.append(f"entries_after: {sum(known)}, not {wanted}")


def files_are_whole(project: Path) -> list[str]:
    """Faults of the project's JSON files: not strict JSON, or bytes behind the end."""
    faults = []
    for path in sorted(project.rglob("*.json")):
        faults += _fault_in(project, path, path.read_bytes())
    for path in sorted(project.rglob("*.ndjson")):
        content = path.read_bytes()
        if content and not content.endswith(b"\n"):
            faults.append(f"{path.relative_to(project)}: its last line is torn")
        for line in content.split(b"\n")[:-1]:
            faults += _fault_in(project, path, line)
    return faults


def changes(project: Path) -> list[str]:
    """Files of the project, without the server's own state, and tools that did their work."""
    files = [
        str(path.relative_to(project))
        for path in sorted(project.rglob("*"))
        if path.is_file() and _STATE not in path.relative_to(project).parts
    ]
    return files + [f"{tool} ran" for tool in tools_that_ran(project)]


def tools_that_ran(project: Path) -> list[str]:
    """Tools of which the event log knows a call, in order."""
    database = project / _STATE / "state.db"
    if not database.exists():
        return []
    connection = sqlite3.connect(database)
    try:
        rows = connection.execute("SELECT data FROM events WHERE type LIKE 'tool.%' ORDER BY id")
        return [str(json.loads(data)["tool"]) for (data,) in rows]
    finally:
        connection.close()


def exit_(run: Run, wanted: dict[str, Any], verdict: Verdict) -> None:
    """That the process ended by itself, in time, with one of the codes."""
    for name in sorted(wanted.keys() - {"within_s", "code_in"}):
        verdict.unknown.append(f"exit.{name}")
    if run.ended is None:
        verdict.faults.append("exit: it lives on")
        return
    took, within = run.ended.at - run.waited_from, float(wanted.get("within_s", 5))
    if took > within:
        verdict.faults.append(f"exit: took {took:.2f} s, {within:g} s allowed")
    if "code_in" in wanted and run.ended.code not in wanted["code_in"]:
        verdict.faults.append(f"exit: code {run.ended.code}, not of {wanted['code_in']}")
    elif run.ended.code < 0:
        verdict.faults.append(f"exit: killed by signal {-run.ended.code}")


def cpu_spin(run: Run, wanted: bool, verdict: Verdict) -> None:
    """Whether it burned the processor from the end of its input to its own end."""
    if run.ended is None:
        verdict.faults.append("cpu_spin: it never ended")
        return
    used = run.ended.cpu_s - run.cpu_before_wait_s
    elapsed = run.ended.at - run.waited_from
    if (used > SPIN_S) is not wanted:
        verdict.faults.append(f"cpu_spin: {used:.2f} s of processor in {elapsed:.2f} s")


def children_left(run: Run, wanted: int, verdict: Verdict) -> None:
    """Processes that the server started and that outlived it."""
    if run.children_left is None:
        verdict.unknown.append("children_left")
    elif len(run.children_left) != wanted:
        verdict.faults.append(f"children_left: {run.children_left}, not {wanted}")


def _entries(project: Path, tool: str) -> int | None:
    match tool:
        case "record_memory":
            indexes = project.glob("memory/devloop/*/index.json")
            return sum(len(json.loads(index.read_bytes())["memories"]) for index in indexes)
        case "timeline_append":
            timeline = project / "timeline.ndjson"
            return timeline.read_bytes().count(b"\n") if timeline.exists() else 0
        case "write_todolist":
            lists = project.glob("agent-state/*-todo.json")
            return sum(len(json.loads(path.read_bytes())["items"]) for path in lists)
        case _:
            return None


def _fault_in(project: Path, path: Path, content: bytes) -> list[str]:
    try:
        strict_json(content.decode("utf-8"))
    except ValueError as exc:
        return [f"{path.relative_to(project)}: not valid JSON ({exc})"]
    return []
