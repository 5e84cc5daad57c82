"""The verdicts on commands, and what a refusal says."""

import json
from pathlib import Path

import pytest
from tests.guard.passed import PASSED, UNPARSED_AND_PASSED
from tests.guard.refused import REFUSED, UNPARSED_AND_REFUSED

from devloop_tools.guard.judging import judge

CASES = Path(__file__).parents[1] / "cases" / "cases.jsonl"
RECORDED = [
    case
    for line in CASES.read_text(encoding="utf-8").splitlines()
    if (case := json.loads(line))["kind"] == "bash_guard"
]


def test_all_recorded_commands_are_here() -> None:
    assert [case["id"] for case in RECORDED] == [f"H-K{number:02}" for number in range(1, 25)]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["id"])
def test_a_recorded_command_gets_its_verdict(case: dict[str, dict[str, str]]) -> None:
    judgement = judge(str(case["input"]))
    assert judgement.parsed
    assert judgement.refused == (case["expect"]["verdict"] == "refuse"), case["expect"]["why"]
    if judgement.refused:
        assert "body.json" in judgement.reason


@pytest.mark.parametrize("command", REFUSED)
def test_json_that_is_written_in_the_command_is_refused(command: str) -> None:
    judgement = judge(command)
    assert (judgement.refused, judgement.parsed) == (True, True)
    assert "JSON goes through a file" in judgement.reason


@pytest.mark.parametrize("command", PASSED)
def test_everything_else_passes(command: str) -> None:
    assert judge(command) == (False, "", None, True)


@pytest.mark.parametrize("command", UNPARSED_AND_REFUSED)
def test_what_cannot_be_parsed_is_refused_when_its_text_looks_like_it(command: str) -> None:
    judgement = judge(command)
    assert (judgement.refused, judgement.parsed) == (True, False)
    assert judgement.reason.startswith("Refused. This command can't be read as Bash (")
    assert "its text alone was judged" in judgement.reason


@pytest.mark.parametrize("command", UNPARSED_AND_PASSED)
def test_what_cannot_be_parsed_passes_otherwise(command: str) -> None:
    assert judge(command) == (False, "", None, False)


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("curl -d '{}' x", "curl gets JSON that is written in the command itself, by -d"),
        ("curl -sXPOST --json='{}' x", "by --json"),
        ("curl -d @- x <<< '{}'", "by -d"),
        ("wget --post-dat '{}' x", "wget gets JSON that is written in the command itself, by --po"),
        ("echo '{}' | http x", "by its input"),
        ("http :80/x a:='[1]'", "by a:="),
        ("irm x -Body '{}'", "irm gets JSON that is written in the command itself, by -Body"),
    ],
)
def test_the_reason_names_program_and_option(command: str, named: str) -> None:
    assert named in judge(command).reason


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        ("curl -d '{}' x", "`curl -d @body.json URL`"),
        ("wget --post-data '{}' x", "`wget --post-file=body.json URL`"),
        ("xh x --raw '{}'", "`xh POST URL @body.json`"),
        ("pwsh -c \"irm x -Body '{}'\"", "-InFile body.json"),
    ],
)
def test_the_reason_says_what_to_write_instead(command: str, instead: str) -> None:
    assert instead in judge(command).reason
