"""Verdicts on several paths at once, as the CLI's own tools would get them."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from devloop_tools.domain.outcome import Done
from devloop_tools.domain.path_verdicts import judge_path
from devloop_tools.storage.sandbox import Operation
from devloop_tools.storage.workspace import Workspace

PathOperation = Operation
"""read or write, as a tool's argument."""


class PathChecked(BaseModel):
    """`rule` decided; `reason` says why not, and is empty for what is allowed."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    path: str
    allowed: bool
    resolved: str
    rule: str
    reason: str


class PathsChecked(Done):
    """A verdict a path, in the order of the paths; `allowed` if all are."""

    allowed: bool
    paths: list[PathChecked]


def check_paths(workspace: Workspace, paths: Sequence[str], operation: Operation) -> PathsChecked:
    """Whether the agent's CLI may read or write each of `paths`. Nothing is opened."""
    checked = []
    for path in paths:
        verdict = judge_path(workspace.root, workspace.sandbox, path, operation)
        checked.append(
            PathChecked(
                path=path,
                allowed=verdict.allowed,
                resolved=verdict.resolved,
                rule=verdict.rule,
                reason=verdict.reason,
            )
        )
    return PathsChecked(allowed=all(each.allowed for each in checked), paths=checked)
