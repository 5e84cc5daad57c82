"""`devloop-tools doctor`: what is wrong with a set-up, with the way to mend it."""

import json
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.processes.server import FIXTURES
from typer.testing import CliRunner, Result

from devloop_tools.cli import checks
from devloop_tools.cli.commands import app
from devloop_tools.domain.events import EventLog, EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.launch import version as claude_version
from devloop_tools.storage.database import Database

CHECKS = [
    "python",
    "package",
    "similar bugs",
    "tools folder",
    "policy of pm",
    "project folder",
    "database",
    "claude",
]


class SetUp:
    """A set-up that is sound until a test breaks it."""

    def __init__(self, root: Path) -> None:
        self.project = root / "项目"
        self.tools = root / "tools.d"
        self.claude = root / "bin" / "claude"
        (self.tools / "packs").mkdir(parents=True)
        for folder in (self.project, self.claude.parent):
            folder.mkdir()
        self.grant("pm", "write_todolist", "Read")
        self.script("echo '2.1.400 (Claude Code)'")

    def grant(self, agent: str, *names: str) -> None:
        template = {"id": f"devloop-{agent}", "cli": {"toolPolicy": names}}
        self.agents(json.dumps({"templates": [template]}))

    def agents(self, text: str) -> None:
        (self.tools / "agents.json").write_text(text, encoding="utf-8")

    def pack(self, text: str) -> None:
        (self.tools / "packs" / "坏.py").write_text(text, encoding="utf-8")

    def script(self, text: str) -> None:
        """The Claude CLI."""
        self.claude.write_text(f"#!/bin/sh\n{text}\n")
        self.claude.chmod(0o755)

    def examined(self, *more: str) -> Result:
        folders = ["--project-dir", str(self.project), "--tools-dir", str(self.tools)]
        return CliRunner().invoke(app, ["doctor", "--quick", *folders, *more])

    def finding(self, check: str, *more: str) -> dict[str, str]:
        """The finding of one check, in its form for programs; it alone isn't well."""
        result = self.examined("--format", "json", *more)
        findings = json.loads(result.stdout)
        [found] = [finding for finding in findings if finding["check"] == check]
        assert {finding["check"] for finding in findings if finding["state"] != "ok"} <= {check}
        assert result.exit_code == (1 if found["state"] == "fail" else 0)
        wanted: dict[str, str] = found
        return wanted


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SetUp:
    made = SetUp(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", f"{made.claude.parent}{os.pathsep}{os.environ['PATH']}")
    return made


def test_a_sound_set_up_is_well_in_every_point(setup: SetUp) -> None:
    result = setup.examined()
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert [line[0] for line in lines] == ["✓"] * len(CHECKS)
    assert [line[2:].partition("  ")[0].strip() for line in lines] == CHECKS
    assert "write_todolist" not in result.stdout
    assert "2.1.400 at" in lines[-1]


def test_programs_read_the_same_as_json(setup: SetUp) -> None:
    findings = json.loads(setup.examined("--format", "json").stdout)
    assert [finding["check"] for finding in findings] == CHECKS
    assert all(finding.keys() == {"check", "state", "found", "fix"} for finding in findings)
    assert {finding["state"] for finding in findings} == {"ok"}


def test_a_finding_is_shown_with_its_fix_below(setup: SetUp) -> None:
    setup.agents("{")
    result = setup.examined()
    [found] = [line for line in result.stdout.splitlines() if line.startswith("✗")]
    [fix] = [line for line in result.stdout.splitlines() if "→" in line]
    assert result.exit_code == 1
    assert "agents.json" in found
    assert fix.strip() == "→ mend the file, or name another folder"
    assert fix.index("→") == found.index(str(setup.tools))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "agents.json:1:2: not JSON: "),
        ("[]", "agents.json:1:1: an object is expected"),
        ('{"templates": 5}', "agents.json:1:2: templates: a list is expected"),
        ('{"templates": [{"id": "甲"}, {"id": "devloop-甲"}]}', "stands twice"),
        ('{"templates": [{"id": ""}]}', "agents.json:1:17: templates[0].id: a text is expected"),
    ],
)
def test_an_agents_file_that_can_t_be_used_is_named(setup: SetUp, text: str, words: str) -> None:
    setup.agents(text)
    found = setup.finding("tools folder")
    assert (found["state"], words in found["found"]) == ("fail", True)
    assert "pydantic.dev" not in found["found"]


def test_a_tools_folder_without_agents_and_one_that_is_none_are_named(setup: SetUp) -> None:
    (setup.tools / "agents.json").unlink()
    assert "can't be read" in setup.finding("tools folder")["found"]
    setup.tools.rename(setup.tools.with_name("moved"))
    assert setup.finding("tools folder")["fix"] == "name the folder with agents.json"


def test_a_pack_that_fails_is_a_warning_with_the_command_that_says_more(setup: SetUp) -> None:
    setup.pack("1 / 0\n")
    found = setup.finding("packs")
    assert (found["state"], found["found"]) == (
        "warn", "pack 坏.py: ZeroDivisionError: division by zero (line 1)"
    )  # fmt: skip
    assert found["fix"] == f"devloop-tools pack check {setup.tools}/packs/坏.py"


def test_a_policy_with_a_misspelt_name_is_a_failure_of_that_agent(setup: SetUp) -> None:
    setup.grant("pm", "wirte_todolist")
    found = setup.finding("policy of pm")
    assert found["state"] == "fail"
    assert found["found"].endswith("(did you mean write_todolist?)")
    assert found["fix"] == f"mend {setup.tools}/agents.json"


def test_a_policy_that_names_a_tool_of_a_failed_pack_is_a_warning(setup: SetUp) -> None:
    setup.pack("1 / 0\n")
    setup.grant("pm", "数_words", "Read")
    findings = json.loads(setup.examined("--format", "json").stdout)
    granted, missing = [found for found in findings if found["check"] == "policy of pm"]
    assert granted["found"] == "0 tools of ours, 1 of the CLI's own"
    assert missing == {
        "check": "policy of pm",
        "state": "warn",
        "found": "agents.json:1:60: templates[0].cli.toolPolicy[0]: "
        "数_words is in no pack that could be loaded",
        "fix": "mend the failed packs, or remove the entry",
    }


def test_a_pattern_that_matches_everything_and_a_foreign_key_are_told_with_their_lines(
    setup: SetUp,
) -> None:
    setup.agents(
        '{"templates": [\n {"id": "pm",\n  "icon": "写",\n  "cli": {"toolPolicy": ["*"]}}]}'
    )
    found = json.loads(setup.examined("--format", "json").stdout)
    warned = {one["check"]: one["found"] for one in found if one["state"] == "warn"}
    assert warned["agents file"].endswith(
        "agents.json:3:3: templates[0].icon: not ours, and ignored"
    )
    assert warned["policy of pm"] == (
        "agents.json:4:26: templates[0].cli.toolPolicy[0]: "
        "* matches every tool that isn't the CLI's own, later ones too"
    )


def test_a_rule_that_can_never_hold_is_a_warning(setup: SetUp) -> None:
    rule = '{"tool": "timeline_append", "decision": "deny", "when": {"evnt": "密*"}}'
    setup.agents('{"templates": [{"id": "pm", "cli": {"toolPolicy": ["ns:docs", ' + rule + "]}}]}")
    found = json.loads(setup.examined("--format", "json").stdout)
    [warned] = [one["found"] for one in found if one["state"] == "warn" and "evnt" in one["found"]]
    assert warned.endswith("no argument evnt (did you mean event?): the rule never holds")


def test_a_tool_that_can_not_be_imported_is_a_failure(
    setup: SetUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "devloop_tools.tools.docs.diff_html", None)
    found = setup.finding("tools")
    assert found["state"] == "fail"
    assert found["found"].startswith("devloop_tools.tools.docs.diff_html can't be imported: ")
    assert found["fix"] == "install devloop-tools anew"


def test_every_agent_is_looked_at_or_the_one_that_was_named(setup: SetUp) -> None:
    everybody = json.loads(setup.examined("--format", "json", "--tools-dir", str(FIXTURES)).stdout)
    states = [(one["check"], one["state"]) for one in everybody]
    assert ("policy of misspelt", "fail") in states
    assert ("policy of architect", "ok") in states
    named = setup.examined("--format", "json", "--tools-dir", str(FIXTURES), "--agent", "coder")
    assert named.exit_code == 0
    assert "policy of architect" not in named.stdout


def test_an_agent_that_does_not_exist_is_a_failure_that_names_those_that_do(setup: SetUp) -> None:
    found = setup.finding("policy of 写手", "--agent", "写手")
    assert found["state"] == "fail"
    assert found["found"].endswith("has: pm")
    assert found["fix"] == "name one of these with --agent"


def test_a_project_folder_that_is_missing_is_named(setup: SetUp) -> None:
    setup.project.rmdir()
    found = setup.finding("project folder")
    assert (found["state"], found["fix"]) == ("fail", "name one with --project-dir")
    assert str(setup.project) in found["found"]


def test_a_project_folder_that_can_t_be_written_is_a_failure(setup: SetUp) -> None:
    # Root may write everywhere but where the kernel takes no files.
    closed = Path("/proc/self") if os.geteuid() == 0 else setup.project
    if os.geteuid() == 0 and not closed.exists():
        pytest.skip("root, and no folder that nobody may write")
    if closed is setup.project:
        closed.chmod(0o555)
    found = setup.finding("project folder", "--project-dir", str(closed))
    assert found["state"] == "fail"
    assert found["fix"] == "make it writable for this user, on a file system with locks"
    assert "database" not in setup.examined("--project-dir", str(closed)).stdout


def emit(root: Path) -> None:
    EventLog(Database(root)).emit(Origin("p", "pm", "c", "s"), EventType.TODO_LIST, {"items": []})


def test_the_events_of_a_sound_database_are_counted(setup: SetUp) -> None:
    emit(setup.project)
    emit(setup.project)
    assert setup.finding("database")["found"].startswith("2 events (SQLite ")


def broken(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[4096 : 2 * 4096] = b"\xff" * 4096
    file.write_bytes(content)


def without_events(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE events")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda file: file.write_bytes("不是".encode() * 1000), "file is not a database"),
        (broken, ""),
        (lambda file: file.unlink() or file.mkdir(), "a link or no regular file"),
        (lambda file: file.unlink() or file.symlink_to("nowhere"), "a link or no regular file"),
        (without_events, "no such table"),
    ],
)
def test_a_database_that_is_broken_is_a_failure(
    setup: SetUp, spoil: Callable[[Path], Any], words: str
) -> None:
    emit(setup.project)
    file = setup.project / ".devloop" / "state.db"
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    spoil(file)
    found = setup.finding("database")
    assert found["state"] == "fail"
    assert words in found["found"]
    assert found["fix"].startswith(f"move {file} away")


def test_a_database_that_is_still_empty_is_none_yet(setup: SetUp) -> None:
    (setup.project / ".devloop").mkdir()
    (setup.project / ".devloop" / "state.db").touch()
    assert setup.finding("database")["found"].startswith("none yet")


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_state_folder_that_is_none_is_a_failure(setup: SetUp, kind: str) -> None:
    place = setup.project / ".devloop"
    if kind == "file":
        place.touch()
    else:
        place.symlink_to(setup.tools)
    found = setup.finding("database")
    assert (found["state"], found["found"]) == ("fail", f"{place}: a link or no folder")


def test_looking_leaves_nothing_in_the_project(setup: SetUp) -> None:
    setup.examined()
    assert list(setup.project.iterdir()) == []


@pytest.mark.parametrize(
    ("script", "state", "words"),
    [
        ("echo 1.0.99", "fail", "1.0.99 at "),
        ("echo no number", "fail", "says no version (exit code 0)"),
        ("echo 2.1.400; exit 3", "fail", "says no version (exit code 3)"),
        ("echo 2.1.400; exec sleep 60", "fail", "gives no answer within 1 s"),
        ("echo 版本 2.1.332 >&2; echo 2.1.332", "ok", "2.1.332 at "),
        ("head -c 100000 /dev/zero; echo 2.1.400", "ok", "2.1.400 at "),
    ],
)
def test_the_claude_cli_is_asked_for_its_version(
    setup: SetUp, monkeypatch: pytest.MonkeyPatch, script: str, state: str, words: str
) -> None:
    monkeypatch.setattr(claude_version, "_LIMIT_S", 1.0)
    setup.script(script)
    found = setup.finding("claude")
    assert (found["state"], bool(found["fix"])) == (state, state != "ok")
    assert words in found["found"]


def test_a_claude_cli_that_is_missing_or_can_t_be_run_is_named(setup: SetUp) -> None:
    missing = setup.finding("claude", "--claude", "/没有/claude")
    assert missing["found"] == "/没有/claude: not found"
    setup.claude.write_bytes(b"\x00\x01 no program")
    odd = setup.finding("claude", "--claude", str(setup.claude))
    assert (odd["state"], "can't be run: " in odd["found"]) == ("fail", True)
    assert "other MCP clients need none" in odd["fix"]


def test_the_claude_cli_is_given_no_secrets(setup: SetUp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-秘密")
    setup.script('echo "2.1.400 $ANTHROPIC_API_KEY"; env > "$0.env"')
    setup.finding("claude")
    assert "秘密" not in Path(f"{setup.claude}.env").read_text()


@pytest.mark.parametrize(("version", "state"), [((3, 10, 1), "fail"), ((3, 14, 0), "fail")])
def test_a_python_that_was_not_tried_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], state: str
) -> None:
    monkeypatch.setattr(sys, "version_info", VersionInfo(*version))
    [found] = checks.check_python()
    assert (found.state, found.found) == (state, ".".join(map(str, version)))
    assert found.fix == "install with Python 3.11, 3.12 or 3.13"


class VersionInfo(NamedTuple):
    """Of another interpreter."""

    major: int
    minor: int
    micro: int


def test_a_package_that_is_missing_is_named_with_the_way_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def version(name: str) -> str:
        if name in ("typer", "orjson"):
            raise PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(checks, "version", version)
    ours, *missing = checks.check_package()
    assert ours.state == "ok"
    assert [(one.state, one.found) for one in missing] == [
        ("fail", "orjson is missing"), ("fail", "typer is missing")
    ]  # fmt: skip
    assert all(one.fix.startswith("pip install '") for one in missing)


def test_an_extra_that_is_not_there_is_no_fault_but_named(monkeypatch: pytest.MonkeyPatch) -> None:
    [here] = checks.check_extras()
    assert (here.state, here.found) == ("ok", "by words and meaning")
    monkeypatch.setattr(checks, "installed", lambda: False)
    [missing] = checks.check_extras()
    assert missing.state == "ok"
    assert "pip install 'devloop-tools[meaning]'" in missing.found


def test_an_installation_without_metadata_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "PACKAGE", "devloop-tools-that-is-not-there")
    [found] = checks.check_package()
    assert (found.state, found.found.endswith("is not installed")) == ("fail", True)
