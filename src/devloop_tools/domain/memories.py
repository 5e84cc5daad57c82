"""What an agent wants to remember: a Markdown file with front matter each, and an index."""

import hashlib
import re
import unicodedata
from enum import StrEnum

import orjson
from pydantic import BaseModel, ConfigDict, Field

from devloop_tools.domain.clock import timestamp
from devloop_tools.domain.events import EventLog, EventType
from devloop_tools.domain.json_files import load, save
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.storage.files import ProjectFile
from devloop_tools.storage.sandbox import is_reserved
from devloop_tools.storage.workspace import Workspace

MAX_SLUG = 64
"""Characters of an id, as of every id in the project."""

MAX_MEMORIES = 10_000

_MAX_NAME_BYTES = 240
"""File systems allow 255; ".md" comes behind."""

_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What JSON allows in a string and YAML reads as a line break, or not at all (YAML 1.2.2, 5.1)."""


class Kind(StrEnum):
    DECISION = "decision"
    FACT = "fact"
    LESSON = "lesson"
    PREFERENCE = "preference"
    TODO = "todo"


class Memory(BaseModel):
    """One entry of the index; the content is in the file at `path`."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    id: str
    topic: str
    kind: Kind
    tags: list[str]
    path: str
    content_hash: str
    created_at: str
    call_id: str
    supersedes: str | None = None
    superseded_by: str | None = None


class MemoryIndex(BaseModel):
    """The file `memory/devloop/{agent}/index.json`, oldest entry first.

    Here and in its entries, fields that we don't know are left alone.
    """

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    agent: str
    memories: list[Memory] = Field(default_factory=list)


class MemoryRecorded(Done):
    """Where the memory is; `deduplicated` if the same content had been recorded before."""

    id: str
    path: str
    deduplicated: bool = False


class MemoryStore:
    """Reads and writes `memory/devloop/{agent}/`."""

    def __init__(self, workspace: Workspace, origin: Origin, events: EventLog) -> None:
        self._workspace = workspace
        self._origin = origin
        self._events = events

    def record(
        self, topic: str, content: str, *, kind: Kind, tags: list[str], supersedes: str | None
    ) -> MemoryRecorded | Refused:
        """Write one memory, or find the one that already holds this content."""
        with self._workspace.locked(f"{self._workspace.memory_folder}/index.json") as file:
            index = load(file, MemoryIndex) or MemoryIndex(agent=self._origin.agent)
            digest = _digest(content)
            for known in index.memories:
                # What was replaced is no memory any more: recorded again, it is taken up again.
                if known.content_hash == digest and known.superseded_by is None:
                    self._restore(known, content)
                    return MemoryRecorded(id=known.id, path=known.path, deduplicated=True)
            if fault := _fault(index, supersedes):
                return fault
            memory = self._write(index, topic, content, digest, kind, tags, supersedes)
            save(file, _with(index, memory))
        fact = {"id": memory.id, "topic": memory.topic, "path": memory.path}
        self._events.emit(self._origin, EventType.MEMORY_RECORDED, fact)
        return MemoryRecorded(id=memory.id, path=memory.path)

    def _restore(self, known: Memory, content: str) -> None:
        """Write the file again if somebody took it away: what is told to be there, is."""
        file = self._workspace.beside(known.path)
        if file.read() is None:
            file.replace(_markdown(known, self._origin.agent, content))

    def _write(
        self,
        index: MemoryIndex,
        topic: str,
        content: str,
        digest: str,
        kind: Kind,
        tags: list[str],
        supersedes: str | None,
    ) -> Memory:
        created_at = timestamp()
        memory_id, file = self._free_file(index, topic, digest)
        memory = Memory(
            id=memory_id,
            topic=topic,
            kind=kind,
            tags=tags,
            path=file.path,
            content_hash=digest,
            created_at=created_at,
            call_id=self._origin.call_id,
            supersedes=supersedes,
        )
        file.replace(_markdown(memory, self._origin.agent, content))
        return memory

    def _free_file(self, index: MemoryIndex, topic: str, digest: str) -> tuple[str, ProjectFile]:
        """A name that no memory has. A file that a crash left without its entry is taken over."""
        taken = {memory.id for memory in index.memories}
        slug = slug_of(topic)
        for count in range(1, MAX_MEMORIES + 2):
            name = slug if count == 1 else _cut(slug, ending=f"-{count}")
            if name in taken:
                continue
            file = self._workspace.beside(f"{self._workspace.memory_folder}/{name}.md")
            old = file.read()
            if old is None or f"content_hash: {digest}\n".encode() in old:
                return name, file
        raise AssertionError("more names than memories")  # pragma: no cover


def slug_of(topic: str) -> str:
    """A file name from a topic: letters and digits of any script, and `-`."""
    folded = unicodedata.normalize("NFC", topic).casefold()
    slug = unicodedata.normalize("NFC", re.sub(r"[^\w]+|_+", "-", folded)).strip("-")
    slug = _cut(slug) or "memory"
    return f"{slug}-memory" if is_reserved(slug) else slug


def _cut(slug: str, ending: str = "") -> str:
    """`slug` and `ending`, within the bounds of an id and of a file's name."""
    room = slug[: MAX_SLUG - len(ending)].encode()[: _MAX_NAME_BYTES - len(ending)]
    return room.decode(errors="ignore").rstrip("-") + ending


def _fault(index: MemoryIndex, supersedes: str | None) -> Refused | None:
    if len(index.memories) >= MAX_MEMORIES:
        return refused(
            f"memory: {MAX_MEMORIES} memories are kept", "Ask a person to move old ones away."
        )
    if supersedes is None or any(memory.id == supersedes for memory in index.memories):
        return None
    newest = ", ".join(memory.id for memory in index.memories[-8:]) or "none"
    return refused(
        f"supersedes: there is no memory {supersedes}", f"The newest memories are: {newest}."
    )


def _with(index: MemoryIndex, memory: Memory) -> MemoryIndex:
    kept = [
        old.model_copy(update={"superseded_by": memory.id}) if old.id == memory.supersedes else old
        for old in index.memories
    ]
    return index.model_copy(update={"memories": [*kept, memory]})


def _digest(content: str) -> str:
    """The same for texts that differ in line ends, outer blanks or Unicode form alone."""
    lines = unicodedata.normalize("NFC", content).replace("\r\n", "\n").strip()
    return "sha256:" + hashlib.sha256(lines.encode()).hexdigest()


def _markdown(memory: Memory, agent: str, content: str) -> bytes:
    front = {
        "id": memory.id,
        "topic": memory.topic,
        "kind": memory.kind.value,
        "tags": memory.tags,
        "agent": agent,
        "created_at": memory.created_at,
        "call_id": memory.call_id,
        "supersedes": memory.supersedes,
    }
    lines = [f"{name}: {_yaml(value)}" for name, value in front.items() if value is not None]
    lines.append(f"content_hash: {memory.content_hash}")
    text = content.replace("\r\n", "\n")
    text = text if text.endswith("\n") else text + "\n"
    return "\n".join(["---", *lines, "---", "", text]).encode()


def _yaml(value: str | list[str]) -> str:
    """A flow scalar or list; JSON strings are YAML (YAML 1.2.2, section 1.3) but for a few."""
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", orjson.dumps(value).decode())
