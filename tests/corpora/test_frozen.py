"""The corpora are as they were frozen, and whole: what is measured on them can be compared."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.corpora.bug_texts import identifiers, lines_of, pairs, said_twice, sentences

HERE = Path(__file__).parent
FROZEN = ("bug_reports", "similar_bugs", "units")
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
DEFINITION = {
    "endpoint": re.compile(r"\.(get|post|put|patch|delete|route|api_route)\("),
    "function": re.compile(r"^(export )?(default )?(async )?(function|const|def) "),
    "type": re.compile(r"^(export )?(interface|type|class) "),
}
"""How a line that defines one looks in any of the units' languages."""

UNITS = sorted(path for path in (HERE / "units").iterdir())
every_unit = pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)


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


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def schemas_in(contract: dict[str, Any]) -> Iterator[Any]:
    for endpoint in contract.get("endpoints", []):
        yield endpoint.get("request", {})
        yield from endpoint["responses"].values()
    for function in contract.get("functions", []):
        yield from (param["schema"] for param in function["params"])
        yield function["returns"]
    yield from contract.get("types", {}).values()


def references_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for inner in value.values():
            yield from references_in(inner)


def names_in(contract: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        *(("endpoint", f"{one['method']} {one['path']}") for one in contract.get("endpoints", [])),
        *(("function", one["name"]) for one in contract.get("functions", [])),
        *(("type", name) for name in contract.get("types", {})),
    ]


def test_there_are_thirty_units_and_five_without_a_difference() -> None:
    assert [unit.name[:3] for unit in UNITS] == [f"{n:02}-" for n in range(1, 31)]
    same = [unit for unit in UNITS if not any(read_json(unit / "expected.json").values())]
    assert len(same) == 5
    assert len({read_json(unit / "contract.json")["unit"] for unit in UNITS}) == 30


@every_unit
def test_a_units_contract_is_sound(unit: Path) -> None:
    contract = read_json(unit / "contract.json")
    assert {"unit", "version"} <= contract.keys()
    assert contract.keys() <= {"unit", "version", "endpoints", "functions", "types", "errors"}
    names = names_in(contract)
    assert len(set(names)) == len(names) >= 2
    types = {f"#/types/{name}" for name in contract.get("types", {})}
    for schema in schemas_in(contract):
        Draft202012Validator.check_schema(schema)
        assert set(references_in(schema)) <= types
    for endpoint in contract.get("endpoints", []):
        assert len([status for status in endpoint["responses"] if status.startswith("2")]) == 1


@every_unit
def test_what_is_expected_of_a_unit_is_well_formed(unit: Path) -> None:
    expected = read_json(unit / "expected.json")
    assert list(expected) == ["missing", "extra", "differing"]
    items = [item for group in expected.values() for item in group]
    assert all(list(item) == ["kind", "name", "file", "line", "why"] for item in items)
    assert len({(item["kind"], item["name"]) for item in items}) == len(items)
    agreed = set(names_in(read_json(unit / "contract.json")))
    for group, entries in expected.items():
        for item in entries:
            assert item["why"]
            assert ((item["kind"], item["name"]) in agreed) == (group != "extra"), item


@every_unit
def test_what_is_expected_of_a_unit_points_at_a_definition(unit: Path) -> None:
    expected = read_json(unit / "expected.json")
    assert all(item["file"] is item["line"] is None for item in expected["missing"])
    for item in expected["extra"] + expected["differing"]:
        lines = (unit / item["file"]).read_text(encoding="utf-8").splitlines()
        assert DEFINITION[item["kind"]].search(lines[item["line"] - 1]), item
        if item["kind"] == "type":
            assert item["name"] in lines[item["line"] - 1]


def test_the_similar_bugs_are_whole() -> None:
    bugs = lines_of("similar_bugs/bugs.jsonl")
    assert [bug["id"] for bug in bugs] == [f"S{n:03}" for n in range(1, 301)]
    assert {bug["language"] for bug in bugs} == {"zh", "en", "mixed"}
    for bug in bugs:
        assert list(bug) == ["id", "title", "text", "language", "duplicate_of"]
        assert bug["title"].strip()
        assert 1 <= len(sentences(bug["text"])) <= 4, bug["id"]
    assert len({bug["title"] for bug in bugs}) == len(bugs)


def test_a_duplicate_comes_after_its_original_which_has_no_other() -> None:
    found = pairs("similar_bugs/bugs.jsonl")
    assert len(found) == len({original["id"] for original, _ in found}) == 60
    assert all(original["duplicate_of"] is None for original, _ in found)
    assert all(original["id"] < duplicate["id"] for original, duplicate in found)


def test_fifteen_pairs_cross_the_languages_and_share_an_identifier() -> None:
    crossing = [
        pair
        for pair in pairs("similar_bugs/bugs.jsonl")
        if {one["language"] for one in pair} == {"zh", "en"}
    ]
    assert len(crossing) == 15
    for original, duplicate in crossing:
        assert identifiers(original) & identifiers(duplicate)


def test_no_two_bugs_share_a_sentence() -> None:
    assert said_twice("similar_bugs/bugs.jsonl") == []
