"""The console script."""

import subprocess
import sys
from pathlib import Path

import pytest

from devloop_tools.cli.main import main
from devloop_tools.version import VERSION


def test_the_command_line_lists_its_commands(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["devloop-tools", "--help"])
    with pytest.raises(SystemExit, match="0"):
        main()
    out = capsys.readouterr().out
    assert all(name in out for name in ("serve", "call", "doctor"))


def test_the_version_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["devloop-tools", "--version"])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert capsys.readouterr().out == f"devloop-tools {VERSION}\n"


def test_a_command_that_does_not_exist_ends_with_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["devloop-tools", "不存在"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "不存在" in capsys.readouterr().err


def test_serving_needs_no_typer(tmp_path: Path) -> None:
    """It takes longer to load than the first answer may."""
    program = (
        "import sys; sys.modules['typer'] = None; from devloop_tools.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "serve", "--agent", "pm", "--project-dir", str(tmp_path)],
        input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        capture_output=True,
        timeout=30,
    )
    assert (done.returncode, done.stdout) == (0, b'{"jsonrpc":"2.0","id":1,"result":{}}\n')


def test_an_interrupt_is_the_end_and_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("devloop_tools.cli.commands.app", interrupted)
    monkeypatch.setattr(sys, "argv", ["devloop-tools", "events", "--follow"])
    with pytest.raises(SystemExit, match="130"):
        main()
