from pathlib import Path

import pytest

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import tool_context


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return tool_context(tmp_path, agent="bug-triager", write_allow=("triage.json",))
