"""Says what kind of fault a bug report tells of, by weighing the signals in it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from devloop_tools.domain.bugs.records import Category
from devloop_tools.domain.triage.likeness import KnownWords, Likeness, known_words, likeness
from devloop_tools.domain.triage.reading import plain, without_ruled_out
from devloop_tools.domain.triage.signals import Found, Signal, find, said_together, signals

AGENTS: Mapping[Category, str] = MappingProxyType(
    {
        Category.CONTRACT_MISMATCH: "architect",
        Category.IMPLEMENTATION_BUG: "coder",
        Category.TEST_BUG: "tester",
        Category.ENVIRONMENT: "integrator",
        Category.FLAKY: "tester",
        Category.SPEC_GAP: "pm",
        Category.DEPENDENCY: "coder",
    }
)
"""Who is to go on with a bug of each category."""

UNTOLD = Category.IMPLEMENTATION_BUG
"""What a report is taken for that gives no signal at all."""

_HEAD_START = 1.0
"""What `UNTOLD` has before any signal."""

_SHARPNESS = 0.8


@dataclass(frozen=True, slots=True)
class Judgement:
    """A category, how sure it is (0 to 1), every category's score, and the signals found."""

    category: Category
    confidence: float
    scores: Mapping[Category, float]
    found: Sequence[Found]


def judge(text: str, known: KnownWords | None = None) -> Judgement:
    """The judgement on a report; the same text always gets the same one.

    Sentences that tell what it was not count for nothing, but for signals that speak against.
    `known` are the example reports' words, those of the package if it is None.
    """
    whole = plain(text)
    meant = without_ruled_out(whole)
    hits = (find(signal, whole if signal.is_against else meant) for signal in signals())
    found = [hit for hit in hits if hit is not None]
    found += said_together(found)
    found += _known_from(likeness(meant, known or known_words()))
    scores = {category: _score(found, category) for category in Category}
    best = max(scores, key=lambda category: (scores[category], category is UNTOLD))
    return Judgement(best, _confidence(scores, best), scores, found)


def _known_from(like: Likeness) -> list[Found]:
    """For each category one signal: what the report's words say for it or against it."""
    return [
        Found(
            Signal(f"words as in reports of {category}", {category: score}, ()),
            ", ".join(like.telling[category]) or "no word of theirs",
        )
        for category, score in like.scores.items()
        if score
    ]


def _score(found: Iterable[Found], category: Category) -> float:
    given = sum(hit.strength * hit.signal.weights.get(category, 0.0) for hit in found)
    return round(given + (_HEAD_START if category is UNTOLD else 0.0), 2)


def _confidence(scores: Mapping[Category, float], best: Category) -> float:
    powers = [math.exp(_SHARPNESS * (score - scores[best])) for score in scores.values()]
    return round(1 / sum(powers), 2)
