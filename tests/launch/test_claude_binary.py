"""Which CLI is started."""

from pathlib import Path

import pytest

from devloop_tools.launch import claude_binary
from devloop_tools.launch.claude_binary import find_claude


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of the SDK's name that can't be imported, and the CLI in it."""
    package = tmp_path / "site" / "claude_agent_sdk"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('was imported')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(package.parent))
    return executable(package / "_bundled" / "claude")


@pytest.mark.parametrize(
    ("given", "found"), [("/opt/克 a/claude", "/opt/克 a/claude"), ("claude-next", "claude-next")]
)
def test_the_given_one_is_taken(given: str, found: str, sdk: Path) -> None:
    assert find_claude(given, {"PATH": str(sdk.parent)}) == found


def test_a_given_relative_path_is_written_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_claude("./bin/claude", {}) == f"{tmp_path}/bin/claude"


def test_the_one_on_path_goes_before_the_one_in_the_sdk(tmp_path: Path, sdk: Path) -> None:
    on_path = executable(tmp_path / "bin 工具" / "claude")
    assert find_claude(None, {"PATH": f"/nowhere:{on_path.parent}"}) == str(on_path)


def test_a_relative_entry_of_path_gives_an_absolute_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    on_path = executable(tmp_path / "bin" / "claude")
    assert find_claude(None, {"PATH": "bin"}) == str(on_path)


def test_the_one_in_the_sdk_is_found_without_importing_it(sdk: Path) -> None:
    assert find_claude(None, {"PATH": "/nowhere"}) == str(sdk)


def test_an_sdk_without_a_cli_leaves_the_word(sdk: Path) -> None:
    sdk.unlink()
    assert find_claude(None, {"PATH": "/nowhere"}) == "claude"


def test_without_an_sdk_the_word_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_binary, "SDK_PACKAGE", "no_package_of_this_name")
    assert find_claude(None, {"PATH": "/nowhere"}) == "claude"
