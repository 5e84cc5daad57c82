"""Who may call what: names, `*`, and what is said about a name that nobody knows."""

from typing import Any

import pytest

from devloop_tools.registry.names import NATIVE_TOOLS
from devloop_tools.registry.policy import Decision, PolicyError, build_policy

EXISTING = {"write_todolist", "timeline_append", "word_count"}


def test_what_is_named_is_allowed_and_everything_else_denied() -> None:
    policy = build_policy("pm", ["timeline_append", "Read"], EXISTING)
    assert policy.decide("timeline_append").decision is Decision.ALLOW
    assert policy.decide("timeline_append").rule == "timeline_append"
    assert policy.decide("write_todolist").decision is Decision.DENY
    assert policy.decide("write_todolist").rule == "nothing matched"
    assert policy.allows("Read")
    assert not policy.allows("Bash")


def test_an_empty_policy_grants_nothing() -> None:
    policy = build_policy("pm", [], EXISTING)
    assert not any(policy.allows(name) for name in [*EXISTING, *NATIVE_TOOLS, "*", ""])


def test_a_star_grants_every_tool_of_ours_and_never_a_native_one() -> None:
    policy = build_policy("pm", ["*"], EXISTING)
    assert all(policy.allows(name) for name in [*EXISTING, "host_tool"])
    assert [name for name in NATIVE_TOOLS if policy.allows(name)] == []
    assert policy.decide("word_count").rule == "*"


def test_a_native_tool_is_granted_by_its_name_beside_a_star() -> None:
    policy = build_policy("pm", ["*", "Write", "Read"], EXISTING)
    assert policy.native_tools == ["Read", "Write"]
    assert not policy.allows("Bash")


def test_names_are_compared_exactly() -> None:
    policy = build_policy("pm", ["Read"], EXISTING)
    assert not any(policy.allows(name) for name in ["read", "READ", "Read ", "Ｒead"])


def test_a_tool_that_is_not_built_yet_grants_nothing_and_is_no_error() -> None:
    policy = build_policy("pm", ["write_chapter"], EXISTING)
    assert policy.native_tools == []
    assert policy.missing == ()


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("wirte_chapter", "unknown tool: wirte_chapter (did you mean write_chapter?)"),
        ("timeline_apend", "unknown tool: timeline_apend (did you mean timeline_append?)"),
        ("wordcount", "unknown tool: wordcount (did you mean word_count?)"),
        ("read", "unknown tool: read (did you mean Read?)"),
        ("写章节", "unknown tool: 写章节"),
        ("", "unknown tool: "),
    ],
)
def test_an_unknown_name_is_an_error_with_its_place_and_the_nearest_name(
    name: str, answer: str
) -> None:
    with pytest.raises(PolicyError) as caught:
        build_policy("pm", ["Read", name], EXISTING)
    assert str(caught.value) == f"toolPolicy[1]: {answer}"


def test_a_name_may_be_a_pack_that_failed_and_is_then_told_as_missing() -> None:
    policy = build_policy("pm", ["Read", "my_tool", "*"], EXISTING, packs_failed=True)
    assert policy.missing == ("my_tool",)
    assert policy.names == {"Read"}


@pytest.mark.parametrize("entry", [{"tool": "Bash", "decision": "ask"}, {}])
def test_an_entry_that_is_no_name_is_named(entry: dict[str, Any]) -> None:
    with pytest.raises(PolicyError, match=r"^toolPolicy\[0\]: .* is not a tool's name"):
        build_policy("pm", [entry], EXISTING)
