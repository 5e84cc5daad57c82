"""The tool behind the CLI's hook: who sees it, what it answers, what it leaves behind."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import Client, connected

GRANTED = ["Read", "Write", "Bash", "write_todolist"]


async def answer(client: Client, tool: str, given: Any, **more: Any) -> Any:
    """What the hook gets: exactly one text block, and in it one JSON object."""
    event = {"tool_name": tool, "tool_input": given, "tool_use_id": "toolu_7", **more}
    result = await client.call("policy_check", event)
    assert list(result) == ["content", "isError"]
    assert result["isError"] is False
    [block] = result["content"]
    assert block["type"] == "text"
    return json.loads(block["text"])


def denied(answered: Any) -> str:
    decision = answered["hookSpecificOutput"]
    assert decision["hookEventName"] == "PreToolUse"
    assert decision["permissionDecision"] == "deny"
    return str(decision["permissionDecisionReason"])


async def test_it_is_listed_for_the_cli_alone(tmp_path: Path) -> None:
    for for_cli in (True, False):
        async with connected(tmp_path, granted=["write_todolist"], for_cli=for_cli) as client:
            names = [entry["name"] for entry in (await client.result("tools/list"))["tools"]]
            reply = await client.request("tools/call", {"name": "policy_check", "arguments": {}})
        assert names == (["policy_check"] if for_cli else []) + ["write_todolist"]
        assert ("error" in reply) == (not for_cli)


async def test_what_may_run_gets_an_empty_object_which_decides_nothing(tmp_path: Path) -> None:
    async with connected(tmp_path, granted=GRANTED, for_cli=True) as client:
        given = json.dumps({"command": "echo '写' ${HOME}"})
        assert await answer(client, "Bash", given, cwd=str(tmp_path)) == {}
        assert await answer(client, "Read", {"file_path": "a"}) == {}
        first, _ = client.events()
    assert (first.type, first.call_id) == ("policy.decided", "toolu_7")
    assert first.data == {
        "tool": "Bash",
        "decision": "allow",
        "rule": "allow Bash",
        "position": "templates[0].cli.toolPolicy[2]",
        "subject": "echo '写' ${HOME}",
    }


async def test_what_may_not_run_gets_a_denial_with_the_reason(tmp_path: Path) -> None:
    async with connected(tmp_path, granted=GRANTED, write_allow=["prd/**"], for_cli=True) as client:
        given = {"file_path": f"{tmp_path}/写", "content": "x"}
        reason = denied(await answer(client, "Write", json.dumps(given)))
        assert "Glob is not granted to pm" in denied(await answer(client, "Glob", "{}"))
        event, _ = client.events()
    assert reason == f"file_path: {tmp_path}/写: pm may write prd/**"
    assert (event.type, event.data["rule"]) == ("policy.refused", "writeAllowList")


async def test_relative_paths_are_below_the_clis_folder(tmp_path: Path) -> None:
    async with connected(tmp_path, granted=GRANTED, write_allow=["prd/**"], for_cli=True) as client:
        assert await answer(client, "Write", '{"file_path": "a"}', cwd=f"{tmp_path}/prd") == {}
        denied(await answer(client, "Write", '{"file_path": "a"}', cwd=str(tmp_path)))


@pytest.mark.parametrize("tool", ["mcp__devloop__write_todolist", "mcp__devloop__没有"])
async def test_our_own_tools_are_ruled_on_where_they_are_called(tmp_path: Path, tool: str) -> None:
    async with connected(tmp_path, granted=[], for_cli=True) as client:
        assert await answer(client, tool, "{}") == {}
        assert client.events() == []


@pytest.mark.parametrize(
    ("tool", "given"),
    [("", "{}"), (None, "{}"), ("Bash", "{"), ("Bash", "[]"), ("Bash", ""), ("Bash", None)],
)
async def test_an_event_that_can_not_be_read_is_denied(
    tmp_path: Path, tool: Any, given: Any
) -> None:
    async with connected(tmp_path, granted=["Bash"], for_cli=True) as client:
        assert denied(await answer(client, tool, given))
