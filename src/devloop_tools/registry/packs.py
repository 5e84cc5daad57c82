"""Drop-in tools: `packs/*.py` of the tools folder, each loaded so that it can't take others down.

A file whose content is new is first imported in a child process with a time limit; only what
passed there is imported here. What failed is reported by name, and the rest works.
"""

import hashlib
import io
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from devloop_tools.registry.discovery import entries_of, load_file, offers_of
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.pack_trial import TOO_SLOW, try_packs
from devloop_tools.registry.pack_verdicts import PackVerdict, PackVerdicts
from devloop_tools.registry.soundness import faults_in
from devloop_tools.toolkit.prompts import PromptDefinition
from devloop_tools.toolkit.resources import ResourceDefinition


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
    resources: Sequence[ResourceDefinition] = ()
    prompts: Sequence[PromptDefinition] = ()
    faults: Sequence[PackFault] = ()


def load_packs(folder: Path, taken: Mapping[str, ToolEntry], verdicts: PackVerdicts) -> Packs:
    """Every sound tool in `folder/*.py`, by file name; a name in `taken` or twice is a fault."""
    paths = sorted(folder.glob("*.py"))
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
    found, verdict = _import(path)
    for entry in found.entries:
        if fault := next(iter(faults_in(entry.definition)), None):
            verdict.unsound[entry.name] = fault
    if not (verdict.fatal or found.entries or found.resources or found.prompts):
        return PackVerdict("it defines no tool; decorate a function with @tool")
    return verdict


def _imported(verdicts: Mapping[Path, PackVerdict], taken: Mapping[str, ToolEntry]) -> Packs:
    entries = dict(taken)
    resources: list[ResourceDefinition] = []
    prompts: list[PromptDefinition] = []
    faults: list[PackFault] = []
    for path, verdict in verdicts.items():
        reasons = verdict.reasons()
        if not verdict.fatal:
            found, now = _import(path)
            reasons += [now.fatal] if now.fatal else []
            resources += found.resources
            prompts += found.prompts
            for entry in found.entries:
                if entry.name in verdict.unsound:
                    continue
                if first := entries.get(entry.name):
                    reasons.append(f"{entry.name} is already defined in {first.source}; rename one")
                else:
                    entries[entry.name] = entry
        faults.extend(PackFault(path.name, reason) for reason in reasons)
    new = [entry for name, entry in entries.items() if name not in taken]
    return Packs(new, resources, prompts, faults)


def _import(path: Path) -> tuple[Packs, PackVerdict]:
    printed = io.StringIO()
    try:
        # Whoever loads may have stdout in use for something that a program reads.
        with redirect_stdout(printed):
            module = load_file(path)
    except (Exception, SystemExit) as exc:  # whatever a pack does at import is its own fault
        return Packs(), PackVerdict(_described(exc))
    notes = []
    if text := printed.getvalue():
        sys.stderr.write(text)
        notes.append(f"it prints when it is imported: {text.strip()[:60]!r}")
    entries = list(entries_of(module, f"pack:{path.stem}", str(path)))
    return Packs(entries, *offers_of(module)), PackVerdict(notes=notes)


def _described(exc: BaseException) -> str:
    """An exception in one line, with the line of a syntax error."""
    if isinstance(exc, SyntaxError):
        return f"SyntaxError: {exc.msg} (line {exc.lineno})"
    return f"{type(exc).__name__}: {exc}".splitlines()[0]


def _digest(path: Path) -> str:
    """Of the file's content; empty where it can't be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
