"""The installed server with a pack of its own, for other people's clients."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pytest

TOOLS = Path(__file__).parent / "tools.d"


def missing(reason: str) -> NoReturn:
    """Skip the test, or fail it where the clients are required."""
    if os.environ.get("DEVLOOP_REQUIRE_CLIENTS"):
        pytest.fail(reason)
    pytest.skip(reason)


def server_words(project: Path) -> Sequence[str]:
    """The command line of the installed server."""
    script = Path(sys.executable).with_name("devloop-tools")
    flags = ["--agent", "pm", "--project-dir", str(project), "--tools-dir", str(TOOLS)]
    return [str(script), "serve", *flags]


def environment(folder: Path) -> dict[str, str]:
    """What the server is started with: nothing of a session around, and a state of its own."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "项目 demo"
    folder.mkdir()
    return folder
