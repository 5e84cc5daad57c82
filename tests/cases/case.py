"""One recorded case as it stands in the file, and which of them were asked for."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RUN_KINDS = frozenset({"rpc", "bash_guard"})
"""Kinds that the runner runs; `tool` and `other` cases are tests that carry the case's id."""


@dataclass(frozen=True, slots=True)
class Case:
    """`input` and `expect` are as given; what their keys mean is the judge's business."""

    id: str
    group: str
    kind: str
    input: Any
    expect: dict[str, Any]

    @property
    def short_id(self) -> str:
        """`B01` of `H-B01`."""
        return self.id.rpartition("-")[2]


def load_cases(path: Path) -> list[Case]:
    """Every case of a .jsonl file. Raises ValueError naming the line."""
    cases = []
    # Not splitlines: the texts hold U+2028 and its like on purpose.
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            raw = json.loads(line)
            case = Case(raw["id"], raw["group"], raw["kind"], raw["input"], raw["expect"])
        except (KeyError, TypeError, ValueError) as exc:
            raise ValueError(f"{path.name}, line {number}: not a case ({exc!r})") from exc
        cases.append(case)
    return cases


def pick(cases: Sequence[Case], only: str | None) -> list[Case]:
    """Those of `only`, a list of groups and ids (`A,B01,H-C03`). Raises ValueError: no such."""
    if only is None:
        return list(cases)
    wanted = [word for word in re.split(r"[,\s]+", only) if word]
    for word in wanted:
        if not any(_is_meant(case, word) for case in cases):
            raise ValueError(f"--only: no group and no case is called {word}")
    return [case for case in cases if any(_is_meant(case, word) for word in wanted)]


def _is_meant(case: Case, word: str) -> bool:
    return word in (case.id, case.short_id, case.group)
