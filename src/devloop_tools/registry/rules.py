"""One entry of a `toolPolicy`: what it decides, for which tools, and for which arguments."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from devloop_tools.frozen import frozen
from devloop_tools.registry.conditions import Condition
from devloop_tools.registry.names import NAMESPACES, OPEN_NAMESPACES

MAX_REASON = 500
LONGEST_WAIT_S = 7 * 24 * 60 * 60

_KEYS = ("tool", "decision", "when", "reason", "timeout_s")
_PATTERN = re.compile(r"[A-Za-z0-9_*-]+")
_SERVER = re.compile(r"mcp__(?:(?!__)[^*])+")


class Decision(StrEnum):
    """From the strongest to the weakest."""

    DENY = "deny"
    ASK = "ask"
    DEFER = "defer"
    ALLOW = "allow"

    @property
    def restricts(self) -> bool:
        """Whether it takes something away from what others grant."""
        return self in (Decision.DENY, Decision.ASK)


class RuleFault(Exception):
    """What is wrong with an entry, and with which of its keys (None: the whole)."""

    def __init__(self, reason: str, key: str | None = None) -> None:
        super().__init__(reason)
        self.key = key


@frozen
class Rule:
    """`tool` is a name, a glob or `ns:NAMESPACE`; `position` counts the entries of the policy."""

    tool: str
    decision: Decision = Decision.ALLOW
    when: tuple[Condition, ...] = ()
    reason: str = ""
    timeout_s: float | None = None
    position: int = 0

    @property
    def is_name(self) -> bool:
        """Whether it means one tool alone."""
        return not self.is_namespace and "*" not in self.tool and not self.is_server

    @property
    def is_server(self) -> bool:
        """Whether it is `mcp__SERVER`, which means all tools of an upstream."""
        return _SERVER.fullmatch(self.tool) is not None

    @property
    def is_namespace(self) -> bool:
        return self.tool.startswith("ns:")

    @property
    def matches_everything(self) -> bool:
        """Whether every tool and every call of it is meant."""
        return not self.when and not self.tool.removeprefix("ns:").strip("*")

    def holds(self, arguments: Mapping[str, Any]) -> bool:
        """Whether it is meant for these arguments."""
        restricts = self.decision.restricts
        return all(condition.holds(arguments, restricts=restricts) for condition in self.when)

    @property
    def glob(self) -> str:
        """What the tool's name must match, or its namespace."""
        return f"{self.tool}__*" if self.is_server else self.tool.removeprefix("ns:")

    def __str__(self) -> str:
        when = f" when {' and '.join(map(str, self.when))}" if self.when else ""
        return f"{self.decision} {self.tool}{when}"


def read_rule(entry: str | dict[str, Any], position: int) -> Rule:
    """The rule of one entry. Raises RuleFault; whether the tool exists isn't looked at."""
    if isinstance(entry, str):
        return Rule(_tool(entry), position=position)
    for key in entry:
        if key not in _KEYS:
            close = get_close_matches(key, _KEYS, n=1)
            meant = f" (did you mean {close[0]}?)" if close else ""
            raise RuleFault(f"unknown key{meant}; a rule has: {', '.join(_KEYS)}", key)
    decision = _decision(entry.get("decision"))
    return Rule(
        tool=_tool(entry.get("tool")),
        decision=decision,
        when=_conditions(entry.get("when")),
        reason=_reason(entry.get("reason")),
        timeout_s=_timeout(entry.get("timeout_s"), decision),
        position=position,
    )


def _tool(value: Any) -> str:
    if not isinstance(value, str):
        raise RuleFault("tool: a name, a pattern or ns:NAMESPACE is expected", "tool")
    if value.startswith("ns:"):
        return _namespace(value)
    written = "*" in value or value.startswith("mcp__")
    if written and not _PATTERN.fullmatch(value):
        raise RuleFault(f"{value}: a tool's name has A-Z a-z 0-9 _ - and * stands for any of them")
    if value.startswith("mcp__devloop__"):
        own = value.removeprefix("mcp__devloop__")
        raise RuleFault(f"{value}: our own tools have no prefix here; write {own or 'a name'}")
    return value


def _namespace(value: str) -> str:
    name = value.removeprefix("ns:")
    if name in NAMESPACES or "*" in name or name.startswith(OPEN_NAMESPACES):
        return value
    close = get_close_matches(name, sorted(NAMESPACES), n=1)
    meant = f"did you mean ns:{close[0]}?" if close else f"there are: {', '.join(NAMESPACES)}"
    raise RuleFault(f"unknown namespace: {name} ({meant})")


def _decision(value: Any) -> Decision:
    try:
        return Decision(value)
    except ValueError:
        found = "is missing" if value is None else f"is {value!r}"
        raise RuleFault(f"decision {found}; use deny, ask, defer or allow", "decision") from None


def _conditions(value: Any) -> tuple[Condition, ...]:
    if value is None:
        return ()
    if not isinstance(value, dict) or not value:
        raise RuleFault('when: an object is expected, such as {"command": "npm publish*"}', "when")
    return tuple(Condition(field, _wanted(field, wanted)) for field, wanted in value.items())


def _wanted(field: str, value: Any) -> tuple[str | int | float | bool | None, ...]:
    wanted = value if isinstance(value, list) else [value]
    if not wanted or not all(isinstance(w, str | int | float | bool | None) for w in wanted):
        raise RuleFault(f"when.{field}: a pattern, a value or a list of such is expected", "when")
    return tuple(wanted)


def _reason(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > MAX_REASON:
        raise RuleFault(f"reason: a text of at most {MAX_REASON} characters", "reason")
    return value


def _timeout(value: Any, decision: Decision) -> float | None:
    if value is None:
        return None
    if decision is not Decision.ASK:
        raise RuleFault("timeout_s: only a rule that asks waits for somebody", "timeout_s")
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value <= LONGEST_WAIT_S:
        raise RuleFault(f"timeout_s: seconds above 0, at most {LONGEST_WAIT_S}", "timeout_s")
    return float(value)
