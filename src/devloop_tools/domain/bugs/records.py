"""What a bug is made of, as agents give it and as it is kept."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from devloop_tools.domain.bugs.states import Status
from devloop_tools.domain.outcome import Done, Refused
from devloop_tools.domain.running.names import UnitId

MAX_TITLE = 200
MAX_TEXT = 8_000
"""Characters of expected, actual and steps each."""

MAX_EVIDENCE = 50
MAX_QUOTE = 2_000
MAX_LINE = 100_000_000


class Severity(StrEnum):
    """The worst first."""

    BLOCKER = "blocker"
    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"


class Category(StrEnum):
    CONTRACT_MISMATCH = "contract_mismatch"
    IMPLEMENTATION_BUG = "implementation_bug"
    TEST_BUG = "test_bug"
    ENVIRONMENT = "environment"
    FLAKY = "flaky"
    SPEC_GAP = "spec_gap"
    DEPENDENCY = "dependency"


BugId = Annotated[
    str,
    Field(
        pattern=r"^BUG-[0-9]{4,12}$",
        max_length=16,
        description="The bug.",
        examples=["BUG-0001"],
    ),
    # BUG-000001 is BUG-0001: what is answered and told to screens is the id that they know.
    AfterValidator(lambda name: bug_id(bug_number(name))),
]


class Evidence(BaseModel):
    """A quote that anybody can look up. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    path: str = Field(
        min_length=1, max_length=1024, description="The file, relative to the project folder."
    )
    line: int = Field(ge=1, le=MAX_LINE, description="The line of the quote's start, from 1.")
    quote: str = Field(
        min_length=1,
        max_length=MAX_QUOTE,
        pattern=r"\S",
        description="What stands there, word for word.",
    )


class Report(BaseModel):
    """A failure as somebody saw it."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    title: str
    severity: Severity
    unit_id: str | None
    expected: str
    actual: str
    steps: str | None = None
    evidence: list[Evidence] = Field(default_factory=list)
    category: Category | None = None


class ChangedFields(BaseModel):
    """What a step changes besides the status. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    severity: Severity | None = Field(default=None, description="How bad it is after all.")
    category: Category | None = Field(default=None, description="What kind of fault it is.")
    unit_id: UnitId | None = Field(default=None, description="The unit where it belongs.")
    assignee: str | None = Field(
        default=None, min_length=1, max_length=120, description="The agent or person who mends it."
    )
    duplicate_of: BugId | None = Field(
        default=None, description="With to duplicate: the bug that this one repeats."
    )


class Step(BaseModel):
    """One step of a bug's life: who, when and why. The first one has no `from_status`."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    ts: str
    agent: str
    from_status: str | None
    to: str
    reason: str
    fields: dict[str, str] = Field(default_factory=dict)


class Occurrence(BaseModel):
    """One time that a bug was seen; `places` are `path:line` of its evidence."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    ts: str
    agent: str
    title: str
    severity: str
    steps: str | None
    places: list[str]


class Bug(BaseModel):
    """A bug as it stands."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    id: str
    title: str
    status: Status
    severity: Severity
    category: Category | None
    unit_id: str | None
    expected: str
    actual: str
    steps: str | None
    evidence: list[Evidence]
    occurrences: int
    assignee: str | None
    duplicate_of: str | None
    previous: str | None
    opened_by: str
    opened_at: str
    updated_at: str


class BugOpened(Done):
    """`deduplicated`: the failure was known, and an occurrence was added to the open bug `id`.

    `previous` is the finished bug of the same failure, if there was one.
    """

    id: str
    status: Status
    deduplicated: bool = False
    occurrences: int = 1
    previous: str | None = None


class BugMoved(Done):
    """Where the bug stands, and the steps that are legal from there."""

    id: str
    status: Status
    legal: list[Status]


class IllegalStep(Refused):
    """A step that the table doesn't have; `legal` names those that it has."""

    status: Status
    legal: list[Status]


def bug_id(number: int) -> str:
    """The readable id of the bug with this number."""
    return f"BUG-{number:04}"


def bug_number(name: str) -> int:
    """The number in a bug's id."""
    return int(name.removeprefix("BUG-"))
