"""The life of a bug: one table of states and legal steps, which code and `docs/bugs.md` share."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    OPEN = "open"
    TRIAGED = "triaged"
    ASSIGNED = "assigned"
    FIXING = "fixing"
    FIXED = "fixed"
    VERIFIED = "verified"
    CLOSED = "closed"
    REOPENED = "reopened"
    DUPLICATE = "duplicate"
    WONTFIX = "wontfix"
    CANNOT_REPRODUCE = "cannot_reproduce"


@dataclass(frozen=True, slots=True)
class State:
    """What a status means, and the steps that are legal from it, the usual one first.

    A finished bug is over unless it is reopened: the same failure opens another one.
    """

    meaning: str
    to: tuple[Status, ...]
    finished: bool = False


_SIDE = (Status.DUPLICATE, Status.WONTFIX, Status.CANNOT_REPRODUCE)

STATES = {
    Status.OPEN: State("Reported; nobody has judged it yet.", (Status.TRIAGED, *_SIDE)),
    Status.TRIAGED: State(
        "Somebody has said what it is and where it belongs.", (Status.ASSIGNED, *_SIDE)
    ),
    Status.ASSIGNED: State(
        "An agent or a person is to mend it.", (Status.FIXING, Status.TRIAGED, *_SIDE)
    ),
    Status.FIXING: State("It is being mended.", (Status.FIXED, Status.ASSIGNED, *_SIDE)),
    Status.FIXED: State("Who mended it says that it is gone.", (Status.VERIFIED, Status.REOPENED)),
    Status.VERIFIED: State("Somebody has seen that it is gone.", (Status.CLOSED, Status.REOPENED)),
    Status.CLOSED: State("Over.", (Status.REOPENED,), finished=True),
    Status.REOPENED: State(
        "It is back, or was never gone.", (Status.TRIAGED, Status.ASSIGNED, Status.FIXING, *_SIDE)
    ),
    Status.DUPLICATE: State(
        "The same as another bug, which `duplicate_of` names.", (Status.REOPENED,), finished=True
    ),
    Status.WONTFIX: State(
        "It is meant so, or not worth mending.", (Status.CLOSED, Status.REOPENED), finished=True
    ),
    Status.CANNOT_REPRODUCE: State(
        "Nobody could make it happen again.", (Status.CLOSED, Status.REOPENED), finished=True
    ),
}
"""Every status once, in the order of a bug's life."""

FINISHED = frozenset(status for status, state in STATES.items() if state.finished)
