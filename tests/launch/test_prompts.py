"""Where system prompts are found, and what the shipped ones say."""

from pathlib import Path

import pytest

from devloop_tools.launch.prompts import find_prompt
from devloop_tools.registry.agents import AgentTemplate, load_agents
from devloop_tools.registry.names import DEV_LOOP_TOOLS, NATIVE_TOOLS
from devloop_tools.settings import resolve_tools_dir

TOOLS_DIR = resolve_tools_dir(None)
SHIPPED = load_agents(TOOLS_DIR / "agents.json").templates


def test_the_first_folder_that_has_the_file_wins(tmp_path: Path) -> None:
    first, second = tmp_path / "数据", tmp_path / "tools"
    for folder in (first, second):
        (folder / "prompts").mkdir(parents=True)
        (folder / "prompts/pm.md").touch()
    (second / "prompts/coder.md").touch()
    assert find_prompt("prompts/pm.md", [first, second]) == first / "prompts/pm.md"
    assert find_prompt("prompts/coder.md", [first, second]) == second / "prompts/coder.md"


@pytest.mark.parametrize("name", ["missing.md", "prompts", "a\0b", "长" * 300])
def test_what_is_no_file_is_not_found(name: str, tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    assert find_prompt(name, [tmp_path]) is None


@pytest.mark.parametrize("template", SHIPPED, ids=lambda template: template.short_name)
def test_each_shipped_agent_has_a_prompt_that_names_its_tools_and_no_others(
    template: AgentTemplate,
) -> None:
    path = find_prompt(template.cli.system_prompt_file or "", [TOOLS_DIR])
    assert path is not None
    text = path.read_text(encoding="utf-8")
    granted = {entry for entry in template.cli.tool_policy if isinstance(entry, str)}
    words = {word.strip("`*.,:;()") for word in text.split()}
    assert granted - NATIVE_TOOLS <= words
    assert words & DEV_LOOP_TOOLS <= granted
    assert "`ok: false`" in text
