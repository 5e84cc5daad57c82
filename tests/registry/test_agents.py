"""`agents.json`: what loads unchanged, and what is said about a file that can't be used."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from devloop_tools.registry.agents import AgentsError, find_agent, load_agents
from devloop_tools.registry.names import DEV_LOOP_TOOLS, NATIVE_TOOLS
from devloop_tools.registry.policy import build_policy

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
    assert policy.names == {*GRANTS[agent], *PERSISTENCE}
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
    assert build_policy(agent, found.cli.tool_policy, PERSISTENCE).names == frozenset()
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
    ("content", "place"),
    [
        (b"", "the file: Invalid JSON"),
        (b'{"templates": [', "the file: Invalid JSON"),
        (b'{"templates": [],}', "the file: Invalid JSON"),
        (b'\xff\xfe{"templates": []}', "the file: Invalid JSON"),
        (b"[]", "the file: "),
        (b"null", "the file: "),
        ({}, "templates: Field required"),
        ({"templates": {}}, "templates: "),
        ({"templates": ["pm"]}, "templates.0: "),
        ({"templates": [{}]}, "templates.0.id: Field required"),
        ({"templates": [{"id": ""}]}, "templates.0.id: "),
        ({"templates": [{"id": 3}]}, "templates.0.id: "),
        ({"templates": [{"id": "a"}, {"id": "b", "cli": []}]}, "templates.1.cli: "),
        ({"templates": [{"id": "a", "cli": {"toolPolicy": "Read"}}]}, "templates.0.cli.toolPolicy"),
        ({"templates": [{"id": "a", "cli": {"toolPolicy": [3]}}]}, "templates.0.cli.toolPolicy.0"),
        (
            {"templates": [{"id": "a", "sandbox": {"writeAllowList": [None]}}]},
            "templates.0.sandbox.writeAllowList.0: ",
        ),
    ],
)
def test_a_file_that_can_not_be_used_is_named_with_the_place(
    tmp_path: Path, content: Any, place: str
) -> None:
    path = saved(tmp_path, content)
    with pytest.raises(AgentsError) as caught:
        load_agents(path)
    assert str(caught.value).startswith(f"{path}: {place}")
    assert "\n" not in str(caught.value)
    assert "pydantic" not in str(caught.value)


@pytest.mark.parametrize("second", ["devloop-pm", "pm"])
def test_two_templates_of_one_name_are_an_error(tmp_path: Path, second: str) -> None:
    path = saved(tmp_path, {"templates": [{"id": "devloop-pm"}, {"id": "x"}, {"id": second}]})
    with pytest.raises(AgentsError, match=f"the template {second} stands twice; remove one$"):
        load_agents(path)


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
