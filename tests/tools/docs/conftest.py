from pathlib import Path
from typing import Any

import pytest

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.docs.bootstrap_prd_site import bootstrap_prd_site

CHAPTERS: list[dict[str, Any]] = [
    {"id": "login", "title": "登录 Login", "group": "功能"},
    {"id": "sync", "title": "Sync & 同步", "group": "功能", "summary": "离线 offline"},
    {"id": "计划", "title": "Plan"},
]


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return tool_context(tmp_path, agent="pm", write_allow=["prd/**", "sdd/**"])


@pytest.fixture
async def site(ctx: ToolContext, tmp_path: Path) -> Path:
    """The folder of a PRD site with three chapters that nobody has written."""
    made = await call_tool(bootstrap_prd_site, {"title": "待办 Todo", "chapters": CHAPTERS}, ctx)
    assert made.ok
    return tmp_path / "prd"
