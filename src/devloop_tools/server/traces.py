"""What a reader may see of a crash: where it happened, and its message without absolute paths."""

import os
import re
import traceback
from pathlib import Path
from types import TracebackType


def last_frames(trace: TracebackType | None) -> tuple[str, ...]:
    """The last three frames as `module.function:line`."""
    frames = [
        f"{frame.f_globals.get('__name__', '?')}.{frame.f_code.co_qualname}:{line}"
        for frame, line in traceback.walk_tb(trace)
    ]
    return tuple(frames[-3:])


_NAME = r"""[^\s'":,;()<>|/]+"""
_ABSOLUTE = re.compile(
    rf"""
    (?P<quote>['"])/(?:[^'"\n/]+/)+(?P<quoted>[^'"\n/]+)(?P=quote)  # quoted: with any blanks
    | (?<![A-Za-z0-9_.~/])/(?P<top>{_NAME})/(?:{_NAME}/)*(?P<bare>{_NAME})
    """,
    re.VERBOSE,
)


def without_paths(text: str, root: Path) -> str:
    """`text` with paths below the project made relative, and other absolute ones cut to a name."""
    below = re.compile(rf"(?<![\w.~/]){re.escape(str(root))}(?:/|(?![\w.-]))", re.ASCII)
    relative = below.sub(lambda found: "" if found[0].endswith("/") else ".", text)
    return _ABSOLUTE.sub(_named, relative)


def _named(found: re.Match[str]) -> str:
    if found["quote"]:
        return f"{found['quote']}…/{found['quoted']}{found['quote']}"
    before = found.string[found.start() - 1 : found.start()]
    # Behind a letter of another script stands a relative path, or an absolute one without a blank.
    if before.isalnum() and not os.path.lexists(f"/{found['top']}"):
        return found[0]
    return f"…/{found['bare']}"
