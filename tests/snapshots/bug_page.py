"""Draws `docs/bugs.md` from the table of states; `make snapshots` writes it."""

from pathlib import Path

from devloop_tools.domain.bugs.states import FINISHED, STATES, Status

PAGE = Path(__file__).resolve().parents[2] / "docs/bugs.md"

_HEAD = """\
# Bugs

Made from `src/devloop_tools/domain/bugs/states.py` by `make snapshots`; not edited by hand.

`bug_open` opens a bug, `bug_transition` takes one step of this table, and any other step changes
nothing and names the legal ones. Every step is kept with who, when and why.
"""


def draw_page() -> str:
    """The page as it should be."""
    return "\n".join([_HEAD, *_states(), "", *_steps(), "", *_repeated(), ""])


def _states() -> list[str]:
    rows = [
        f"| `{status}` | {state.meaning} | {', '.join(f'`{to}`' for to in state.to)} |"
        for status, state in STATES.items()
    ]
    return ["## States", "", "| status | means | legal steps |", "|---|---|---|", *rows]


def _steps() -> list[str]:
    arrows = [
        f"    {status} --> {to}"
        for status, state in STATES.items()
        for to in state.to
        if Status.DUPLICATE not in (status, to)
    ]
    return [
        "## The way of a bug", "", "Without the steps from and to `duplicate`:", "",
        "```mermaid", "stateDiagram-v2", f"    [*] --> {Status.OPEN}", *arrows, "```",
    ]  # fmt: skip


def _repeated() -> list[str]:
    finished = ", ".join(f"`{status}`" for status in STATES if status in FINISHED)
    return [
        "## The same failure again",
        "",
        f"Finished are {finished}.",
        "A failure that is reported again adds an occurrence to its unfinished bug. If there is",
        "none, a new bug is opened that names the finished one in `previous`. A bug can't be",
        "reopened while another one is unfinished for the same failure. What makes two reports the",
        "same is said in `src/devloop_tools/domain/bugs/fingerprint.py`.",
    ]
