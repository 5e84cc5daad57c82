"""Writes the snapshots of tool definitions and agents' lists, and `docs/bugs.md`, anew.

Read the diff.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.snapshots.bug_page import PAGE, draw_page
from tests.snapshots.drawing import FOLDER, draw, stored  # found by the line above


def main() -> None:
    """Write what is missing or stale, remove what nothing draws, and say so."""
    drawn, present = draw(), stored()
    for name in sorted({*drawn, *present}):
        path = FOLDER / name
        if name not in drawn:
            path.unlink()
            print(f"removed {name}")
        elif drawn[name] != present.get(name):
            path.parent.mkdir(exist_ok=True)
            path.write_text(drawn[name], encoding="utf-8")
            print(f"wrote {name}")
    PAGE.write_text(draw_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
