"""Policy to command line, for both dialects."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.app import load_agent
from devloop_tools.launch.arguments import (
    CommandLine,
    Dialect,
    LaunchOptions,
    build_cli_args,
    name_in_cli,
)
from devloop_tools.launch.errors import LaunchError
from devloop_tools.registry.agents import parse_agents
from devloop_tools.registry.names import DEV_LOOP_TOOLS
from devloop_tools.registry.policy import build_policy
from devloop_tools.registry.registry import Registry
from devloop_tools.settings import resolve_tools_dir

NATIVE = {
    "pm": ["Read", "Write"],
    "architect": ["Read", "Write"],
    "coder": ["Bash", "Edit", "Read", "Write"],
    "tester": ["Bash", "Read", "Write"],
    "integrator": ["Bash", "Read"],
    "bug-triager": ["Read"],
}
PERSISTENCE = [
    "record_memory",
    "timeline_append",
    "update_runtime_state",
    "update_todo_item",
    "write_todolist",
]
GRANTS = {
    "pm": "bootstrap_prd_site write_chapter archive_doc diff_html update_search_index "
    "validate_prd_site echo_diff",
    "architect": "bootstrap_sdd_site write_chapter write_mvcp_page archive_doc diff_html "
    "diff_units echo_diff update_search_index validate_sdd_consistency hash_contract",
    "coder": "hash_contract contract_bridge sandbox_check append_coder_log",
    "tester": "parse_vitest hint_builder bug_open bug_transition bug_list hash_contract "
    "contract_bridge sandbox_check find_similar_bug",
    "integrator": "port_picker spawn_units health_wait run_case parse_placeholder "
    "collect_stderr bug_open bug_transition bug_list hash_contract",
    "bug-triager": "extract_evidence verify_evidence category_classifier diff_contract_vs_impl "
    "find_similar_bug bug_list bug_transition hash_contract collect_stderr",
}
HOSTILE = [
    "a b",
    "a,b",
    "a'b",
    'a"b',
    "a\nb",
    "a\\b",
    "--help",
    "$(id)",
    "${HOME}",
    "{}",
    "列出 全部",
]


def tools_of(agent: str) -> list[str]:
    """The dev-loop tools that the agent is granted and that exist, by name."""
    there = load_agent(agent, resolve_tools_dir(None)).registry.entries
    return sorted({*PERSISTENCE, *GRANTS[agent].split()} & set(there))


def built(agent: str, options: LaunchOptions, dialect: Dialect = Dialect.CLAUDE) -> CommandLine:
    loaded = load_agent(agent, resolve_tools_dir(None))
    return build_cli_args(loaded.template, loaded.policy, loaded.registry, options, dialect)


def built_of(template: dict[str, Any], options: LaunchOptions) -> CommandLine:
    """For an agent that nothing exists for, so that only native names can be granted."""
    content = json.dumps({"templates": [template]}).encode()
    [agent] = parse_agents(Path("agents.json"), content).templates
    policy = build_policy(agent.short_name, agent.cli.tool_policy, ())
    return build_cli_args(agent, policy, Registry(()), options)


@pytest.mark.parametrize("agent", NATIVE)
def test_the_claude_dialect_writes_what_the_policy_grants_and_nothing_else(
    agent: str, options: LaunchOptions
) -> None:
    allowed = [*NATIVE[agent], *(f"mcp__devloop__{name}" for name in tools_of(agent))]
    line = built(agent, options)
    assert list(line.argv) == [
        "claude",
        f"--mcp-config={options.folder}/mcp.json",
        "--strict-mcp-config",
        f"--tools={','.join(NATIVE[agent])}",
        f"--allowedTools={','.join(allowed)}",
        "--disallowedTools=mcp__devloop__policy_check",
        "--setting-sources=",
        f"--settings={options.folder}/settings.json",
        "--permission-mode=dontAsk",
        "--model=claude-sonnet-4-6",
    ]
    assert line.env == {"CLAUDE_CODE_MCP_ALLOWLIST_ENV": "1"}
    assert [path.name for path in line.contents] == ["mcp.json", "settings.json"]


@pytest.mark.parametrize("agent", NATIVE)
def test_the_acp_dialect_writes_each_word_as_its_own_argument(
    agent: str, options: LaunchOptions
) -> None:
    line = built(agent, options, Dialect.ACP)
    assert list(line.argv) == [
        "claude",
        "--dangerously-skip-permissions",
        "--tools",
        f"{options.folder}/tools.json",
        "--tool-handler",
        "jsonrpc://stdio",
    ]
    assert line.env == {}
    tools = json.loads(line.contents[options.folder / "tools.json"])["tools"]
    assert [tool["name"] for tool in tools] == tools_of(agent)


def test_a_tool_of_the_acp_file_has_what_the_messages_api_asks_for(options: LaunchOptions) -> None:
    line = built("pm", options, Dialect.ACP)
    tools = json.loads(line.contents[options.folder / "tools.json"])["tools"]
    todolist = next(tool for tool in tools if tool["name"] == "write_todolist")
    assert sorted(todolist) == ["description", "input_schema", "name"]
    assert todolist["description"].startswith("Replace your todo list")
    assert todolist["input_schema"]["required"] == ["items"]


@pytest.mark.parametrize("agent", NATIVE)
def test_there_is_no_prompt_and_no_word_that_a_list_flag_could_swallow(
    agent: str, options: LaunchOptions
) -> None:
    _, *flags = built(agent, options).argv
    assert all(flag.startswith("--") for flag in flags)
    assert "-p" not in flags
    assert "--" not in flags


def test_what_nothing_stands_behind_is_not_written(options: LaunchOptions) -> None:
    line = built_of({"id": "plain"}, options)
    assert line.argv == (
        "claude",
        f"--mcp-config={options.folder}/mcp.json",
        "--strict-mcp-config",
        "--tools=",
        "--allowedTools=",
        "--disallowedTools=mcp__devloop__policy_check",
        "--setting-sources=",
        f"--settings={options.folder}/settings.json",
        "--permission-mode=dontAsk",
    )


def test_prompt_and_session_are_written_where_they_are_given(options: LaunchOptions) -> None:
    session = "6b0f6d0c-9f61-4b0e-8d3f-2f1c6a6f0f11"
    given = dataclasses.replace(options, prompt_file=Path("/p/提示 a.md"), session_id=session)
    argv = built("pm", given).argv
    assert "--append-system-prompt-file=/p/提示 a.md" in argv
    assert f"--session-id={session}" in argv


@pytest.mark.parametrize("session", ["会话-1", "6b0f6d0c9f614b0e8d3f2f1c6a6f0f11", "x\n", "--help"])
def test_a_session_that_is_no_uuid_is_refused(session: str, options: LaunchOptions) -> None:
    with pytest.raises(LaunchError, match=r"--session: .* is no UUID"):
        built("pm", dataclasses.replace(options, session_id=session))


def test_skipping_permissions_takes_the_place_of_the_mode(options: LaunchOptions) -> None:
    argv = built("pm", dataclasses.replace(options, skip_permissions=True)).argv
    assert "--dangerously-skip-permissions" in argv
    assert not [flag for flag in argv if flag.startswith("--permission-mode")]


def test_skipping_permissions_is_refused_for_root_with_the_reason(options: LaunchOptions) -> None:
    as_root = dataclasses.replace(options, skip_permissions=True, as_root=True)
    with pytest.raises(LaunchError, match=r"the CLI refuses .* for root; run as another user"):
        built("pm", as_root)


def test_the_star_grants_no_native_tool(options: LaunchOptions) -> None:
    line = built_of({"id": "any", "cli": {"toolPolicy": ["*", "Read"]}}, options)
    assert "--tools=Read" in line.argv


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_folder_stays_one_argument_and_names_the_file(
    name: str, options: LaunchOptions
) -> None:
    """H-D07"""
    folder = options.folder / name
    line = built("pm", dataclasses.replace(options, folder=folder, claude=f"/bin/{name}"))
    assert line.argv[0] == f"/bin/{name}"
    assert line.argv[1] == f"--mcp-config={folder}/mcp.json"
    assert list(line.contents) == [folder / "mcp.json", folder / "settings.json"]
    assert len(line.argv) == len(built("pm", options).argv)


def test_a_name_that_the_api_cannot_hold_is_written_as_the_cli_writes_it() -> None:
    assert name_in_cli("write_todolist") == "mcp__devloop__write_todolist"
    assert name_in_cli("写,入 a") == "mcp__devloop__" + "____a"


@pytest.mark.parametrize("field", ["claude", "server"])
def test_a_path_that_is_not_utf8_is_refused(field: str, options: LaunchOptions) -> None:
    broken = "/p/\udcff"
    value: Any = broken if field == "claude" else (broken, "serve")
    with pytest.raises(LaunchError, match=r"'/p/\\udcff': not UTF-8"):
        built("pm", dataclasses.replace(options, **{field: value}))


def existing_file(folder: Path) -> Path:
    """An agents.json as other hosts have it: all grants, and templates without our fields."""
    others = [
        {"id": "chat-helper", "name": "助手", "type": "assistant", "cli": {"model": "x"}},
        {"id": "reviewer", "type": "executor", "sandbox": {"cwd": "data/"}},
    ]
    agents = [
        {
            "id": f"devloop-{agent}",
            "name": agent,
            "type": "executor",
            "devloop": {"loop": "L3", "upstream": ["human"], "downstream": ["architect"]},
            "cli": {
                "model": "claude-sonnet-4-6",
                "systemPromptFile": f"system/agents/devloop-{agent}/prompt.md",
                "toolPolicy": [*NATIVE[agent], *PERSISTENCE, *GRANTS[agent].split()],
            },
            "sandbox": {"cwd": "data/companies/{cid}/projects/{pid}/", "writeAllowList": ["a/**"]},
        }
        for agent in GRANTS
    ]
    (folder / "agents.json").write_text(
        json.dumps({"templates": [*agents, *others]}, ensure_ascii=False), encoding="utf-8"
    )
    return folder


@pytest.mark.parametrize("agent", GRANTS)
def test_an_existing_file_with_all_grants_builds_with_the_tools_that_exist(
    agent: str, tmp_path: Path, options: LaunchOptions
) -> None:
    loaded = load_agent(agent, existing_file(tmp_path))
    line = build_cli_args(loaded.template, loaded.policy, loaded.registry, options)
    allowed = next(flag for flag in line.argv if flag.startswith("--allowedTools="))
    assert allowed.partition("=")[2].split(",") == [
        *NATIVE[agent],
        *(f"mcp__devloop__{name}" for name in tools_of(agent)),
    ]


def test_the_existing_file_grants_79_times_and_knows_all_36_names() -> None:
    grants = [name for names in GRANTS.values() for name in [*PERSISTENCE, *names.split()]]
    assert len(grants) == 79
    assert set(grants) == DEV_LOOP_TOOLS


@pytest.mark.parametrize("agent", ["chat-helper", "reviewer"])
def test_a_template_without_our_fields_builds_and_grants_nothing(
    agent: str, tmp_path: Path, options: LaunchOptions
) -> None:
    loaded = load_agent(agent, existing_file(tmp_path))
    line = build_cli_args(loaded.template, loaded.policy, loaded.registry, options)
    assert "--tools=" in line.argv
    assert "--allowedTools=" in line.argv
