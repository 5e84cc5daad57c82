"""`agents.json`: what loads unchanged, and what is said about a file that can't be used."""

import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from devloop_tools.registry.agents import AgentsError, find_agent, load_agents
from devloop_tools.registry.errors import LoadError
from devloop_tools.registry.names import DEV_LOOP_TOOLS, NATIVE_TOOLS
from devloop_tools.registry.policy import build_policy

TRAILING_COMMA = (
    ":2:2: not JSON: Illegal trailing comma before end of object"
    if sys.version_info >= (3, 13)
    else ":3:1: not JSON: Expecting property name"
)
PERSISTENCE = ["write_todolist", "update_todo_item", "update_runtime_state", "timeline_append",
               "record_memory"]  # fmt: skip
SITE = ["write_chapter", "archive_doc", "diff_html", "update_search_index"]
GRANTS = {
    "pm": ["Read", "Write", "bootstrap_prd_site", "echo_diff", "validate_prd_site", *SITE],
    "architect": ["Read", "Write", "bootstrap_sdd_site", "write_mvcp_page", "diff_units",
                  "validate_sdd_consistency", "hash_contract", *SITE],
    "coder": ["Read", "Edit", "Write", "Bash", "contract_bridge", "sandbox_check",
              "append_coder_log"],
    "tester": ["Read", "Write", "Bash", "parse_vitest", "hint_builder", "bug_open",
               "bug_transition", "bug_list"],
    "integrator": ["Read", "Bash", "port_picker", "spawn_units", "health_wait", "run_case",
                   "parse_placeholder", "collect_stderr"],
    "bug-triager": ["Read", "extract_evidence", "verify_evidence", "category_classifier",
                    "diff_contract_vs_impl", "find_similar_bug"],
}  # fmt: skip
"""The six agents as an existing file grants them, 79 entries with the persistence tools."""


def template(agent: str, grants: list[Any]) -> dict[str, Any]:
    return {
        "id": f"devloop-{agent}",
        "name": f"{agent} 代理",
        "type": "executor",
        "icon": "🛠",
        "devloop": {"loop": "L1", "upstream": ["human"], "downstream": [], "extra": None},
        "cli": {
            "model": "claude-sonnet-4-6",
            "systemPromptFile": f"system/agents/devloop-{agent}/prompt.md",
            "toolPolicy": grants,
            "maxTurns": 40,
        },
        "sandbox": {"cwd": "data/companies/{cid}/", "writeAllowList": [f"{agent}/**"]},
    }


def saved(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "agents.json"
    path.write_bytes(content if isinstance(content, bytes) else orjson.dumps(content))
    return path


def existing_file(tmp_path: Path) -> Path:
    six = [template(agent, [*grants, *PERSISTENCE]) for agent, grants in GRANTS.items()]
    others = [
        {"id": "writer", "name": "Writer", "type": "chat"},
        {"id": "reviewer", "cli": {"model": "claude-opus-4-1"}, "sandbox": {}},
        {"id": "old", "cli": {}, "prompts": ["a"], "version": 3},
    ]
    return saved(tmp_path, {"version": 2, "templates": [*six, *others], "defaults": {"a": 1}})


def test_an_existing_file_with_every_grant_loads_unchanged(tmp_path: Path) -> None:
    path = existing_file(tmp_path)
    before = path.read_bytes()
    agents = load_agents(path)
    assert len(agents.templates) == 9
    assert sum(len(template.cli.tool_policy) for template in agents.templates) == 79
    assert path.read_bytes() == before


@pytest.mark.parametrize("agent", GRANTS)
def test_every_grant_of_an_existing_file_is_a_name_that_is_known(
    tmp_path: Path, agent: str
) -> None:
    path = existing_file(tmp_path)
    found = find_agent(load_agents(path), agent, path)
    policy = build_policy(agent, found.cli.tool_policy, PERSISTENCE)
    names = {*DEV_LOOP_TOOLS, *NATIVE_TOOLS}
    assert {name for name in names if policy.allows(name)} == {*GRANTS[agent], *PERSISTENCE}
    assert found.cli.system_prompt_file == f"system/agents/devloop-{agent}/prompt.md"
    assert found.sandbox.write_allow_list == (f"{agent}/**",)


def test_the_grants_cover_the_whole_catalogue() -> None:
    granted = {name for grants in GRANTS.values() for name in grants} | set(PERSISTENCE)
    assert granted - NATIVE_TOOLS == DEV_LOOP_TOOLS
    assert len(DEV_LOOP_TOOLS) == 36
    assert not DEV_LOOP_TOOLS & NATIVE_TOOLS


@pytest.mark.parametrize("agent", ["writer", "reviewer", "old"])
def test_a_template_without_policy_or_sandbox_grants_nothing(tmp_path: Path, agent: str) -> None:
    path = existing_file(tmp_path)
    found = find_agent(load_agents(path), agent, path)
    policy = build_policy(agent, found.cli.tool_policy, PERSISTENCE)
    assert not any(policy.allows(name) for name in [*DEV_LOOP_TOOLS, *NATIVE_TOOLS])
    assert (found.sandbox.write_allow_list, found.sandbox.read_allow_list) == ((), ())


@pytest.mark.parametrize("wanted", ["pm", "devloop-pm"])
def test_an_agent_is_found_by_id_and_by_short_name(tmp_path: Path, wanted: str) -> None:
    path = existing_file(tmp_path)
    assert find_agent(load_agents(path), wanted, path).short_name == "pm"


def test_an_unknown_agent_is_named_with_those_there_are(tmp_path: Path) -> None:
    path = saved(tmp_path, {"templates": [template("pm", []), {"id": "写手"}]})
    with pytest.raises(AgentsError) as caught:
        find_agent(load_agents(path), "coder", path)
    assert str(caught.value) == f"unknown agent: coder; {path} has: pm, 写手"


def test_a_file_without_agents_says_so(tmp_path: Path) -> None:
    path = saved(tmp_path, {"templates": []})
    with pytest.raises(AgentsError, match=r"has: none$"):
        find_agent(load_agents(path), "pm", path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", ":1:1: not JSON: Expecting value"),
        (b'{"templates": [', ":1:16: not JSON: Expecting value"),
        (b'{"templates": [\n],\n}', TRAILING_COMMA),
        (b'{"templates": [\n  {"id": NaN}]}', ":2:10: not JSON: NaN is no number of JSON"),
        ('{"a": "写",\n"b'.encode() + b'\xff"}', ":2:3: not UTF-8; save the file as UTF-8"),
        (b'\xff\xfe{"templates": []}', ":1:1: not UTF-8"),
        (b"[" * 100_000, ":1:1: nested too deeply"),
        (b'{"templates": [],\n "templates": []}', ':2:2: the key "templates" stands twice'),
        (b"[]", ":1:1: an object is expected"),
        (b"null", ":1:1: an object is expected"),
        ({}, ":1:1: templates is missing"),
        ({"templates": {}}, ":2:3: templates: a list is expected"),
        ({"templates": ["pm"]}, ":3:5: templates[0]: an object is expected"),
        ({"templates": [{}]}, ":3:5: templates[0]: id is missing"),
        ({"templates": [{"id": ""}]}, ":4:7: templates[0].id: a text is expected"),
        ({"templates": [{"id": 3}]}, ":4:7: templates[0].id: a text is expected"),
        (
            {"templates": [{"id": "a"}, {"id": "b", "cli": []}]},
            ":8:7: templates[1].cli: an object is expected",
        ),
        (
            {"templates": [{"id": "a", "cli": {"toolPolicy": "Read"}}]},
            ":6:9: templates[0].cli.toolPolicy: a list is expected",
        ),
        (
            {"templates": [{"id": "a", "cli": {"toolPolicy": ["Read", 3]}}]},
            ":8:11: templates[0].cli.toolPolicy[1]: a tool's name or a rule is expected",
        ),
        (
            {"templates": [{"id": "a", "sandbox": {"writeAllowList": [None]}}]},
            ":7:11: templates[0].sandbox.writeAllowList[0]: a text is expected",
        ),
        (
            {"templates": [{"id": "a", "sandbox": {"writeDenylist": ["prd/**"]}}]},
            ":6:9: templates[0].sandbox.writeDenylist: unknown key; a sandbox has: cwd, ",
        ),
        (
            {"templates": [{"id": "a", "cli": {"tool_policy": ["Read"]}}]},
            ":6:9: templates[0].cli.tool_policy: unknown key (did you mean toolPolicy?)",
        ),
        (
            {"templates": [{"id": "a", "sandBox": {}}]},
            ":5:7: templates[0].sandBox: unknown key (did you mean sandbox?)",
        ),
    ],
)
def test_a_file_that_can_not_be_used_is_named_with_line_and_column(
    tmp_path: Path, content: Any, said: str
) -> None:
    if not isinstance(content, bytes):
        content = orjson.dumps(content, option=orjson.OPT_INDENT_2)
    path = saved(tmp_path, content)
    with pytest.raises(LoadError) as caught:
        load_agents(path)
    assert str(caught.value).startswith(f"{path}{said}")
    assert "\n" not in str(caught.value)


def test_keys_of_other_hosts_are_told_with_their_lines(tmp_path: Path) -> None:
    agents = load_agents(existing_file(tmp_path))
    told = [line.partition(": ")[2] for line in agents.foreign]
    assert "templates[0].icon: not ours, and ignored" in told
    assert "templates[8].prompts: not ours, and ignored" in told
    assert "templates[0].cli.maxTurns: not ours, and ignored" in told
    assert "version: not ours, and ignored" in told
    assert not any("toolPolicy" in line or "writeAllowList" in line for line in told)


@pytest.mark.parametrize("second", ["devloop-pm", "pm"])
def test_two_templates_of_one_name_are_an_error_with_both_lines(
    tmp_path: Path, second: str
) -> None:
    ids = ["devloop-pm", "x", second]
    lines = ",\n".join(f'{{"id": "{name}"}}' for name in ids)
    path = saved(tmp_path, f'{{"templates": [\n{lines}]}}'.encode())
    with pytest.raises(AgentsError) as caught:
        load_agents(path)
    assert str(caught.value) == (
        f"{path}:4:2: templates[2].id: the template {second} stands twice, first in line 2; "
        "remove one"
    )


def test_a_missing_file_is_named_with_the_flag_that_helps(tmp_path: Path) -> None:
    with pytest.raises(AgentsError) as caught:
        load_agents(tmp_path / "agents.json")
    assert str(caught.value).endswith(
        "can't be read (No such file or directory); --tools-dir names the folder that holds it"
    )


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "agents.json").mkdir()
    with pytest.raises(AgentsError, match="Is a directory"):
        load_agents(tmp_path / "agents.json")


def test_a_file_saved_with_a_byte_order_mark_loads(tmp_path: Path) -> None:
    path = saved(tmp_path, b"\xef\xbb\xbf" + orjson.dumps({"templates": [{"id": "pm"}]}))
    assert load_agents(path).templates[0].short_name == "pm"
