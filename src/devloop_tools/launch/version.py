"""Which Claude CLI was found, and whether this was tried with it."""

import re
import subprocess
from collections.abc import Mapping, Sequence

from devloop_tools.launch.errors import LaunchError

OLDEST_TRIED = (2, 1, 332)
"""The first on which a hook that fails was seen to block; 2.1.197 runs the tool all the same."""

_LIMIT_S = 20
_KEPT = ("PATH", "HOME", "TMPDIR")


class NoVersion(Exception):
    """It can't be started or says no version; the text says which."""


def version_text(version: Sequence[int]) -> str:
    """`2.1.332`."""
    return ".".join(map(str, version))


def require_version(claude: str, environ: Mapping[str, str]) -> None:
    """Raises LaunchError for a CLI that is older than `OLDEST_TRIED`, or that says no version."""
    try:
        found = claude_version(claude, environ)
    except NoVersion as exc:
        raise LaunchError(f"{claude}: {exc}; name the Claude CLI with --claude") from None
    if found < OLDEST_TRIED:
        raise LaunchError(
            f"{claude} is {version_text(found)}; before {version_text(OLDEST_TRIED)} a hook that "
            "fails does not block; update the Claude CLI"
        )


def claude_version(claude: str, environ: Mapping[str, str]) -> tuple[int, ...]:
    """What `claude --version` says. Raises NoVersion."""
    kept = {name: environ[name] for name in _KEPT if name in environ}
    try:
        run = subprocess.run(
            [claude, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=kept,
            timeout=_LIMIT_S,
            check=False,
        )
    except FileNotFoundError:
        raise NoVersion("not found") from None
    except subprocess.TimeoutExpired:
        raise NoVersion(f"gives no answer within {_LIMIT_S:g} s") from None
    except OSError as exc:
        raise NoVersion(f"can't be run: {exc.strerror}") from None
    match = re.search(rb"(\d+)\.(\d+)\.(\d+)", run.stdout)
    if run.returncode != 0 or match is None:
        raise NoVersion(f"says no version (exit code {run.returncode})")
    return tuple(int(part) for part in match.groups())
