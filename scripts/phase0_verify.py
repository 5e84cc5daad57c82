"""Says of each critical tool whether it is registered: exit 1 where one is missing."""

import sys

from devloop_tools.app import TOOLS_PACKAGE
from devloop_tools.registry.discovery import discover

CRITICAL = (
    "write_todolist",
    "update_todo_item",
    "hash_contract",
    "bug_open",
    "archive_doc",
    "update_search_index",
    "validate_prd_site",
)
SHOWN = 40


def main(package: str = TOOLS_PACKAGE) -> int:
    """Look for the tools in `package` and print a line each; the exit code."""
    entries = {entry.name: entry for entry in discover(package)}
    for name in CRITICAL:
        if name in entries:
            description = " ".join(entries[name].definition.description.split())
            print(f"✓ {name} · {description[:SHOWN]}")
        else:
            print(f"MISSING: {name}")
    if any(name not in entries for name in CRITICAL):
        return 1
    print(f"All {len(CRITICAL)} critical tools registered")
    return 0


if __name__ == "__main__":
    sys.exit(main())
