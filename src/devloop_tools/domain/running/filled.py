"""A text, a file or a value with its placeholders filled."""

from collections.abc import Mapping
from typing import Any

from devloop_tools.domain.outcome import Done
from devloop_tools.domain.running.known_values import known_values
from devloop_tools.domain.running.placeholders import Filling, Unresolved
from devloop_tools.storage.database import Database
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

MAX_FILE = 1_000_000


class Filled(Done):
    """`complete`: nothing is unresolved."""

    filled: Any
    complete: bool
    unresolved: list[Unresolved]


def filled(
    workspace: Workspace,
    database: Database,
    text: str | None,
    path: str | None,
    value: dict[str, Any] | None,
    variables: Mapping[str, Any],
) -> Filled:
    """Exactly one of text, path and value. Raises ExpectedFailure."""
    if [text, path, value].count(None) != 2:
        raise ExpectedFailure("text: one of text, path and value.", "Give exactly one.")
    filling = Filling(known_values(workspace, database, variables))
    if text is not None:
        result: Any = filling.text(text)
    elif path is not None:
        result = filling.text(_read(workspace, path), path)
    else:
        result = filling.fill(value)
    return Filled(filled=result, complete=not filling.unresolved, unresolved=filling.unresolved)


def _read(workspace: Workspace, path: str) -> str:
    content = workspace.read(path)
    if content is None:
        raise ExpectedFailure(f"path: there is no file {path}.", "Look whether it is spelled so.")
    if len(content) > MAX_FILE:
        raise ExpectedFailure(f"path: {path} has more than {MAX_FILE} bytes.", "Fill parts of it.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise ExpectedFailure(f"path: {path} is not UTF-8.", "Give a text file.") from exc
