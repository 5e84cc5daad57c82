"""Programs that start others: what they start, with which input."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from devloop_tools.guard.outputs import contents
from devloop_tools.guard.programs import CLIENTS, POWERSHELLS, SHELLS, program_of
from devloop_tools.guard.scope import Invocation, Word
from devloop_tools.guard.values import HOLE, Alternatives, bare, plain, replaced


class Script(NamedTuple):
    """Text that a shell runs."""

    text: str
    stdin: str
    arguments: Alternatives = ()
    here: bool = False
    """Whether it runs in this very shell, as `eval` does."""
    certain: bool = True
    """False where it may be no script at all."""


class Started(NamedTuple):
    """A command that another starts."""

    words: Sequence[Word]
    stdin: str


class _Wrapper(NamedTuple):
    """How the options of a wrapper are told from the command behind them."""

    short: str = ""
    """Its short options that take a value."""
    long: frozenset[str] = frozenset()
    """Its long ones that take theirs as the next word."""
    operands: int = 0
    """How many words of its own stand before the command."""


_WRAPPERS = {
    "sudo": _Wrapper("ughpCrtTUDR", frozenset({"--user", "--group", "--host", "--prompt"})),
    "doas": _Wrapper("uC"),
    "env": _Wrapper("uC", frozenset({"--unset", "--chdir"})),
    "timeout": _Wrapper("ks", frozenset({"--kill-after", "--signal"}), 1),
    "gtimeout": _Wrapper("ks", frozenset({"--kill-after", "--signal"}), 1),
    "nice": _Wrapper("n", frozenset({"--adjustment"})),
    "ionice": _Wrapper("cnp", frozenset({"--class", "--classdata"})),
    "stdbuf": _Wrapper("ioe", frozenset({"--input", "--output", "--error"})),
    "time": _Wrapper("fo", frozenset({"--format", "--output"})),
    "exec": _Wrapper("a"),
    "strace": _Wrapper("aeoOpPsSuUEX"),
    "ltrace": _Wrapper("aeonpsulFX"),
    "chroot": _Wrapper("", frozenset(), 1),
    "flock": _Wrapper("wE", frozenset({"--timeout", "--conflict-exit-code"}), 1),
    "xvfb-run": _Wrapper("enfps"),
    "taskset": _Wrapper("", frozenset(), 1),
    "caffeinate": _Wrapper("tw"),
    "proxychains": _Wrapper("f"),
    "proxychains4": _Wrapper("f"),
    **dict.fromkeys(
        (
            "nohup", "setsid", "command", "builtin", "coproc", "unbuffer", "chronic", "busybox",
            "torsocks", "torify", "ifne", "setarch", "then", "do", "else", "!", "{", "retry",
        ),
        _Wrapper("dt"),
    ),
    "watch": _Wrapper("nq", frozenset({"--interval"})),
}  # fmt: skip

_RUNNERS = frozenset(
    {
        "docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "ssh", "npx", "pnpm",
        "yarn", "npm", "bunx", "uv", "uvx", "pipx", "poetry", "pipenv", "hatch", "su", "script",
        "runuser", "tmux", "screen", "wsl", "vagrant", "lxc", "nix", "nix-shell", "systemd-run",
        "firejail", "bwrap", "unshare", "nsenter", "mise", "asdf", "dotenv", "direnv", "flock",
        "watch", "hyperfine", "multipass", "devcontainer", "watchexec", "entr", "doppler", "op",
    }
)  # fmt: skip
"""Programs with so many forms that the first client or shell among their words is taken."""

_XARGS = _Wrapper("adEILnPs", frozenset({"--arg-file", "--delimiter", "--max-args", "--max-procs"}))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FINDS = frozenset({"find", "gfind", "fd", "fdfind"})


def started_by(name: str, invocation: Invocation) -> Iterator[Script | Started]:
    """What the program `name` starts of its own accord with these words."""
    words, stdin = invocation.words, invocation.stdin
    if name in SHELLS:
        yield from _shell(invocation)
    elif name in _SPECIAL:
        yield from _SPECIAL[name](invocation)
    elif name in _FINDS:
        yield from _find(words, stdin)
    elif name in _WRAPPERS:
        rest = _behind(words, _WRAPPERS[name])
        if rest and not (name == "command" and _asks(words)):
            yield Started(rest, stdin)
    if name in _RUNNERS:
        yield from _run(words, stdin)


def _asks(words: Sequence[Word]) -> bool:
    """`command -v curl` only asks where it is."""
    return len(words) > 1 and words[1].text in ("-v", "-V")


def _behind(words: Sequence[Word], wrapper: _Wrapper) -> Sequence[Word]:
    """The words of the command that stands behind a wrapper's own."""
    position, operands = 1, wrapper.operands
    while position < len(words):
        text = plain(words[position].text)
        if text == "--":
            return words[position + 1 + operands :]
        if text.startswith("--"):
            position += 2 if text in wrapper.long else 1
        elif text.startswith("-") and len(text) > 1:
            position += 2 if text[-1] in wrapper.short else 1
        elif _ASSIGNMENT.match(text):
            position += 1
        elif operands:
            position, operands = position + 1, operands - 1
        else:
            return words[position:]
    return ()


def _shell(invocation: Invocation) -> Iterator[Script | Started]:
    """`bash -c TEXT`, `bash <(...)`, or a shell that reads its commands from its input."""
    texts = [plain(word.text) for word in invocation.words]
    stdin = invocation.stdin
    position, is_text = 1, False
    while position < len(texts) and texts[position][:1] in ("-", "+") and len(texts[position]) > 1:
        text = texts[position]
        if text.startswith("--"):
            position += 2 if text in ("--rcfile", "--init-file") else 1
            continue
        is_text = is_text or "c" in text
        position += 2 if text[-1] in "oO" else 1
    rest = tuple(texts[position:])
    if is_text:
        if rest:
            yield Script(rest[0], stdin, rest[2:])
    elif rest and rest[0] != "-":
        if (found := contents(rest[0], invocation)) != HOLE:
            yield Script(found, stdin, rest[1:])
    elif stdin != HOLE:
        yield Script(stdin, HOLE, rest[1:])


def _eval(invocation: Invocation) -> Iterator[Script | Started]:
    texts = [plain(word.text) for word in invocation.words[1:]]
    yield Script(" ".join(texts), invocation.stdin, here=True)


def _source(invocation: Invocation) -> Iterator[Script | Started]:
    for word in invocation.words[1:2]:
        if (found := contents(plain(word.text), invocation)) != HOLE:
            yield Script(found, HOLE, here=True)


def _trap(invocation: Invocation) -> Iterator[Script | Started]:
    for word in [word for word in invocation.words[1:] if not word.text.startswith("-")][:1]:
        yield Script(plain(word.text), HOLE, here=True)


def _alias(invocation: Invocation) -> Iterator[Script | Started]:
    for word in invocation.words[1:]:
        yield Script(plain(word.text).partition("=")[2], HOLE)


def _env(invocation: Invocation) -> Iterator[Script | Started]:
    texts = [plain(word.text) for word in invocation.words]
    for position, text in enumerate(texts[1:], 1):
        if text in ("-S", "--split-string") or re.match(r"-[iv]*S|--split-string=", text):
            joined = re.sub(r"^(?:-[iv]*S|--split-string=?)", "", text)
            yield Script(" ".join([joined, *texts[position + 1 :]]), invocation.stdin)
            return
    rest = _behind(invocation.words, _WRAPPERS["env"])
    if rest:
        yield Started(rest, invocation.stdin)


def _find(words: Sequence[Word], stdin: str) -> Iterator[Script | Started]:
    flags = _EXEC | {"-x", "-X", "--exec", "--exec-batch"} if words[0].text[-1:] != "f" else _EXEC
    position = 1
    while position < len(words):
        if words[position].text in (flags if "fd" in words[0].text else _EXEC):
            end = position + 1
            while end < len(words) and words[end].text not in (";", "+"):
                end += 1
            rest = [_filled(word, "{}", HOLE) for word in words[position + 1 : end]]
            if rest:
                yield Started(rest, stdin)
            position = end
        position += 1


def _xargs(invocation: Invocation) -> Iterator[Script | Started]:
    words = invocation.words
    items = invocation.stdin.strip() or HOLE
    rest = _behind(words, _XARGS)
    mark = _xargs_mark([plain(word.text) for word in words[: len(words) - len(rest)]])
    if not rest:
        return
    if mark:
        yield Started([_filled(word, mark, items) for word in rest], HOLE)
    else:
        yield Started([*rest, *(Word(one) for one in _items(items))], HOLE)


def _items(text: str) -> Sequence[str]:
    """What xargs makes words of: lines or words; quotes hold together."""
    return [text] if looks_whole(text) else text.split()[:50]


def looks_whole(text: str) -> bool:
    """Whether the text is one thing in spite of its blanks."""
    return text[:1] in ("{", "[", "'", '"')


def _xargs_mark(options: Sequence[str]) -> str:
    """What xargs replaces: the value of `-I`, `{}` after `-i`."""
    for position, text in enumerate(options):
        if text == "-I":
            return options[position + 1] if position + 1 < len(options) else ""
        if found := re.match(r"(?:-I|--replace=)(.+)", text):
            return found[1]
        if text in ("-i", "--replace"):
            return "{}"
    return ""


def _parallel(invocation: Invocation) -> Iterator[Script | Started]:
    words = invocation.words
    texts = [plain(word.text) for word in words]
    end = next((i for i, text in enumerate(texts) if text.startswith(":::")), len(texts))
    rest = _behind(words[:end], _Wrapper("jSNnP"))
    items = [word.text for word in words[end + 1 :]] or [invocation.stdin.strip() or HOLE]
    for item in items[:8]:
        if len(rest) == 1:
            yield Script(replaced(plain(rest[0].text), "{}", item), HOLE)
        elif any("{}" in plain(word.text) for word in rest):
            yield Started([_filled(word, "{}", item) for word in rest], HOLE)
        elif rest:
            yield Started([*rest, Word(item)], HOLE)


def _filled(word: Word, mark: str, item: str) -> Word:
    text = plain(word.text)
    return Word(replaced(text, mark, item)) if mark in text else word


def _run(words: Sequence[Word], stdin: str) -> Iterator[Script | Started]:
    """A client or shell among the words starts a command; a word with blanks may be a script."""
    remote = program_of(words[0].text) == "ssh"
    for position, word in enumerate(words[1:], 1):
        if remote and program_of(word.text) in CLIENTS | SHELLS:
            # The shell at the other end reads the words once more.
            text = " ".join(plain(word.text) for word in words[position:])
            yield Script(text, stdin, certain=False)
        if program_of(word.text) in CLIENTS | SHELLS | POWERSHELLS | {"env", "devloop-tools"}:
            yield Started(words[position:], stdin)
            return
        if re.search(r"\s", bare(word.text)):
            yield Script(plain(word.text), stdin, certain=False)


_SPECIAL: dict[str, Callable[[Invocation], Iterator[Script | Started]]] = {
    "eval": _eval,
    "source": _source,
    ".": _source,
    "trap": _trap,
    "alias": _alias,
    "env": _env,
    "xargs": _xargs,
    "gxargs": _xargs,
    "parallel": _parallel,
}
