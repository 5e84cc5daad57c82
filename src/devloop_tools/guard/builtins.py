"""Commands of the shell itself that change what it knows."""

from collections.abc import Callable, Sequence

from devloop_tools.guard.outputs import formatted
from devloop_tools.guard.scope import Frame, Word
from devloop_tools.guard.values import HOLE, plain

_READ_VALUES = frozenset("adinNptu")


def _cd(words: Sequence[Word], frame: Frame) -> None:
    operands = [word.text for word in words[1:] if not word.text.startswith("-")]
    if not operands:
        frame.scope.folder = "~"
    elif operands[0].startswith(("/", "~", HOLE)):
        frame.scope.folder = operands[0]
    else:
        frame.scope.folder = f"{frame.scope.folder}/{operands[0]}".lstrip("/")


def _read(words: Sequence[Word], frame: Frame) -> None:
    """Each of the names may get what is read."""
    names = _operands([plain(word.text) for word in words[1:]], _READ_VALUES)
    for name in names or ["REPLY"]:
        frame.scope.assign(name, (frame.stdin.strip(),), maybe=frame.maybe)


def _operands(texts: Sequence[str], valued: frozenset[str]) -> Sequence[str]:
    found: list[str] = []
    skipped = False
    for text in texts:
        if skipped:
            # read -a NAME and mapfile's own name an array, which is a name too.
            found += [text] if text.isidentifier() else []
            skipped = False
        elif text.startswith("-") and len(text) > 1:
            skipped = text[-1] in valued
        else:
            found.append(text)
    return found


def _printf(words: Sequence[Word], frame: Frame) -> None:
    texts = [plain(word.text) for word in words]
    if texts[1:2] == ["-v"] and len(texts) > 3:
        frame.scope.assign(texts[2], (formatted(texts[3:]),), maybe=frame.maybe)


def _set(words: Sequence[Word], frame: Frame) -> None:
    texts = [plain(word.text) for word in words[1:]]
    if "--" in texts:
        frame.scope.arguments = tuple(texts[texts.index("--") + 1 :])
    elif texts and not texts[0].startswith(("-", "+")):
        frame.scope.arguments = tuple(texts)


def _shift(_: Sequence[Word], frame: Frame) -> None:
    if frame.scope.arguments:
        frame.scope.arguments = frame.scope.arguments[1:]


def _env(words: Sequence[Word], frame: Frame) -> None:
    """What `env` sets is seen by the shell that it starts."""
    for word in words[1:]:
        name, equals, value = word.text.partition("=")
        if equals and name.isidentifier():
            frame.scope.assign(name, (value,), maybe=True)


BUILTINS: dict[str, Callable[[Sequence[Word], Frame], None]] = {
    "cd": _cd,
    "env": _env,
    "pushd": _cd,
    "read": _read,
    "mapfile": _read,
    "readarray": _read,
    "printf": _printf,
    "set": _set,
    "shift": _shift,
}
