"""One question to a port of this machine: does it take a connection, what does it answer?

The one module that knows http.client, which is loaded with the first question. Addresses are
literal, no proxy is used, redirects are never followed, and what comes back is bounded.
"""

import contextlib
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from devloop_tools.domain.running.addresses import Address, LocalUrl

PROBE_TIMEOUT_S = 2.0
MAX_BODY = 4 * 1024 * 1024
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one question. `status` is None where no HTTP answer came."""

    outcome: str
    address: str | None = None
    connected: bool = False
    status: int | None = None
    location: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it goes out."""

    method: str
    url: LocalUrl
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(frozen=True, slots=True)
class Response:
    """A whole answer; `cut` where the body was longer than 4 MB."""

    address: str
    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes = field(repr=False)
    cut: bool
    duration_ms: int


class NoAnswer(Exception):
    """Nothing usable came; the text says why."""


def connects(address: Address, timeout_s: float = PROBE_TIMEOUT_S) -> Answer:
    """Whether somebody takes a connection, on the first of its hosts that does."""
    answer = Answer("refused")
    for host in address.hosts:
        try:
            with socket.create_connection((host, address.port), timeout_s):
                return Answer("connected", shown(host, address.port), connected=True)
        except OSError as exc:
            answer = Answer(why(exc))
    return answer


def asks(url: LocalUrl, wanted: Sequence[int], timeout_s: float = PROBE_TIMEOUT_S) -> Answer:
    """The answer to a GET, of the first host whose status is wanted; else what came last."""
    answer: Answer | None = None
    for host in url.address.hosts:
        found = _get(url, host, timeout_s)
        if found.status is not None and is_wanted(found.status, wanted):
            return found
        # An answer says more than that nobody listens on the other family.
        if answer is None or found.connected:
            answer = found
    assert answer is not None
    return answer


def is_wanted(status: int, wanted: Sequence[int]) -> bool:
    """Whether a status is one of those, any 2xx where none is named."""
    return status in wanted if wanted else 200 <= status < 300


def sent(request: Request, timeout_s: float) -> Response:
    """The whole answer to a request, within `timeout_s` in all. Raises NoAnswer."""
    import http.client

    started = time.monotonic()
    failure = "refused"
    for host in request.url.address.hosts:
        connection = http.client.HTTPConnection(host, request.url.address.port, timeout=timeout_s)
        with contextlib.closing(connection):
            try:
                connection.connect()
            except OSError as exc:
                failure = why(exc)
                continue
            try:
                return _exchanged(connection, request, host, started, timeout_s)
            except (OSError, http.client.HTTPException, ValueError) as exc:
                raise NoAnswer(why(exc)) from None
    raise NoAnswer(f"{failure} on {', '.join(request.url.address.hosts)}")


class BrokenOff(ValueError):
    """An answer that ended before its body did."""


def why(exc: Exception) -> str:
    """A failure in few words."""
    match exc:
        case ConnectionRefusedError():
            return "refused"
        case TimeoutError():
            return "timed out"
        case ConnectionResetError() | BrokenPipeError():
            return "the connection was closed without an answer"
        case OSError(strerror=str(text)):
            return text
        case BrokenOff():
            return str(exc)
        case _:
            return f"no valid HTTP: {type(exc).__name__}"


def shown(host: str, port: int) -> str:
    """An address as it is written in a URL."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _get(url: LocalUrl, host: str, timeout_s: float) -> Answer:
    import http.client

    connection = http.client.HTTPConnection(host, url.address.port, timeout=timeout_s)
    address = shown(host, url.address.port)
    with contextlib.closing(connection):
        try:
            connection.connect()
        except OSError as exc:
            return Answer(why(exc))
        try:
            connection.request("GET", url.target, headers=_own_headers(url))
            response = connection.getresponse()
        except (OSError, http.client.HTTPException, ValueError) as exc:
            return Answer(why(exc), address, connected=True)
        location = response.headers["Location"] if 300 <= response.status < 400 else None
        outcome = f"{response.status}" + (f" to {location}" if location else "")
        return Answer(outcome, address, True, response.status, location)


def _exchanged(
    connection: "http.client.HTTPConnection",  # type: ignore[name-defined] # noqa: F821 # loaded late
    request: Request,
    host: str,
    started: float,
    timeout_s: float,
) -> Response:
    headers = {**_own_headers(request.url), **request.headers}
    connection.request(request.method, request.url.target, request.body, headers)
    response = connection.getresponse()
    parts: list[bytes] = []
    size, announced = 0, response.length
    while size <= MAX_BODY and (chunk := response.read1(_CHUNK)):
        parts.append(chunk)
        size += len(chunk)
        left = timeout_s - (time.monotonic() - started)
        if left <= 0:
            raise TimeoutError
        connection.sock.settimeout(left) if connection.sock else None
    if announced is not None and size < min(announced, MAX_BODY):
        raise BrokenOff(f"the body broke off after {size} of {announced} bytes")
    return Response(
        address=shown(host, request.url.address.port),
        status=response.status,
        headers=list(response.headers.items()),
        body=b"".join(parts)[:MAX_BODY],
        cut=size > MAX_BODY,
        duration_ms=round((time.monotonic() - started) * 1000),
    )


def _own_headers(url: LocalUrl) -> dict[str, str]:
    return {
        "Host": url.host_header,
        "User-Agent": "devloop-tools",
        "Accept": "*/*",
        "Connection": "close",
    }
