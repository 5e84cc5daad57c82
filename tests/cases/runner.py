"""Runs recorded cases against the installed server and says what came of each.

One line a case; then exactly `N passed, N failed, N not run`. Exit 0 means that none failed.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.cases.case import RUN_KINDS, Case, load_cases, pick
from tests.cases.judge import PATIENCE_S, awaited, judge, limit_s
from tests.cases.run import missing_setup, play, unknown_keys
from tests.cases.verdict import Verdict
from tests.processes.server import command

WordsFor = Callable[[Path], Sequence[str]]
"""The command line of the server for a project folder."""


def main(
    arguments: Sequence[str], write: Callable[[str], object], words_for: WordsFor = command
) -> int:
    """Run the cases that the arguments name; returns the exit code."""
    parser = argparse.ArgumentParser(prog="run_cases.py", description=__doc__)
    parser.add_argument("file", type=Path, help="Cases, one JSON object a line.")
    parser.add_argument("--only", help="Groups and ids: A,B01,H-C03.")
    options = parser.parse_args(arguments)
    try:
        cases = pick(load_cases(options.file), options.only)
    except (OSError, ValueError) as exc:
        parser.error(str(exc))
    counts: Counter[str] = Counter()
    for case in cases:
        if case.kind not in RUN_KINDS:
            write(f"{case.id} is held by the tests with its id (kind {case.kind})")
            continue
        verdict = run_case(case, words_for)
        counts[verdict.word] += 1
        write(verdict.line(case.id))
    write(f"{counts['passed']} passed, {counts['failed']} failed, {counts['not run']} not run")
    return 1 if counts["failed"] else 0


def run_case(case: Case, words_for: WordsFor = command, patience_s: float = PATIENCE_S) -> Verdict:
    """Play and judge one case in a project folder of its own."""
    verdict = Verdict()
    if case.kind == "bash_guard":
        verdict.unknown.append("bash_guard")
        return verdict
    if missing := missing_setup(case):
        verdict.unknown.append(missing)
        return verdict
    verdict.unknown += unknown_keys(case)
    with tempfile.TemporaryDirectory(prefix="devloop-case-") as folder:
        project = Path(folder, "project")
        project.mkdir()
        limit = limit_s(case.expect, patience_s)
        run = play(case, words_for(project), project, awaited, limit)
        judge(run, verdict)
    return verdict
