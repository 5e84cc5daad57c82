"""One call of one tool, from arguments to an outcome; the same for every way in."""

import os
import re
import secrets
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, get_args

import anyio.lowlevel
import anyio.to_thread
import orjson

from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Refused, refused
from devloop_tools.protocol.errors import RpcError
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.server.actors import Actor
from devloop_tools.server.bounds import bounded_object, bounded_text
from devloop_tools.server.client_requests import InputRequired
from devloop_tools.server.results import keep_whole
from devloop_tools.server.session import Session
from devloop_tools.server.values import to_json_value
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.toolkit import ToolDefinition, ToolSandboxError, ToolValidationError
from devloop_tools.toolkit.arguments import InvalidArguments, Problem
from devloop_tools.toolkit.client import Client
from devloop_tools.toolkit.content import Content
from devloop_tools.toolkit.context import Progress

MAX_MESSAGE = 2000

_CONTENT = frozenset(get_args(Content))


@dataclass(frozen=True, slots=True)
class Call:
    """A call that policy has let through."""

    actor: Actor
    definition: ToolDefinition
    arguments: JsonObject
    origin: Origin
    progress: Progress
    client: Client


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Invalid:
    """The arguments can't be used."""

    text: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class OutsideSandbox:
    """A path that the agent may not touch."""

    path: str
    agent: str
    reason: str


@dataclass(frozen=True, slots=True)
class Crashed:
    """A bug or the system. `frames` are the last three, as `module.function:line`."""

    tool: str
    message: str
    error_id: str
    frames: tuple[str, ...]
    traceback: str


Outcome = Finished | Invalid | OutsideSandbox | Crashed


async def execute(session: Session, call: Call) -> Outcome:
    """Validate, run, and turn whatever comes into an outcome.

    Raises when the call is cancelled, and what is for the client's program.
    """
    definition = call.definition
    try:
        arguments = definition.arguments.parse(definition.name, call.arguments)
        value = await _run(session, call, arguments)
        return _finished(call, value)
    except (RpcError, InputRequired):
        # What the client's program must hear, such as a capability that it lacks.
        raise
    except ExpectedFailure as exc:
        return _finished(call, refused(exc.reason, exc.hint))
    except InvalidArguments as exc:
        return Invalid(str(exc), exc.problems)
    except ToolValidationError as exc:
        problem = Problem(exc.field, exc.reason, exc.allowed)
        return Invalid(f"Invalid arguments for {definition.name}:\n- {problem}", (problem,))
    except ToolSandboxError as exc:
        return OutsideSandbox(exc.path, exc.agent, exc.reason)
    except BaseException as exc:
        # The tool's boundary: whatever it raises is an answer, and the server lives. A
        # cancellation that nobody asked for here, such as that of a task of its own, counts too.
        await anyio.lowlevel.checkpoint_if_cancelled()
        return _crashed(definition.name, exc, call.actor.workspace.root)


async def _run(session: Session, call: Call, arguments: Any) -> Any:
    context = session.make_context(call.actor.workspace, call.origin, call.progress, call.client)
    if call.definition.is_async:
        return await call.definition.execute(arguments, context)
    return await anyio.to_thread.run_sync(
        partial(call.definition.execute, arguments, context),
        abandon_on_cancel=True,
        limiter=session.threads,
    )


def _finished(call: Call, value: Any) -> Finished:
    keep = partial(keep_whole, call.actor.workspace, call.origin.call_id)
    if blocks := _blocks(value):
        return Finished(_text_of(blocks), None, blocks, blocks)
    plain = to_json_value(value)
    if isinstance(plain, str):
        text = bounded_text(plain, keep)
        return Finished(text, None, text)
    if isinstance(plain, dict):
        shown = bounded_object(plain, keep)
        published = call.definition.output_schema_declared or isinstance(value, Refused)
        return Finished(orjson.dumps(shown).decode(), shown if published else None, shown)
    if call.definition.output_schema_declared:
        raise TypeError(f"the tool returned {type(value).__name__}, not what it publishes")
    text = bounded_text(orjson.dumps(plain).decode(), keep)
    return Finished(text, None, plain)


def _blocks(value: Any) -> tuple[JsonObject, ...]:
    """Content as MCP's blocks; nothing where `value` is no content."""
    items = value if isinstance(value, list | tuple) else [value]
    if not items or not all(type(item) in _CONTENT for item in items):
        return ()
    return tuple(item.block() for item in items)


def _text_of(blocks: tuple[JsonObject, ...]) -> str:
    return "\n".join(block["text"] for block in blocks if block["type"] == "text")


def _crashed(tool: str, exc: BaseException, root: Path) -> Crashed:
    return Crashed(
        tool=tool,
        message=without_paths(_worded(exc), root)[:MAX_MESSAGE],
        error_id=f"err-{secrets.token_hex(4)}",
        frames=_last_frames(exc.__traceback__),
        traceback=_encodable("".join(traceback.format_exception(exc))),
    )


def _worded(exc: BaseException) -> str:
    try:
        text = str(exc)
    except Exception:  # an exception of a tool's own may fail at this too
        text = "its text can't be made"
    whole = f"{type(exc).__name__}: {text}" if text else type(exc).__name__
    return _encodable(whole[: 2 * MAX_MESSAGE])


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _last_frames(trace: TracebackType | None) -> tuple[str, ...]:
    frames = [
        f"{frame.f_globals.get('__name__', '?')}.{frame.f_code.co_qualname}:{line}"
        for frame, line in traceback.walk_tb(trace)
    ]
    return tuple(frames[-3:])


_QUOTED = re.compile(r"(['\"])(?:file://)?(/[^'\"\n]*/[^'\"\n]*)\1")
_ABSOLUTE = re.compile(
    r"(?:file://|(?<![A-Za-z0-9_.~:/]))(/(?:[^\s'\":,;()<>|/]+/)+[^\s'\":,;()<>|/]*)"
)
"""Behind a letter that is not ASCII a slash may belong to a relative path, or start one."""


def without_paths(text: str, root: Path) -> str:
    """`text` with paths below the project made relative, and other absolute ones cut to a name."""
    relative = re.sub(rf"{re.escape(str(root))}(?:/|(?![\w.-]))", _below_root, text)
    return _ABSOLUTE.sub(_cut, _QUOTED.sub(_cut_quoted, relative))


def _below_root(found: re.Match[str]) -> str:
    return "" if found[0].endswith(os.sep) else "."


def _cut_quoted(found: re.Match[str]) -> str:
    return f"{found[1]}{_name_of(found[2])}{found[1]}"


def _cut(found: re.Match[str]) -> str:
    before = found.string[: found.start()][-1:]
    first = found[1].split("/")[1]
    if before.isalnum() and not os.path.lexists(f"/{first}"):
        return found[0]
    return _name_of(found[1])


def _name_of(path: str) -> str:
    return f"…/{path.rstrip('/').rpartition('/')[2]}"


def timed() -> Callable[[], float]:
    """A stopwatch: what it returns tells the milliseconds since."""
    start = time.perf_counter()
    return lambda: round((time.perf_counter() - start) * 1000, 3)
