"""What a plan says otherwise than the site that is there, which keeps what it has."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

MAX_NOTES = 50


class Planned(Protocol):
    """A chapter or unit as an agent plans it."""

    @property
    def id(self) -> str: ...

    @property
    def model_fields_set(self) -> set[str]: ...


def notes_on(
    planned: Sequence[Planned], present: Mapping[str, object], file: str, way: str
) -> list[str]:
    """A line for each entry of the plan that is there with other fields; `way` to change them."""
    lines = list(_differing(planned, present, file, way))
    more = len(lines) - MAX_NOTES
    return [*lines[:MAX_NOTES], f"and {more} more"] if more > 0 else lines


def _differing(
    planned: Sequence[Planned], present: Mapping[str, object], file: str, way: str
) -> Iterator[str]:
    for entry in planned:
        known = present.get(entry.id)
        if known is None:
            continue
        given = sorted(entry.model_fields_set - {"id"})
        other = [name for name in given if getattr(known, name) != getattr(entry, name)]
        if other:
            yield f"{entry.id}: {', '.join(other)} stayed as {file} has it; {way}"
