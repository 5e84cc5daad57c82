"""Tools whose files may not grow: what was there stays, and the error says why."""

import subprocess
import sys
from pathlib import Path

TRY = """
import resource, sys
from pathlib import Path
from devloop_tools.storage.errors import StorageError
from devloop_tools.toolkit.testing import tool_context
from devloop_tools.tools.docs.bootstrap_prd_site import bootstrap_prd_site
from devloop_tools.tools.docs.bootstrap_sdd_site import bootstrap_sdd_site
from devloop_tools.tools.docs.write_chapter import write_chapter
from devloop_tools.tools.docs.write_mvcp_page import write_mvcp_page
from devloop_tools.tools.persistence.record_memory import record_memory
from devloop_tools.tools.persistence.update_todo_item import update_todo_item
from devloop_tools.tools.persistence.write_todolist import write_todolist

root = Path(sys.argv[1])
ctx = tool_context(root)

def call(tool, **given):
    return tool.execute(tool.arguments.parse(tool.name, given), ctx)

def files():
    return {str(p): p.read_bytes() for p in root.rglob("*")
            if p.is_file() and ".devloop" not in p.parts}

long = "长 text " * 2000
call(bootstrap_prd_site, title="待办", chapters=[{"id": "a", "title": "甲"}])
call(bootstrap_sdd_site, title="设计", units=[{"id": "u", "title": "乙", "kind": "k"}])
call(write_todolist, items=[{"id": "step-001", "description": "x" * 200}] )
before = files()
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
for tool, given in (
    (update_todo_item, {"id": "step-001", "status": "done"}),
    (record_memory, {"topic": "t", "content": long}),
    (write_chapter, {"site": "prd", "chapter_id": "a", "markdown": long}),
    (write_mvcp_page, {"unit_id": "u", "contract": {"unit": "u", "version": 1}, "model": long}),
):
    try:
        print(tool.name, call(tool, **given))
    except StorageError as exc:
        print(tool.name, exc, files() == before)
"""


def test_h_g08_a_full_disk_costs_no_file(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", TRY, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ended.stdout.splitlines() == [
        "update_todo_item agent-state/pm-todo.json: File too large True",
        "record_memory memory/devloop/pm/t.md: File too large True",
        "write_chapter prd/a.html: File too large True",
        "write_mvcp_page sdd/units/u.html: File too large True",
    ]
