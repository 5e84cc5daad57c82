"""`devloop-tools doctor` with the real server, and a script in the CLI's place."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.processes.test_launch import SetUp
from typer.testing import CliRunner

from devloop_tools.cli.commands import app


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SetUp:
    made = SetUp(tmp_path)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    return made


def findings(setup: SetUp, *more: str) -> dict[str, Any]:
    words = ["--project-dir", str(setup.project), "--tools-dir", str(setup.tools)]
    words += ["--claude", str(setup.root / "claude"), "--format", "json", *more]
    result = CliRunner().invoke(app, ["doctor", *words])
    return {one["check"]: (one["state"], one["found"]) for one in json.loads(result.stdout)}


def test_the_server_its_hook_and_the_cli_are_tried(setup: SetUp) -> None:
    found = findings(setup)
    assert found["server of pm"] == ("ok", "answers, 1 tools; so does its hook")
    assert found["claude with pm"] == ("ok", "takes the 2 tools of the policy")
    assert os.listdir(setup.project) == []
    assert setup.left == []


def test_what_the_cli_does_not_take_is_a_failure(setup: SetUp) -> None:
    setup.claude(["Read"])
    state, found = findings(setup)["claude with pm"]
    assert state == "fail"
    assert "does not offer what the policy grants: mcp__devloop__write_todolist" in found


def test_a_cli_that_says_nothing_is_a_failure_with_its_words(setup: SetUp) -> None:
    script = f"#!{sys.executable}\nimport sys\nif '--version' in sys.argv: print('2.1.400')\n"
    (setup.root / "claude").write_text(f"{script}else: sys.exit('坏 flag')\n")
    state, found = findings(setup)["claude with pm"]
    assert (state, found) == ("fail", "the CLI said nothing of its tools: 坏 flag")


def test_an_old_cli_is_not_started_and_a_policy_that_is_wrong_is_told_once(setup: SetUp) -> None:
    setup.claude(["Read"], version="2.1.197")
    assert "claude with pm" not in findings(setup)
    setup.agents(["wirte_chapter"])
    found = findings(setup)
    assert found["policy of pm"][0] == "fail"
    assert "server of pm" not in found


def test_a_server_that_can_not_start_is_a_failure_with_its_words(
    setup: SetUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = setup.root / "python"
    broken.write_text("#!/bin/sh\necho '坏 interpreter' >&2\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    state, found = findings(setup)["server of pm"]
    assert (state, found) == ("fail", "the server did not answer: 坏 interpreter")
