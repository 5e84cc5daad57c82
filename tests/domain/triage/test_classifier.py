from pathlib import Path

import pytest
from tests.domain.triage.measuring import (
    BLIND,
    OWN,
    lines_of,
    measured,
)

from devloop_tools.domain.bugs.records import Category
from devloop_tools.domain.triage.classifier import AGENTS, judge
from devloop_tools.domain.triage.signals import signals, together

PAGE = Path(__file__).resolve().parents[3] / "docs/triage.md"


def test_our_own_reports_are_enough_and_of_every_category() -> None:
    reports = lines_of(OWN)
    assert len(reports) >= 40
    assert {report["category"] for report in reports} == set(Category)
    assert {report["language"] for report in reports} == {"zh", "en", "mixed"}
    assert len({report["id"] for report in reports}) == len(reports)


def test_our_own_reports_are_judged_rightly_but_for_a_few() -> None:
    assert measured(OWN).macro_f1 >= 0.9


def test_reports_of_another_author_are_judged_as_well_as_we_aimed_for() -> None:
    assert measured(BLIND).macro_f1 >= 0.85


def test_the_page_tells_the_figures_as_they_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for corpus in (OWN, BLIND):
        figures = measured(corpus)
        assert (
            f"{figures.right} of {figures.reports} right, macro-F1 {figures.macro_f1:.3f}" in page
        )
        for row in figures.rows:
            cells = f"{row.precision:.2f} | {row.recall:.2f} | {row.f1:.2f}"
            assert f"| {row.category} | {cells} |" in page


def test_every_category_has_signals_and_an_agent() -> None:
    for category in Category:
        assert sum(signal.weights.get(category, 0) > 0 for signal in signals()) >= 4
    assert set(AGENTS) == set(Category)


def test_signals_are_named_once_and_all_of_them_compile() -> None:
    names = [signal.name for signal in signals()]
    assert len(set(names)) == len(names)
    assert judge("x").found == []
    assert all(rule.needs | rule.any_of | rule.without <= set(names) for rule in together())


def test_what_gives_no_signal_is_unsure() -> None:
    judgement = judge("坏了")
    assert judgement.category is Category.IMPLEMENTATION_BUG
    assert judgement.confidence < 0.3


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("3 of 40 runs failed", "fails in some of several runs"),
        ("40 次里失败 3 次", "fails in some of several runs"),
        ("5 of 5 runs failed", "fails in all of several runs"),
        ("页面读 createdAt，服务给 created_at", "one name in two spellings"),
        ("重跑就过了", "passes when it is run again"),
    ],
)
def test_a_signal_is_found_with_the_words_that_gave_it(text: str, name: str) -> None:
    found = {hit.signal.name: hit.quote for hit in judge(text).found}
    assert name in found
    assert found[name] in text.replace("，", ",")


def test_what_was_ruled_out_counts_for_nothing() -> None:
    text = "First I suspected the disk: no space left on device."
    assert judge(f"{text} 结果少一行").category is Category.IMPLEMENTATION_BUG
    assert judge("npm error: no space left on device").category is Category.ENVIRONMENT


@pytest.mark.parametrize(
    "piece", ["a", "test ", "契约", "the contract says ", "5 次", "\n", "1.2.3 ", "x_y "]
)
def test_a_report_of_one_thing_over_and_over_is_judged(piece: str) -> None:
    judge(piece * (40_000 // len(piece)))
