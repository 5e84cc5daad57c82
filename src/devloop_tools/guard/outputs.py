"""What well-known programs print, as far as their arguments and their input tell."""

import binascii
import re
from collections.abc import Callable, Sequence

from devloop_tools.guard.literals import looks_like_json
from devloop_tools.guard.scope import Invocation
from devloop_tools.guard.values import HOLE, MAX_TEXT, escaped, plain

_SAME = frozenset(
    {
        "cat", "tee", "sed", "tr", "envsubst", "head", "tail", "sort", "uniq", "grep", "iconv",
        "dos2unix", "unix2dos", "pv", "tac", "fold", "fmt", "json_pp", "json_reformat", "gzip",
        "pigz", "sponge", "yq", "column", "expand", "stdbuf", "tojson", "jaq", "gojq", "buffer",
    }
)  # fmt: skip
"""What these print still is the literal that they read, or near enough."""

_SILENT = frozenset(
    {
        ":", "true", "false", "cd", "pushd", "popd", "export", "set", "shift", "exit", "return",
        "test", "[", "read", "mapfile", "readarray", "mkdir", "rm", "mv", "cp", "touch", "sleep",
        "chmod", "wait", "kill", "trap", "source", ".", "local", "break", "continue", "unset",
    }
)  # fmt: skip

_JQ_PAIRS = frozenset({"--arg", "--argjson", "--slurpfile", "--rawfile", "--argfile"})
_FORMAT = re.compile(r"%(?:%|[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[a-zA-Z])")


def printed_by(name: str, invocation: Invocation) -> str:
    """What the program prints; a hole where that can't be told."""
    arguments = [plain(word.text) for word in invocation.words[1:]]
    if name in _PRINTERS:
        return _PRINTERS[name](arguments, invocation)
    if name in _SILENT:
        return ""
    if name in _SAME:
        return invocation.stdin
    return HOLE


def _echo(arguments: Sequence[str], _: Invocation) -> str:
    number, decoded = 0, False
    while number < len(arguments) and re.fullmatch("-[neE]+", arguments[number]):
        decoded = decoded or "e" in arguments[number]
        number += 1
    text = " ".join(arguments[number:])
    return (escaped(text) if decoded else text) + "\n"


def _printf(arguments: Sequence[str], _: Invocation) -> str:
    if arguments[:1] == ["-v"]:
        return ""
    return formatted([argument for argument in arguments if argument != "--"])


def formatted(arguments: Sequence[str]) -> str:
    """What `printf` makes of a format and its values, which it uses again until none is left."""
    if not arguments:
        return ""
    layout, values = escaped(arguments[0]), list(arguments[1:])
    if len(layout) * len(values) > MAX_TEXT:
        return HOLE
    pieces: list[str] = []
    while True:
        waiting = len(values)

        def one(found: re.Match[str]) -> str:
            if found[0] == "%%":
                return "%"
            value = values.pop(0) if values else ""
            return escaped(value) if found[0].endswith("b") else value

        pieces.append(_FORMAT.sub(one, layout))
        if not values or len(values) == waiting:
            return "".join(pieces)


def _cat(arguments: Sequence[str], invocation: Invocation) -> str:
    names = [one for one in arguments if one == "-" or not one.startswith("-")]
    return "".join(contents(name, invocation) for name in names or ["-"])


def contents(path: str, invocation: Invocation) -> str:
    """What is in a file that exists for the command alone; a hole for one on the disk."""
    if path in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        return invocation.stdin
    return invocation.files.get(path.replace("/proc/self/fd/", "/dev/fd/"), HOLE)


def _jq(arguments: Sequence[str], invocation: Invocation) -> str:
    """A literal given to `jq -n` is one as well; what jq takes out of its input is not."""
    operands: list[str] = []
    given: list[str] = []
    number, no_input = 0, False
    while number < len(arguments):
        one = arguments[number]
        if one in _JQ_PAIRS:
            given += arguments[number + 2 : number + 3] if one == "--argjson" else []
            number += 2
        elif one.startswith("--"):
            no_input = no_input or one == "--null-input"
        elif one.startswith("-") and len(one) > 1:
            no_input = no_input or "n" in one
        else:
            operands.append(one)
        number += 1
    program = operands[0].strip() if operands else "."
    if no_input:
        return next((text for text in (program, *given) if looks_like_json(text)), HOLE)
    if len(operands) > 1:
        return "".join(contents(name, invocation) for name in operands[1:])
    kept = program == "." or program.startswith("{") or "=" in program or "+" in program
    return invocation.stdin if kept else HOLE


def _base64(arguments: Sequence[str], invocation: Invocation) -> str:
    if not {"-d", "-D", "--decode", "-di"} & set(arguments):
        return HOLE
    names = [one for one in arguments if not one.startswith("-")]
    text = contents(names[0], invocation) if names else invocation.stdin
    return from_base64(text.strip(), "utf-8")


def from_base64(text: str, encoding: str) -> str:
    """The text that base64 stands for; a hole where it is none."""
    try:
        return binascii.a2b_base64(text).decode(encoding, "replace").replace("\0", "")
    except (binascii.Error, ValueError):
        return HOLE


def _rev(_: Sequence[str], invocation: Invocation) -> str:
    return "\n".join(line[::-1] for line in invocation.stdin.split("\n"))


def _xxd(arguments: Sequence[str], invocation: Invocation) -> str:
    if not any(re.fullmatch("-[rps]*r[rps]*", one) for one in arguments):
        return HOLE
    digits = re.sub(r"[^0-9a-fA-F]", "", invocation.stdin)
    return (
        bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("utf-8", "replace").replace("\0", "")
    )


def _python(arguments: Sequence[str], invocation: Invocation) -> str:
    """Only what prints its input again is known."""
    return invocation.stdin if list(arguments[:2]) == ["-m", "json.tool"] else HOLE


def _last(arguments: Sequence[str], _: Invocation) -> str:
    return (arguments[-1] if arguments else "") + "\n"


def _grep(arguments: Sequence[str], invocation: Invocation) -> str:
    parts = any(re.fullmatch("-[a-zA-Z]*[oclq][a-zA-Z]*", one) for one in arguments)
    return HOLE if parts or len(arguments) > 2 else invocation.stdin


_PRINTERS: dict[str, Callable[[Sequence[str], Invocation], str]] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "jq": _jq,
    "gojq": _jq,
    "jaq": _jq,
    "base64": _base64,
    "rev": _rev,
    "xxd": _xxd,
    "yes": _echo,
    "python": _python,
    "python3": _python,
    "grep": _grep,
    "which": _last,
    "type": _last,
}
