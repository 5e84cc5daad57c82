"""The corpora are as they were frozen, and whole: what is measured on them can be compared."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FROZEN = ("bug_reports",)
"""The folders whose every file is frozen."""

CATEGORIES = {
    "contract_mismatch",
    "implementation_bug",
    "test_bug",
    "environment",
    "flaky",
    "spec_gap",
    "dependency",
}


def lines_of(name: str) -> list[dict[str, Any]]:
    text = (HERE / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_every_file_is_as_frozen() -> None:
    files = [
        path
        for folder in FROZEN
        for path in (HERE / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    found = {
        path.relative_to(HERE).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
    lines = (HERE / "DIGESTS").read_text(encoding="utf-8").splitlines()
    frozen = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    assert found == frozen
    assert list(frozen) == sorted(frozen)


def test_the_blind_reports_are_whole_and_balanced() -> None:
    reports = lines_of("bug_reports/blind.jsonl")
    assert [report["id"] for report in reports] == [f"blind-{n:02}" for n in range(1, 29)]
    assert Counter(report["category"] for report in reports) == dict.fromkeys(CATEGORIES, 4)
    assert {report["language"] for report in reports} == {"zh", "en", "mixed"}
    fields = ["id", "title", "text", "category", "why", "language"]
    for report in reports:
        assert list(report) == fields
        assert all(isinstance(value, str) and value.strip() for value in report.values())
    assert len({report["title"] for report in reports}) == len(reports)


def test_no_report_names_its_own_category() -> None:
    for report in lines_of("bug_reports/blind.jsonl"):
        text = f"{report['title']} {report['text']}".lower()
        assert report["category"] not in text
        assert report["category"].replace("_", " ") not in text
