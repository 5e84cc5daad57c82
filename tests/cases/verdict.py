"""What came of a case: faults, keys that nobody knows, and sentences left to a test."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Verdict:
    """Collects while a case is judged. `prose` names keys whose sentence only a test can judge."""

    faults: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)

    @property
    def word(self) -> str:
        """passed, failed or not run."""
        if self.faults:
            return "failed"
        return "not run" if self.unknown else "passed"

    def line(self, case_id: str) -> str:
        """The one line about the case."""
        parts = [f"{case_id} {self.word}"]
        if self.faults:
            parts.append("; ".join(self.faults))
        if self.unknown:
            parts.append(f"key: {', '.join(self.unknown)}")
        if self.prose:
            parts.append(f"in words, left to the test with its id: {', '.join(self.prose)}")
        return " | ".join(parts)
