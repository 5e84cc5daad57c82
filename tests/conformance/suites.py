"""Runs the conformance suites against the installed server, through the bridge."""

import argparse
import asyncio
import contextlib
import json
import os
import re
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import uvicorn
from tests.conformance import node
from tests.conformance.bridge import Bridge
from tests.conformance.child import Program
from tests.conformance.verdict import Check, Status, Verdict, judge, load_expected

HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "expected-failures.yml"
RESULTS = node.FOLDER / "results"
LONGEST_SUITE_S = 240.0

Say = Callable[[str], None]

_RUNNING = re.compile(r"=== Running scenario: (\S+) ===")
_FOLDER = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


@dataclass(frozen=True, slots=True)
class Suite:
    """One run of one version of the suite; `name` is its section in the expected failures."""

    name: str
    package: str
    flags: tuple[str, ...]


SUITES = (
    Suite("0.1.16", "conformance-0.1", ("--suite", "all")),
    Suite("0.2.0-alpha.12 2025-11-25", "conformance-0.2", ("--requirements", "2025-11-25")),
    Suite("0.2.0-alpha.12 2026-07-28", "conformance-0.2", ("--requirements", "2026-07-28")),
)


def main(arguments: Sequence[str], say: Say) -> int:
    """Run the suites whose names hold the given word, or all; 0 if nothing is unexpected."""
    parser = argparse.ArgumentParser(description="Run the MCP conformance suites.")
    parser.add_argument("only", nargs="?", default="", help="a part of a suite's name")
    parser.add_argument("--scenario", help="one scenario, with all that its checks say")
    options = parser.parse_args(arguments)
    node.install()
    suites = [suite for suite in SUITES if options.only in suite.name]
    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True)
    if options.scenario:
        return asyncio.run(_show(suites, options.scenario, say))
    return asyncio.run(_judge_all(suites, say))


async def _judge_all(suites: Sequence[Suite], say: Say) -> int:
    expected = load_expected(EXPECTED)
    verdicts = []
    for suite in suites:
        start = time.monotonic()
        checks = await _run(suite, suite.flags)
        verdicts.append(verdict := judge(checks, expected.get(suite.name, {})))
        _report(suite, verdict, time.monotonic() - start, say)
    return 0 if verdicts and all(verdict.ok for verdict in verdicts) else 1


async def _show(suites: Sequence[Suite], scenario: str, say: Say) -> int:
    checks = []
    for suite in suites:
        version = suite.name.rpartition(" ")[2] if " " in suite.name else "2025-11-25"
        flags = ("--scenario", scenario, "--spec-version", version)
        for check in await _run(suite, flags):
            say(f"{check.status.name:8} {check.name} {check.message}")
            checks.append(check)
    return 0 if checks and not any(check.failed for check in checks) else 1


def _report(suite: Suite, verdict: Verdict, seconds: float, say: Say) -> None:
    say(
        f"{suite.name}: {verdict.passed} checks passed, {len(verdict.expected)} failed as"
        f" expected, {len(verdict.unexpected)} failed unexpectedly ({seconds:.0f} s)"
    )
    for check in verdict.unexpected:
        say(f"  {check.status.name} {check.name}: {check.message}")
    for name in verdict.stale:
        say(f"  STALE {name}: it no longer fails; remove it from {EXPECTED.name}")


async def _run(suite: Suite, flags: Sequence[str]) -> Sequence[Check]:
    """Every check of the suite; a scenario that came to none is a failed check itself."""
    folder = Path(tempfile.mkdtemp(prefix=f"{suite.name.replace(' ', '-')}-", dir=RESULTS))
    with (folder / "server.log").open("wb") as log:
        async with _bridged(folder, log) as url:
            words = [*node.command(suite.package), "server", "--url", url, "-o", str(folder)]
            process = await asyncio.create_subprocess_exec(
                *words, *flags, env=node.environment(), stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            )  # fmt: skip
            try:
                output, _ = await asyncio.wait_for(process.communicate(), LONGEST_SUITE_S)
            except TimeoutError:
                process.kill()
                raise
    (folder / "suite.log").write_bytes(output)
    return list(_checks(folder, _RUNNING.findall(output.decode("utf-8", "replace"))))


@contextlib.asynccontextmanager
async def _bridged(folder: Path, log: IO[bytes]) -> AsyncIterator[str]:
    """The URL of a bridge to servers of a project in `folder`."""
    project = folder / "project"
    project.mkdir()
    listening = socket.create_server(("127.0.0.1", 0))
    # What the user's servers keep between starts, these keep for themselves.
    env = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    app = Bridge(Program(server_words(project), env, log)).app()
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2, ws="none")
    )
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield f"http://localhost:{listening.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        await serving


def server_words(project: Path) -> Sequence[str]:
    """The installed server with the fixtures of the suites, and nothing else that is added."""
    script = Path(sys.executable).with_name("devloop-tools")
    flags = ["--agent", "pm", "--project-dir", str(project)]
    return [str(script), "serve", *flags, "--tools-dir", str(HERE / "tools.d")]


def _checks(folder: Path, scenarios: Sequence[str]) -> Iterator[Check]:
    found: dict[str, list[Any]] = {}
    for file in folder.glob("*/checks.json"):
        if named := _FOLDER.fullmatch(file.parent.name):
            found[named[1]] = json.loads(file.read_bytes())
    for scenario in sorted({*scenarios, *found}):
        if not found.get(scenario):
            yield Check(scenario, "ran", Status.FAILURE, "it came to no checks; see suite.log")
        for check in found.get(scenario, []):
            message = str(check.get("errorMessage", "")).splitlines()
            yield Check(
                scenario, check["id"], Status[check["status"]], message[0] if message else ""
            )
