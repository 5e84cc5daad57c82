"""The whole development loop, once through: six agents, each with its own server and policy.

Nothing in it is told beforehand: the report is what the test runner wrote, the bug is opened of
what failed in it, and with the mended code from the start there is none.
"""

import contextlib
import shlex
from dataclasses import dataclass
from pathlib import Path

from devloop_tools.demo import building, designing, integrating
from devloop_tools.demo.agent_server import AgentServer, DemoFailed
from devloop_tools.demo.project import UNIT, WEB_UNIT, Project, prepared
from devloop_tools.demo.screen import Screen


@dataclass(frozen=True, slots=True)
class Team:
    """The agents' servers."""

    pm: AgentServer
    architect: AgentServer
    coder: AgentServer
    tester: AgentServer
    integrator: AgentServer
    triager: AgentServer


def run_loop(folder: Path, screen: Screen, *, typescript: bool, mended: bool) -> None:
    """Build, test, mend and close. Raises DemoFailed where the loop can't go on.

    `mended`: start with the second version of the code, in which the fault isn't.
    """
    project = prepared(folder, typescript=typescript)
    with contextlib.ExitStack() as servers:

        def server(agent: str, unit: str | None = None) -> AgentServer:
            return servers.enter_context(AgentServer(agent, project.root, screen, unit))

        team = Team(
            pm=server("pm"),
            architect=server("architect"),
            coder=server("coder", UNIT),
            tester=server("tester", UNIT),
            integrator=server("integrator"),
            triager=server("bug-triager"),
        )
        bugs = _around(team, project, screen, typescript=typescript, mended=mended)
        if typescript:
            with AgentServer("coder", project.root, screen, WEB_UNIT) as coder:
                _build_web(coder, project, screen)
        screen.heading("The end")
        for bug in bugs:
            found = team.tester.call("bug_list", text=bug)
            if [one["status"] for one in found["bugs"] if one["id"] == bug] != ["closed"]:
                raise DemoFailed(f"{bug} is not closed")
    _show_paths(project, screen, bugs, typescript=typescript)


def _around(
    team: Team, project: Project, screen: Screen, *, typescript: bool, mended: bool
) -> list[str]:
    screen.heading("PM writes the PRD")
    designing.write_prd(team.pm)
    screen.heading("Architect makes units and contracts of it")
    designing.write_sdd(team.architect, project, typescript=typescript)
    screen.heading("Coder writes the unit against its contract")
    building.build(team.coder, project, building.SECOND if mended else building.FIRST)
    screen.heading("Tester runs real tests")
    building.write_tests(team.tester, project)
    report = building.run_tests(team.tester, project.run_pytest())
    bugs: list[str] = []
    if not report["passed"]:
        bugs = building.report_failures(team.tester, project, report)
    screen.heading("Integrator runs the unit and asks it from end to end")
    integrating.start_unit(team.integrator)
    cases = integrating.run_cases(team.integrator)
    if cases["passed"] != (not bugs):
        raise DemoFailed("the unit's tests and the cases from end to end say different things")
    if bugs:
        _mend(team, project, screen, bugs)
    integrating.stop_unit(team.integrator)
    return bugs


def _mend(team: Team, project: Project, screen: Screen, bugs: list[str]) -> None:
    screen.heading("Triager gathers evidence and says whose bug it is")
    for bug in bugs:
        integrating.triage(team.triager, bug)
    screen.heading("Coder mends it")
    for bug in bugs:
        team.tester.call("bug_transition", id=bug, to="fixing", reason="The coder has it.")
    building.write_code(team.coder, project, building.SECOND)
    for bug in bugs:
        team.tester.call("bug_transition", id=bug, to="fixed", reason=building.SECOND.entry)
    screen.heading("The same tests and the same cases again")
    report = building.run_tests(team.tester, project.run_pytest())
    integrating.restart_unit(team.integrator)
    cases = integrating.run_cases(team.integrator)
    if not (report["passed"] and cases["passed"]):
        raise DemoFailed("the mended code fails too")
    for bug in bugs:
        team.tester.call("bug_transition", id=bug, to="verified", reason="All tests pass.")
        team.triager.call("bug_transition", id=bug, to="closed", reason="Verified by the tester.")


def _build_web(coder: AgentServer, project: Project, screen: Screen) -> None:
    screen.heading("The second unit, in TypeScript")
    building.build_web(coder, project)
    with AgentServer("tester", project.root, screen, WEB_UNIT) as tester:
        if not building.run_tests(tester, project.run_vitest())["passed"]:
            raise DemoFailed(f"the tests of {WEB_UNIT} fail")


def _show_paths(project: Project, screen: Screen, bugs: list[str], *, typescript: bool) -> None:
    root = project.root
    screen.plain(f"\nThe loop took {screen.seconds:.1f} s. See for yourself:\n")
    screen.plain(f"  PRD site    {root / 'prd/index.html'}")
    screen.plain(f"  SDD site    {root / 'sdd/index.html'}")
    screen.plain(f"  timeline    {root / 'timeline.ndjson'}")
    if bugs:
        command = (
            f"devloop-tools call bug_list --agent integrator --project-dir {shlex.quote(str(root))}"
        )
        screen.plain(f"  {', '.join(bugs):<11} {root / 'triage.json'}; its steps: {command}")
    else:
        screen.plain("  bugs        none was opened")
    units = [UNIT, WEB_UNIT] if typescript else [UNIT]
    screen.plain("".join(f"  {unit:<11} {root / 'units' / unit}\n" for unit in units).rstrip())
