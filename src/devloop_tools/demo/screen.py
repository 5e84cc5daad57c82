"""What a person sees of the loop while it goes: one line a call, and a heading an agent's turn."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import orjson

MAX_ARGUMENTS = 58
MAX_RESULT = 96

_TELLING = (
    "passed", "allowed", "reasons", "ready", "verified", "traces", "complete", "clean", "id",
    "status", "deduplicated", "path", "ports", "urls", "total", "failed", "category", "assignee",
    "progress_pct", "seq", "contract_hash", "hash", "written", "created", "findings", "reason",
)  # fmt: skip


class Screen:
    """Writes lines with the seconds since the start before them."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def heading(self, text: str) -> None:
        """A new turn."""
        self._write(f"\n── {text}\n")

    def line(self, agent: str, what: str, then: str) -> None:
        """One thing that an agent did, and what came of it."""
        self._write(f"{self.seconds:5.1f} s  {agent:<12} {what}\n{'':9}{'':12}   → {then}\n")

    def call(
        self, agent: str, tool: str, arguments: Mapping[str, Any], result: Mapping[str, Any] | str
    ) -> None:
        """One call of a tool."""
        self.line(agent, f"{tool} {_shortened(arguments)}", _told(result))

    def plain(self, text: str) -> None:
        """A line as it is."""
        self._write(f"{text}\n")


def _shortened(arguments: Mapping[str, Any]) -> str:
    return _cut(" ".join(f"{name}={_value(value)}" for name, value in arguments.items()),
                MAX_ARGUMENTS)  # fmt: skip


def _told(result: Mapping[str, Any] | str) -> str:
    if isinstance(result, str):
        return _cut(" ".join(result.split()), MAX_RESULT)
    told = [f"{name} {_value(result[name])}" for name in _TELLING if result.get(name) is not None]
    return _cut(", ".join(told) or _value(result), MAX_RESULT)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return value.partition("\n")[0]
    return orjson.dumps(value, default=str).decode()


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
