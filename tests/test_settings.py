"""Flags and environment to one frozen `Settings`."""

import os
import uuid
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.settings import (
    Flags,
    SettingsError,
    is_id,
    resolve,
    resolve_project_dir,
    resolve_tools_dir,
)


def fault(flags: Flags, environ: dict[str, str] | None = None) -> str:
    """What is wrong with the flags, on one line."""
    with pytest.raises(SettingsError) as caught:
        resolve(flags, environ or {})
    text = str(caught.value)
    assert "\n" not in text
    return text


def flags(folder: Path, **others: Any) -> Flags:
    return Flags(**{"agent": "pm", "project_dir": str(folder), **others})


@pytest.mark.parametrize("agent", ["pm", "devloop-pm"])
def test_an_agent_goes_by_its_short_name(agent: str, tmp_path: Path) -> None:
    settings = resolve(flags(tmp_path, agent=agent), {})
    assert settings.agent == "pm"
    assert settings.project_dir == tmp_path
    assert settings.project_id == tmp_path.name
    assert (settings.unit_id, settings.data_dir, settings.for_cli) == (None, None, False)


@pytest.mark.parametrize("agent", [None, "", "devloop-"])
def test_a_server_needs_an_agent(agent: str | None, tmp_path: Path) -> None:
    assert fault(flags(tmp_path, agent=agent)).startswith("--agent is missing")


def test_a_host_may_name_its_agents_later(tmp_path: Path) -> None:
    assert resolve(flags(tmp_path, agent=None, host=True), {}).agent is None
    assert resolve(flags(tmp_path, agent="devloop-pm", host=True), {}).agent == "pm"


def test_a_host_is_not_the_cli(tmp_path: Path) -> None:
    assert fault(flags(tmp_path, host=True, for_cli=True)) == (
        "--host and --for-cli exclude each other"
    )


@pytest.mark.parametrize("agent", ["coder", "devloop-tester"])
def test_a_coder_and_a_tester_work_on_one_unit(agent: str, tmp_path: Path) -> None:
    assert fault(flags(tmp_path, agent=agent)).startswith("--unit is missing: ")
    assert resolve(flags(tmp_path, agent=agent, unit="待办-be_1.2"), {}).unit_id == "待办-be_1.2"


@pytest.mark.parametrize(
    "unit", ["", ".hidden", "a/b", "..", "a b", "a\n", "x" * 65, "e\u0301", "\ud800"]
)
def test_a_unit_that_is_no_name_is_refused(unit: str, tmp_path: Path) -> None:
    assert fault(flags(tmp_path, agent="coder", unit=unit)).startswith("--unit: ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("todo-be", True), ("第一章", True), ("-", True), ("_x.y", True), ("x" * 64, True),
     ("", False), (".x", False), ("a/b", False), ("a:b", False), ("\u00e9", True),
     ("e\u0301", False)],
)  # fmt: skip
def test_a_name_has_letters_of_any_script_in_their_composed_form(text: str, expected: bool) -> None:
    assert is_id(text) is expected


def test_a_name_whose_marks_stand_apart_is_told_what_it_lacks(tmp_path: Path) -> None:
    flags = Flags(agent="coder", unit="cafe\u0301", project_dir=str(tmp_path))
    assert r"in NFC it is caf\xe9, and this is cafe\u0301" in fault(flags)


def test_a_file_is_no_project_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    flags = Flags(agent="pm", project_dir=str(tmp_path / "file"))
    assert fault(flags).endswith("file is no folder; name another")


def test_a_project_below_a_data_folder_is_placed_by_its_names(tmp_path: Path) -> None:
    folder = tmp_path / "companies" / "公司" / "projects" / "p-1"
    folder.mkdir(parents=True)
    given = Flags(agent="pm", data_dir=str(tmp_path), company="公司", project="p-1")
    settings = resolve(given, {"CLAUDE_PROJECT_DIR": "/nowhere"})
    assert (settings.project_dir, settings.project_id, settings.data_dir) == (
        folder,
        "p-1",
        tmp_path,
    )


@pytest.mark.parametrize(
    "given",
    [
        {"data_dir": "d"},
        {"company": "c"},
        {"project": "p"},
        {"data_dir": "d", "company": "c"},
        {"data_dir": "d", "project": "p"},
        {"company": "c", "project": "p"},
        {"data_dir": "d", "company": "", "project": "p"},
    ],
)
def test_the_three_flags_of_a_data_folder_belong_together(given: dict[str, Any]) -> None:
    assert fault(Flags(agent="pm", **given)) == (
        "--data-dir, --company and --project belong together"
    )


@pytest.mark.parametrize("name", ["data_dir", "company", "project"])
def test_a_project_folder_excludes_a_data_folder(name: str, tmp_path: Path) -> None:
    assert fault(flags(tmp_path, **{name: "x"})) == (
        "--project-dir and --data-dir/--company/--project exclude each other"
    )


@pytest.mark.parametrize("name", ["company", "project"])
@pytest.mark.parametrize("value", ["..", "a/b", "."])
def test_a_company_or_project_that_is_no_name_is_refused(
    name: str, value: str, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"data_dir": str(tmp_path), "company": "c", "project": "p", name: value}
    assert fault(Flags(agent="pm", **given)).startswith(f"--{name}: '{value}' is no name")


@pytest.mark.parametrize("name", ["不存在", "x" * 5000, "a-file/below"])
def test_a_project_folder_that_is_not_there_is_never_made(name: str, tmp_path: Path) -> None:
    (tmp_path / "a-file").write_text("")
    text = fault(flags(tmp_path / name))
    assert text.startswith("the project folder ")
    assert text.endswith("does not exist; make it, or name another")
    assert [path.name for path in tmp_path.iterdir()] == ["a-file"]


def test_the_flag_comes_before_the_environment_and_that_before_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("flag", "环境", "here"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    environ = {"CLAUDE_PROJECT_DIR": str(tmp_path / "环境")}
    given = Flags(project_dir=str(tmp_path / "flag"))
    assert resolve_project_dir(given, environ) == tmp_path / "flag"
    assert resolve_project_dir(Flags(), environ) == tmp_path / "环境"
    assert resolve_project_dir(Flags(), {"CLAUDE_PROJECT_DIR": ""}) == tmp_path / "here"


def test_a_current_folder_that_is_gone_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert fault(Flags(agent="pm")).startswith("the current folder is gone (")


def test_a_project_folder_is_absolute_and_its_links_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    assert resolve_project_dir(Flags(project_dir="link"), {}) == tmp_path / "real"


def test_a_folder_whose_name_is_not_utf8_has_an_id_that_can_be_written(tmp_path: Path) -> None:
    os.mkdir(os.fsencode(tmp_path) + b"/caf\xe9")
    settings = resolve(flags(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))), {})
    assert settings.project_id == "caf\ufffd"
    assert settings.project_dir.is_dir()


def test_the_session_is_the_flags_then_the_clis_then_a_new_one(tmp_path: Path) -> None:
    environ = {"CLAUDE_CODE_SESSION_ID": "cli-1"}
    assert resolve(flags(tmp_path, session="会话-1"), environ).session_id == "会话-1"
    assert resolve(flags(tmp_path), environ).session_id == "cli-1"
    first, second = (resolve(flags(tmp_path), {}).session_id for _ in range(2))
    assert uuid.UUID(first) != uuid.UUID(second)


@pytest.mark.parametrize("session", ["", "a\nb", "x" * 129, "\udcff"])
def test_a_session_that_can_not_be_written_is_refused_or_replaced(
    session: str, tmp_path: Path
) -> None:
    assert fault(flags(tmp_path, session=session)).startswith("--session: ")
    replaced = resolve(flags(tmp_path), {"CLAUDE_CODE_SESSION_ID": session}).session_id
    assert uuid.UUID(replaced)


def test_the_tools_folder_is_the_given_one_or_the_bundled_one(tmp_path: Path) -> None:
    assert resolve_tools_dir(str(tmp_path)) == tmp_path
    assert (resolve_tools_dir(None) / "agents.json").is_file()
    assert resolve_tools_dir("") == resolve_tools_dir(None)


@pytest.mark.parametrize("name", ["不存在", "x" * 5000])
def test_a_tools_folder_that_is_not_there_is_said(name: str, tmp_path: Path) -> None:
    text = fault(flags(tmp_path, tools_dir=str(tmp_path / name)))
    assert text.startswith("--tools-dir: ")
    assert text.endswith(" is not a folder")
