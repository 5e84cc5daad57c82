"""Which cases a call means: one that it gives, or those of a file."""

from collections.abc import Mapping
from typing import Any

from devloop_tools.domain.running.case_model import Case, cases_in, in_order
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace


def chosen_cases(
    workspace: Workspace, case: Case | None, path: str | None, variables: Mapping[str, Any]
) -> tuple[list[Case], Mapping[str, Any]]:
    """The cases in the order to run them, and vars, those of the call over those of the file."""
    if (case is None) == (path is None):
        raise ExpectedFailure("case: one of case and path.", "Give a case or a file of cases.")
    if case is not None:
        return [case], variables
    assert path is not None
    content = workspace.read(path)
    if content is None:
        raise ExpectedFailure(f"path: there is no file {path}.", "Look whether it is spelled so.")
    found = cases_in(content, path)
    return in_order(found.cases, path), {**found.vars, **variables}
