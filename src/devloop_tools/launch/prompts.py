"""Where an agent's system prompt lies."""

import os
from collections.abc import Iterable
from pathlib import Path


def find_prompt(name: str, folders: Iterable[Path]) -> Path | None:
    """The file `name` in the first of `folders` that has it, or None."""
    for folder in folders:
        path = folder / name
        if os.path.isfile(path):
            return path.absolute()
    return None
