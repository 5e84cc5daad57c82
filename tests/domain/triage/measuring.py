"""Measures the judge of bug reports and the search for similar ones on the corpora."""

import json
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from devloop_tools.domain.bugs.records import Category
from devloop_tools.domain.bugs.similar import known, rank
from devloop_tools.domain.triage.classifier import judge

CORPORA = Path(__file__).resolve().parents[2] / "corpora"
OWN = CORPORA / "own/bug_reports.jsonl"
"""Written together with the signals."""

BLIND = CORPORA / "bug_reports/blind.jsonl"
"""Written before, by somebody else: it is measured, and nothing is learned from it."""

SIMILAR = CORPORA / "similar_bugs/bugs.jsonl"
OWN_SIMILAR = CORPORA / "own/similar_bugs.jsonl"
"""Settings of the search are chosen on its part `choose` and checked on `check`."""

MOST = 10


@dataclass(frozen=True)
class Row:
    category: Category
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Figures:
    reports: int
    right: int
    macro_f1: float
    rows: list[Row]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def measured(path: Path) -> Figures:
    """Precision, recall and F1 of each category, and their mean."""
    pairs = [
        (Category(report["category"]), judge(f"{report['title']}\n{report['text']}").category)
        for report in lines_of(path)
    ]
    said, true = Counter(said for _, said in pairs), Counter(true for true, _ in pairs)
    right = Counter(true for true, said in pairs if true is said)
    rows = [_row(category, right[category], said[category], true[category]) for category in true]
    macro = sum(row.f1 for row in rows) / len(rows)
    return Figures(len(pairs), right.total(), macro, sorted(rows, key=lambda row: row.category))


def _row(category: Category, right: int, said: int, true: int) -> Row:
    precision, recall = right / said if said else 0.0, right / true
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return Row(category, precision, recall, f1)


@dataclass(frozen=True)
class Search:
    """How many duplicates were looked for, and where their originals stood among the answers."""

    pairs: int
    places: tuple[int, ...]

    def recall(self, most: int) -> float:
        """The share of duplicates whose original is among so many answers."""
        return sum(place <= most for place in self.places) / self.pairs


@cache
def searched(path: Path, part: str | None = None) -> Search:
    """Looks for the originals of a corpus, or of a part, among all of its other bugs."""
    bugs = lines_of(path)
    all_known = {bug["id"]: known(bug["id"], bug["title"], bug["text"]) for bug in bugs}
    repeats = [bug for bug in bugs if bug["duplicate_of"] and part in (None, bug.get("part"))]
    places = []
    for bug in repeats:
        others = [other for name, other in all_known.items() if name != bug["id"]]
        found = [match.id for match in rank(all_known[bug["id"]], others, MOST)]
        if bug["duplicate_of"] in found:
            places.append(found.index(bug["duplicate_of"]) + 1)
    return Search(len(repeats), tuple(places))
