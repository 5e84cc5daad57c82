"""Policy's word on one call of our own tools, given when its arguments are known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from devloop_tools.frozen import frozen
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.policy import Policy, Verdict
from devloop_tools.registry.reasons import why


@frozen
class Denied:
    """Policy says no: by an argument, or by a rule that asks. `trace` is for the record."""

    text: str
    trace: JsonObject


@dataclass(slots=True)
class Admission:
    """One per call. `verdict` is None until it was asked."""

    policy: Policy
    entry: ToolEntry
    verdict: Verdict | None = None

    def refusal(self, arguments: Any) -> Denied | None:
        """Why the call may not run with these arguments, as its tool gets them; None if it may."""
        known = _plain(arguments) if self.policy.reads_arguments else {}
        namespace = self.entry.namespace
        verdict = self.policy.decide(self.entry.name, known, namespace=namespace)
        self.verdict = verdict
        if verdict.grants:
            return None
        reason = why(self.policy, verdict, namespace)
        text = f"{verdict.tool} was not run: {reason}"
        return Denied(text, {**self.policy.trace(verdict), "reason": reason})


def _plain(arguments: Any) -> Mapping[str, Any]:
    if isinstance(arguments, BaseModel):
        return arguments.model_dump(mode="json", by_alias=True)
    return arguments if isinstance(arguments, dict) else {}
