"""The official TypeScript SDK drives the installed server."""

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.clients.conftest import environment, missing, server_words
from tests.conformance import node

pytestmark = pytest.mark.clients

DRIVER = Path(__file__).with_name("driver.mjs")
HANG_S = 60


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What came of one run of the driver."""
    folder = tmp_path_factory.mktemp("typescript")
    project = folder / "项目 demo"
    project.mkdir()
    try:
        sdk = node.installed("@modelcontextprotocol/sdk")
    except node.NodeMissing as exc:
        missing(str(exc))
    run = subprocess.run(
        [node.node(), str(DRIVER), str(sdk), *server_words(project)],
        env=environment(folder), capture_output=True, timeout=HANG_S,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr.decode()
    return json.loads(run.stdout)


def text_of(result: Any) -> str:
    """The text of the only block."""
    [block] = result["content"]
    return str(block["text"])


def test_it_learns_who_the_server_is(found: Any) -> None:
    assert found["server"]["name"] == "devloop-tools"
    assert found["capabilities"]["tools"] == {"listChanged": True}
    assert "write_todolist" in found["instructions"]
    assert found["pong"] == {}


def test_it_lists_and_calls_tools(found: Any) -> None:
    tools = {tool["name"]: tool for tool in found["tools"]}
    assert {"timeline_append", "add", "interview"} <= tools.keys()
    assert tools["add"]["outputSchema"]["required"] == ["ok"]
    assert found["added"]["structuredContent"] == {"ok": True, "sum": 3}
    assert [block["type"] for block in found["picture"]["content"]] == ["text", "image"]
    assert found["appended"]["structuredContent"]["ok"]


def test_it_tells_errors_of_three_kinds(found: Any) -> None:
    assert (found["unknown"]["code"], "没有" in found["unknown"]["message"]) == (-32602, True)
    assert found["invalid"]["isError"]
    assert "- b: " in text_of(found["invalid"])
    assert found["crashed"]["isError"]
    assert "坏了 broken" in text_of(found["crashed"])


def test_the_client_is_asked_while_calls_wait(found: Any) -> None:
    name = "名字? Your name?"
    assert text_of(found["interview"]) == "小明 Ming, 蓝 blue"
    assert found["asked"] == [name, "小明 Ming: 颜色? Color?", name]
    assert json.loads(text_of(found["survey"])) == ["好 5", ["file:///demo"]]


def test_progress_and_messages_arrive_in_order(found: Any) -> None:
    assert found["progress"] == [
        {"progress": 1, "total": 2, "message": "第 1"},
        {"progress": 2, "total": 2, "message": "第 2"},
    ]
    assert found["messages"] == ["第 1", "第 2", "第 3"]
    assert found["level"] == {}


def test_calls_that_are_given_up_are_cancelled_in_the_server(found: Any) -> None:
    assert found["timedOut"]["code"] == -32001
    assert "result" not in found["aborted"]
    lines = found["timeline"]["contents"][0]["text"].splitlines()
    assert [json.loads(line)["event"] for line in lines if "cancelled" in line] == [
        "call.cancelled"
    ] * 2


def test_resources_are_listed_read_and_followed(found: Any) -> None:
    assert [resource["uri"] for resource in found["resources"]] == [
        "talk://图",
        "devloop://timeline",
    ]
    assert found["templates"][-1]["uriTemplate"] == "talk://每个/{id}"
    assert base64.b64decode(found["drawing"]["contents"][0]["blob"]).startswith(b"\x89PNG")
    assert found["each"]["contents"][0]["text"] == "给 一"
    assert found["nowhere"]["code"] == -32002
    assert found["updated"] == "devloop://timeline"
    assert found["subscribed"] == found["unsubscribed"] == {}


def test_prompts_are_listed_filled_in_and_completed(found: Any) -> None:
    assert [prompt["name"] for prompt in found["prompts"]] == ["greet", "travel"]
    assert found["travel"]["messages"][0]["content"]["text"] == "去 北京"
    assert found["greet"]["messages"][0]["content"]["text"] == "你好 小明 Ming"
    assert found["cities"]["completion"]["values"] == ["北京", "北海"]
