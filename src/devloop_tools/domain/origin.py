"""Who caused a change: stands in every file, timeline line and event."""

from devloop_tools.frozen import frozen


@frozen
class Origin:
    """Identity comes from the server's command line and environment, never from the model."""

    project_id: str
    agent: str
    call_id: str
    session_id: str
    unit_id: str | None = None
