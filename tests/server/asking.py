"""A client of the stateless era that calls a tool which asks."""

from functools import partial

from tests.server.conftest import (
    Client,
    connected,
)

from devloop_tools.protocol.messages import JsonObject

serving = partial(connected, version=None)

GREET: JsonObject = {"name": "greet", "arguments": {"greeting": "早 morning"}}
ACCEPTED: JsonObject = {"action": "accept", "content": {"name": "小明 Ming"}}


async def asked(
    client: Client, call: JsonObject, capabilities: JsonObject | None = None
) -> JsonObject:
    """The result of the first round, which asks."""
    result: JsonObject = (await client.modern("tools/call", call, capabilities))["result"]
    assert result["resultType"] == "input_required"
    return result


def retry(call: JsonObject, round_one: JsonObject, answers: object) -> JsonObject:
    """The params of the next round."""
    return {**call, "inputResponses": answers, "requestState": round_one["requestState"]}
