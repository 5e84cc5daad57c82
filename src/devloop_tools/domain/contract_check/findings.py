"""What a comparison of a contract and its source finds."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Kind(StrEnum):
    ENDPOINT = "endpoint"
    FUNCTION = "function"
    TYPE = "type"


class Finding(BaseModel):
    """One difference. `file` and `line` are where the source has it, null where it hasn't."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    kind: Kind
    name: str
    file: str | None = None
    line: int | None = None
    why: str


class Findings(BaseModel):
    """`missing`: in the contract only; `extra`: in the source only; `differing`: in both."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    missing: list[Finding] = Field(default_factory=list)
    extra: list[Finding] = Field(default_factory=list)
    differing: list[Finding] = Field(default_factory=list)

    def add(self, others: "Findings") -> None:
        """Take over what `others` found."""
        self.missing.extend(others.missing)
        self.extra.extend(others.extra)
        self.differing.extend(others.differing)
