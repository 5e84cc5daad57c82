from typing import Any

from devloop_tools.app import TOOLS_PACKAGE
from devloop_tools.registry.discovery import discover
from devloop_tools.registry.policy import build_policy
from devloop_tools.registry.registry import Registry
from devloop_tools.registry.unknown_arguments import unknown_arguments

ENTRIES = Registry(discover(TOOLS_PACKAGE)).entries


def lines(*rules: dict[str, Any]) -> list[str]:
    policy = build_policy("pm", ["*", *rules], ENTRIES.keys())
    return list(unknown_arguments(policy, ENTRIES))


def test_an_argument_that_the_tool_lacks_is_named_with_the_one_that_was_meant() -> None:
    rule = {"tool": "write_chapter", "decision": "deny", "when": {"chapter": "密*", "site": "prd"}}
    assert lines(rule) == [
        "toolPolicy[1].when: write_chapter has no argument chapter (did you mean chapter_id?):"
        " the rule never holds"
    ]


def test_what_others_take_is_not_known() -> None:
    when = {"何": "*"}
    names = ("Bash", "mcp__github__delete", "write_*")
    assert lines(*({"tool": name, "decision": "ask", "when": when} for name in names)) == []
