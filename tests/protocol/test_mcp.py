"""Facts of the Model Context Protocol."""

import pytest

from devloop_tools.protocol.mcp import LATEST, VERSIONS, negotiated


@pytest.mark.parametrize("version", VERSIONS)
def test_a_known_version_is_spoken(version: str) -> None:
    assert negotiated(version) == version


@pytest.mark.parametrize(
    "version", ["", "2099-01-01", "2026-07-28", "1999-01-01", "最新", "\ud800"]
)
def test_an_unknown_version_is_answered_with_the_latest(version: str) -> None:
    assert negotiated(version) == LATEST == "2025-11-25"
