"""Which era one message belongs to, over the wire of one process."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import connected, stateless

from devloop_tools.protocol.mcp import (
    LATEST,
    META_CAPABILITIES,
    META_CLIENT,
    META_SERVER,
    META_VERSION,
    MODERN,
    SUPPORTED,
    VERSIONS,
)
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.server.era import (
    ALL,
    LEGACY_ONLY,
    MODERN_ONLY,
    SERVER_INFO,
    claims_modern,
    enveloped,
    meta_of,
    supported_versions,
)

serving = partial(connected, version=None)


async def test_both_eras_meet_in_one_process(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        before = client.start_modern("tools/list")
        await client.shake_hands("2025-06-18")
        after = client.start_modern("tools/list")
        between = client.start("tools/list")
        lists = [await client.reply(request_id) for request_id in (before, after, between)]
    modern, again, legacy = (reply["result"] for reply in lists)
    assert modern == again
    assert modern.pop("resultType") == "complete"
    assert modern.pop("_meta") == {META_SERVER: SERVER_INFO}
    assert (modern.pop("ttlMs"), modern.pop("cacheScope")) == (60_000, "private")
    assert modern == legacy


async def test_an_older_revision_hides_from_its_own_requests_alone(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        await client.shake_hands("2024-11-05")
        legacy = (await client.request("tools/list"))["result"]["tools"][0]
        modern = (await client.modern("tools/list"))["result"]["tools"][0]
    assert not {"outputSchema", "annotations"} & legacy.keys()
    assert {"outputSchema", "annotations"} <= modern.keys()


async def test_a_call_lands_in_each_era(tmp_path: Path) -> None:
    arguments = {"event": "单元.built", "summary": "好了 done"}
    call = {"name": "timeline_append", "arguments": arguments}
    async with serving(tmp_path) as client:
        first = (await client.modern("tools/call", call))["result"]
        await client.shake_hands()
        second = (await client.request("tools/call", call))["result"]
    assert first["structuredContent"]["seq"] == 1
    assert second["structuredContent"]["seq"] == 2
    assert first["resultType"] == "complete"
    assert not {"resultType", "_meta", "ttlMs"} & second.keys()
    assert not {"ttlMs", "cacheScope"} & first.keys()


@pytest.mark.parametrize(
    ("meta", "says"),
    [
        ({META_VERSION: 20260728}, "protocolVersion must be a string"),
        ({META_VERSION: None}, "protocolVersion must be a string"),
        ({META_VERSION: [MODERN]}, "protocolVersion must be a string"),
        ({META_CAPABILITIES: None}, "clientCapabilities must be an object"),
        ({META_CAPABILITIES: "全部"}, "clientCapabilities must be an object"),
        ({META_CAPABILITIES: []}, "clientCapabilities must be an object"),
    ],
)
async def test_an_odd_envelope_is_named(tmp_path: Path, meta: JsonObject, says: str) -> None:
    async with serving(tmp_path) as client:
        error = (await client.modern("tools/list", {"_meta": meta}))["error"]
    assert (error["code"], says in error["message"]) == (-32602, True)


@pytest.mark.parametrize("missing", [META_VERSION, META_CAPABILITIES])
@pytest.mark.parametrize("method", ["tools/list", "server/discover", "subscriptions/listen"])
async def test_half_an_envelope_is_one(tmp_path: Path, missing: str, method: str) -> None:
    params = stateless({"notifications": {}})
    del params["_meta"][missing]
    async with serving(tmp_path) as client:
        error = (await client.request(method, params))["error"]
    assert (error["code"], missing in error["message"]) == (-32602, True)


async def test_the_client_may_stay_unnamed(tmp_path: Path) -> None:
    params = stateless()
    del params["_meta"][META_CLIENT]
    async with serving(tmp_path) as client:
        assert "result" in await client.request("tools/list", params)


@pytest.mark.parametrize("meta", [None, [], "元", 1])
async def test_a_meta_that_is_no_object_says_nothing(tmp_path: Path, meta: Any) -> None:
    async with serving(tmp_path) as client:
        await client.shake_hands()
        assert "result" in await client.request("tools/list", {"_meta": meta})


@pytest.mark.parametrize("method", ["tools/list", "server/discover", "subscriptions/listen"])
@pytest.mark.parametrize("version", ["2099-01-01", LATEST, "", "版本", "v999.0.0"])
async def test_an_unknown_version_hears_the_known_ones(
    tmp_path: Path, method: str, version: str
) -> None:
    async with serving(tmp_path) as client:
        error = (await client.modern(method, {"_meta": {META_VERSION: version}}))["error"]
    assert error["code"] == -32022
    assert error["data"] == {"supported": list(SUPPORTED), "requested": version}
    assert MODERN in error["message"]


@pytest.mark.parametrize(
    "method",
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"],
)
async def test_what_the_stateless_revision_removed_is_unknown_in_it(
    tmp_path: Path, method: str
) -> None:
    params = {"protocolVersion": LATEST, "level": "info", "uri": "devloop://timeline"}
    async with serving(tmp_path) as client:
        before = (await client.modern(method, params))["error"]
        await client.shake_hands()
        after = (await client.modern(method, params))["error"]
    assert before == after == {"code": -32601, "message": f"Method not found: {method}"}


async def test_a_modern_initialize_starts_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        await client.modern("initialize", {"protocolVersion": LATEST})
        error = (await client.request("tools/list"))["error"]
    assert (error["code"], "after initialize" in error["message"]) == (-32600, True)


@pytest.mark.parametrize("method", ["server/discover", "subscriptions/listen"])
async def test_a_modern_method_without_the_envelope(tmp_path: Path, method: str) -> None:
    async with serving(tmp_path) as client:
        early = (await client.request(method, {"notifications": {}}))["error"]
        await client.shake_hands()
        late = (await client.request(method, {"notifications": {}}))["error"]
    assert (early["code"], META_VERSION in early["message"]) == (-32602, True)
    assert late == {"code": -32601, "message": f"Method not found: {method}"}


async def test_a_server_of_the_older_era_ignores_the_envelope(tmp_path: Path) -> None:
    async with serving(tmp_path, protocol=LEGACY_ONLY) as client:
        for method in ("server/discover", "subscriptions/listen"):
            assert (await client.modern(method))["error"]["code"] == -32601
        assert (await client.modern("tools/list"))["error"]["code"] == -32600
        await client.shake_hands()
        result = (await client.modern("tools/list"))["result"]
    assert not {"resultType", "ttlMs"} & result.keys()


async def test_a_server_of_the_stateless_era_takes_no_handshake(tmp_path: Path) -> None:
    async with serving(tmp_path, protocol=MODERN_ONLY) as client:
        refused = (await client.request("initialize", {"protocolVersion": LATEST}))["error"]
        assert (await client.request("ping"))["error"]["code"] == -32601
        bare = (await client.request("tools/list"))["error"]
        assert "result" in await client.modern("tools/list")
        assert "result" in await client.request("tools.list")
    assert refused["code"] == -32022
    assert refused["data"] == {"supported": [MODERN], "requested": LATEST}
    assert (bare["code"], META_VERSION in bare["message"]) == (-32602, True)


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_handshake_is_answered_in_its_own_revision(
    tmp_path: Path, version: str
) -> None:
    async with serving(tmp_path) as client:
        result = await client.shake_hands(version)
        assert (await client.request("ping"))["result"] == {}
    assert result["protocolVersion"] == version


def test_each_value_of_the_flag_offers_its_revisions() -> None:
    assert supported_versions(ALL) == [MODERN, *reversed(VERSIONS)]
    assert supported_versions(LEGACY_ONLY) == list(reversed(VERSIONS))
    assert supported_versions(MODERN_ONLY) == [MODERN]


def test_only_a_server_that_speaks_it_reads_the_envelope() -> None:
    params = stateless()
    spoken = {offered: claims_modern(params, offered) for offered in (ALL, MODERN_ONLY)}
    assert spoken == {ALL: True, MODERN_ONLY: True}
    assert not claims_modern(params, LEGACY_ONLY)
    assert not claims_modern({"_meta": {"progressToken": 1}}, ALL)
    assert meta_of({"_meta": "元"}) == meta_of({}) == {}


def test_an_envelope_keeps_what_the_result_says_itself() -> None:
    asked: JsonObject = {"resultType": "input_required", "_meta": {"own": "键"}}
    assert enveloped(asked, ttl_ms=0) == {**asked, "_meta": {"own": "键", META_SERVER: SERVER_INFO}}
    kept = enveloped({"contents": []}, ttl_ms=0)
    assert (kept["resultType"], kept["ttlMs"], kept["cacheScope"]) == ("complete", 0, "private")
    assert "ttlMs" not in enveloped({}, ttl_ms=None)
