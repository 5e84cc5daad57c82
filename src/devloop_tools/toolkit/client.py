"""What a tool may ask of the client that calls it: a person, a model, the client's folders.

In the stateless revision nobody waits: the call ends, and the client calls again with the answers.
So a tool that asks is run anew from its start, with the answers it has: what it does before it
asks must do no harm when it is done twice.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from devloop_tools.frozen import frozen
from devloop_tools.storage.errors import ExpectedFailure

JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """A request of ours to the client, such as `elicitation/create`, and its params."""

    method: str
    params: JsonObject = field(default_factory=dict)


@frozen
class Elicited:
    """What a person did with a form. `cancel` means that nobody was there, not a refusal."""

    action: Literal["accept", "decline", "cancel"]
    content: JsonObject


Ask = Callable[[Mapping[str, Question]], Awaitable[Mapping[str, JsonObject]]]
Log = Callable[[str, Any], None]


@frozen
class Client:
    """The client of one call. `key` names a question within the call, the same at each run.

    `ask` puts questions together and returns the answers by key; it raises ClientRefused where the
    client can't be asked that, or answers with an error. `log` sends it a message, from any thread.
    """

    ask: Ask
    log: Log

    async def elicit(self, key: str, message: str, schema: JsonObject) -> Elicited:
        """Show a person a form: a flat JSON Schema of texts, numbers, booleans and choices."""
        return elicited((await self.ask({key: elicitation(message, schema)}))[key])

    async def sample(self, key: str, params: JsonObject) -> JsonObject:
        """Let the client's model write (MCP, sampling/createMessage)."""
        return (await self.ask({key: Question("sampling/createMessage", params)}))[key]

    async def roots(self, key: str) -> list[JsonObject]:
        """The client's folders (MCP, roots/list)."""
        found = (await self.ask({key: Question("roots/list")}))[key].get("roots")
        return found if isinstance(found, list) else []


class ClientRefused(ExpectedFailure):
    """The client can't be asked that, or answered with an error; the reason says which.

    A tool that can do without catches it; else the model reads the reason.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason, "Go on without it, or say in your answer what you need to know.")


def elicitation(message: str, schema: JsonObject) -> Question:
    """The question behind `Client.elicit`."""
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return Question("elicitation/create", params)


def elicited(answer: JsonObject) -> Elicited:
    """The answer to it. An action that MCP doesn't know counts as cancel."""
    content = answer.get("content")
    match answer.get("action"):
        case "accept":
            return Elicited("accept", content if isinstance(content, dict) else {})
        case "decline":
            return Elicited("decline", {})
        case _:
            return Elicited("cancel", {})


async def nobody_to_ask(questions: Mapping[str, Question]) -> Mapping[str, JsonObject]:
    """The `ask` of a call without a client."""
    methods = ", ".join(sorted({question.method for question in questions.values()}))
    raise ClientRefused(f"{methods}: there is no client to ask")


def unheard(_level: str, _data: Any) -> None:
    """The `log` of a call whose client wants no messages."""


NO_CLIENT = Client(nobody_to_ask, unheard)
"""For calls without a client that could be asked."""
