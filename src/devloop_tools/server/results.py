"""Where a result goes that is too long to be shown whole."""

import logging
import re

from devloop_tools.storage.errors import StorageError, ToolSandboxError
from devloop_tools.storage.files import ProjectFile
from devloop_tools.storage.workspace import STATE_FOLDER, Workspace

_MAX_NAME_BYTES = 150

_logger = logging.getLogger(__name__)


def keep_whole(workspace: Workspace, call_id: str, content: bytes, ending: str) -> str | None:
    """Write `content` to `.devloop/results/{call_id}{ending}`, which every agent may read.

    None where it can't be written: the call has done its work, and its answer is worth more.
    """
    stem = re.sub(r"[^\w.-]", "_", call_id).encode()[:_MAX_NAME_BYTES].decode("utf-8", "ignore")
    file = ProjectFile(workspace.root, (STATE_FOLDER, "results", stem + ending), workspace.agent)
    try:
        file.replace(content)
    except (StorageError, ToolSandboxError, OSError) as exc:
        _logger.warning("%s: %s", file.path, exc)
        return None
    return file.path
