"""What a tool raises when its arguments can't be used; the model reads the text."""


class ToolValidationError(Exception):
    """`field` can't be used because of `reason`; `allowed` says what could stand there."""

    def __init__(self, field: str, reason: str, allowed: str = "") -> None:
        super().__init__(f"{field}: {reason}" + (f" Allowed: {allowed}" if allowed else ""))
        self.field = field
        self.reason = reason
        self.allowed = allowed
