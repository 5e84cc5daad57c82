"""Results that are more than text, as MCP's content blocks."""

import base64
from typing import Any

from devloop_tools.frozen import frozen

Block = dict[str, Any]


@frozen
class Text:
    """A text for the model."""

    text: str

    def block(self) -> Block:
        return {"type": "text", "text": self.text}


@frozen
class Image:
    """An image; `mime_type` such as image/png."""

    data: bytes
    mime_type: str

    def block(self) -> Block:
        return {"type": "image", "data": _base64(self.data), "mimeType": self.mime_type}


@frozen
class Audio:
    """A sound; `mime_type` such as audio/wav."""

    data: bytes
    mime_type: str

    def block(self) -> Block:
        return {"type": "audio", "data": _base64(self.data), "mimeType": self.mime_type}


@frozen
class Embedded:
    """A resource with its content, which is a text or bytes."""

    uri: str
    content: str | bytes
    mime_type: str = "text/plain"

    def block(self) -> Block:
        return {"type": "resource", "resource": contents(self.uri, self.content, self.mime_type)}


@frozen
class Link:
    """A resource that the client may read."""

    uri: str
    name: str
    mime_type: str | None = None

    def block(self) -> Block:
        mime = {"mimeType": self.mime_type} if self.mime_type else {}
        return {"type": "resource_link", "uri": self.uri, "name": self.name, **mime}


Content = Text | Image | Audio | Embedded | Link


def contents(uri: str, content: str | bytes, mime_type: str) -> Block:
    """A resource's contents (MCP, resources/read): `text`, or `blob` in base64."""
    body = {"text": content} if isinstance(content, str) else {"blob": _base64(content)}
    return {"uri": uri, "mimeType": mime_type, **body}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
