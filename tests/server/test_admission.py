"""Policy on the arguments of a call: what runs, what the model is told, what is recorded."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import Field
from tests.server.conftest import Client, connected, text_of

from devloop_tools.toolkit import READ, ToolContext, ToolInput, tool


class Order(ToolInput):
    path: str = Field(default="prd/默认", max_length=100, description="Where.")


@tool(READ)
def deliver(args: Order, ctx: ToolContext) -> str:
    """Deliver."""
    return f"到了 {args.path}"


def rule(decision: str, **more: Any) -> dict[str, Any]:
    return {"tool": "deliver", "decision": decision, **more}


async def recorded(client: Client) -> list[tuple[str, Any]]:
    return [
        (event.type, dict(event.data))
        for event in client.events()
        if not event.type.startswith("timeline")
    ]


@pytest.mark.parametrize("path", ["sdd/x", "./sdd/../sdd/x"])
async def test_a_call_that_an_argument_forbids_never_runs_and_is_told_why(
    tmp_path: Path, path: str
) -> None:
    policy = ["deliver", rule("deny", when={"path": "sdd/*"}, reason="只 prd, ask the architect")]
    async with connected(tmp_path, deliver, granted=policy) as client:
        result = await client.call("deliver", {"path": path})
        assert text_of(await client.call("deliver", {"path": "prd/x"})) == "到了 prd/x"
        refused, called = await recorded(client)
    assert result["isError"]
    assert text_of(result) == "deliver was not run: 只 prd, ask the architect"
    assert refused == (
        "policy.refused",
        {
            "tool": "deliver",
            "decision": "deny",
            "rule": "deny deliver when path=sdd/*",
            "position": "templates[0].cli.toolPolicy[1]",
            "reason": "只 prd, ask the architect",
        },
    )
    assert called[1]["rule"] == "allow deliver"


async def test_defaults_are_arguments_too(tmp_path: Path) -> None:
    policy = ["deliver", rule("deny", when={"path": "prd/*"})]
    async with connected(tmp_path, deliver, granted=policy) as client:
        result = await client.call("deliver", {})
    assert (
        text_of(result) == "deliver was not run: the policy refuses it (deny deliver when "
        "path=prd/*)"
    )


async def test_a_grant_for_some_arguments_refuses_all_others(tmp_path: Path) -> None:
    policy = [rule("allow", when={"path": "prd/*"})]
    async with connected(tmp_path, deliver, granted=policy) as client:
        assert text_of(await client.call("deliver", {"path": "prd/a"})) == "到了 prd/a"
        result = await client.call("deliver", {"path": "prd/../sdd"})
    assert text_of(result).endswith("deliver is not granted to pm with these arguments")


async def test_a_rule_that_asks_is_refused_at_once_while_nobody_can_be_asked(
    tmp_path: Path,
) -> None:
    async with connected(tmp_path, deliver, granted=[rule("ask", reason="看")]) as client:
        listed = [entry["name"] for entry in (await client.result("tools/list"))["tools"]]
        result = await client.call("deliver", {"path": "a"})
        [(kind, fact)] = await recorded(client)
    assert listed == ["deliver"]
    assert text_of(result) == (
        "deliver was not run: a person would have to agree, and no human is available (看)"
    )
    assert (kind, fact["decision"], fact["rule"]) == ("policy.refused", "ask", "ask deliver")


async def test_a_deferred_tool_is_listed_and_called_like_an_allowed_one(tmp_path: Path) -> None:
    async with connected(tmp_path, deliver, granted=[rule("defer")]) as client:
        listed = [entry["name"] for entry in (await client.result("tools/list"))["tools"]]
        assert text_of(await client.call("deliver", {"path": "a"})) == "到了 a"
        [(_, fact)] = await recorded(client)
    assert listed == ["deliver"]
    assert fact["rule"] == "defer deliver"


async def test_wrong_arguments_are_told_before_policy_is_asked(tmp_path: Path) -> None:
    policy = ["deliver", rule("deny", when={"path": "*"})]
    async with connected(tmp_path, deliver, granted=policy) as client:
        assert "path" in text_of(await client.call("deliver", {"path": 5}))
        [(kind, fact)] = await recorded(client)
    assert kind == "tool.failed"
    assert "rule" not in fact


async def test_a_namespace_that_is_closed_is_not_listed(tmp_path: Path) -> None:
    policy = ["*", {"tool": "ns:docs", "decision": "deny"}]
    async with connected(tmp_path, deliver, granted=policy) as client:
        listed = [entry["name"] for entry in (await client.result("tools/list"))["tools"]]
        error = await client.error("tools/call", {"name": "write_chapter", "arguments": {}})
        [(kind, fact)] = await recorded(client)
    assert "write_chapter" not in listed
    assert "deliver" in listed
    assert error["message"] == "Unknown tool: write_chapter"
    assert (kind, fact["rule"]) == ("policy.refused", "deny ns:docs")
