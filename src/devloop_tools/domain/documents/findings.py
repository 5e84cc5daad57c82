"""What a check of a site has found: each with its place, and what would mend it."""

from collections import Counter
from enum import StrEnum

from pydantic import BaseModel, Field

from devloop_tools.domain.outcome import Done

MAX_FINDINGS = 5000


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


class Finding(BaseModel):
    """One thing that is wrong, and what would mend it."""

    code: str
    severity: Severity
    page: str
    line: int
    message: str
    fix: str


class SiteValidated(Done):
    """`passed` says whether the site has no error (strict: and no warning)."""

    passed: bool
    pages: int
    errors: int
    warnings: int
    codes: dict[str, int]
    findings: list[Finding] = Field(default_factory=list)


class Findings:
    """Those of one check, as it goes; pages are named by their paths in `folder`."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._found: list[Finding] = []

    def error(self, code: str, page: str, line: int, message: str, fix: str) -> None:
        self._add(code, Severity.ERROR, page, line, message, fix)

    def warning(self, code: str, page: str, line: int, message: str, fix: str) -> None:
        self._add(code, Severity.WARNING, page, line, message, fix)

    def verdict(self, pages: int, *, strict: bool) -> SiteValidated:
        """All of it, errors first."""
        found = sorted(self._found, key=lambda f: (f.severity, f.page, f.line, f.code))
        errors = sum(finding.severity is Severity.ERROR for finding in found)
        return SiteValidated(
            passed=not (found if strict else errors),
            pages=pages,
            errors=errors,
            warnings=len(found) - errors,
            codes=dict(sorted(Counter(finding.code for finding in found).items())),
            findings=found[:MAX_FINDINGS],
        )

    def _add(
        self, code: str, severity: Severity, page: str, line: int, message: str, fix: str
    ) -> None:
        self._found.append(
            Finding(
                code=code,
                severity=severity,
                page=f"{self._folder}/{page}",
                line=line,
                message=message,
                fix=fix,
            )
        )
