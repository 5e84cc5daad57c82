"""Who may call what: one agent's `toolPolicy`, read once and frozen."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from devloop_tools.frozen import frozen
from devloop_tools.registry.errors import LoadError
from devloop_tools.registry.names import DEV_LOOP_TOOLS, NATIVE_TOOLS


class PolicyError(LoadError):
    """A `toolPolicy` that can't be used; the text names the entry and what was meant."""


class Decision(StrEnum):
    ALLOW = "allow"
    DENY = "deny"


@frozen
class Verdict:
    """What was decided about a tool, and the entry that decided."""

    decision: Decision
    rule: str


@frozen
class Policy:
    """What one agent is granted. Nothing matched is deny; `*` never grants a native tool."""

    agent: str
    names: frozenset[str]
    everything: bool
    missing: tuple[str, ...] = ()
    """Names that a pack may have which could not be loaded; they grant nothing."""

    def decide(self, tool: str) -> Verdict:
        """The verdict on one of our tools or a native one."""
        if tool in self.names:
            return Verdict(Decision.ALLOW, tool)
        if self.everything and tool not in NATIVE_TOOLS:
            return Verdict(Decision.ALLOW, "*")
        return Verdict(Decision.DENY, "nothing matched")

    def allows(self, tool: str) -> bool:
        """Whether the agent may call `tool`."""
        return self.decide(tool).decision is Decision.ALLOW

    @property
    def native_tools(self) -> Sequence[str]:
        """The CLI's own tools that are granted, sorted."""
        return sorted(self.names & NATIVE_TOOLS)


def build_policy(
    agent: str,
    entries: Sequence[str | dict[str, Any]],
    existing: Collection[str],
    *,
    packs_failed: bool = False,
) -> Policy:
    """The policy of `agent`, where `existing` are the names in the registry.

    A name of the catalogue that isn't built yet grants nothing. Raises PolicyError for a name
    that nobody knows; where a pack has failed, it may be its, and is kept as missing.
    """
    known = {*existing, *NATIVE_TOOLS, *DEV_LOOP_TOOLS}
    names: set[str] = set()
    missing: list[str] = []
    for position, entry in enumerate(entries):
        match entry:
            case "*":
                pass
            case str(name) if name in known:
                names.add(name)
            case str(name) if packs_failed:
                missing.append(name)
            case str(name):
                raise PolicyError(f"toolPolicy[{position}]: {_unknown(name, existing)}")
            case _:
                raise PolicyError(
                    f"toolPolicy[{position}]: {entry!r} is not a tool's name; rules are not known"
                )
    return Policy(agent, frozenset(names), "*" in entries, tuple(missing))


def _unknown(name: str, existing: Collection[str]) -> str:
    known = [*existing, *DEV_LOOP_TOOLS, *NATIVE_TOOLS]
    close = get_close_matches(name, known, n=1)
    return f"unknown tool: {name}" + (f" (did you mean {close[0]}?)" if close else "")
