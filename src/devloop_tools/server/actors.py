"""Who acts through a connection, with what that agent sees and may touch."""

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from devloop_tools.domain.origin import Origin
from devloop_tools.frozen import changed, frozen
from devloop_tools.registry.catalog import Catalog
from devloop_tools.registry.packs import PackFault
from devloop_tools.registry.policy import Policy
from devloop_tools.registry.registry import Registry
from devloop_tools.server.native_calls import Grounds
from devloop_tools.storage.workspace import Workspace
from devloop_tools.toolkit.prompts import PromptDefinition
from devloop_tools.toolkit.resources import ResourceDefinition

MAX_CALL_ID = 128


@frozen
class Actor:
    """One agent at work. It comes from the command line, or from a trusted host's `ctx`."""

    project_id: str
    agent: str
    unit_id: str | None
    session_id: str
    policy: Policy
    catalog: Catalog
    workspace: Workspace

    def in_session(self, session_id: str | None) -> "Actor":
        """The same agent in another session; itself where none is named."""
        return changed(self, session_id=session_id) if session_id else self

    @property
    def grounds(self) -> Grounds:
        """What rulings on the client's own tools rest on."""
        return Grounds(self.policy, self.workspace.root, self.workspace.sandbox)

    def origin(self, call_id: object) -> Origin:
        """What stands behind one call; a call without a usable id gets one that sorts by time."""
        usable = isinstance(call_id, str) and 0 < len(call_id) <= MAX_CALL_ID
        # Printable also means that it can be written: no control character, no lone surrogate.
        usable = usable and str(call_id).isprintable()
        return Origin(
            project_id=self.project_id,
            agent=self.agent,
            call_id=str(call_id) if usable else f"call-{uuid7()}",
            session_id=self.session_id,
            unit_id=self.unit_id,
        )


class UnknownActor(Exception):
    """An agent, or the unit it needs, that a host named wrongly; the text says what there is."""


class Actors(Protocol):
    """The agents that this process may act for."""

    @property
    def default(self) -> Actor | None:
        """The agent of `--agent`; None only under `serve --host` without one."""
        ...

    @property
    def takes_context(self) -> bool:
        """Whether `ctx` in requests is read: `serve --host`."""
        ...

    @property
    def serves_cli(self) -> bool:
        """Whether the client is a Claude CLI that the builder set up: `serve --for-cli`."""
        ...

    @property
    def registry(self) -> Registry:
        """Every tool that exists in this process."""
        ...

    @property
    def agent_names(self) -> Sequence[str]:
        """The short names of all agents of the file."""
        ...

    @property
    def resources(self) -> Sequence[ResourceDefinition]:
        """What packs offer to be read."""
        ...

    @property
    def prompts(self) -> Sequence[PromptDefinition]:
        """The agents' prompts, and those of packs."""
        ...

    @property
    def project_dir(self) -> Path: ...

    @property
    def pack_faults(self) -> Sequence[PackFault]:
        """Packs that could not be loaded."""
        ...

    def named(self, agent: str, unit_id: str | None, *, works: bool = True) -> Actor:
        """An agent of the file, by short name; one that `works` must have the unit it needs.

        Raises UnknownActor.
        """
        ...


def uuid7() -> str:
    """A UUID that sorts by time, also within a millisecond (RFC 9562, section 6.2, method 3)."""
    # A clock that has lost its battery may stand before 1970, for which there is no such id.
    milliseconds, rest = divmod(max(0, time.time_ns()), 1_000_000)
    fraction = rest * 4096 // 1_000_000
    # Ids need to differ, not to be secret; the system's randomness costs a call to it.
    value = bytearray(milliseconds.to_bytes(6) + fraction.to_bytes(2) + random.randbytes(8))
    value[6] |= 0x70
    value[8] = value[8] & 0x3F | 0x80
    text = value.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
