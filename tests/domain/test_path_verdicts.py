"""What the CLI's own tools may read and write, whichever way a path is spelled."""

import os
from pathlib import Path

import pytest

from devloop_tools.domain.path_verdicts import OWNED, judge_path
from devloop_tools.registry.agents import AgentTemplate, SandboxSettings
from devloop_tools.registry.sandboxes import sandbox_of
from devloop_tools.storage.sandbox import Operation, Sandbox

LISTS = SandboxSettings(
    write_allow_list=("units/甲/**", "agent-state/**", "timeline.ndjson", "**/site.json", "sdd/**"),
    write_deny_list=("units/甲/locked/**",),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = (tmp_path / "项目").resolve()
    (root / "units/甲/src").mkdir(parents=True)
    (root / "units/乙").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "shared/docs").mkdir(parents=True)
    (tmp_path / "项目-2").mkdir()
    os.symlink(tmp_path / "outside", root / "units/甲/out")
    os.symlink(root / "units/乙", root / "units/甲/other")
    os.symlink(root / "units/甲/src", root / "units/甲/alias")
    os.symlink("loop", root / "units/甲/loop")
    return root


def sandbox(root: Path) -> Sandbox:
    template = AgentTemplate(
        "devloop-coder",
        sandbox=SandboxSettings(
            write_allow_list=LISTS.write_allow_list,
            write_deny_list=LISTS.write_deny_list,
            read_allow_list=(str(root.parent / "shared"),),
        ),
    )
    return sandbox_of(template, root, [root / "conf/agents", root.parent / "elsewhere"], "甲")


def writes(root: Path, path: str, folder: Path | None = None) -> tuple[bool, str]:
    verdict = judge_path(root, sandbox(root), path, Operation.WRITE, folder=folder)
    return verdict.allowed, verdict.resolved if verdict.allowed else verdict.rule


def reads(root: Path, path: str, folder: Path | None = None) -> tuple[bool, str]:
    verdict = judge_path(root, sandbox(root), path, Operation.READ, folder=folder)
    return verdict.allowed, verdict.resolved if verdict.allowed else verdict.rule


@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        ("units/甲/a.ts", (True, "units/甲/a.ts")),
        ("{root}/units/甲/a.ts", (True, "units/甲/a.ts")),
        ("units/甲/../甲/./b.ts", (True, "units/甲/b.ts")),
        ("units/甲/alias/c.ts", (True, "units/甲/src/c.ts")),
        ("units/甲/src/alias/../../x", (True, "units/甲/x")),
        ("units/乙/a.ts", (False, "writeAllowList")),
        ("units/甲/../乙/a.ts", (False, "writeAllowList")),
        ("units/甲/other/a.ts", (False, "writeAllowList")),
        ("units/甲/out/a.ts", (False, "outside")),
        ("units/甲/out/../a.ts", (False, "outside")),
        ("units/甲/locked/a", (False, "deny units/甲/locked/**")),
        ("../outside/a", (False, "outside")),
        ("{root}-2/a", (False, "outside")),
        ("/etc/passwd", (False, "outside")),
        ("~/.bashrc", (False, "path")),
        ("~root/x", (False, "path")),
        ("", (False, "path")),
        (".", (False, "path")),
        ("{root}/", (False, "path")),
        ("units/甲/a\0b", (False, "path")),
        ("units/甲/a\nb", (False, "path")),
        ("units/甲/\ud800", (False, "path")),
        ("units/甲/.env", (False, "deny .env*")),
        ("units/甲/.GIT/config", (False, "deny .git")),
        (".devloop/state.db", (False, "deny .devloop")),
        ("units/甲/tools.d/agents.json", (False, "deny tools.d")),
        ("conf/agents/agents.json", (False, "deny conf/agents/**")),
        ("Conf/Agents/packs/x.py", (False, "deny conf/agents/**")),
    ],
)
def test_a_write_stays_inside_the_lists_however_it_is_spelled(
    root: Path, path: str, verdict: tuple[bool, str]
) -> None:
    assert writes(root, path.format(root=root)) == verdict


@pytest.mark.parametrize(
    ("path", "tool"),
    [
        ("timeline.ndjson", "timeline_append"),
        ("agent-state/coder-todo.json", "write_todolist, update_todo_item and"),
        ("agent-state/history/x.json", "write_todolist, update_todo_item and"),
        ("sdd/units.json", "bootstrap_sdd_site and write_mvcp_page"),
        ("sdd/site.json", "write_chapter"),
        ("prd/site.json", "write_chapter"),
    ],
)
def test_a_file_that_a_tool_owns_is_refused_naming_the_tool(
    root: Path, path: str, tool: str
) -> None:
    verdict = judge_path(root, sandbox(root), path, Operation.WRITE)
    assert not verdict.allowed
    assert f"is written by {tool}" in verdict.reason
    assert judge_path(root, sandbox(root), path, Operation.READ).allowed


def test_another_spelling_of_a_file_that_a_tool_owns_is_refused_too(root: Path) -> None:
    everything = Sandbox("coder", write_allow=("**",))
    verdict = judge_path(root, everything, "TimeLine.ndjson", Operation.WRITE)
    assert verdict.rule == "owned timeline.ndjson"


def test_a_file_of_the_same_name_elsewhere_is_the_agent_s_own(root: Path) -> None:
    assert writes(root, "units/甲/units.json") == (True, "units/甲/units.json")
    assert writes(root, "units/甲/timeline.ndjson") == (True, "units/甲/timeline.ndjson")
    assert len(OWNED) == len(dict(OWNED))


@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        (".", (True, ".")),
        ("{root}", (True, ".")),
        ("units/乙/没有", (True, "units/乙/没有")),
        ("{root}/units/甲/other", (True, "units/乙")),
        ("{root}/../shared/docs/a", (True, "{root.parent}/shared/docs/a")),
        ("units/甲/out/a", (False, "readAllowList")),
        ("..", (False, "readAllowList")),
        ("/etc/passwd", (False, "readAllowList")),
        ("units/甲/.env.local", (False, "deny .env*")),
        ("{root}/../shared/.env", (False, "deny .env*: {root.parent}/shared")),
        (".devloop/state.db", (False, "deny .devloop")),
        (".devloop/results/a.json", (True, ".devloop/results/a.json")),
        ("conf/agents/agents.json", (True, "conf/agents/agents.json")),
        ("~", (False, "path")),
    ],
)
def test_a_read_stays_inside_the_project_and_the_folders_that_are_added(
    root: Path, path: str, verdict: tuple[bool, str]
) -> None:
    allowed, said = reads(root, path.format(root=root))
    assert (allowed, said) == (verdict[0], verdict[1].format(root=root))


def test_a_relative_path_is_below_the_folder_that_the_cli_is_in(root: Path) -> None:
    unit = root / "units/甲"
    assert writes(root, "a.ts", unit) == (True, "units/甲/a.ts")
    assert writes(root, "../乙/a.ts", unit) == (False, "writeAllowList")
    assert reads(root, "../../../outside/a", unit) == (False, "readAllowList")


def test_a_link_that_leads_round_in_circles_is_no_way_out(root: Path) -> None:
    assert writes(root, "units/甲/loop/a")[0] in (True, False)
    assert not writes(root, "units/甲/loop/../../乙/a")[0]
