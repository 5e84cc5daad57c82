"""What `doctor` looks at: each check gives findings, and a fix for each that isn't well."""

import contextlib
import fcntl
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from devloop_tools.app import Tools, load_tools
from devloop_tools.domain.embeddings import installed
from devloop_tools.domain.running.lost_units import left_processes
from devloop_tools.domain.running.records import UnitRecords
from devloop_tools.launch.claude_binary import find_claude
from devloop_tools.launch.version import OLDEST_TRIED, NoVersion, claude_version, version_text
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.errors import LoadError
from devloop_tools.registry.unknown_arguments import unknown_arguments
from devloop_tools.settings import Flags, SettingsError, resolve_project_dir, resolve_tools_dir
from devloop_tools.storage.database import connect_to_read, database_file
from devloop_tools.storage.errors import ExpectedFailure, StorageError

PACKAGE = "devloop-tools"
OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 13)


class State(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, what was found, and what to do about it."""

    check: str
    state: State
    found: str
    fix: str = ""


def check_python() -> Iterator[Finding]:
    """The interpreter's version."""
    here = sys.version_info[:2]
    found = f"{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    if OLDEST_PYTHON <= here <= NEWEST_PYTHON:
        yield Finding("python", State.OK, found)
    else:
        yield Finding("python", State.FAIL, found, "install with Python 3.11, 3.12 or 3.13")


def check_package() -> Iterator[Finding]:
    """This package and what it needs at run time."""
    try:
        yield Finding("package", State.OK, f"{PACKAGE} {version(PACKAGE)}")
        needed = requires(PACKAGE) or []
    except PackageNotFoundError:
        fix = f"pip install {PACKAGE}, or make install in its repository"
        yield Finding("package", State.FAIL, f"{PACKAGE} is not installed", fix)
        return
    for requirement in needed:
        if "extra ==" in requirement:
            continue
        name = requirement.partition(";")[0].strip().split(">")[0].split("=")[0].strip()
        try:
            version(name)
        except PackageNotFoundError:
            yield Finding(
                "package", State.FAIL, f"{name} is missing", f"pip install '{requirement}'"
            )


def check_extras() -> Iterator[Finding]:
    """What works better with a package that needn't be there."""
    words = f"by words alone; by meaning too with pip install '{PACKAGE}[meaning]'"
    yield Finding("similar bugs", State.OK, "by words and meaning" if installed() else words)


def check_tools(flags: Flags) -> Iterator[Finding]:
    """The tools folder, its packs, and the policy of one agent or of all."""
    try:
        folder = resolve_tools_dir(flags.tools_dir)
        tools = load_tools(folder)
    except SettingsError as exc:
        yield Finding("tools folder", State.FAIL, str(exc), "name the folder with agents.json")
        return
    except LoadError as exc:
        yield Finding("tools folder", State.FAIL, str(exc), "mend the file, or name another folder")
        return
    found = f"{folder}: {len(tools.registry.entries)} tools, {len(tools.agents.templates)} agents"
    yield Finding("tools folder", State.OK, found)
    for fault in tools.packs.faults:
        fix = f"devloop-tools pack check {folder / 'packs' / fault.file}"
        yield Finding("packs", State.WARN, str(fault), fix)
    for entry in tools.registry.entries.values():
        yield from _loading_fault(entry)
    wanted = (
        [flags.agent] if flags.agent else [known.short_name for known in tools.agents.templates]
    )
    for line in tools.agents.foreign:
        yield Finding("agents file", State.WARN, line, "remove it, unless another host reads it")
    for name in wanted:
        yield from _policy_findings(tools, name)


def _loading_fault(entry: ToolEntry) -> Iterator[Finding]:
    try:
        entry.load()
    except Exception as exc:
        # A module may raise anything when it is imported.
        found = f"{entry.source} can't be imported: {type(exc).__name__}: {exc}"
        yield Finding("tools", State.FAIL, found, f"install {PACKAGE} anew")


def _policy_findings(tools: Tools, name: str) -> Iterator[Finding]:
    check, file = f"policy of {name}", tools.folder / "agents.json"
    try:
        policy = tools.agent(name).policy
    except LoadError as exc:
        named = any(name in (one.id, one.short_name) for one in tools.agents.templates)
        fix = f"mend {file}" if named else "name one of these with --agent"
        yield Finding(check, State.FAIL, str(exc), fix)
        return
    entries = tools.registry.entries.values()
    granted = sum(policy.allows(entry.name, entry.namespace) for entry in entries)
    found = f"{granted} tools of ours, {len(policy.native_tools)} of the CLI's own"
    yield Finding(check, State.OK, found)
    for missing in policy.missing:
        yield Finding(check, State.WARN, str(missing), "mend the failed packs, or remove the entry")
    for note in (*policy.notes, *unknown_arguments(policy, tools.registry.entries)):
        yield Finding(check, State.WARN, note, f"is it meant? Else mend {file}")


def check_project(flags: Flags) -> Iterator[Finding]:
    """The project folder: there, writable, and on a file system that can lock."""
    try:
        root = resolve_project_dir(flags, os.environ)
    except SettingsError as exc:
        yield Finding("project folder", State.FAIL, str(exc), "name one with --project-dir")
        return
    try:
        with tempfile.TemporaryFile(dir=root) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.fsync(file.fileno())
    except OSError as exc:
        fix = "make it writable for this user, on a file system with locks"
        yield Finding("project folder", State.FAIL, f"{root}: {exc.strerror}", fix)
        return
    yield Finding("project folder", State.OK, f"{root}: writable, locks work")
    yield _database_finding(root)
    yield from _left_findings(root)


def _left_findings(root: Path) -> Iterator[Finding]:
    try:
        left = left_processes(UnitRecords(root, "doctor"))
    except (StorageError, ExpectedFailure) as exc:
        yield Finding("units", State.FAIL, str(exc), "move the file away; it is made anew")
        return
    for unit_id, processes in left.items():
        pids = " ".join(str(one.pid) for one in processes)
        found = f"{unit_id}: its keeper was killed, and its processes {pids} are left"
        yield Finding("units", State.WARN, found, f"kill -9 {pids}, or call spawn_units")


def _database_finding(root: Path) -> Finding:
    file = database_file(root)
    if file.parent.is_symlink() or (file.parent.exists() and not file.parent.is_dir()):
        fix = "move it away; it is made anew"
        return Finding("database", State.FAIL, f"{file.parent}: a link or no folder", fix)
    if not os.path.lexists(file) or (file.is_file() and file.stat().st_size == 0):
        return Finding("database", State.OK, f"none yet (SQLite {sqlite3.sqlite_version})")
    fix = f"move {file} away; it is made anew, and events before are in the old file"
    if file.is_symlink() or not file.is_file():
        return Finding("database", State.FAIL, f"{file}: a link or no regular file", fix)
    try:
        with contextlib.closing(connect_to_read(file)) as connection:
            [verdict] = connection.execute("PRAGMA quick_check(1)").fetchone()
            [count] = connection.execute("SELECT count(*) FROM events").fetchone()
    except sqlite3.Error as exc:
        return Finding("database", State.FAIL, f"{file}: {exc}", fix)
    if verdict != "ok":
        return Finding("database", State.FAIL, f"{file}: {verdict}", fix)
    return Finding("database", State.OK, f"{count} events (SQLite {sqlite3.sqlite_version})")


def check_claude(given: str | None) -> Iterator[Finding]:
    """The Claude CLI: found, and not older than what this was tried with."""
    claude = find_claude(given, os.environ)
    try:
        found = claude_version(claude, os.environ)
    except NoVersion as exc:
        fix = "install the Claude CLI, or name it with --claude; other MCP clients need none"
        yield Finding("claude", State.FAIL, f"{claude}: {exc}", fix)
        return
    text = f"{version_text(found)} at {claude}"
    if found < OLDEST_TRIED:
        why = f"before {version_text(OLDEST_TRIED)} a hook that fails does not block"
        yield Finding("claude", State.FAIL, f"{text}; {why}", "update the Claude CLI")
    else:
        yield Finding("claude", State.OK, text)
