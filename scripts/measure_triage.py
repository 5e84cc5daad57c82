"""Prints what the judge of bug reports and the search for similar ones reach: docs/triage.md."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.domain.triage.measuring import (  # found by the line above
    BLIND,
    OWN,
    OWN_SIMILAR,
    SIMILAR,
    measured,
    searched,
)


def main() -> None:
    """Print the tables in Markdown."""
    for corpus in (OWN, BLIND):
        figures = measured(corpus)
        print(f"\n{corpus.name}: {figures.right} of {figures.reports} right, ", end="")
        print(f"macro-F1 {figures.macro_f1:.3f}\n")
        print("| category | precision | recall | F1 |\n|---|---|---|---|")
        for row in figures.rows:
            print(f"| {row.category} | {row.precision:.2f} | {row.recall:.2f} | {row.f1:.2f} |")
    print("\n| corpus | duplicates | 1 | 3 | 5 | 10 |\n|---|---|---|---|---|---|")
    for name, search in (
        ("own, `choose`", searched(OWN_SIMILAR, "choose")),
        ("own, `check`", searched(OWN_SIMILAR, "check")),
        ("frozen", searched(SIMILAR)),
    ):
        shares = " | ".join(f"{search.recall(most):.3f}" for most in (1, 3, 5, 10))
        print(f"| {name} | {search.pairs} | {shares} |")


if __name__ == "__main__":
    main()
