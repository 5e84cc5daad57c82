"""Writes what tools show clients, what agents' lists cost and `docs/bugs.md` anew.

Read the diff.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.snapshots.bug_page import PAGE, draw_page  # found by the line above
from tests.snapshots.drawing import ROOT, draw, stored
from tests.snapshots.known_words import WORDS, draw_words


def main() -> None:
    """Write what is missing or stale, remove what nothing draws, and say so."""
    drawn, present = draw(), stored()
    for name in sorted({*drawn, *present}):
        path = ROOT / name
        if name not in drawn:
            path.unlink()
            print(f"removed {name}")
        elif drawn[name] != present.get(name):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(drawn[name])
            print(f"wrote {name}")
    PAGE.write_text(draw_page(), encoding="utf-8")
    WORDS.write_bytes(draw_words())


if __name__ == "__main__":
    main()
