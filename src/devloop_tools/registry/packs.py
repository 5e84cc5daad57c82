"""Drop-in tools: `packs/*.py` of the tools folder, each loaded so that it can't take others down.

A file whose content is new is first imported in a child process with a time limit; only what
passed there is imported here. What failed is reported by name, and the rest works.
"""

import hashlib
import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import TextIO, TypeVar

from devloop_tools.frozen import frozen
from devloop_tools.registry.discovery import (
    PACKS,
    entries_of,
    load_file,
    offers_of,
    shared_by_packs,
)
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.pack_trial import TOO_SLOW, try_packs
from devloop_tools.registry.pack_verdicts import PackVerdict, PackVerdicts
from devloop_tools.registry.soundness import faults_in
from devloop_tools.toolkit.prompts import PromptDefinition
from devloop_tools.toolkit.resources import ResourceDefinition


@frozen
class PackFault:
    """A pack that could not be loaded, or not wholly, and why."""

    file: str
    reason: str

    def __str__(self) -> str:
        return f"pack {self.file}: {self.reason}"


@frozen
class Packs:
    """The tools that packs brought, and what went wrong."""

    entries: Sequence[ToolEntry] = ()
    resources: Sequence[ResourceDefinition] = ()
    prompts: Sequence[PromptDefinition] = ()
    faults: Sequence[PackFault] = ()


def load_packs(
    folders: Sequence[Path], taken: Mapping[str, ToolEntry], verdicts: PackVerdicts
) -> Packs:
    """Every sound tool in the folders' `*.py`, by file name; a name in `taken` or twice is a
    fault."""
    # Editors leave files beside, whose names begin with a dot; `_*.py` is what packs share.
    paths = [
        path
        for folder in folders
        for path in sorted(folder.glob("*.py"))
        if not path.name.startswith((".", "_"))
    ]
    digests = {path: digest for path in paths if (digest := _digest(path))}
    known = {path: verdicts.known(digest) for path, digest in digests.items()}
    tried = try_packs([path for path, verdict in known.items() if verdict is None])
    for path, verdict in tried.items():
        # Another failure may be mended without a change of the file, by an install for one.
        if verdict.fatal in ("", TOO_SLOW):
            verdicts.remember(digests[path], verdict)
    verdicts.save()
    unreadable = {path: PackVerdict("the file can't be read") for path in paths}
    found = {path: verdict for path, verdict in known.items() if verdict is not None}
    return _imported({**unreadable, **found, **tried}, taken)


def check_pack(path: Path, taken: Mapping[str, ToolEntry], verdicts: PackVerdicts) -> Packs:
    """One file, tried anew whatever is known of it."""
    tried = try_packs([path])
    if not tried[path].fatal:
        verdicts.remember(_digest(path), tried[path])
        verdicts.save()
    return _imported(tried, taken)


def examine(path: Path) -> PackVerdict:
    """Import a pack here and judge it; what it does to the process is the caller's risk."""
    printed = io.StringIO()
    found, fatal = _import(path, printed)
    if fatal:
        return PackVerdict(fatal)
    if not (found.entries or found.resources or found.prompts):
        return PackVerdict("it defines no tool; decorate a function with @tool")
    faults = [(str(one.name), next(faults_in(one.definition), "")) for one in found.entries]
    text = printed.getvalue().strip()
    return PackVerdict(
        unsound={name: _line(fault) for name, fault in faults if fault},
        notes=[f"it prints when it is imported: {_line(text)[:60]!r}"] if text else [],
    )


def _imported(verdicts: Mapping[Path, PackVerdict], taken: Mapping[str, ToolEntry]) -> Packs:
    entries = dict(taken)
    resources: dict[str, ResourceDefinition] = {}
    prompts: dict[str, PromptDefinition] = {}
    faults: list[PackFault] = []
    for path, verdict in verdicts.items():
        reasons = verdict.reasons()
        if not verdict.fatal:
            found, fatal = _import(path, sys.stderr)
            reasons += [fatal] if fatal else []
            sound = [entry for entry in found.entries if str(entry.name) not in verdict.unsound]
            reasons += _joined(entries, ((entry.name, entry) for entry in sound))
            reasons += _joined(resources, ((one.uri, one) for one in found.resources))
            reasons += _joined(prompts, ((one.name, one) for one in found.prompts))
        faults.extend(PackFault(path.name, reason) for reason in reasons)
    new = [entry for name, entry in entries.items() if name not in taken]
    return Packs(new, list(resources.values()), list(prompts.values()), faults)


Offer = TypeVar("Offer", ToolEntry, ResourceDefinition, PromptDefinition)


def _joined(known: dict[str, Offer], more: Iterable[tuple[str, Offer]]) -> Iterator[str]:
    """Add what has a name of its own; say of the rest who has the name already."""
    for name, offer in more:
        if first := known.get(name):
            yield f"{name} is already defined in {_source(first)}; rename one"
        else:
            known[name] = offer


def _source(offer: ToolEntry | ResourceDefinition | PromptDefinition) -> str:
    match offer:
        case ToolEntry():
            return offer.source
        case ResourceDefinition():
            return offer.read.__module__
        case PromptDefinition():
            return offer.render.__module__


def _import(path: Path, output: TextIO) -> tuple[Packs, str]:
    """What the pack offers, or the reason why it can't be imported; what it prints: `output`."""
    try:
        with _away_from_stdout(), redirect_stdout(output):
            module = load_file(path)
            entries = list(entries_of(module, f"pack:{path.stem}", str(path)))
            return Packs(entries, *offers_of(module)), ""
    except BaseException as exc:  # whatever a pack does at import is its own fault
        return Packs(), _described(exc, path)


@contextmanager
def _away_from_stdout() -> Iterator[None]:
    """Whoever loads may have fd 1 in use for something that a program reads."""
    sys.stdout.flush()
    saved = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(saved, 1)
        os.close(saved)


def _described(exc: BaseException, path: Path) -> str:
    """An exception in one line, with the line of the pack that led to it."""
    where = str(path.absolute())
    try:
        text = str(exc.msg if isinstance(exc, SyntaxError) else exc)
    except Exception:  # an exception's text is a pack's too
        text = ""
    lines = [line for frame, line in walk_tb(exc.__traceback__) if _file_of(frame) == where]
    if isinstance(exc, SyntaxError) and exc.filename == where and exc.lineno:
        lines.append(exc.lineno)
    place = f" (line {lines[-1]})" if lines else ""
    return _line(f"{type(exc).__name__}: {text}".removesuffix(": ")) + place + _advice(exc, path)


def _advice(exc: BaseException, path: Path) -> str:
    """What to do about a module that isn't found."""
    if not isinstance(exc, ModuleNotFoundError) or not isinstance(exc.name, str):
        return ""
    package, _, name = exc.name.rpartition(".")
    beside = (path.with_name(f"{start}{name}.py").exists() for start in ("", "_"))
    if package == PACKS or any(beside):
        return "; what packs share lies beside them as _NAME.py: from ._NAME import ..."
    return "; install it where devloop-tools is installed"


def _file_of(frame: FrameType) -> str:
    return frame.f_code.co_filename


def _line(text: str) -> str:
    """The first line of a text, with what can't be written as escapes."""
    first = next(iter(text.splitlines()), "")
    return first.encode("utf-8", "backslashreplace").decode()


def _digest(path: Path) -> str:
    """Of the file's content, and of what it may import from beside it; empty where it is no file,
    or can't be read."""
    try:
        # Reading a pipe that lies there would wait for ever.
        if not path.is_file():
            return ""
        digest = hashlib.sha256(path.read_bytes())
        for shared in filter(Path.is_file, shared_by_packs(path.parent)):
            content = shared.read_bytes()
            digest.update(
                f"\0{shared.relative_to(path.parent)} {len(content)}\n".encode() + content
            )
        return digest.hexdigest()
    except (OSError, UnicodeEncodeError):
        return ""
