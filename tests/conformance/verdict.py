"""Compares what the suites found with the failures that are expected, each for a reason.

A failure that nobody expects fails the run, and so does an entry that no longer fails.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import yaml


class Status(IntEnum):
    """What a check came to, the worst last."""

    INFO = 0
    SKIPPED = 1
    SUCCESS = 2
    WARNING = 3
    FAILURE = 4


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one scenario. Suites give an id more than once: the worst counts."""

    scenario: str
    id: str
    status: Status
    message: str = ""

    @property
    def failed(self) -> bool:
        """What a specification only recommends counts as well."""
        return self.status >= Status.WARNING

    @property
    def name(self) -> str:
        return f"{self.scenario}:{self.id}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one suite."""

    passed: int
    expected: Sequence[Check]
    unexpected: Sequence[Check]
    stale: Sequence[str]

    @property
    def ok(self) -> bool:
        return not (self.unexpected or self.stale) and self.passed > 0


class BadEntry(Exception):
    """An entry of the file of expected failures that can't be used."""


def load_expected(file: Path) -> Mapping[str, Mapping[str, str]]:
    """Reasons by suite and by `scenario` or `scenario:check`. Raises BadEntry."""
    suites = yaml.safe_load(file.read_text(encoding="utf-8"))
    for suite, entries in suites.items():
        for name, reason in entries.items():
            if not isinstance(reason, str) or not reason.strip():
                raise BadEntry(f"{suite}: {name} has no reason")
            if ":" in name and name.partition(":")[0] in entries:
                raise BadEntry(f"{suite}: {name} is part of an entry for the whole scenario")
    return {str(suite): entries for suite, entries in suites.items()}


def judge(checks: Iterable[Check], reasons: Mapping[str, str]) -> Verdict:
    """Sort the checks of one suite, where `reasons` are the failures expected in it."""
    worst: dict[str, Check] = {}
    for check in checks:
        if check.name not in worst or check.status > worst[check.name].status:
            worst[check.name] = check
    failed = [check for check in worst.values() if check.failed]
    passed = sum(check.status is Status.SUCCESS for check in worst.values())
    expected = [check for check in failed if {check.name, check.scenario} & reasons.keys()]
    matched = {name for check in expected for name in (check.name, check.scenario)}
    unexpected = [check for check in failed if check not in expected]
    return Verdict(passed, expected, unexpected, sorted(reasons.keys() - matched))
