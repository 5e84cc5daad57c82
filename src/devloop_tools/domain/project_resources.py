"""The project's files that are good to have as resources: what agents plan, do and remember."""

from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote, unquote

from devloop_tools.domain.events import Event, EventType
from devloop_tools.frozen import frozen
from devloop_tools.storage.errors import StorageError, ToolSandboxError
from devloop_tools.storage.workspace import Workspace

SCHEME = "devloop://"
TIMELINE = f"{SCHEME}timeline"
TIMELINE_BYTES = 256 * 1024
MAX_MEMORIES = 200
"""Listed an agent, newest first; older ones can be read by URI."""

TODO, RUNTIME, MEMORY = "todo", "runtime", "memory"

_TIMELINE_FILE = "timeline.ndjson"

TEMPLATES = (
    (f"{SCHEME}{TODO}/{{agent}}", "todo", "An agent's todo list.", "application/json"),
    (f"{SCHEME}{RUNTIME}/{{agent}}", "runtime", "An agent's runtime state.", "application/json"),
    (f"{SCHEME}{MEMORY}/{{agent}}/{{id}}", "memory", "One memory of an agent.", "text/markdown"),
)
"""URI template, name, description and MIME type."""


@frozen
class ProjectResource:
    """A file as a resource; `read` returns its bytes, or None if it is gone."""

    uri: str
    name: str
    description: str
    mime_type: str
    read: Callable[[], bytes | None]


def list_resources(workspace: Workspace, agents: Sequence[str]) -> Iterator[ProjectResource]:
    """Those that are there, in a stable order."""
    if _is_there(workspace, _TIMELINE_FILE):
        yield _timeline(workspace)
    for agent in sorted(agents):
        for kind in (TODO, RUNTIME):
            if _is_there(workspace, _state_path(kind, agent)):
                yield _state(workspace, kind, agent)
        for memory_id in memory_ids(workspace, agent)[:MAX_MEMORIES]:
            yield _memory(workspace, agent, memory_id)


def find_resource(workspace: Workspace, uri: str, agents: Sequence[str]) -> ProjectResource | None:
    """The resource at `uri`, whether or not its file is there.

    None for a URI of another form, or of an agent that is not one of `agents`.
    """
    if uri == TIMELINE:
        return _timeline(workspace)
    path = uri.removeprefix(SCHEME) if uri.startswith(SCHEME) else ""
    parts = [unquote(part) for part in path.split("/")]
    match parts:
        case [("todo" | "runtime") as kind, agent] if agent in agents:
            return _state(workspace, kind, agent)
        case ["memory", agent, memory_id] if agent in agents and _plain(memory_id):
            return _memory(workspace, agent, memory_id)
        case _:
            return None


def memory_ids(workspace: Workspace, agent: str) -> list[str]:
    """The ids of an agent's memories, newest first."""
    from devloop_tools.domain.memories import MemoryIndex

    try:
        content = workspace.read(f"memory/devloop/{agent}/index.json")
        index = MemoryIndex.model_validate_json(content or b"")
    except (ValueError, StorageError, ToolSandboxError):
        # A damaged index is said by the tool that writes it; a list goes on without it.
        return []
    return [memory.id for memory in reversed(index.memories)]


def uris_of(event: Event) -> Iterator[str]:
    """What an event says has changed."""
    match event.type:
        case EventType.TIMELINE_APPENDED:
            yield TIMELINE
        case EventType.TODO_LIST | EventType.TODO_ITEM:
            yield _state_uri(TODO, event.agent)
        case EventType.RUNTIME_STATE:
            yield _state_uri(RUNTIME, event.agent)
        case EventType.MEMORY_RECORDED:
            yield _memory_uri(event.agent, event.data["id"])
        case _:
            return


def _timeline(workspace: Workspace) -> ProjectResource:
    return ProjectResource(
        TIMELINE,
        "timeline",
        "What happened in the project, newest last; the last 256 KB.",
        "application/x-ndjson",
        lambda: workspace.readable(_TIMELINE_FILE).tail(TIMELINE_BYTES),
    )


def _state(workspace: Workspace, kind: str, agent: str) -> ProjectResource:
    title = "todo list" if kind == TODO else "runtime state"
    return ProjectResource(
        _state_uri(kind, agent),
        f"{agent}-{kind}",
        f"The {title} of {agent}.",
        "application/json",
        lambda: workspace.read(_state_path(kind, agent)),
    )


def _memory(workspace: Workspace, agent: str, memory_id: str) -> ProjectResource:
    return ProjectResource(
        _memory_uri(agent, memory_id),
        memory_id,
        f"A memory of {agent}.",
        "text/markdown",
        lambda: workspace.read(f"memory/devloop/{agent}/{memory_id}.md"),
    )


def _state_uri(kind: str, agent: str) -> str:
    return f"{SCHEME}{kind}/{quote(agent, safe='')}"


def _memory_uri(agent: str, memory_id: str) -> str:
    return f"{_state_uri(MEMORY, agent)}/{quote(memory_id, safe='')}"


def _state_path(kind: str, agent: str) -> str:
    return f"agent-state/{agent}-{kind}.json"


def _is_there(workspace: Workspace, path: str) -> bool:
    try:
        return workspace.readable(path).exists()
    except (StorageError, ToolSandboxError):
        # One file that can't be looked at hides no other.
        return False


def _plain(name: str) -> bool:
    return name not in ("", ".", "..") and "/" not in name and name.isprintable()
