"""Which Claude CLI was found, and whether this was tried with it."""

import re
import subprocess
from collections.abc import Mapping

OLDEST_TRIED = (2, 1, 332)
"""Flags, hooks and shutdown were observed with this one; older ones ignore some of them."""

_LIMIT_S = 20
_KEPT = ("PATH", "HOME", "TMPDIR")


class NoVersion(Exception):
    """It can't be started or says no version; the text says which."""


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
