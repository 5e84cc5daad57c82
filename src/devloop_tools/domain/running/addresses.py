"""Loopback addresses and nothing else: names are never looked up, so that no answer can lie."""

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from devloop_tools.storage.errors import ExpectedFailure

BOTH_FAMILIES = ("127.0.0.1", "::1")
"""What `localhost` means: a server may listen on one of them only."""

_ALLOWED = "Give localhost, 127.0.0.1 or [::1] and the port, such as http://localhost:20080/health."
_ODD = re.compile(r"[\x00-\x20\x7f\\]")
_MAX_URL = 2000


@dataclass(frozen=True, slots=True)
class Address:
    """A port on this machine, and the literal addresses to try, in order."""

    hosts: Sequence[str]
    port: int


@dataclass(frozen=True, slots=True)
class LocalUrl:
    """An http URL on this machine: where to connect, what to ask for, what to say as Host."""

    text: str
    address: Address
    target: str
    host_header: str


def url_of(port: int, host: str = "localhost") -> str:
    """The http URL under which a server that listens on `host` is reached."""
    reached = "localhost" if host in ("0.0.0.0", "::") else host
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


def local_url(text: str, field: str) -> LocalUrl:
    """`text` as an http URL on loopback with a port. Raises ExpectedFailure naming `field`."""
    if len(text) > _MAX_URL or _ODD.search(text):
        raise ExpectedFailure(
            f"{field}: a URL has at most {_MAX_URL} characters, without blanks, control"
            " characters and backslashes.",
            _ALLOWED,
        )
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError as exc:
        raise ExpectedFailure(f"{field}: {text} is no URL: {exc}.", _ALLOWED) from None
    if parts.scheme != "http" or parts.username is not None or not port:
        raise ExpectedFailure(
            f"{field}: {text} is no plain http URL with a port and without a user's name.", _ALLOWED
        )
    target = _target(parts)
    return LocalUrl(text, Address(_hosts(host, field), port), target, parts.netloc)


def local_address(text: str, field: str) -> Address:
    """`host:port` or a port alone, on loopback. Raises ExpectedFailure naming `field`."""
    host, _, number = text.rpartition(":")
    if not re.fullmatch(r"[0-9]{1,5}", number) or not 0 < int(number) < 65_536:
        raise ExpectedFailure(
            f"{field}: {text} is no address with a port.",
            "Give host:port on this machine, such as localhost:20080 or [::1]:20080.",
        )
    return Address(_hosts(host.strip("[]") or "localhost", field), int(number))


def _target(parts: SplitResult) -> str:
    path = parts.path or "/"
    text = f"{path}?{parts.query}" if parts.query else path
    # What the request line can't carry goes as UTF-8 in percents, as browsers send it.
    return "".join(c if c.isascii() else "".join(f"%{b:02X}" for b in c.encode()) for c in text)


def _hosts(host: str, field: str) -> Sequence[str]:
    if host.lower() == "localhost":
        return BOTH_FAMILIES
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        address = None
    if address is None or not address.is_loopback or "%" in host:
        raise ExpectedFailure(
            f"{field}: {host or 'a missing host'} is not this machine; other names are not even"
            " looked up.",
            _ALLOWED,
        )
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return (str(address.ipv4_mapped),)
    return (str(address),)
