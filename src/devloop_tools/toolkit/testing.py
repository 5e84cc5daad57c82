"""What the author of a tool needs to test it: a real context in one line, and the real door.

Nothing here is a stand-in: the stores write below `root` as they do in a server, under the same
locks and the same sandbox. A test of a tool reads like this:

    async def test_the_timeline_counts_from_one(tmp_path: Path) -> None:
        ctx = tool_context(tmp_path, agent="pm")
        assert (await call_tool(timeline_append, {"event": "unit.built"}, ctx)).seq == 1

The server never imports this module.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import anyio.to_thread

from devloop_tools.domain.events import Event, EventLog
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import refused
from devloop_tools.domain.running.live_units import LiveUnits
from devloop_tools.storage.database import Database
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.sandbox import Environment, Sandbox
from devloop_tools.storage.workspace import Workspace
from devloop_tools.toolkit.client import NO_CLIENT
from devloop_tools.toolkit.context import ToolContext
from devloop_tools.toolkit.definition import ToolDefinition
from devloop_tools.toolkit.progress import NO_PROGRESS

PROJECT_ID = "test-project"
CALL_ID = "call-test"
SESSION_ID = "session-test"


def tool_context(
    root: Path,
    agent: str = "pm",
    write_allow: Sequence[str] = ("**",),
    unit_id: str | None = None,
    env: Mapping[str, str | None] | None = None,
) -> ToolContext:
    """A context with real stores in the existing folder `root`, as a call of `agent` gets it.

    `write_allow` are the globs of the agent's `writeAllowList`; what is closed to everybody
    (`.devloop/`, `.git/` and so on) stays closed. `env` is what placeholders and units see. The
    database is closed when nobody holds the context any more.
    """
    workspace = Workspace(
        root, Sandbox(agent, tuple(write_allow), env=Environment((env or {}).items())), unit_id
    )
    origin = Origin(
        project_id=PROJECT_ID,
        agent=agent,
        call_id=CALL_ID,
        session_id=SESSION_ID,
        unit_id=unit_id,
    )
    database = Database(root)
    return ToolContext(
        origin=origin,
        workspace=workspace,
        events=EventLog(database),
        database=database,
        started=cache(LiveUnits),
        progress=NO_PROGRESS,
        client=NO_CLIENT,
    )


async def call_tool(definition: ToolDefinition, arguments: dict[str, Any], ctx: ToolContext) -> Any:
    """What the tool returns for `arguments` as they come from the wire.

    They pass the same parsing as a client's: InvalidArguments is raised where they don't fit.
    A plain `def` runs in a worker thread, an `async def` on the event loop, as in a server. What
    a store reports as an expected failure comes back as `Refused`, as the model gets it.
    """
    parsed = definition.arguments.parse(definition.name, arguments)
    try:
        if definition.is_async:
            return await definition.execute(parsed, ctx)
        return await anyio.to_thread.run_sync(definition.execute, parsed, ctx)
    except ExpectedFailure as exc:
        return refused(exc.reason, exc.hint)


def recorded_events(root: Path) -> Sequence[Event]:
    """The events that calls have committed in the project at `root`, oldest first."""
    database = Database(root)
    try:
        return EventLog(database).read(0)
    finally:
        database.close()
