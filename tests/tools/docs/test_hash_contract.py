from pathlib import Path
from typing import Any

import pytest

from devloop_tools.toolkit import Refused
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.docs.hash_contract import hash_contract

CONTRACT = {"unit": "待办", "version": 1, "endpoints": [{"method": "GET", "path": "/todos"}]}
SPELLED = '{"endpoints": [{"path": "\\/todos", "method":"GET"}], "version": 1.0, "unit":"待办"}'
SCRIPT = '<script type="application/json" id="data-contract">'


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def files_in(root: Path) -> list[Path]:
    return list(root.iterdir())


async def test_one_contract_has_one_hash_wherever_it_stands(tmp_path: Path) -> None:
    write(tmp_path, "sdd/units/待办.html", f"<p>契约 {SCRIPT}{SPELLED}</script>")
    write(tmp_path, "c.json", SPELLED)
    ctx = tool_context(tmp_path, "coder", unit_id="待办")

    sources: list[dict[str, Any]] = [
        {"contract": CONTRACT}, {"path": "c.json"}, {"unit_id": "待办"},
        {"path": "sdd/units/待办.html"},
    ]  # fmt: skip
    results = [await call_tool(hash_contract, source, ctx) for source in sources]

    assert {result.hash for result in results} == {
        "sha256:64ba22a77c657765984fe461d4b5a4c7a5dcde5325cedde6e0dc8b4263a888b0"
    }
    assert {result.bytes for result in results} == {76}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "exactly one"),
        ({"unit_id": "a", "path": "a.json"}, "exactly one"),
        ({"unit_id": "../a"}, "is no unit's id"),
        ({"unit_id": "没有"}, "sdd/units/没有.html: there is no such file"),
        ({"contract": {"unit": "a"}}, "contract: no contract: version: Field required"),
    ],
)
async def test_what_can_not_be_hashed_is_refused(
    arguments: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    result = await call_tool(hash_contract, arguments, tool_context(tmp_path))

    assert isinstance(result, Refused)
    assert reason in result.reason


async def test_hashing_reads_and_tells_nobody(tmp_path: Path) -> None:
    await call_tool(hash_contract, {"contract": CONTRACT}, tool_context(tmp_path))

    assert files_in(tmp_path) == []
    assert list(recorded_events(tmp_path)) == []
