"""Rules that never hold, since they ask for an argument that their tool doesn't have."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.policy import Policy


def unknown_arguments(policy: Policy, entries: Mapping[str, ToolEntry]) -> Iterator[str]:
    """A line for a person on each `when` of one of our tools that names no argument of it.

    Raises what drawing the schema of a pack's tool raises.
    """
    for table in policy.tables.values():
        for rule in table.rules:
            entry = entries.get(rule.tool)
            if entry is None or not rule.when:
                continue
            known = list(entry.published.input_schema.get("properties", {}))
            for condition in rule.when:
                if condition.field not in known:
                    close = get_close_matches(condition.field, known, n=1)
                    meant = f" (did you mean {close[0]}?)" if close else ""
                    yield (
                        f"{policy.source.place(rule.position, 'when')}: {rule.tool} has no argument"
                        f" {condition.field}{meant}: the rule never holds"
                    )
