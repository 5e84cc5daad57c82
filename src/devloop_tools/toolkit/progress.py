"""Progress that nobody asked for."""


class NoProgress:
    """Does nothing, for calls whose client wants no progress."""

    def report(self, progress: float, total: float | None = None, message: str = "") -> None:
        """See `toolkit.context.Progress`."""


NO_PROGRESS = NoProgress()
