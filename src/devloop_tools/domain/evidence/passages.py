"""What a unit's contract says of the endpoints, names and codes that a text speaks of."""

import re
from collections.abc import Iterator
from itertools import islice

from devloop_tools.domain.contracts.contract import parse_contract, read_contract, unit_page
from devloop_tools.domain.evidence.lines import lines_of_file
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

_MOST = 10
_AROUND = 120
_MOST_LINES = 50_000


def contract_passages(
    workspace: Workspace, unit_id: str | None, text: str
) -> Iterator[tuple[str, int, str]]:
    """Path, line and quote of each passage; none where no contract of the unit can be read."""
    if unit_id is None:
        return
    try:
        path = unit_page(unit_id)
        contract = parse_contract(read_contract(workspace, path), path)
    except ExpectedFailure:
        return
    names = [point.path for point in contract.endpoints]
    names += [function.name for function in contract.functions]
    names += [*contract.types, *(event.name for event in contract.events)]
    names += [str(error.code) for error in contract.errors]
    wanted = [name for name in dict.fromkeys(names) if _is_named(name, text)][:_MOST]
    for line in islice(lines_of_file(workspace, path), _MOST_LINES):
        for name in wanted:
            place = line.text.find(f'"{name}"')
            if place >= 0:
                yield path, line.number, _around(line.text, place, len(name) + 2)
                wanted.remove(name)
                break


def _is_named(name: str, text: str) -> bool:
    """Whether the text names it as a whole; `:id` and `{id}` stand for any part of a path."""
    parts = re.split(r"(:\w+|\{\w+\}|<\w+(?::\w+)?>)", name)
    pattern = "".join(
        r"[^/\s]+" if place % 2 else re.escape(part) for place, part in enumerate(parts)
    )
    return re.search(rf"(?<![\w/-]){pattern}(?![\w/-])", text) is not None


def _around(text: str, place: int, length: int) -> str:
    start, end = max(0, place - _AROUND), place + length + _AROUND
    return text[start:end].strip()
