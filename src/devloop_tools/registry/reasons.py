"""Why a verdict doesn't grant, in words for the model that asked."""

from devloop_tools.registry.policy import Policy, Verdict
from devloop_tools.registry.rules import Decision

NO_HUMAN = "a person would have to agree, and no human is available"


def why(policy: Policy, verdict: Verdict, namespace: str = "") -> str:
    """The reason, and what would be allowed if the rule says so."""
    given = verdict.by.reason if verdict.by else ""
    if verdict.decision is Decision.ASK:
        return f"{NO_HUMAN} ({given or verdict.rule})"
    if verdict.by is None:
        some = " with these arguments" if policy.allows(verdict.tool, namespace) else ""
        return f"{verdict.tool} is not granted to {policy.agent}{some}"
    return given or f"the policy refuses it ({verdict.rule})"
