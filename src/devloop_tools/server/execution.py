"""One call of one tool, from arguments to an outcome; the same for every way in."""

import asyncio
import math
import secrets
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, get_args

import anyio.to_thread
import orjson

from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Refused, refused
from devloop_tools.frozen import frozen
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.server.actors import Actor
from devloop_tools.server.admission import Admission, Denied
from devloop_tools.server.bounds import (
    MAX_RESULT_BYTES,
    bounded_blocks,
    bounded_object,
    bounded_text,
)
from devloop_tools.server.client_requests import (
    CapabilityMissing,
    InputRequired,
    asked_together,
)
from devloop_tools.server.results import keep_whole
from devloop_tools.server.session import Session
from devloop_tools.server.traces import last_frames, without_paths
from devloop_tools.server.values import plain_text, to_json_value
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.toolkit import ToolDefinition, ToolSandboxError, ToolValidationError
from devloop_tools.toolkit.arguments import InvalidArguments, Problem
from devloop_tools.toolkit.client import Client
from devloop_tools.toolkit.content import Content
from devloop_tools.toolkit.context import Progress

MAX_MESSAGE = 2000

_CONTENT = frozenset(get_args(Content))


@frozen
class Call:
    """A call that policy has let through."""

    actor: Actor
    entry: ToolEntry
    arguments: JsonObject
    origin: Origin
    progress: Progress
    client: Client

    @property
    def definition(self) -> ToolDefinition:
        """The tool itself, which the first call of it imports."""
        return self.entry.definition


@frozen
class Finished:
    """The tool answered: `text` for a reader, `structured` where it publishes a schema.

    `value` is what it returned, in the types of JSON and within bounds.
    """

    text: str
    structured: JsonObject | None
    value: Any
    blocks: tuple[JsonObject, ...] = ()
    """Content that is more than text, where the tool returned such."""

    @property
    def refusal(self) -> str | None:
        """The reason of an expected failure."""
        value = self.value
        if isinstance(value, dict) and value.get("ok") is False:
            return str(value.get("reason", "no reason given"))
        return None


@frozen
class Invalid:
    """The arguments can't be used."""

    text: str
    problems: tuple[Problem, ...]


@frozen
class OutsideSandbox:
    """A path that the agent may not touch."""

    path: str
    agent: str
    reason: str


@frozen
class Crashed:
    """A bug or the system. `frames` are the last three, as `module.function:line`."""

    tool: str
    message: str
    error_id: str
    frames: tuple[str, ...]
    traceback: str


Outcome = Finished | Invalid | Denied | OutsideSandbox | Crashed


async def execute(session: Session, call: Call, admission: Admission) -> Outcome:
    """Validate, ask policy about the arguments, run, and turn whatever comes into an outcome.

    Raises only on cancellation.
    """
    name = call.entry.name
    try:
        definition = await _loaded(session, call.entry)
        read = partial(definition.arguments.parse, name, call.arguments)
        slow = definition.arguments.reads_slowly
        arguments = await session.tool_threads.run(read) if slow else read()
        if denied := admission.refusal(arguments):
            return denied
        return await _run(session, call, arguments)
    except (InputRequired, CapabilityMissing, GeneratorExit):
        # What the client's program must hear, not the model.
        raise
    except ExpectedFailure as exc:
        return _finished(call, refused(exc.reason, exc.hint))
    except InvalidArguments as exc:
        return Invalid(_shown(str(exc), MAX_RESULT_BYTES), exc.problems)
    except ToolValidationError as exc:
        problem = Problem(_shown(exc.field), _shown(exc.reason), _shown(exc.allowed))
        return Invalid(f"Invalid arguments for {name}:\n- {problem}", (problem,))
    except ToolSandboxError as exc:
        return OutsideSandbox(exc.path, exc.agent, _shown(exc.reason))
    except BaseException as exc:
        # The tool's boundary: whatever it raises is an answer, and the server lives. Only its own
        # cancellation is no answer; a tool may also raise what looks like one.
        if isinstance(exc, anyio.get_cancelled_exc_class()) and _is_cancelled():
            raise
        return _crashed(name, exc, call.actor.workspace.root)


async def _loaded(session: Session, entry: ToolEntry) -> ToolDefinition:
    """The tool; where its module has to be imported, that holds up nobody."""
    if entry.is_loaded:
        return entry.definition
    return await anyio.to_thread.run_sync(
        lambda: entry.definition, abandon_on_cancel=True, limiter=session.threads
    )


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    by_asyncio = task is not None and task.cancelling() > 0
    return by_asyncio or anyio.current_effective_deadline() == -math.inf


async def _run(session: Session, call: Call, arguments: Any) -> Finished:
    context = session.make_context(call.actor.workspace, call.origin, call.progress, call.client)
    execute = call.definition.execute
    if call.definition.is_async:
        if _changes_project(call):
            await anyio.to_thread.run_sync(context.database.require, limiter=session.threads)
        with asked_together():
            return _finished(call, await execute(arguments, context))

    def work() -> Finished:
        # A change whose event can't be committed is not begun: it would be told as failed.
        if _changes_project(call):
            context.database.require()
        # A large result is made ready where it holds up nobody.
        return _finished(call, execute(arguments, context))

    return await session.tool_threads.run(work)


def _changes_project(call: Call) -> bool:
    """Whether it is a tool of ours that writes; what others' tools write to is their own."""
    ours = call.entry.source.startswith("devloop_tools.")
    return ours and not call.definition.annotations.read_only


def _finished(call: Call, value: Any) -> Finished:
    keep = partial(keep_whole, call.actor.workspace, call.origin.call_id)
    if blocks := _blocks(value):
        blocks = bounded_blocks(to_json_value(blocks), keep)
        return Finished(_text_of(blocks), None, blocks, tuple(blocks))
    definition = call.definition
    declared = definition.output_schema_declared
    if declared and not isinstance(value, definition.published_types):
        raise TypeError(f"the tool returned {type(value).__name__}, not what it publishes")
    plain = to_json_value(value)
    if isinstance(plain, str):
        text = bounded_text(plain, keep)
        return Finished(text, None, text)
    if isinstance(plain, dict):
        shown = bounded_object(plain, keep)
        published = declared or isinstance(value, Refused)
        return Finished(orjson.dumps(shown).decode(), shown if published else None, shown)
    text = bounded_text(orjson.dumps(plain).decode(), keep)
    return Finished(text, None, plain)


def _blocks(value: Any) -> list[JsonObject]:
    """Content as MCP's blocks; nothing where `value` is no content."""
    items = value if isinstance(value, list | tuple) else [value]
    if not items or not all(type(item) in _CONTENT for item in items):
        return []
    return [item.block() for item in items]


def _text_of(blocks: Sequence[JsonObject]) -> str:
    return "\n".join(block["text"] for block in blocks if block["type"] == "text")


def _crashed(tool: str, exc: BaseException, root: Path) -> Crashed:
    return Crashed(
        tool=tool,
        message=_shown(without_paths(_described(exc)[: 4 * MAX_MESSAGE], root)),
        error_id=f"err-{secrets.token_hex(4)}",
        frames=last_frames(exc.__traceback__),
        traceback=plain_text("".join(traceback.format_exception(exc))),
    )


def _described(exc: BaseException) -> str:
    try:
        text = str(exc)
    except Exception:
        # An exception whose text can't be made is still an answer.
        text = ""
    return f"{type(exc).__name__}: {text}".removesuffix(": ")


def _shown(text: str, limit: int = MAX_MESSAGE) -> str:
    return plain_text(text if len(text) <= limit else text[: limit - 1] + "…")


def timed() -> Callable[[], float]:
    """A stopwatch: what it returns tells the milliseconds since."""
    start = time.perf_counter()
    return lambda: round((time.perf_counter() - start) * 1000, 3)
