"""What every tool returns: done, or an expected failure that says what to do instead."""

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Outcome(BaseModel):
    """`ok` says whether the tool did its work; verdicts on others' work are fields of their own."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    ok: bool


class Done(Outcome):
    """The tool did its work."""

    ok: Literal[True] = True


class Refused(Outcome):
    """An expected failure: `reason` names the field or file, `hint` says what to do instead."""

    ok: Literal[False] = False
    reason: str
    hint: str


def refused(reason: str, hint: str) -> Refused:
    """An expected failure. The model reads both texts."""
    return Refused(reason=reason, hint=hint)
