"""Keeps results short enough to be shown: a long one keeps its head and names the whole."""

from collections.abc import Callable, Sequence
from typing import Any

import orjson

MAX_RESULT_BYTES = 48 * 1024
"""The CLI shows at most 50,000 characters of a result."""

KeepWhole = Callable[[bytes, str], str | None]
"""Writes bytes under a file ending; the path relative to the project, None if that failed."""


def bounded_text(
    text: str, keep: KeepWhole, ending: str = ".txt", limit: int = MAX_RESULT_BYTES
) -> str:
    """`text`, or its head with a last line that names the file with the whole."""
    encoded = text.encode()
    if len(encoded) <= limit:
        return text
    path = keep(encoded, ending)
    where = f"the whole is in {path}" if path else "the whole could not be kept"
    tail = f"\n… cut: {len(encoded)} bytes in all; {where}"
    head = encoded[: max(0, limit - len(tail.encode()))].decode("utf-8", "ignore")
    return head + tail


def bounded_blocks(blocks: Sequence[dict[str, Any]], keep: KeepWhole) -> list[dict[str, Any]]:
    """Content blocks, of which the texts share what one text may take."""
    texts = sum(block["type"] == "text" for block in blocks) or 1
    limit = max(1000, MAX_RESULT_BYTES // texts)
    return [
        {**block, "text": bounded_text(block["text"], keep, f"-{number}.txt", limit)}
        if block["type"] == "text"
        else block
        for number, block in enumerate(blocks, 1)
    ]


def bounded_object(value: dict[str, Any], keep: KeepWhole) -> dict[str, Any]:
    """`value`, or a shorter one with `truncated` and `full_result`.

    What is longest is cut first, lists from their end and texts after their head, so that counts
    and summaries stay.
    """
    encoded = orjson.dumps(value)
    if len(encoded) <= MAX_RESULT_BYTES:
        return value
    path = keep(encoded, ".json")
    marks = {"truncated": True} | ({"full_result": path} if path else {})
    budget = MAX_RESULT_BYTES - 500
    for share in (1.0, 0.6, 0.3, 0.1, 0.02):
        shorter = {**_fit(value, int(budget * share)), **marks}
        if len(orjson.dumps(shorter)) <= MAX_RESULT_BYTES:
            return shorter
    return {"ok": value.get("ok", True), **marks}


def _fit(value: Any, budget: int) -> Any:
    size = len(orjson.dumps(value))
    if size <= budget:
        return value
    if isinstance(value, dict):
        return _fit_object(value, budget)
    if isinstance(value, list):
        kept: list[Any] = []
        left = budget
        for item in value:
            left -= len(orjson.dumps(item)) + 1
            if left < 0:
                # The head of one large item tells more than none at all.
                return kept or [_fit(item, budget - 2)]
            kept.append(item)
        return kept
    if isinstance(value, str):
        return value.encode()[: max(0, budget // 2)].decode("utf-8", "ignore") + "…"
    return value


def _fit_object(value: dict[str, Any], budget: int) -> dict[str, Any]:
    """Small fields stay whole; the large ones share what they leave."""
    sizes = {name: len(orjson.dumps(field)) + len(name) + 4 for name, field in value.items()}
    left, large = budget, len(value)
    fitted: dict[str, Any] = {}
    for name in sorted(value, key=sizes.__getitem__):
        share = left // large
        fitted[name] = value[name] if sizes[name] <= share else _fit(value[name], share)
        left -= min(sizes[name], share)
        large -= 1
    return {name: fitted[name] for name in value}
