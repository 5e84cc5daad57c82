"""Who may call what: the language of `toolPolicy`, and what is said of wrong entries."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devloop_tools.registry.names import NATIVE_TOOLS
from devloop_tools.registry.policy import (
    NATIVE_NAMESPACE,
    NOTHING_MATCHED,
    Policy,
    PolicyError,
    build_policy,
)
from devloop_tools.registry.rules import Decision

EXISTING = {"write_todolist", "timeline_append", "word_count", "bug_list", "bug_open"}
Entry = str | dict[str, Any]


def policy_of(*entries: Entry, packs_failed: bool = False) -> Policy:
    return build_policy("pm", entries, EXISTING, packs_failed=packs_failed)


def deny(tool: str, **more: Any) -> Entry:
    return {"tool": tool, "decision": "deny", **more}


def ask(tool: str, **more: Any) -> Entry:
    return {"tool": tool, "decision": "ask", **more}


def defer(tool: str, **more: Any) -> Entry:
    return {"tool": tool, "decision": "defer", **more}


def allow(tool: str, **more: Any) -> Entry:
    return {"tool": tool, "decision": "allow", **more}


def when(**arguments: Any) -> dict[str, Any]:
    return {"when": arguments}


PUBLISH = ask("Bash", **when(command="npm publish*"))
GIT_ONLY = allow("Bash", **when(command="git *"))

TABLE: list[tuple[list[Entry], str, dict[str, Any], str]] = [
    # What is named, and what isn't.
    (["timeline_append"], "timeline_append", {}, "allow"),
    (["timeline_append"], "write_todolist", {}, "deny"),
    (["Read"], "Read", {}, "allow"),
    (["Read"], "read", {}, "deny"),
    (["Read"], "Read ", {}, "deny"),
    ([], "port_picker", {}, "deny"),
    ([allow("bug_open")], "bug_open", {}, "allow"),
    (["port_picker"], "port_picker", {}, "allow"),
    # Patterns.
    (["bug_*"], "bug_list", {}, "allow"),
    (["bug_*"], "debug_list", {}, "deny"),
    (["*_list"], "bug_list", {}, "allow"),
    (["*_list"], "bug_list\n", {}, "deny"),
    (["b*g_l*t"], "bug_list", {}, "allow"),
    (["b*g_l*t"], "bug_lisp", {}, "deny"),
    (["bug*"], "BUG_list", {}, "deny"),
    (["*"], "write_todolist", {}, "allow"),
    (["*"], "a_host_s_tool", {}, "allow"),
    # No allow or defer pattern grants what is the CLI's own; deny and ask patterns match it.
    (["*"], "Bash", {}, "deny"),
    (["B*"], "Bash", {}, "deny"),
    ([defer("*")], "Bash", {}, "deny"),
    (["*", "Bash"], "Bash", {}, "allow"),
    (["Bash", "Read", deny("B*")], "Bash", {}, "deny"),
    (["Bash", "Read", deny("B*")], "Read", {}, "allow"),
    (["Bash", deny("*")], "Bash", {}, "deny"),
    (["Bash", ask("*")], "Bash", {}, "ask"),
    ([ask("*")], "Bash", {}, "deny"),
    ([ask("*")], "bug_list", {}, "ask"),
    ([ask("Bash")], "Bash", {}, "ask"),
    # Namespaces.
    (["ns:web"], "web_search", {}, "allow"),
    (["ns:web"], "kb_search", {}, "deny"),
    (["ns:we*"], "web_search", {}, "allow"),
    (["*", deny("ns:web")], "web_search", {}, "deny"),
    (["*", deny("ns:web")], "kb_search", {}, "allow"),
    (["ns:pack:count"], "word_count", {}, "allow"),
    (["ns:*"], "Bash", {}, "deny"),
    # Upstreams.
    (["mcp__github__*"], "mcp__github__list", {}, "allow"),
    (["mcp__github__*"], "mcp__github2__list", {}, "deny"),
    (["mcp__github"], "mcp__github__list", {}, "allow"),
    (["mcp__github"], "mcp__github2__list", {}, "deny"),
    (["mcp__*", deny("mcp__github")], "mcp__github__list", {}, "deny"),
    (["mcp__*"], "mcp__codex-review__plan", {}, "allow"),
    (["mcp__*"], "bug_list", {}, "deny"),
    (["ns:mcp:github"], "mcp__github__list", {}, "allow"),
    # Precedence, whatever the order and however special.
    ([deny("mcp__gh__delete_*"), "*"], "mcp__gh__delete_repo", {}, "deny"),
    (["mcp__gh__delete_repo", deny("mcp__gh__*")], "mcp__gh__delete_repo", {}, "deny"),
    ([ask("bug_open"), deny("bug_*")], "bug_open", {}, "deny"),
    ([defer("bug_open"), ask("bug_*")], "bug_open", {}, "ask"),
    (["bug_open", defer("bug_*")], "bug_open", {}, "defer"),
    (["bug_open", ask("bug_open")], "bug_open", {}, "ask"),
    # Arguments.
    (["Bash", PUBLISH], "Bash", {"command": "npm publish --tag x"}, "ask"),
    (["Bash", PUBLISH], "Bash", {"command": "npm test"}, "allow"),
    (["Bash", PUBLISH], "Bash", {"command": "cd a && npm   publish"}, "ask"),
    (["Bash", PUBLISH], "Bash", {"command": "echo $(npm publish)"}, "ask"),
    (["Bash", PUBLISH], "Bash", {}, "allow"),
    ([GIT_ONLY], "Bash", {"command": "git log"}, "allow"),
    ([GIT_ONLY], "Bash", {"command": "git log; rm -rf ."}, "deny"),
    ([GIT_ONLY], "Bash", {"command": "git log $(rm x)"}, "deny"),
    ([GIT_ONLY], "Bash", {}, "deny"),
    (["bug_*", deny("bug_open", **when(path="prd/*"))], "bug_open", {"path": "prd/a/b"}, "deny"),
    (["bug_*", deny("bug_open", **when(path="prd/*"))], "bug_open", {"path": "./prd/a"}, "deny"),
    (["bug_*", deny("bug_open", **when(path="prd/*"))], "bug_open", {"path": "x/../prd/a"}, "deny"),
    (["bug_*", deny("bug_open", **when(path="prd/*"))], "bug_list", {"path": "prd/a"}, "allow"),
    ([allow("bug_open", **when(path="prd/*"))], "bug_open", {"path": "prd/../sdd/a"}, "deny"),
    (["*", deny("*", **when(paths="*.env"))], "bug_open", {"paths": ["a", "b.env"]}, "deny"),
    ([allow("bug_open", **when(paths="a*"))], "bug_open", {"paths": ["a", "b"]}, "deny"),
    ([allow("bug_open", **when(paths="a*"))], "bug_open", {"paths": []}, "deny"),
    (["*", deny("bug_open", **when(force=True))], "bug_open", {"force": True}, "deny"),
    (["*", deny("bug_open", **when(force=True))], "bug_open", {"force": 1}, "allow"),
    (["*", deny("bug_open", **when(port="80*"))], "bug_open", {"port": 8080}, "deny"),
    (["*", ask("bug_open", **when(a=["x", "y"], b="*"))], "bug_open", {"a": "y", "b": ""}, "ask"),
    (["*", ask("bug_open", **when(a=["x", "y"], b="*"))], "bug_open", {"a": "y"}, "allow"),
    (["*", deny("bug_open", **when(title="*删除*"))], "bug_open", {"title": "请 删除\n它"}, "deny"),
]

SPACES = {"web_search": "web", "kb_search": "kb", "word_count": "pack:count"}


def namespace_of(tool: str) -> str:
    return "mcp:github" if tool.startswith("mcp__github__") else SPACES.get(tool, "triager")


@pytest.mark.parametrize(("entries", "tool", "arguments", "decision"), TABLE)
def test_the_decision_on_a_call(
    entries: list[Entry], tool: str, arguments: dict[str, Any], decision: str
) -> None:
    policy = policy_of(*entries)
    verdict = policy.decide(tool, arguments, namespace=namespace_of(tool))
    assert verdict.decision == decision
    assert verdict.grants == (decision in ("allow", "defer"))
    # What is granted is seen; what is denied may be, when it depends on arguments.
    if decision != "deny":
        assert policy.allows(tool, namespace_of(tool))


def test_the_table_has_sixty_rows_and_every_decision() -> None:
    assert len(TABLE) >= 60
    assert {decision for *_, decision in TABLE} == set(Decision)


CASE_D03: list[tuple[list[str], list[str], str, str]] = [
    (["*"], ["mcp__gh__delete_*"], "mcp__gh__delete_repo", "deny"),
    (["mcp__gh__delete_repo"], ["mcp__gh__*"], "mcp__gh__delete_repo", "deny"),
    (["mcp__gh__*"], [], "mcp__gh__x", "allow"),
    ([], [], "port_picker", "deny"),
    (["write_*"], ["write_chapter"], "write_mvcp_page", "allow"),
]


@pytest.mark.parametrize(("allowed", "denied", "tool", "decision"), CASE_D03)
@pytest.mark.parametrize("denied_first", [True, False])
def test_deny_wins_over_allow_and_over_order(
    allowed: list[str], denied: list[str], tool: str, decision: str, denied_first: bool
) -> None:
    """H-D03: the default is deny."""
    denials = [deny(name) for name in denied]
    entries = [*denials, *allowed] if denied_first else [*allowed, *denials]
    assert policy_of(*entries).decide(tool).decision == decision


CASE_D04: list[tuple[Entry, str, str]] = [
    ("mcp__tts__*", "mcp__tts__say", "allow"),
    ("mcp__tts__*", "mcp__tts2__say", "deny"),
    ("mcp__tts", "mcp__tts__say", "allow"),
    ("mcp__*", "mcp__codex-review__plan", "allow"),
    ("*_list", "bug_list\n", "deny"),
]


@pytest.mark.parametrize(("entry", "tool", "decision"), CASE_D04)
def test_a_pattern_means_the_whole_name(entry: Entry, tool: str, decision: str) -> None:
    """H-D04."""
    assert policy_of(entry).decide(tool).decision == decision


def test_brackets_are_an_error_and_capitals_match_nothing_and_are_told() -> None:
    """H-D04."""
    with pytest.raises(PolicyError, match=r"toolPolicy\[0\]: mcp__\[x\]__y: a tool's name has "):
        policy_of("mcp__[x]__y")
    policy = policy_of("mcp__tts__*", deny("MCP__TTS__*"))
    assert policy.decide("mcp__tts__say").decision == "allow"
    assert policy.notes == ("toolPolicy[1]: MCP__TTS__* matches no tool that is known",)


NAMES = ["bug_list", "bug_open", "Bash", "Read", "mcp__gh__x", "mcp__gh2__x", "word_count"]
PATTERNS = [*NAMES, "*", "bug_*", "mcp__*", "mcp__gh", "B*", "ns:triager", "ns:*"]
ARGUMENTS: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(["command", "path"]),
    st.sampled_from(["git log", "a/../prd/x", "prd/x", "rm x; git y", 3, ["prd/x", "z"], True]),
)
WHEN = st.dictionaries(
    st.sampled_from(["command", "path"]),
    st.sampled_from(["git *", "prd/*", "*", 3, ["a", "rm*"], True]),
    min_size=1,
)
RULES = st.builds(
    lambda tool, decision, conditions: (
        {"tool": tool, "decision": decision} | ({"when": conditions} if conditions else {})
    ),
    st.sampled_from(PATTERNS),
    st.sampled_from(["deny", "ask", "allow"]),
    st.none() | WHEN,
)
CALLS = st.tuples(st.sampled_from([*NAMES, "Edit", "other"]), ARGUMENTS)
STRENGTH = {"deny": 0, "ask": 1, "defer": 2, "allow": 2}


@given(st.lists(RULES, max_size=8), RULES, st.integers(0, 8), CALLS)
def test_one_deny_more_never_allows_more(
    rules: list[Entry], more: dict[str, Any], at: int, call: tuple[str, dict[str, Any]]
) -> None:
    stricter = [*rules[:at], {**more, "decision": "deny"}, *rules[at:]]
    before = policy_of(*rules).decide(*call, namespace="triager")
    after = policy_of(*stricter).decide(*call, namespace="triager")
    assert STRENGTH[after.decision] <= STRENGTH[before.decision]
    assert policy_of(*stricter).allows(call[0]) <= policy_of(*rules).allows(call[0])


@given(st.lists(RULES, max_size=8), CALLS, st.randoms())
def test_the_order_of_rules_decides_nothing(
    rules: list[Entry], call: tuple[str, dict[str, Any]], random: Any
) -> None:
    shuffled = list(rules)
    random.shuffle(shuffled)
    first = policy_of(*rules).decide(*call, namespace="triager").decision
    assert policy_of(*shuffled).decide(*call, namespace="triager").decision == first


@given(st.lists(RULES, max_size=8), CALLS)
def test_what_can_not_be_seen_can_not_run(
    rules: list[Entry], call: tuple[str, dict[str, Any]]
) -> None:
    policy = policy_of(*rules)
    if not policy.allows(call[0], "triager"):
        assert policy.decide(*call, namespace="triager").decision == "deny"


@given(st.text(), st.lists(RULES, max_size=8))
def test_a_native_tool_is_granted_by_its_name_alone(tool: str, rules: list[Entry]) -> None:
    policy = policy_of(*rules)
    assert not policy.decide(tool, namespace=NATIVE_NAMESPACE).grants
    named = {rule["tool"] for rule in rules if isinstance(rule, dict)}
    assert set(policy.native_tools) <= named & NATIVE_TOOLS


def test_an_empty_policy_grants_nothing() -> None:
    policy = policy_of()
    assert not any(policy.allows(name) for name in [*EXISTING, *NATIVE_TOOLS, "*", ""])
    assert policy.decide("bug_list").rule == NOTHING_MATCHED


def test_the_native_tools_of_a_policy_are_those_that_some_call_may_use() -> None:
    policy = policy_of("*", "Write", "Read", GIT_ONLY, ask("WebFetch"), "Glob", deny("Gl*"))
    assert policy.native_tools == ["Bash", "Read", "WebFetch", "Write"]


def test_a_tool_with_any_rule_that_asks_is_gated() -> None:
    policy = policy_of("*", "Bash", PUBLISH, ask("bug_*"))
    assert [policy.gates(name) for name in ("Bash", "bug_list", "word_count")] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        ("bug_list", "allow bug_list"),
        (deny("bug_*"), "deny bug_*"),
        (ask("bug_list", **when(path=["a", "b*"], n=3)), "ask bug_list when path=a|b* and n=3"),
    ],
)
def test_a_rule_is_told_as_it_reads(entry: Entry, rule: str) -> None:
    verdict = policy_of(entry).decide("bug_list", {"path": "a", "n": 3})
    assert verdict.rule == rule
    assert policy_of(entry).trace(verdict) == {
        "tool": "bug_list",
        "decision": verdict.decision,
        "rule": rule,
        "position": "toolPolicy[0]",
    }


def test_a_tool_that_is_not_built_yet_grants_nothing_and_is_no_error() -> None:
    policy = policy_of("write_chapter")
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
        ("ns:webb", "unknown namespace: webb (did you mean ns:web?)"),
        ("ns:", "unknown namespace:  (there are: persistence, "),
        ("mcp__devloop__bug_list", "mcp__devloop__bug_list: our own tools have no prefix here"),
        ("bug_?", "unknown tool: bug_?"),
        ("bug *", "bug *: a tool's name has A-Z a-z 0-9 _ - and * stands for any of them"),
        (deny("wirte_chapter"), "unknown tool: wirte_chapter (did you mean write_chapter?)"),
        (defer("Bash"), "Bash is the CLI's own, and our search can't defer it"),
        ({}, "decision is missing; use deny, ask, defer or allow"),
        ({"tool": "Bash", "decision": "no"}, "decision is 'no'; use deny, ask, defer or allow"),
        ({"decision": "deny"}, "tool: a name, a pattern or ns:NAMESPACE is expected"),
        ({"tool": 3, "decision": "deny"}, "tool: a name, a pattern or ns:NAMESPACE is expected"),
        (deny("Bash", wen={}), "unknown key (did you mean when?); a rule has: tool, "),
        (deny("Bash", when={}), "when: an object is expected"),
        (deny("Bash", when="x"), "when: an object is expected"),
        (deny("Bash", **when(a={})), "when.a: a pattern, a value or a list of such"),
        (deny("Bash", **when(a=[])), "when.a: a pattern, a value or a list of such"),
        (deny("Bash", reason=3), "reason: a text of at most 500 characters"),
        (deny("Bash", reason="x" * 501), "reason: a text of at most 500 characters"),
        (deny("Bash", timeout_s=3), "timeout_s: only a rule that asks waits for somebody"),
        (ask("Bash", timeout_s=0), "timeout_s: seconds above 0, at most 604800"),
        (ask("Bash", timeout_s=True), "timeout_s: seconds above 0, at most 604800"),
    ],
)
def test_an_entry_that_is_wrong_is_an_error_with_its_place_and_what_was_meant(
    name: Entry, answer: str
) -> None:
    with pytest.raises(PolicyError) as caught:
        policy_of("Read", name)
    place, _, said = str(caught.value).partition(": ")
    assert place.startswith("toolPolicy[1]")
    assert said.startswith(answer)


def test_a_name_may_be_a_pack_that_failed_and_is_then_told_as_missing() -> None:
    policy = policy_of("Read", "my_tool", "*", packs_failed=True)
    [missing] = policy.missing
    assert str(missing) == "toolPolicy[1]: my_tool is in no pack that could be loaded"


def test_a_tool_of_an_upstream_that_is_not_known_yet_is_told_and_granted_when_it_exists() -> None:
    policy = policy_of("mcp__gh__list")
    [missing] = policy.missing
    assert str(missing) == "toolPolicy[0]: mcp__gh__list is of an upstream that isn't known yet"
    assert policy.decide("mcp__gh__list").grants


@pytest.mark.parametrize(
    ("entry", "note"),
    [
        ("*", "* matches every tool that isn't the CLI's own, later ones too"),
        ("***", "*** matches every tool that isn't the CLI's own, later ones too"),
        ("ns:*", "ns:* matches every tool that isn't the CLI's own, later ones too"),
        (deny("*"), "* matches every tool, so that the agent can call none"),
        (ask("*"), "* matches every tool, so that somebody is asked about each call"),
        (defer("*"), "* matches every tool that isn't the CLI's own"),
        ("bgu_*", "bgu_* matches no tool that is known"),
        ("Bas*", "Bas* matches no tool that is known"),
    ],
)
def test_a_pattern_that_matches_everything_or_nothing_is_told(entry: Entry, note: str) -> None:
    assert policy_of(entry).notes == (f"toolPolicy[0]: {note}",)


@pytest.mark.parametrize(
    "entry", ["bug_*", "mcp__x__*", deny("Bas*"), deny("*", **when(a="b")), "ns:web", "write_*"]
)
def test_an_ordinary_pattern_is_not_spoken_of(entry: Entry) -> None:
    assert policy_of(entry).notes == ()


@pytest.mark.parametrize("name", ["bug_" * 1_000_000, "\0triager", "*", "\n"])
def test_a_name_that_no_tool_can_have_is_denied_at_once(name: str) -> None:
    assert policy_of("bug_*", "*a*b*c*d*e*", "ns:triager").decide(name).decision == "deny"
