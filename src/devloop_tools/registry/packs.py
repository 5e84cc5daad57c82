"""Drop-in tools: `packs/*.py` of the tools folder, each loaded so that it can't take others down.

A file whose content is new is first imported in a child process with a time limit; only what
passed there is imported here. What failed is reported by name, and the rest works.
"""

import hashlib
import io
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from devloop_tools.registry.discovery import entries_of, load_file
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.pack_trial import TOO_SLOW, try_packs
from devloop_tools.registry.pack_verdicts import PackVerdicts
from devloop_tools.registry.soundness import faults_in


@dataclass(frozen=True, slots=True)
class PackFault:
    """A pack that could not be loaded, or not wholly, and why."""

    file: str
    reason: str

    def __str__(self) -> str:
        return f"pack {self.file}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Packs:
    """The tools that packs brought, and what went wrong."""

    entries: Sequence[ToolEntry] = ()
    faults: Sequence[PackFault] = ()


def load_packs(folder: Path, taken: Mapping[str, ToolEntry], verdicts: PackVerdicts) -> Packs:
    """Every sound tool in `folder/*.py`, by file name; a name in `taken` or twice is a fault."""
    digests = {path: _digest(path) for path in sorted(folder.glob("*.py"))}
    unknown = [path for path, digest in digests.items() if verdicts.known(digest) is None]
    tried = try_packs(unknown)
    for path in unknown:
        if (reason := tried.get(path, "")) in ("", TOO_SLOW):
            verdicts.remember(digests[path], reason)
    verdicts.save()
    remembered = {path: verdicts.known(digest) or "" for path, digest in digests.items()}
    return _imported(digests, {**remembered, **tried}, taken)


def check_pack(path: Path, taken: Mapping[str, ToolEntry], verdicts: PackVerdicts) -> Packs:
    """One file, tried anew whatever is known of it."""
    tried = try_packs([path])
    if path not in tried:
        verdicts.remember(_digest(path), "")
        verdicts.save()
    return _imported([path], tried, taken)


def _imported(
    paths: Iterable[Path], failed: Mapping[Path, str], taken: Mapping[str, ToolEntry]
) -> Packs:
    entries = dict(taken)
    faults: list[PackFault] = []
    for path in paths:
        if reason := failed.get(path):
            faults.append(PackFault(path.name, reason))
            continue
        found, reasons = import_pack(path)
        faults.extend(PackFault(path.name, reason) for reason in reasons)
        for entry in found:
            if first := entries.get(entry.name):
                clash = f"{entry.name} is already defined in {first.source}; rename one of them"
                faults.append(PackFault(path.name, clash))
            else:
                entries[entry.name] = entry
    return Packs([entry for name, entry in entries.items() if name not in taken], faults)


def import_pack(path: Path) -> tuple[Sequence[ToolEntry], Sequence[str]]:
    """The sound tools of one file, imported here, and what is wrong with it."""
    printed = io.StringIO()
    try:
        # Whoever loads may have stdout in use for something that a program reads.
        with redirect_stdout(printed):
            module = load_file(path)
    except (Exception, SystemExit) as exc:  # whatever a pack does at import is its own fault
        return (), (described(exc),)
    sound, reasons = _sound(entries_of(module, f"pack:{path.stem}", str(path)))
    if text := printed.getvalue():
        sys.stderr.write(text)
        reasons = [*reasons, f"it prints when it is imported: {text.strip()[:60]!r}"]
    return sound, reasons


def described(exc: BaseException) -> str:
    """An exception in one line, with the line of a syntax error."""
    if isinstance(exc, SyntaxError):
        return f"SyntaxError: {exc.msg} (line {exc.lineno})"
    return f"{type(exc).__name__}: {exc}".splitlines()[0]


def _sound(entries: Iterable[ToolEntry]) -> tuple[Sequence[ToolEntry], Sequence[str]]:
    sound: list[ToolEntry] = []
    reasons: list[str] = []
    for entry in entries:
        found = [f"{entry.name}: {fault}" for fault in faults_in(entry.definition)]
        reasons.extend(found)
        if not found:
            sound.append(entry)
    if not sound and not reasons:
        reasons.append("it defines no tool; decorate a function with @tool")
    return sound, reasons


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
