"""Names of programs that matter here, however they are written."""

from fnmatch import fnmatchcase

from devloop_tools.guard.values import bare, glob_of

CURL = frozenset({"curl", "curlie"})
WGET = frozenset({"wget", "wget2"})
HTTPIE = frozenset({"http", "https", "httpie", "xh", "xhs"})
WEB_CMDLETS = frozenset({"invoke-restmethod", "invoke-webrequest", "irm", "iwr"})
CLIENTS = CURL | WGET | HTTPIE | WEB_CMDLETS
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "rbash", "mksh"})
POWERSHELLS = frozenset({"pwsh", "powershell"})

_KNOWN = CLIENTS | SHELLS | POWERSHELLS | {"devloop-tools", "eval", "xargs", "env", "sudo"}


def program_of(text: str) -> str:
    """The name of the program that a command's first word runs: no path, no `.exe`, lower case.

    A pattern such as `/usr/bin/cur?` is the program of `CLIENTS`, of the shells and so on that it
    matches first.
    """
    name = _file_name(bare(text))
    pattern = glob_of(text)
    if pattern is not None:
        pattern = _file_name(pattern)
        return next((known for known in sorted(_KNOWN) if fnmatchcase(known, pattern)), name)
    return name


def _file_name(path: str) -> str:
    return path.strip().replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
