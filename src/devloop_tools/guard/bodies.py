"""What HTTP clients send as the body of a request."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from devloop_tools.guard.literals import holds_json
from devloop_tools.guard.options import Grammar, Option, options_of
from devloop_tools.guard.outputs import contents
from devloop_tools.guard.powershell import cmdlet_bodies, script_bodies
from devloop_tools.guard.programs import CURL, HTTPIE, POWERSHELLS, WEB_CMDLETS, WGET, program_of
from devloop_tools.guard.scope import Invocation
from devloop_tools.guard.values import HOLE, plain


class Body(NamedTuple):
    """A body, or one of its pieces, as an option or the input brings it."""

    program: str
    option: str
    """As it is written: `-d`, `--json`; `input` where it is read from there alone."""
    text: str
    position: int = -1
    """Which word holds it, -1 for none."""
    offset: int = 0
    """Where in that word it begins."""
    read: bool = False
    """Whether that word names what holds the text: `@-`, `@/dev/fd/63`."""


_CURL_SHORT = {
    "d": "data", "F": "form", "T": "upload-file", "K": "config", "A": "user-agent", "b": "cookie",
    "c": "cookie-jar", "C": "continue-at", "D": "dump-header", "e": "referer", "E": "cert",
    "H": "header", "m": "max-time", "o": "output", "P": "ftp-port", "Q": "quote", "r": "range",
    "t": "telnet-option", "u": "user", "U": "proxy-user", "w": "write-out", "x": "proxy",
    "X": "request", "y": "speed-time", "Y": "speed-limit", "z": "time-cond",
}  # fmt: skip
_CURL_DATA = ("data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "json")
_CURL_FORM = ("form", "form-string")
_CURL_BODY = (*_CURL_DATA, *_CURL_FORM, "upload-file", "config", "variable")
_CURL_LONG = frozenset(
    {
        *_CURL_SHORT.values(), *_CURL_BODY, *(f"expand-{name}" for name in _CURL_BODY), "url",
        "url-query", "cacert", "capath", "cert-type", "ciphers", "connect-timeout", "connect-to",
        "create-file-mode", "crlfile", "curves", "dns-servers", "doh-url", "ech", "engine",
        "etag-compare", "etag-save", "expect100-timeout", "happy-eyeballs-timeout-ms",
        "haproxy-clientip", "hostpubmd5", "hostpubsha256", "interface", "ip-tos",
        "keepalive-time", "key", "key-type", "libcurl", "limit-rate", "local-port", "login-options",
        "max-filesize", "max-redirs", "netrc-file", "noproxy", "oauth2-bearer", "output-dir",
        "parallel-max", "pass", "pinnedpubkey", "preproxy", "proto", "proto-default",
        "proto-redir", "proxy-header", "rate", "request-target", "resolve", "retry",
        "retry-delay", "retry-max-time", "sasl-authzid", "service-name", "socks5",
        "socks5-hostname", "socks4", "socks4a", "stderr", "tls-max", "tls13-ciphers", "trace",
        "trace-ascii", "trace-config", "unix-socket", "abstract-unix-socket", "aws-sigv4",
    }
)  # fmt: skip
_CURL = Grammar(_CURL_SHORT, _CURL_LONG)

_WGET_BODY = ("post-data", "body-data", "post-file", "body-file")
_WGET = Grammar(
    {letter: letter for letter in "oaeBtOTwQPUlADRIXi"},
    frozenset({*_WGET_BODY, "header", "method", "user-agent", "output-document", "referer"}),
)

_HTTPIE = Grammar(
    {letter: letter for letter in "aAops"},
    frozenset(
        {
            "raw", "auth", "auth-type", "output", "print", "pretty", "style", "session", "verify",
            "session-read-only", "proxy", "timeout", "cert", "cert-key", "max-redirects",
            "response-charset", "response-mime", "boundary", "ssl", "ciphers", "history-print",
            "format-options", "default-scheme", "max-headers", "resolve", "interface",
        }
    ),
)  # fmt: skip
_ITEM = re.compile(r"((?:\\.|[^\\:=@;])*)(:=@|==@|:@|=@|:=|==|=|:|@|;)(.*)", re.DOTALL)
_METHOD = re.compile(r"[A-Za-z]+")

_CONFIG_LINE = re.compile(r"\s*-{0,2}([\w-]+)\s*[=: ]?\s*(.*)")


def inline_body(invocation: Invocation) -> Body | None:
    """The first body of the command that is JSON written out, if it has one."""
    name = program_of(invocation.words[0].text)
    found = _CLIENTS.get(name)
    if found is None:
        return None
    return next((body for body in found(name, invocation) if holds_json(body.text)), None)


def _curl(name: str, invocation: Invocation) -> Iterator[Body]:
    texts = [plain(word.text) for word in invocation.words]
    options = list(options_of(texts, _with_cut_names(texts, _CURL, _CURL_BODY)))
    names = {option.name for option in options}
    as_query = bool(names & {"G", "get"})
    pieces: list[str] = []
    for option in options:
        kind = _whole_name(option.name.removeprefix("expand-"), _CURL_BODY)
        for body in _CURL_BODIES.get(kind, _nothing)(name, option, invocation):
            if as_query and kind in _CURL_DATA:
                continue
            pieces.append(body.text)
            yield body
    # --json and the pieces of -d are sent as one.
    yield Body(name, "-d", "".join(pieces))


def _whole_name(name: str, names: Sequence[str]) -> str:
    """A long option that is cut short, as getopt_long takes it: `--post-d`."""
    if len(name) < 2 or name in names:
        return name
    return next((one for one in names if one.startswith(name)), name)


def _with_cut_names(texts: Sequence[str], grammar: Grammar, names: Sequence[str]) -> Grammar:
    """The grammar with those of its long options that are cut short in `texts`."""
    cut = frozenset(
        text[2:]
        for text in texts
        if len(text) > 3 and text.startswith("--") and any(n.startswith(text[2:]) for n in names)
    )
    return grammar._replace(long=grammar.long | cut)


def _nothing(_: str, __: Option, ___: Invocation) -> Iterator[Body]:
    return iter(())


def _data(name: str, option: Option, invocation: Invocation) -> Iterator[Body]:
    raw = option.name.endswith(("data-raw", "form-string"))
    if option.value.startswith("@") and not raw:
        yield _read(name, option, option.value[1:], invocation)
    elif option.name.endswith("data-urlencode") and "@" in option.value.partition("=")[0]:
        yield _read(name, option, option.value.partition("@")[2], invocation)
    else:
        yield Body(name, _written(option), option.value, option.position, option.offset)


def _form(name: str, option: Option, invocation: Invocation) -> Iterator[Body]:
    _, _, value = option.value.partition("=")
    if value[:1] in ("@", "<") and not option.name.endswith("form-string"):
        yield _read(name, option, value[1:].partition(";")[0], invocation)._replace(position=-1)
    else:
        yield Body(name, _written(option), value.lstrip("("))


def _upload(name: str, option: Option, invocation: Invocation) -> Iterator[Body]:
    path = "-" if option.value == "." else option.value
    yield _read(name, option, path, invocation)._replace(position=-1)


def _variable(name: str, option: Option, invocation: Invocation) -> Iterator[Body]:
    before, equals, value = option.value.partition("=")
    if equals:
        yield Body(name, _written(option), value)
    elif "@" in before:
        yield _read(name, option, before.partition("@")[2], invocation)._replace(position=-1)


def _config(name: str, option: Option, invocation: Invocation) -> Iterator[Body]:
    """Options of curl that are written in a file, one a line."""
    text = contents(option.value, invocation)
    for line in text.split("\n")[:1_000] if text != HOLE else ():
        if found := _CONFIG_LINE.fullmatch(line):
            kind = _CURL_SHORT.get(found[1], found[1])
            if kind in (*_CURL_DATA, *_CURL_FORM):
                value = found[2].strip().strip('"').replace('\\"', '"')
                value = value.partition("=")[2] if kind in _CURL_FORM else value
                yield Body(name, f"{_written(option)} ({kind})", value)


_CURL_BODIES: dict[str, Callable[[str, Option, Invocation], Iterator[Body]]] = {
    **dict.fromkeys(_CURL_DATA, _data),
    **dict.fromkeys(_CURL_FORM, _form),
    "upload-file": _upload,
    "variable": _variable,
    "config": _config,
}


def _read(name: str, option: Option, path: str, invocation: Invocation) -> Body:
    """A body that comes from a file, the input among them."""
    text = contents(path, invocation)
    return Body(name, _written(option), text, option.position, option.offset, read=True)


def _written(option: Option) -> str:
    short = next((letter for letter, name in _CURL_SHORT.items() if name == option.name), "")
    return f"-{short}" if short else f"--{option.name}"


def _wget(name: str, invocation: Invocation) -> Iterator[Body]:
    texts = [plain(word.text) for word in invocation.words]
    for option in options_of(texts, _with_cut_names(texts, _WGET, _WGET_BODY)):
        kind = _whole_name(option.name, _WGET_BODY)
        if kind in ("post-data", "body-data"):
            yield Body(name, f"--{kind}", option.value, option.position, option.offset)
        elif kind in ("post-file", "body-file"):
            body = _read(name, option, option.value, invocation)
            yield body._replace(option=f"--{kind}")


def _httpie(name: str, invocation: Invocation) -> Iterator[Body]:
    texts = [plain(word.text) for word in invocation.words]
    options = list(options_of(texts, _HTTPIE))
    operands = [option for option in options if not option.name]
    if operands and _METHOD.fullmatch(operands[0].value) and len(operands) > 1:
        operands = operands[1:]
    for option in options:
        if option.name == "raw":
            yield Body(name, "--raw", option.value, option.position, option.offset)
    for operand in operands[1:]:
        found = _ITEM.match(operand.value)
        if found and found[2] in ("=", ":="):
            yield Body(name, f"{found[1]}{found[2]}", found[3])
        elif found and found[2] in ("@", "=@", ":=@"):
            yield Body(name, operand.value, contents(found[3], invocation))
    if not {"I", "ignore-stdin"} & {option.name for option in options}:
        yield Body(name, "input", invocation.stdin)


def _pwsh(name: str, invocation: Invocation) -> Iterator[Body]:
    texts = [plain(word.text) for word in invocation.words]
    yield from (Body(name, option, text) for option, text in script_bodies(texts, invocation.stdin))


def _cmdlet(name: str, invocation: Invocation) -> Iterator[Body]:
    texts = [plain(word.text) for word in invocation.words]
    yield from (Body(name, option, text) for option, text in cmdlet_bodies(texts))
    yield Body(name, "input", invocation.stdin)


_CLIENTS: dict[str, Callable[[str, Invocation], Iterator[Body]]] = {
    **dict.fromkeys(CURL, _curl),
    **dict.fromkeys(WGET, _wget),
    **dict.fromkeys(HTTPIE, _httpie),
    **dict.fromkeys(WEB_CMDLETS, _cmdlet),
    **dict.fromkeys(POWERSHELLS, _pwsh),
}
