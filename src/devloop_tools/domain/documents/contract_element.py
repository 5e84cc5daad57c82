"""The element of a page that carries its unit's contract, by its place in the source."""

import json
from collections.abc import Sequence
from typing import Any

from devloop_tools.domain.contracts.contract import CONTRACT_ELEMENT
from devloop_tools.domain.html.markup import Kind, Token
from devloop_tools.domain.html.outline import Span


def embedded(contract: dict[str, Any]) -> str:
    """JSON that can't end the script element it stands in."""
    return json.dumps(contract, ensure_ascii=False, indent=2).replace("<", "\\u003c")


def contract_places(found: Sequence[Token]) -> list[Span]:
    """Where the contents of all such elements stand, the one that counts first."""
    places = []
    for at, token in enumerate(found):
        if _is_contract(token):
            close = next((t for t in found[at + 1 :] if t.kind is Kind.CLOSE), None)
            if close is not None and close.name == token.name:
                places.append(Span(token.end, close.start))
    return places


def _is_contract(token: Token) -> bool:
    return (
        token.kind is Kind.OPEN
        and token.name == "script"
        and token.get("id") == CONTRACT_ELEMENT
        and (token.get("type") or "").strip().lower() == "application/json"
    )
