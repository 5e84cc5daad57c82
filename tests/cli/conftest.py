"""The command line, as its tests call it."""

from collections.abc import Iterator
from functools import cache

import pytest
from typer.main import get_command


@pytest.fixture(autouse=True, scope="session")
def _commands_are_built_once() -> Iterator[None]:
    """For each call Typer's runner builds all commands from their functions, which costs most."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(get_command))
        yield
