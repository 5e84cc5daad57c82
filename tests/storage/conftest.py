"""Real child processes for what only a second process can show."""

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts `python -c SOURCE ARGUMENTS...` and ends, by its id, what a test leaves running."""
    started: list[subprocess.Popen[str]] = []

    def start_child(source: str, *arguments: object) -> "subprocess.Popen[str]":
        child = subprocess.Popen(
            [sys.executable, "-c", source, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(child)
        return child

    yield start_child
    for child in started:
        child.kill()
        child.communicate(timeout=10)
