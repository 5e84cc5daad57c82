"""The verdict on a path that one of the CLI's own tools would read or write.

The hook enforces it and `sandbox_check` tells it. The CLI follows links, so that both the path as
it is written and the place where it leads must be allowed. A link that is swapped in after the
verdict is beyond it: only our own tools open what was judged.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from devloop_tools.frozen import frozen
from devloop_tools.storage.sandbox import Operation, Sandbox, Verdict, means, split

OWNED = (
    ("timeline.ndjson", "timeline_append"),
    ("agent-state/**", "write_todolist, update_todo_item and update_runtime_state"),
    ("memory/**/index.json", "record_memory"),
    ("sdd/units.json", "bootstrap_sdd_site and write_mvcp_page"),
    ("prd/site.json", "write_chapter"),
    ("sdd/site.json", "write_chapter"),
    ("triage.json", "category_classifier"),
)
"""Files that a tool of ours keeps in order, and the tool that writes them."""


@frozen
class PathVerdict:
    """`resolved` is relative to the project folder, absolute outside of it; `reason`: why not."""

    allowed: bool
    resolved: str
    rule: str
    reason: str = ""


def judge_path(
    root: Path, sandbox: Sandbox, path: str, operation: Operation, *, folder: Path | None = None
) -> PathVerdict:
    """Whether the CLI's Read (or Glob, Grep), or its Write (or Edit), may touch `path`.

    A relative path is one below `folder`, which is the project folder `root` if none is given.
    """
    if not path or path.startswith("~"):
        reason = "write the path out, relative to the project folder" if path else "an empty path"
        return PathVerdict(False, path, "path", reason)
    try:
        places = list(_places(root, os.path.join(folder or root, path)))
    except ValueError:
        return PathVerdict(False, path, "path", "a control character or a lone surrogate")
    verdicts = [_judge_place(root, sandbox, place, operation) for place in places]
    return next((verdict for verdict in verdicts if not verdict.allowed), verdicts[0])


def _places(root: Path, path: str) -> Iterator[str]:
    """Where the path leads, and what it says if that is another place of the project."""
    real, said = os.path.realpath(path), os.path.normpath(path)
    yield real
    if said != real and _below(root, said) is not None:
        yield said


def _below(root: Path, place: str) -> str | None:
    """`place` relative to the project folder, empty for the folder itself; None outside of it."""
    if place == str(root):
        return ""
    prefix = os.path.join(root, "")
    return place.removeprefix(prefix) if place.startswith(prefix) else None


def _judge_place(root: Path, sandbox: Sandbox, place: str, operation: Operation) -> PathVerdict:
    below = _below(root, place)
    if below == "":
        if operation is Operation.READ:
            return PathVerdict(True, ".", "inside")
        return PathVerdict(False, ".", "path", "the project folder itself")
    if below is None and operation is Operation.WRITE:
        return PathVerdict(False, place, "outside", "it lies outside the project folder")
    verdict = sandbox.judge(place if below is None else below, operation)
    if below is None and not verdict.allowed and verdict.rule == "readAllowList":
        reason = "it lies outside the project folder and what readAllowList adds"
        return PathVerdict(False, place, verdict.rule, reason)
    if verdict.allowed and operation is Operation.WRITE:
        return _unless_owned(verdict)
    return PathVerdict(
        verdict.allowed, place if below is None else verdict.resolved, verdict.rule, verdict.reason
    )


def _unless_owned(verdict: Verdict) -> PathVerdict:
    for pattern, tool in OWNED:
        if means(pattern, split(verdict.resolved)):
            reason = f"{pattern} is written by {tool}; call that tool instead"
            return PathVerdict(False, verdict.resolved, f"owned {pattern}", reason)
    return PathVerdict(True, verdict.resolved, verdict.rule)
