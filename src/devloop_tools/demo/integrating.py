"""The integrator runs the unit and asks it from end to end; the triager judges what was found."""

import sys
from typing import Any

from devloop_tools.demo.agent_server import AgentServer, DemoFailed
from devloop_tools.demo.building import CASES
from devloop_tools.demo.project import UNIT

READY_S = 20


def start_unit(integrator: AgentServer) -> None:
    """A port, the process, and a wait until it answers."""
    port = integrator.call("port_picker", names=[UNIT])["ports"][UNIT]
    ready = {"url": f"http://localhost:{port}/todos"}
    unit = {"unit_id": UNIT, "argv": [sys.executable, "serve.py"], "port": port, "ready": ready}
    started = integrator.call("spawn_units", action="start", units=[unit], timeout_s=READY_S)
    if not started["passed"]:
        raise DemoFailed(f"integrator: {UNIT} did not start: {started['units']}")
    wait_for_unit(integrator)


def restart_unit(integrator: AgentServer) -> None:
    """The same unit with the code as it is now."""
    integrator.call("spawn_units", action="restart", units=[{"unit_id": UNIT}], timeout_s=READY_S)
    wait_for_unit(integrator)


def wait_for_unit(integrator: AgentServer) -> None:
    """Until the unit answers. Raises DemoFailed if it doesn't."""
    health = integrator.call("health_wait", targets=[{"unit_id": UNIT}], timeout_s=READY_S)
    if not health["ready"]:
        raise DemoFailed(f"integrator: {UNIT} is not ready: {health['targets']}")


def run_cases(integrator: AgentServer) -> dict[str, Any]:
    """The cases of the tester, asked of the running unit, and what it wrote while it answered."""
    result = integrator.call("run_case", path=CASES)
    for case in result["cases"]:
        integrator.does(f"case {case['id']}", _told(case))
    integrator.call("collect_stderr", unit_id=UNIT, tail=20)
    return result


def stop_unit(integrator: AgentServer) -> None:
    """Nothing of it runs any more."""
    integrator.call("spawn_units", action="stop", units=[{"unit_id": UNIT}])


def triage(triager: AgentServer, bug: str) -> None:
    """Evidence held against the files, a category, and the agent who is to mend it."""
    triager.call("bug_list", status="open")
    found = triager.call("extract_evidence", bug_id=bug)
    quotes = [{name: one[name] for name in ("path", "line", "quote")} for one in found["evidence"]]
    verified = triager.call("verify_evidence", evidence=quotes)
    if not verified["verified"]:
        raise DemoFailed(f"bug-triager: the evidence of {bug} does not stand in the files")
    triager.call("collect_stderr", unit_id=UNIT, tail=20)
    verdict = triager.call("category_classifier", bug_id=bug)
    triager.call("bug_transition", id=bug, to="triaged", reason="The quoted line is in the file.",
                 fields={"category": verdict["category"]})  # fmt: skip
    triager.call("bug_transition", id=bug, to="assigned", reason="The unit's coder mends it.",
                 fields={"assignee": "coder"})  # fmt: skip


def _told(case: dict[str, Any]) -> str:
    if case["passed"]:
        return f"passed, status {case['status']}"
    wrong = next((one for one in case["expectations"] if not one["passed"]), None)
    if wrong is None:
        return f"failed: {case['reason']}"
    return f"failed: {wrong['what']} is {wrong['actual']}, not {wrong['expected']}"
