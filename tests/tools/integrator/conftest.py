from pathlib import Path

import pytest

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import tool_context


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    """The integrator's, who may see two variables of which one is set."""
    env = {"TODO_MODE": "测试 test", "TODO_KEY": None}
    return tool_context(tmp_path, "integrator", write_allow=["units/*/logs/**"], env=env)
