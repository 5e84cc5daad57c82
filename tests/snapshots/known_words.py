"""Counts the words of our own bug reports into the file that the package ships."""

import json
from pathlib import Path

from devloop_tools.domain.bugs.records import Category
from devloop_tools.domain.triage import likeness

_ROOT = Path(__file__).resolve().parents[2]
_REPORTS = _ROOT / "tests/corpora/own/bug_reports.jsonl"
WORDS = _ROOT / "src/devloop_tools/domain/triage" / likeness.WORDS_FILE


def draw_words() -> bytes:
    """The file as it should be."""
    reports = [json.loads(line) for line in _REPORTS.read_text(encoding="utf-8").splitlines()]
    pairs = ((Category(one["category"]), f"{one['title']}\n{one['text']}") for one in reports)
    return likeness.as_json(likeness.count(pairs))
