"""Flags and environment to one frozen `Settings`."""

import os
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from devloop_tools.frozen import frozen

UNIT_AGENTS = frozenset({"coder", "tester"})
"""Agents that work on one unit and must be told which."""

MAX_SESSION = 128

_ID = re.compile(r"[\w-][\w.-]{0,63}")


class SettingsError(Exception):
    """A flag or variable that can't be used; the text says which and what is allowed."""


@frozen
class Flags:
    """What the command line gave; None where a flag wasn't there."""

    agent: str | None = None
    project_dir: str | None = None
    data_dir: str | None = None
    company: str | None = None
    project: str | None = None
    unit: str | None = None
    session: str | None = None
    tools_dir: str | None = None
    for_cli: bool = False
    host: bool = False
    protocol: str = "all"
    config_digest: str | None = None


@frozen
class Settings:
    """Built once at start. Folders are absolute; `agent` is a short name.

    `host`: the peer is a trusted host that says in each request who acts; `agent` is its default.
    """

    agent: str | None
    project_dir: Path
    project_id: str
    tools_dir: Path
    unit_id: str | None
    session_id: str
    data_dir: Path | None
    for_cli: bool
    host: bool
    protocol: str
    config_dir: Path | None = None
    """The user's own folder of configuration, which need not exist."""
    config_digest: str | None = None
    """What configuration inside the project must amount to; None: whatever is there."""

    @property
    def configuration(self) -> tuple[Path, ...]:
        """The folders that say what agents may do."""
        return (self.tools_dir, self.config_dir) if self.config_dir else (self.tools_dir,)


def resolve(flags: Flags, environ: Mapping[str, str]) -> Settings:
    """One frozen Settings. Raises SettingsError naming the flag."""
    if flags.host and flags.for_cli:
        raise SettingsError("--host and --for-cli exclude each other")
    agent = short_name(flags.agent or "") or None
    if agent is None and not flags.host:
        raise SettingsError("--agent is missing: name the agent, such as --agent pm")
    project_dir = resolve_project_dir(flags, environ)
    tools_dir = resolve_tools_dir(flags.tools_dir)
    if tools_dir == project_dir:
        raise SettingsError(
            f"--tools-dir: {tools_dir} is the project folder itself, which agents write; "
            "give agents.json a folder of its own"
        )
    return Settings(
        agent=agent,
        project_dir=project_dir,
        project_id=flags.project or _shown(project_dir.name) or "project",
        tools_dir=tools_dir,
        unit_id=_unit(flags.unit, agent),
        session_id=_session(flags.session, environ.get("CLAUDE_CODE_SESSION_ID", "")),
        data_dir=Path(flags.data_dir).resolve() if flags.data_dir else None,
        for_cli=flags.for_cli,
        host=flags.host,
        protocol=flags.protocol,
        config_dir=user_config_dir(environ),
        config_digest=flags.config_digest,
    )


def resolve_project_dir(flags: Flags, environ: Mapping[str, str]) -> Path:
    """The project folder, absolute. It must exist: a mistyped one is never made."""
    placed = (flags.data_dir, flags.company, flags.project)
    if flags.project_dir and any(placed):
        raise SettingsError("--project-dir and --data-dir/--company/--project exclude each other")
    if any(placed):
        if not all(placed):
            raise SettingsError("--data-dir, --company and --project belong together")
        folder = Path(str(flags.data_dir), "companies", _name("--company", flags.company))
        folder = folder / "projects" / _name("--project", flags.project)
    else:
        folder = Path(flags.project_dir or environ.get("CLAUDE_PROJECT_DIR") or _current_folder())
    if not os.path.isdir(folder):
        wrong = (
            "is no folder; name another"
            if os.path.exists(folder)
            else "does not exist; make it, or name another"
        )
        raise SettingsError(f"the project folder {folder} {wrong}")
    return folder.resolve()


def resolve_tools_dir(given: str | None) -> Path:
    """The folder with agents.json and packs: the given one, else the bundled one."""
    if given:
        folder = Path(given)
        if not os.path.isdir(folder):
            raise SettingsError(f"--tools-dir: {folder} is not a folder")
        return folder.resolve()
    here = Path(__file__).resolve()
    installed = here.parent / "tools.d"
    return installed if installed.is_dir() else here.parents[2] / "tools.d"


def user_config_dir(environ: Mapping[str, str]) -> Path | None:
    """`devloop-tools` below XDG_CONFIG_HOME, else below ~/.config; None where there is no home."""
    given, home = environ.get("XDG_CONFIG_HOME", ""), environ.get("HOME", "")
    if os.path.isabs(given):
        return Path(given, "devloop-tools").resolve()
    return Path(home, ".config", "devloop-tools").resolve() if os.path.isabs(home) else None


def short_name(agent: str) -> str:
    """`pm` of `devloop-pm`: what `--agent` and every `agent` field use."""
    return agent.removeprefix("devloop-")


def is_id(text: str) -> bool:
    """Whether `text` can name a unit, chapter or topic: 1 to 64 letters or digits of any script,
    `-`, `_`, `.`, in NFC, with no leading dot."""
    return id_fault(text) is None


def id_fault(text: str) -> str | None:
    """Why `text` can't name a unit, chapter or topic; None where it can."""
    composed = unicodedata.normalize("NFC", text)
    if _ID.fullmatch(composed) and composed != text:
        # Both look the same: without a word on it nobody finds the difference.
        escaped = [each.encode("unicode_escape").decode() for each in (composed, text)]
        return f"in NFC it is {escaped[0]}, and this is {escaped[1]}, with marks of their own"
    if _ID.fullmatch(text):
        return None
    return "1 to 64 letters or digits of any script, and - _ . inside"


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError as exc:
        raise SettingsError(
            f"the current folder is gone ({exc.strerror}); name the project with --project-dir"
        ) from None


def _shown(name: str) -> str:
    """A name on disk as text: bytes that are not UTF-8 could be written nowhere."""
    return os.fsencode(name).decode("utf-8", "replace")


def _session(given: str | None, of_the_cli: str) -> str:
    if given is None:
        return of_the_cli if _is_session(of_the_cli) else _uuid()
    if not _is_session(given):
        raise SettingsError(
            f"--session: {given!r} is no id of a session: 1 to {MAX_SESSION} printable characters"
        )
    return given


def _uuid() -> str:
    """A random UUID (RFC 9562, version 4), without the module that would make one: it takes longer
    to load than the guard may take."""
    value = bytearray(os.urandom(16))
    value[6] = value[6] & 0x0F | 0x40
    value[8] = value[8] & 0x3F | 0x80
    text = value.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _is_session(text: str) -> bool:
    return 0 < len(text) <= MAX_SESSION and text.isprintable()


def _unit(unit: str | None, agent: str | None) -> str | None:
    if unit is None:
        if agent in UNIT_AGENTS:
            raise SettingsError(f"--unit is missing: {agent} works on one unit, such as todo-be")
        return None
    return _name("--unit", unit)


def _name(flag: str, text: str | None) -> str:
    fault = id_fault(text or "")
    if text is None or fault:
        raise SettingsError(f"{flag}: {text!r} is no name: {fault}")
    return text
