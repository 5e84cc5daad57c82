"""Command lines are built for a run folder that isn't there: building touches no disk."""

from pathlib import Path

import pytest

from devloop_tools.launch.arguments import LaunchOptions


@pytest.fixture
def options(tmp_path: Path) -> LaunchOptions:
    return LaunchOptions(
        claude="claude", server=("/usr/bin/python3", "serve"), folder=tmp_path / "run"
    )
