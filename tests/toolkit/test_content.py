"""Results that are more than text, as MCP writes them."""

import base64
from typing import Any

import pytest

from devloop_tools.toolkit.content import Audio, Content, Embedded, Image, Link, Text, contents

DATA = bytes(range(256))
BASE64 = base64.b64encode(DATA).decode()


@pytest.mark.parametrize(
    ("content", "block"),
    [
        (Text("你好 hello"), {"type": "text", "text": "你好 hello"}),
        (Text(""), {"type": "text", "text": ""}),
        (Image(DATA, "image/png"), {"type": "image", "data": BASE64, "mimeType": "image/png"}),
        (Audio(DATA, "audio/wav"), {"type": "audio", "data": BASE64, "mimeType": "audio/wav"}),
        (
            Embedded("test://文件", "内容"),
            {
                "type": "resource",
                "resource": {"uri": "test://文件", "mimeType": "text/plain", "text": "内容"},
            },
        ),
        (
            Embedded("test://b", DATA, "image/png"),
            {
                "type": "resource",
                "resource": {"uri": "test://b", "mimeType": "image/png", "blob": BASE64},
            },
        ),
        (
            Link("devloop://todo/pm", "计划 plan"),
            {"type": "resource_link", "uri": "devloop://todo/pm", "name": "计划 plan"},
        ),
        (
            Link("test://b", "b", "image/png"),
            {"type": "resource_link", "uri": "test://b", "name": "b", "mimeType": "image/png"},
        ),
    ],
)
def test_a_block_is_as_mcp_has_it(content: Content, block: dict[str, Any]) -> None:
    assert content.block() == block


def test_contents_are_text_or_bytes_and_never_both() -> None:
    text, blob = contents("u", "文", "text/plain"), contents("u", "文".encode(), "text/plain")
    assert (text["text"], "blob" in text) == ("文", False)
    assert (base64.b64decode(blob["blob"]).decode(), "text" in blob) == ("文", False)
