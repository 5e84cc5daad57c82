"""Where a result goes that is too long to be shown whole."""

import re

from devloop_tools.storage.files import ProjectFile
from devloop_tools.storage.workspace import STATE_FOLDER, Workspace


def keep_whole(workspace: Workspace, call_id: str, content: bytes, ending: str) -> str:
    """Write `content` to `.devloop/results/{call_id}{ending}`, which every agent may read."""
    name = re.sub(r"[^\w.-]", "_", call_id)[:100] + ending
    file = ProjectFile(workspace.root, (STATE_FOLDER, "results", name), workspace.agent)
    file.replace(content)
    return file.path
