"""What a test report says, whichever reporter wrote it."""

from enum import StrEnum
from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic.json_schema import SkipJsonSchema

from devloop_tools.domain.outcome import Done


class Format(StrEnum):
    AUTO = "auto"
    JSON = "json"
    JUNIT = "junit"
    TAP = "tap"
    DEFAULT = "default"
    VERBOSE = "verbose"


class Kind(StrEnum):
    """What sort of thing failed."""

    ASSERTION = "assertion"
    ERROR = "error"
    SNAPSHOT = "snapshot"
    TIMEOUT = "timeout"


class SuiteKind(StrEnum):
    """What failed of a file or a group beside its tests."""

    LOAD = "load"
    HOOK = "hook"
    SNAPSHOT = "snapshot"


Optional = SkipJsonSchema[None]
"""What isn't known is left out of a result, so its schema has no null."""


UNKNOWN: Any = Field(default_factory=lambda: None)
"""None, without a default in the schema: it is left out."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True)

    @model_serializer(mode="wrap")
    def _known(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        shown: dict[str, Any] = fields(self)
        return {name: value for name, value in shown.items() if value is not None}


class Failure(_Part):
    """A test that failed. `line` and `column` are in `file`, which holds the test."""

    file: str = Field(default="", description="The test's file.")
    line: int | Optional = UNKNOWN
    column: int | Optional = UNKNOWN
    full_name: str = Field(description="Groups > title.")
    kind: Kind = Kind.ERROR
    message: str = ""
    expected: str | Optional = UNKNOWN
    actual: str | Optional = UNKNOWN
    diff: str = ""
    stack: list[str] = Field(default_factory=list, description="Own frames first.")
    errors: int = Field(default=1, description="Tries that failed, or soft errors.")


class SuiteError(_Part):
    """A file that could not be loaded, a hook that failed, or snapshots that nothing uses."""

    kind: SuiteKind
    file: str = ""
    name: str = Field(default="", description="The group whose hook failed.")
    line: int | Optional = UNKNOWN
    message: str = ""
    stack: list[str] = Field(default_factory=list)


class UnhandledError(_Part):
    """An error that belongs to no test."""

    message: str
    file: str = ""
    line: int | Optional = UNKNOWN
    stack: list[str] = Field(default_factory=list)


class Flaky(_Part):
    """A test that passed after failing."""

    full_name: str
    file: str = ""
    retries: int


class Snapshots(_Part):
    written: int = 0
    matched: int = 0
    mismatched: int = 0
    obsolete: int = 0
    obsolete_names: list[str] = Field(default_factory=list)


class Totals(_Part):
    tests: int = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    todo: int = 0


class ReportParsed(Done):
    """`passed` is null where the report can't tell; `reasons` says why it is what it is."""

    passed: bool | None = Field(description="null: the report can't tell; give exit_code.")
    reasons: list[str] = Field(description="Why it didn't pass, or can't be told.")
    format: Format
    tool: str = Field(description="vitest, jest, pytest, or empty.")
    report_truncated: bool = Field(
        default=False, description="It ends early; more may have failed."
    )
    totals: Totals
    failures: list[Failure]
    suite_errors: list[SuiteError]
    unhandled_errors: list[UnhandledError]
    flaky: list[Flaky]
    snapshots: Snapshots
    duration_ms: float | None = None
    left_out: int = Field(default=0, description="Failures that are not listed.")
