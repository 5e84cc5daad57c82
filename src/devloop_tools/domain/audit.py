"""What was decided about calls, and by which rule: the project's events as an audit reads them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from devloop_tools.domain.events import Event, EventLog, EventType

DECISIONS = (
    EventType.POLICY_REFUSED,
    EventType.POLICY_DECIDED,
    EventType.TOOL_CALLED,
    EventType.TOOL_FAILED,
    EventType.TOOL_CRASHED,
)
"""Events of calls; one of the last three stands for a call that was let through."""


@dataclass(frozen=True)
class AuditEntry:
    """One decision. `outcome`: refused, passed (to the CLI), done, failed or crashed."""

    id: int
    ts: str
    agent: str
    unit_id: str | None
    session_id: str | None
    call_id: str | None
    tool: str
    decision: str
    rule: str
    outcome: str
    file: str | None = None
    line: int | None = None
    position: str | None = None
    subject: str | None = None
    reason: str | None = None


_OUTCOMES = {
    EventType.POLICY_REFUSED: "refused",
    EventType.POLICY_DECIDED: "passed",
    EventType.TOOL_CALLED: "done",
    EventType.TOOL_FAILED: "failed",
    EventType.TOOL_CRASHED: "crashed",
}


def read_audit(log: EventLog, agent: str | None = None, since: str = "") -> Iterator[AuditEntry]:
    """Every decision, oldest first; of one agent, and from a time on (as events write it)."""
    after = 0
    while page := log.of_types(DECISIONS, after, agent=agent, since=since):
        for event in page:
            if entry := _entry(event):
                yield entry
        after = page[-1].id


def _entry(event: Event) -> AuditEntry | None:
    """None for a call that no rule was asked about, since its arguments could not be read."""
    data: dict[str, Any] = dict(event.data)
    rule = data.get("rule")
    if not isinstance(rule, str):
        return None
    return AuditEntry(
        id=event.id,
        ts=event.ts,
        agent=event.agent,
        unit_id=event.unit_id,
        session_id=event.session_id,
        call_id=event.call_id,
        tool=str(data.get("tool", "")),
        decision=str(data.get("decision") or rule.partition(" ")[0]),
        rule=rule,
        outcome=_OUTCOMES[EventType(event.type)],
        **{name: data.get(name) for name in ("file", "line", "position", "subject", "reason")},
    )
