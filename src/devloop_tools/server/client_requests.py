"""What a tool asks of the client, in both eras: as requests of ours, or as an unfinished result."""

from collections.abc import Mapping
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


class InputRequired(BaseException):
    """Ends a run of a tool in the stateless era: the client calls again with the answers.

    No Exception, so that a tool that catches its own errors doesn't take it for one.
    """

    def __init__(self, questions: Mapping[str, Question]) -> None:
        super().__init__()
        self.questions = questions


def asking_by_request(peer: Peer, capabilities: Mapping[str, Any]) -> Ask:
    """Up to 2025-11-25: each question is a request of ours, and the call waits."""

    async def ask(questions: Mapping[str, Question]) -> Mapping[str, JsonObject]:
        if missing := _missing(questions, capabilities):
            raise ClientRefused(f"the client has not declared {', '.join(sorted(missing))}")
        answers: dict[str, JsonObject] = {}

        async def put(key: str, question: Question) -> None:
            try:
                answer = await peer.request(question.method, question.params, TIMEOUT_S)
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


def asking_by_result(known: Mapping[str, Any], capabilities: Mapping[str, Any]) -> Ask:
    """From 2026-07-28: what isn't `known` ends the run of the tool, and is asked by its result."""

    async def ask(questions: Mapping[str, Question]) -> Mapping[str, JsonObject]:
        open_ones = {key: asked for key, asked in questions.items() if key not in known}
        if missing := _missing(open_ones, capabilities):
            raise _missing_capability(missing)
        if open_ones:
            raise InputRequired(open_ones)
        return {key: known[key] for key in questions}

    return ask


def _missing(questions: Mapping[str, Question], capabilities: Mapping[str, Any]) -> set[str]:
    needed = {
        _CAPABILITIES.get(question.method, question.method) for question in questions.values()
    }
    return needed - set(capabilities)


def _missing_capability(missing: set[str]) -> RpcError:
    names = ", ".join(sorted(missing))
    required: dict[str, JsonObject] = {name: {} for name in missing}
    return RpcError(
        MISSING_CAPABILITY,
        f"Missing required client capability: {names}",
        {"requiredCapabilities": required},
    )
