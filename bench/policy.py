"""Decisions of a policy with 200 rules: names, patterns, namespaces and conditions.

`python bench/policy.py` prints the microseconds of one decision:
of a tool that is decided about for the first time, and again, when its rules have been found.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from devloop_tools.registry.policy import Policy, build_policy

RULES = 200
AT_MOST_US = 50
ROUNDS = 2000
ARGUMENTS = {"command": "cd app && npm run build && git push", "path": "a/../b"}


def policy() -> Policy:
    """50 names, 50 denied patterns, 50 that ask under a condition, 25 deferred, 25 allowed."""
    names = [f"tool_{number}" for number in range(50)]
    rules: list[str | dict[str, Any]] = [
        *names,
        *({"tool": f"mcp__s{n}__delete_*", "decision": "deny"} for n in range(50)),
        *(
            {"tool": f"*_{n}", "decision": "ask", "when": {"command": f"npm publish {n}*"}}
            for n in range(50)
        ),
        *({"tool": f"mcp__s{n}__*", "decision": "defer"} for n in range(25)),
        *(f"mcp__allowed{n}" for n in range(25)),
    ]
    assert len(rules) == RULES
    return build_policy("pm", rules, names)


def microseconds(decide: Callable[[], object]) -> float:
    """Processor time of the best of many rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.thread_time_ns()
        decide()
        best = min(best, time.thread_time_ns() - start)
    return best / 1000


def first(rules: Policy, tool: str) -> float:
    """The same where nothing is known of the tool yet."""

    def decide() -> None:
        vars(rules).pop("_found", None)
        rules.decide(tool, ARGUMENTS, namespace="test")

    return microseconds(decide)


def main() -> None:
    """Measure each kind of call."""
    rules = policy()
    calls = {
        "a name, with conditions to look at": "tool_49",
        "denied by a pattern": "mcp__s49__delete_repo",
        "deferred by a pattern": "mcp__s24__list",
        "allowed by a server": "mcp__allowed24__list",
        "nothing matches": "unheard_of",
    }
    for what, tool in calls.items():
        again = microseconds(partial(rules.decide, tool, ARGUMENTS, namespace="test"))
        once = first(rules, tool)
        mark = "" if once <= AT_MOST_US else f"  more than {AT_MOST_US}"
        print(f"first {once:5.1f} us, again {again:5.1f} us  {what}{mark}")


if __name__ == "__main__":
    main()
