"""Which functions a set of failures points at: what failing tests reach and passing ones don't.

The measure is Ochiai's (Abreu, Zoeteweij, van Gemund 2006) over calls that are read from the code,
not traced: failing tests that reach a function, over the root of all failing tests times all tests
that reach it. Where an error was thrown weighs more.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from devloop_tools.domain.hints.code_outline import Outline, WrittenTest
from devloop_tools.domain.hints.failures import Failed
from devloop_tools.domain.hints.unit_code import Defined, UnitCode

THROWN = 2.0
"""How much more a function counts in which the error was thrown."""

ON_THE_STACK = 1.3
NAMED_ON_THE_LINE = 1.2
"""... which the failing line itself calls: what the test did before went well."""

MAX_GROUPS = 12
"""Causes that are looked for in the code; further failures are told apart by their messages."""

MOST_NAMED = 3
CLOSE = 0.6
"""A function is named beside the first if it has this share of its weight."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A function; of so many passing tests that the code shows, `passing` reach it."""

    defined: Defined
    weight: float
    failing: int
    passing: int


@dataclass
class Group:
    """Failures with one likely cause."""

    failures: list[Failed]
    suspects: list[Suspect] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What one failure speaks for."""

    failure: Failed
    reached: Mapping[Defined, int]
    factors: Mapping[Defined, float]


def grouped(failures: Sequence[Failed], code: UnitCode) -> list[Group]:
    """Failures by their likely cause, the one with most failures first.

    The function that explains most is taken, with the failures that reach it; then the rest.
    Failures whose code isn't there are told apart by their messages.
    """
    passing = _passing(failures, code)
    groups: list[Group] = []
    left = [_evidence(failure, code) for failure in failures]
    while len(groups) < MAX_GROUPS and (explained := [one for one in left if one.reached]):
        suspects = _ranked(explained, passing)
        first = suspects[0].defined
        members = [one for one in explained if first in one.reached]
        own = _ranked(members, passing)
        groups.append(Group([one.failure for one in members], _named(own)))
        left = [one for one in left if one not in members]
    groups += _by_message([one.failure for one in left])
    return sorted(groups, key=lambda group: (not group.failures[0].blocks, -len(group.failures)))


def _evidence(failure: Failed, code: UnitCode) -> _Evidence:
    reached: dict[Defined, int] = {}
    factors: dict[Defined, float] = {}
    outline = code.outlines.get(failure.file)
    test = code.test(failure.file, failure.title, failure.line)
    if outline is not None and test is not None:
        reached = code.reached(outline, _names(outline, test))
        for name in outline.lines.get(failure.line or 0, ()):
            for defined in code.functions.get(name, ()):
                factors[defined] = NAMED_ON_THE_LINE
    thrown = [code.defined_at(frame.file, frame.line) for frame in failure.frames if frame.own]
    for place, found in enumerate(defined for defined in thrown if defined is not None):
        reached.setdefault(found, 1)
        factors[found] = max(factors.get(found, 1.0), ON_THE_STACK if place else THROWN)
    return _Evidence(failure, reached, factors)


def _names(outline: Outline, test: WrittenTest) -> frozenset[str]:
    return test.names.union(*(hook.names for hook in outline.hooks))


def _passing(failures: Sequence[Failed], code: UnitCode) -> Counter[Defined]:
    """By how many tests that are in the code and in no failure a function is reached."""
    failing = {(failure.file, code.test(failure.file, failure.title, failure.line))
               for failure in failures}  # fmt: skip
    broken = {failure.file for failure in failures if failure.blocks}
    counts: Counter[Defined] = Counter()
    for path, outline in code.outlines.items():
        for test in outline.tests:
            if path not in broken and not test.is_left_out and (path, test) not in failing:
                counts.update(code.reached(outline, _names(outline, test)).keys())
    return counts


def _ranked(evidence: Sequence[_Evidence], passing: Counter[Defined]) -> list[Suspect]:
    steps: dict[Defined, int] = {}
    for one in evidence:
        for defined, distance in one.reached.items():
            steps[defined] = min(steps.get(defined, distance), distance)
    suspects = [_weighed(defined, evidence, passing[defined]) for defined in steps]
    return sorted(
        suspects,
        key=lambda one: (-one.weight, steps[one.defined], one.defined.path, one.defined.part.start),
    )


def _weighed(defined: Defined, evidence: Sequence[_Evidence], passing: int) -> Suspect:
    failing = [one for one in evidence if defined in one.reached]
    share = len(failing) / math.sqrt(len(evidence) * (len(failing) + passing))
    factor = sum(one.factors.get(defined, 1.0) for one in failing) / len(failing)
    return Suspect(defined, share * factor, len(failing), passing)


def _named(suspects: Sequence[Suspect]) -> list[Suspect]:
    """The first, and those that are about as likely."""
    least = suspects[0].weight * CLOSE
    return [one for one in suspects if one.weight >= least][:MOST_NAMED]


def _by_message(failures: Sequence[Failed]) -> list[Group]:
    groups: dict[tuple[str, str], Group] = {}
    for failure in failures:
        groups.setdefault(failure.signature, Group([])).failures.append(failure)
    return list(groups.values())
