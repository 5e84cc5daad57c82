"""Measures the judge of bug reports and the search for similar ones on the corpora."""

import json
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from devloop_tools.domain.bugs.records import Category
from devloop_tools.domain.bugs.similar import Known, rank, terms_of
from devloop_tools.domain.triage.classifier import judge

CORPORA = Path(__file__).resolve().parents[2] / "corpora"
OWN = CORPORA / "own/bug_reports.jsonl"
"""Written together with the signals."""

BLIND = CORPORA / "bug_reports/blind.jsonl"
"""Written before, by somebody else: it is measured, and nothing is learned from it."""

SIMILAR = CORPORA / "similar_bugs/bugs.jsonl"


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


@cache
def recall_at(most: int) -> float:
    """The share of duplicates whose original is among so many answers."""
    bugs = lines_of(SIMILAR)
    known = [Known(bug["id"], terms_of(bug["title"], bug["text"])) for bug in bugs]
    terms = {bug.id: bug.terms for bug in known}
    repeats = {bug["id"]: bug["duplicate_of"] for bug in bugs if bug["duplicate_of"]}
    found = [
        original in {match.id for match in rank(terms[name], _without(known, name), most)}
        for name, original in repeats.items()
    ]
    return sum(found) / len(found)


def _without(known: list[Known], name: str) -> list[Known]:
    return [bug for bug in known if bug.id != name]
