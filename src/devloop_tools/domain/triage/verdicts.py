"""`triage.json`: the triager's verdicts by bug. What a person wrote into it stays as it is.

Each verdict carries a digest of itself. One whose digest is wrong or missing was written by a
person, and no verdict takes its place.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict

from devloop_tools.domain.bugs.records import Category
from devloop_tools.domain.clock import timestamp
from devloop_tools.domain.documents.site import Emitter
from devloop_tools.domain.events import EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.domain.triage.classifier import AGENTS, Judgement
from devloop_tools.domain.triage.signals import Found
from devloop_tools.storage.errors import CorruptFile
from devloop_tools.storage.files import ProjectFile
from devloop_tools.storage.workspace import Workspace

TRIAGE_FILE = "triage.json"
MAX_VERDICTS = 10_000
_MOST_SIGNALS = 12


class ShownSignal(BaseModel):
    """A signal with what it gave or took, and the words that gave it."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    name: str
    weight: float
    quote: str


class Triaged(Done):
    """The verdict under `key` of `path`. `kept`: a person's stands there, and stayed."""

    key: str
    category: Category
    confidence: float
    agent: str
    runner_up: Category
    signals_for: list[ShownSignal]
    signals_against: list[ShownSignal]
    path: str = TRIAGE_FILE
    kept: bool = False


class VerdictStore:
    """Writes verdicts into `triage.json`, among those of others."""

    def __init__(self, workspace: Workspace, origin: Origin, events: Emitter) -> None:
        self._workspace = workspace
        self._origin = origin
        self._events = events

    def keep(self, key: str, title: str, judgement: Judgement) -> Triaged | Refused:
        """Write a verdict in place of the one before, unless a person has edited that.

        Raises CorruptFile where the file is no JSON object of verdicts; it is left as it is.
        """
        result = _triaged(key, judgement)
        with self._workspace.locked(TRIAGE_FILE) as file:
            document = _load(file)
            verdicts = document["verdicts"]
            if key in verdicts and _is_by_hand(verdicts[key]):
                return result.model_copy(update={"kept": True})
            if key not in verdicts and len(verdicts) >= MAX_VERDICTS:
                return refused(
                    f"{TRIAGE_FILE}: {MAX_VERDICTS} verdicts are kept",
                    "Ask a person to move old ones away.",
                )
            verdicts[key] = _signed(
                {
                    "title": title,
                    **result.model_dump(mode="json", exclude={"ok", "key", "path", "kept"}),
                    "decided_at": timestamp(),
                    "decided_by": self._origin.agent,
                    "call_id": self._origin.call_id,
                }
            )
            file.replace(orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")
        told = {"key", "category", "confidence", "agent"}
        fact = result.model_dump(mode="json", include=told)
        self._events.emit(self._origin, EventType.TRIAGE_DECIDED, fact)
        return result


def key_of_text(text: str) -> str:
    """By what a verdict on a text is found again."""
    return "text-" + hashlib.sha256(text.strip().encode()).hexdigest()[:12]


def _triaged(key: str, judgement: Judgement) -> Triaged:
    best = judgement.category
    scores = judgement.scores
    runner_up = max((c for c in scores if c is not best), key=lambda c: scores[c])
    given = [(_given(hit, best), hit) for hit in judgement.found]
    other = [(_given(hit, runner_up), hit) for hit in judgement.found]
    for_it = [_shown(gave, hit) for gave, hit in given if gave > 0]
    against = [_shown(gave, hit) for gave, hit in given if gave < 0]
    against += [
        _shown(-gave, hit)
        for (gave, hit), (ours, _) in zip(other, given, strict=True)
        if gave > 0 >= ours
    ]
    return Triaged(
        key=key,
        category=best,
        confidence=judgement.confidence,
        agent=AGENTS[best],
        runner_up=runner_up,
        signals_for=sorted(for_it, key=lambda s: -s.weight)[:_MOST_SIGNALS],
        signals_against=sorted(against, key=lambda s: s.weight)[:_MOST_SIGNALS],
    )


def _given(hit: Found, category: Category) -> float:
    return round(hit.strength * hit.signal.weights.get(category, 0.0), 2)


def _shown(weight: float, hit: Found) -> ShownSignal:
    return ShownSignal(name=hit.signal.name, weight=weight, quote=hit.quote)


def _load(file: ProjectFile) -> dict[str, Any]:
    content = file.read()
    if content is None:
        return {"verdicts": {}}
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as exc:
        raise _corrupt(f"no JSON: {exc}") from exc
    if not isinstance(document, dict):
        raise _corrupt("no JSON object")
    if not isinstance(document.setdefault("verdicts", {}), dict):
        raise _corrupt("verdicts is no object")
    return document


def _corrupt(fault: str) -> CorruptFile:
    return CorruptFile(
        f"{TRIAGE_FILE}: {fault}.", "Nothing was written. Ask a person to mend it or move it away."
    )


def _is_by_hand(verdict: Any) -> bool:
    return not isinstance(verdict, dict) or verdict.get("digest") != _digest(verdict)


def _signed(verdict: Mapping[str, Any]) -> dict[str, Any]:
    return {**verdict, "digest": _digest(verdict)}


def _digest(verdict: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in verdict.items() if name != "digest"}
    return hashlib.sha256(orjson.dumps(rest, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
