"""What a tool asks of the client, in both eras: as requests of ours, or as an unfinished result."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import anyio

from devloop_tools.protocol.errors import MISSING_CAPABILITY, RpcError
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.rpc.transport import PeerError
from devloop_tools.server.session import Peer
from devloop_tools.toolkit.client import Ask, ClientRefused, Question

TIMEOUT_S = 24 * 3600.0
"""A person may be asked; whoever is tired of waiting cancels the call."""

_CAPABILITIES = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
_CANCEL = ("notifications/cancelled", "requestId")


class InputRequired(BaseException):
    """Ends a run of a tool in the stateless era: the client calls again with the answers.

    No Exception, so that a tool that catches its own errors doesn't take it for one.
    """

    def __init__(self, questions: Mapping[str, Question]) -> None:
        super().__init__()
        self.questions = questions


class CapabilityMissing(ClientRefused):
    """The client of a stateless request has not declared what the tool needs."""

    def __init__(self, required: JsonObject) -> None:
        super().__init__(_undeclared(required))
        self.required = required

    @property
    def error(self) -> RpcError:
        """What the client's program hears, if the tool can't do without."""
        names = ", ".join(sorted(self.required))
        return RpcError(
            MISSING_CAPABILITY,
            f"Missing required client capability: {names}",
            {"requiredCapabilities": self.required},
        )


@contextmanager
def asked_together() -> Iterator[None]:
    """What tasks of the block ask side by side ends it as one question, not as a group."""
    try:
        yield
    except BaseExceptionGroup as group:
        failed = group.split((InputRequired, CapabilityMissing))[1]
        if failed is not None:
            raise failed from None
        leaves = list(_leaves(group))
        if required := [leaf.required for leaf in leaves if isinstance(leaf, CapabilityMissing)]:
            raise CapabilityMissing(_merged(required)) from None
        needed = [leaf.questions for leaf in leaves if isinstance(leaf, InputRequired)]
        raise InputRequired(_merged(needed)) from None


def asking_by_request(peer: Peer, capabilities: Mapping[str, Any]) -> Ask:
    """Up to 2025-11-25: each question is a request of ours, and the call waits."""

    async def ask(questions: Mapping[str, Question]) -> Mapping[str, JsonObject]:
        if missing := _missing(questions, capabilities):
            raise ClientRefused(_undeclared(missing))
        answers: dict[str, JsonObject] = {}

        async def put(key: str, question: Question) -> None:
            try:
                answer = await peer.request(question.method, question.params, TIMEOUT_S, _CANCEL)
            except PeerError as exc:
                failures.append(str(exc))
            else:
                answers[key] = answer if isinstance(answer, dict) else {}

        failures: list[str] = []
        async with anyio.create_task_group() as tasks:
            for key, question in questions.items():
                tasks.start_soon(put, key, question)
        if failures:
            raise ClientRefused("; ".join(failures))
        return answers

    return ask


def asking_by_result(known: Mapping[str, JsonObject], capabilities: Mapping[str, Any]) -> Ask:
    """From 2026-07-28: what isn't `known` ends the run of the tool, and is asked by its result."""

    async def ask(questions: Mapping[str, Question]) -> Mapping[str, JsonObject]:
        open_ones = {key: asked for key, asked in questions.items() if key not in known}
        if missing := _missing(open_ones, capabilities):
            raise CapabilityMissing(missing)
        if open_ones:
            raise InputRequired(open_ones)
        return {key: known[key] for key in questions}

    return ask


def _missing(questions: Mapping[str, Question], capabilities: Mapping[str, Any]) -> JsonObject:
    """The capabilities that the questions need beyond those declared, as a client declares them."""
    return _merged([_lacking(question, capabilities) for question in questions.values()])


def _lacking(question: Question, capabilities: Mapping[str, Any]) -> JsonObject:
    name = _CAPABILITIES.get(question.method, question.method)
    declared = capabilities.get(name)
    if not isinstance(declared, dict):
        return {name: {}}
    if name == "elicitation":
        mode = str(question.params.get("mode", "form"))
        # Who declares no mode shows forms (MCP 2025-11-25, elicitation, capabilities).
        if mode not in declared and not (mode == "form" and "url" not in declared):
            return {name: {mode: {}}}
    return {}


def _undeclared(required: JsonObject) -> str:
    return f"the client has not declared {', '.join(sorted(required))}"


def _merged(parts: list[Any]) -> dict[str, Any]:
    return {key: value for part in parts for key, value in part.items()}


def _leaves(raised: BaseException) -> Iterator[BaseException]:
    if isinstance(raised, BaseExceptionGroup):
        for member in raised.exceptions:
            yield from _leaves(member)
    else:
        yield raised
