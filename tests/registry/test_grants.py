"""The shipped agents.json grants exactly the catalogue: 36 functions, 79 times."""

from collections import Counter

import pytest

from devloop_tools.app import TOOLS_PACKAGE
from devloop_tools.registry.agents import load_agents
from devloop_tools.registry.discovery import discover
from devloop_tools.settings import resolve_tools_dir

EVERYBODY = (
    "write_todolist update_todo_item update_runtime_state timeline_append record_memory".split()
)
OWN = {
    "pm": "bootstrap_prd_site write_chapter archive_doc diff_html update_search_index"
    " validate_prd_site echo_diff",
    "architect": "bootstrap_sdd_site write_chapter write_mvcp_page archive_doc diff_html diff_units"
    " echo_diff update_search_index validate_sdd_consistency hash_contract",
    "coder": "hash_contract contract_bridge sandbox_check append_coder_log",
    "tester": "parse_vitest hint_builder bug_open bug_transition bug_list hash_contract"
    " contract_bridge sandbox_check find_similar_bug",
    "integrator": "port_picker spawn_units health_wait run_case parse_placeholder collect_stderr"
    " bug_open bug_transition bug_list hash_contract",
    "bug-triager": "extract_evidence verify_evidence category_classifier diff_contract_vs_impl"
    " find_similar_bug bug_list bug_transition hash_contract collect_stderr",
}
GRANTS = {agent: {*EVERYBODY, *names.split()} for agent, names in OWN.items()}
FUNCTIONS = set().union(*GRANTS.values())
NATIVE = {"Read", "Write", "Edit", "Bash"}
BUILT = {entry.name for entry in discover(TOOLS_PACKAGE)}


def granted() -> dict[str, Counter[str]]:
    """What the file grants to each agent, without the CLI's own tools."""
    templates = load_agents(resolve_tools_dir(None) / "agents.json").templates
    found = {}
    for template in templates:
        names = [rule for rule in template.cli.tool_policy if isinstance(rule, str)]
        found[template.short_name] = Counter(name for name in names if name not in NATIVE)
    return found


@pytest.mark.parametrize("agent", GRANTS)
def test_an_agent_is_granted_its_part_of_the_catalogue_once(agent: str) -> None:
    assert granted()[agent] == Counter(dict.fromkeys(GRANTS[agent], 1))


def test_there_are_36_functions_and_79_grants_for_six_agents() -> None:
    counts = granted()
    assert len(counts) == 6
    assert sum(count.total() for count in counts.values()) == 79
    assert len(set().union(*counts.values())) == 36


def test_every_function_of_the_catalogue_is_built_and_nothing_else() -> None:
    assert BUILT == FUNCTIONS
