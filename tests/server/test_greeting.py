"""The methods that need no tool, as a pure function: what `serve` answers before it has loaded."""

from typing import Any

import pytest
from tests.server.conftest import stateless

from devloop_tools.protocol.mcp import (
    LATEST,
    META_CAPABILITIES,
    META_SERVER,
    META_VERSION,
    MODERN,
    SUPPORTED,
    VERSIONS,
)
from devloop_tools.server.era import ALL, LEGACY_ONLY, MODERN_ONLY, PROTOCOLS, SERVER_INFO
from devloop_tools.server.greeting import CAPABILITIES, INSTRUCTIONS, answer


def code(body: Any) -> int:
    """The error's code."""
    return int(body["error"]["code"])


@pytest.mark.parametrize("offered", [ALL, MODERN_ONLY])
@pytest.mark.parametrize("initialized", [False, True])
def test_discover_tells_all_that_a_client_must_know(offered: str, initialized: bool) -> None:
    body: Any = answer("server/discover", stateless(), offered, initialized=initialized)
    assert body["result"] == {
        "resultType": "complete",
        "supportedVersions": list(SUPPORTED) if offered == ALL else [MODERN],
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
        "ttlMs": 60_000,
        "cacheScope": "private",
        "_meta": {META_SERVER: SERVER_INFO},
    }


@pytest.mark.parametrize(
    ("offered", "initialized", "expected"),
    [
        (ALL, False, -32602),
        (ALL, True, -32601),
        (MODERN_ONLY, False, -32602),
        (LEGACY_ONLY, False, -32601),
        (LEGACY_ONLY, True, -32601),
    ],
)
def test_discover_without_the_envelope(offered: str, initialized: bool, expected: int) -> None:
    assert code(answer("server/discover", {}, offered, initialized=initialized)) == expected


def test_a_server_of_the_older_era_knows_no_discover() -> None:
    body = answer("server/discover", stateless(), LEGACY_ONLY)
    assert body == {"error": {"code": -32601, "message": "Method not found: server/discover"}}


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({META_VERSION: "2099-01-01"}, -32022),
        ({META_VERSION: LATEST}, -32022),
        ({META_VERSION: 1}, -32602),
        ({META_CAPABILITIES: None}, -32602),
    ],
)
def test_an_envelope_that_is_wrong_is_refused(meta: dict[str, Any], expected: int) -> None:
    assert code(answer("server/discover", stateless({"_meta": meta}))) == expected


@pytest.mark.parametrize("asked", [*VERSIONS, "1999-01-01", "最新", MODERN])
@pytest.mark.parametrize("offered", [ALL, LEGACY_ONLY])
def test_initialize_answers_in_a_revision_that_is_spoken(asked: str, offered: str) -> None:
    body: Any = answer("initialize", {"protocolVersion": asked}, offered)
    assert body["result"] == {
        "protocolVersion": asked if asked in VERSIONS else LATEST,
        "capabilities": CAPABILITIES,
        "serverInfo": SERVER_INFO,
        "instructions": INSTRUCTIONS,
    }


@pytest.mark.parametrize("asked", [None, 1, [], {"版本": LATEST}])
def test_initialize_needs_a_revision(asked: Any) -> None:
    assert code(answer("initialize", {"protocolVersion": asked})) == -32602
    assert code(answer("initialize", {})) == -32602


@pytest.mark.parametrize("asked", [LATEST, MODERN, None, 1])
def test_a_server_of_the_stateless_era_names_what_it_speaks(asked: Any) -> None:
    body: Any = answer("initialize", {"protocolVersion": asked}, MODERN_ONLY)
    assert code(body) == -32022
    assert body["error"]["data"] == {"supported": [MODERN], "requested": asked}


@pytest.mark.parametrize("method", ["initialize", "ping"])
@pytest.mark.parametrize("offered", [ALL, MODERN_ONLY])
def test_the_stateless_era_has_neither_handshake_nor_ping(method: str, offered: str) -> None:
    params = stateless({"protocolVersion": LATEST})
    body = answer(method, params, offered)
    assert body == {"error": {"code": -32601, "message": f"Method not found: {method}"}}


@pytest.mark.parametrize("offered", [ALL, LEGACY_ONLY])
def test_ping_is_answered_with_nothing(offered: str) -> None:
    assert answer("ping", {}, offered) == {"result": {}}
    assert answer("ping", {"_meta": {"progressToken": 1}}, offered) == {"result": {}}


@pytest.mark.parametrize("offered", PROTOCOLS)
@pytest.mark.parametrize("method", ["tools/list", "Initialize", "", "未知", "server.info"])
def test_every_other_method_is_left_to_the_dispatcher(offered: str, method: str) -> None:
    assert answer(method, stateless(), offered) is None


def test_the_answer_is_the_same_each_time() -> None:
    # The instructions and capabilities are shared: nothing may be written into them.
    before = [answer("server/discover", stateless()), answer("initialize", {"protocolVersion": ""})]
    after = [answer("server/discover", stateless()), answer("initialize", {"protocolVersion": ""})]
    assert before == after
