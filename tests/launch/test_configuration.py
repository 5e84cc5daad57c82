"""Configuration inside the project: what a person is shown, and what is remembered."""

import os
from pathlib import Path

import pytest

from devloop_tools.launch import configuration
from devloop_tools.launch.configuration import (
    accept,
    accepted_before,
    digest_inside,
    read_configuration,
    require_unchanged,
)
from devloop_tools.launch.errors import LaunchError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "配置"
    (folder / "packs").mkdir(parents=True)
    (folder / "agents.json").write_text('{\n"a": "写"\n}\n', encoding="utf-8")
    (folder / "packs/x.py").write_bytes(b"x = 1\n\xff\n")
    return folder


def changes(folder: Path, state: Path) -> list[str]:
    return list(read_configuration(folder).changes_since(accepted_before(folder, state) or {}))


def test_everything_is_new_until_it_was_accepted_once(folder: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    assert accepted_before(folder, state) is None
    shown = changes(folder, state)
    assert [line for line in shown if line.startswith("+ new")] == [
        "+ new: agents.json",
        "+ new: packs/x.py",
    ]
    assert '  +"a": "写"' in shown
    assert "  +\\xff" in shown
    accept(read_configuration(folder), state)
    assert changes(folder, state) == []


def test_a_change_is_shown_line_by_line(folder: Path, tmp_path: Path) -> None:
    accept(read_configuration(folder), tmp_path)
    (folder / "agents.json").write_text('{\n"a": "改"\n}\n', encoding="utf-8")
    (folder / "packs/x.py").unlink()
    shown = changes(folder, tmp_path)
    assert '  -"a": "写"' in shown
    assert '  +"a": "改"' in shown
    assert "- gone: packs/x.py" in shown


def test_the_digest_is_of_every_file_and_of_the_folder(folder: Path, tmp_path: Path) -> None:
    first = read_configuration(folder).digest
    assert first.startswith("sha256:")
    assert read_configuration(folder).digest == first
    (folder / "packs/__pycache__").mkdir()
    (folder / "packs/__pycache__/x.pyc").write_bytes(b"1")
    assert read_configuration(folder).digest == first
    (folder / "packs/y.py").write_text("")
    assert read_configuration(folder).digest != first


def test_what_was_accepted_is_the_users_alone(folder: Path, tmp_path: Path) -> None:
    accept(read_configuration(folder), tmp_path / "state")
    [record] = (tmp_path / "state/configurations").iterdir()
    assert record.stat().st_mode & 0o777 == 0o600
    record.write_text("{")
    assert accepted_before(folder, tmp_path / "state") is None


def test_what_can_not_be_kept_is_said(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LaunchError, match="can't be written"):
        accept(read_configuration(folder), tmp_path / "file")


def test_more_than_a_person_would_look_at_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configuration, "MAX_FILE_BYTES", 5)
    with pytest.raises(LaunchError, match=r"agents\.json: larger than 5 bytes"):
        read_configuration(folder)
    monkeypatch.setattr(configuration, "MAX_FILES", 0)
    with pytest.raises(LaunchError, match="more than 0 files"):
        read_configuration(folder)


def test_a_link_is_read_where_it_leads(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "target.py").write_text("one")
    os.symlink(tmp_path / "target.py", folder / "packs/link.py")
    before = read_configuration(folder).digest
    (tmp_path / "target.py").write_text("two")
    assert read_configuration(folder).digest != before


def test_what_lies_inside_the_project_is_pinned_together(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path.parent / "elsewhere"
    assert digest_inside(folder, [outside]) is None
    digest = digest_inside(tmp_path, [outside, folder])
    assert digest
    require_unchanged(digest, tmp_path, [outside, folder])
    (folder / "packs/evil.py").write_text("")
    with pytest.raises(LaunchError, match="has changed since the agent was launched"):
        require_unchanged(digest, tmp_path, [outside, folder])
