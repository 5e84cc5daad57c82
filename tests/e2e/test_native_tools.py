"""The constant of the CLI's own tools, held against what the real CLI says it has."""

import pytest
from tests.e2e.conftest import MakeHost
from tests.e2e.host import Line

from devloop_tools.registry.names import NATIVE_TOOLS

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("mode", ["--tools=default", "--restricted"])
def test_every_tool_of_the_cli_is_known(mode: str, make_host: MakeHost, claude: str) -> None:
    host, _ = make_host()
    line = Line([claude, "--strict-mcp-config", "--setting-sources=", mode], {})
    tools = set(host.run(line, "hi").init["tools"])
    assert {"Read", "Write", "Edit"} <= tools
    assert tools <= NATIVE_TOOLS


def test_every_native_name_that_can_be_granted_is_one_word_to_the_cli(
    make_host: MakeHost, claude: str
) -> None:
    host, _ = make_host()
    tools = f"--tools={','.join(sorted(NATIVE_TOOLS))}"
    line = Line([claude, "--strict-mcp-config", "--setting-sources=", tools], {})
    listed = set(host.run(line, "hi").init["tools"])
    assert {"Bash", "Edit", "Glob", "Grep", "Read", "WebFetch", "Write"} <= listed <= NATIVE_TOOLS
