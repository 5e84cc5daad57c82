"""State that a client carries for us between two rounds of one call, and can't change.

MCP 2026-07-28, multi round-trip requests: what comes back is under the client's control, so it is
signed, bound to who asked what, expires, and is taken once.
"""

import base64
import binascii
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from typing import Any

from devloop_tools.frozen import frozen
from devloop_tools.storage.database import Database

LIFETIME_S = 24 * 3600


class BadState(Exception):
    """A state that is not taken, or can't be given; the text says why, and no more than that."""


@frozen
class Binding:
    """What a state belongs to: another agent, method or request can't use it."""

    principal: str
    method: str
    params: dict[str, Any]

    def digest(self) -> str:
        return hashlib.sha256(_json([self.principal, self.method, self.params])).hexdigest()


class SealedStates:
    """Seals and opens states of one project; its servers share the key and what was used."""

    def __init__(self, key: Callable[[], bytes], database: Database) -> None:
        self._key = key
        self._database = database

    def seal(self, binding: Binding, content: dict[str, Any]) -> str:
        """`content` as an opaque text, good for one use within a day. Raises BadState."""
        payload = _json(
            {
                "bound": binding.digest(),
                "expires": int(time.time()) + LIFETIME_S,
                "nonce": secrets.token_hex(16),
                "content": content,
            }
        )
        return f"{_text(payload)}.{_text(self._signature(payload))}"

    def open(self, binding: Binding, state: str) -> dict[str, Any]:
        """What was sealed; the state is used up by it. Raises BadState."""
        payload = self._checked(state)
        fields = json.loads(payload)
        if not hmac.compare_digest(fields["bound"], binding.digest()):
            raise BadState("requestState belongs to another request")
        if fields["expires"] < time.time():
            raise BadState("requestState has expired; call again without it")
        self._use(fields["nonce"], fields["expires"])
        content: dict[str, Any] = fields["content"]
        return content

    def _checked(self, state: str) -> bytes:
        payload_text, _, signature_text = state.partition(".")
        try:
            payload, signature = _bytes(payload_text), _bytes(signature_text)
        except (binascii.Error, ValueError):
            raise BadState("requestState is not one of this server's") from None
        if not hmac.compare_digest(signature, self._signature(payload)):
            raise BadState("requestState is not one of this server's")
        return payload

    def _use(self, nonce: str, expires: int) -> None:
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM used_states WHERE expires < ?", (int(time.time()),))
            known = connection.execute(
                "SELECT count(*) FROM used_states WHERE nonce = ?", (nonce,)
            ).fetchone()[0]
            if not known:
                connection.execute("INSERT INTO used_states VALUES (?, ?)", (nonce, expires))
        if known:
            raise BadState("requestState was used before; call again without it")

    def _signature(self, payload: bytes) -> bytes:
        return hmac.new(self._key(), payload, hashlib.sha256).digest()


def _json(value: Any) -> bytes:
    # What a client may send goes in, orjson's exceptions included: half characters, large numbers.
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    except RecursionError:
        raise BadState("the request is nested too deeply to be made in rounds") from None


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text.encode(), altchars=b"-_", validate=True)
