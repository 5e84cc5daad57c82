"""The frozen units, which nobody looked into who wrote the rules."""

import sys
from pathlib import Path

import pytest
from tests.domain.contract_check.measuring import Measured, measured

UNITS = sorted((Path(__file__).parents[2] / "corpora" / "units").iterdir())
FLOOR = 0.95


def table(scores: list[Measured]) -> str:
    rows = [f"{'unit':26} there found right placed"]
    rows += [
        f"{one.unit:26} {len(one.there):5} {len(one.found):5} {len(one.right):5}"
        f" {len(one.placed):6}"
        for one in scores
    ]
    return "\n".join(rows)


def test_precision_and_recall_on_the_frozen_units(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = [measured(tmp_path, unit) for unit in UNITS]
    there = sum(len(one.there) for one in scores)
    found = sum(len(one.found) for one in scores)
    right = sum(len(one.right) for one in scores)
    placed = sum(len(one.placed) for one in scores)
    precision, recall = right / found, right / there
    with capsys.disabled():
        sys.stdout.write(f"\n{table(scores)}\nprecision {precision:.3f} recall {recall:.3f}\n")
    assert len(scores) == 30
    assert there > 60
    assert precision >= FLOOR
    assert recall >= FLOOR
    assert placed / right >= FLOOR, "found, but with another file or line"
