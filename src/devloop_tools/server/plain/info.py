"""server.info and session.state."""

from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server.era import NAME, supported_versions
from devloop_tools.server.plain.params import Params, read
from devloop_tools.server.session import Session
from devloop_tools.server.traces import without_paths
from devloop_tools.version import VERSION


class NoParams(Params):
    pass


async def server_info(session: Session, request: Request) -> JsonObject:
    """What this server is, for whom it acts and where; `packs` names those it could not load."""
    read(request, NoParams)
    default = session.actors.default
    return {
        "name": NAME,
        "version": VERSION,
        "agent": default.agent if default else None,
        "project_dir": str(session.actors.project_dir),
        "protocols": supported_versions(session.offered),
        "packs": [
            {"file": fault.file, "reason": without_paths(fault.reason, session.actors.project_dir)}
            for fault in session.actors.pack_faults
        ],
    }


async def session_state(_session: Session, request: Request) -> JsonObject:
    """Whether anything waits for a person."""
    read(request, NoParams)
    return {"state": "running", "pending": []}
