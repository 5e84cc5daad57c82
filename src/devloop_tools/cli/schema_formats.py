"""Tool definitions written for different readers."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from devloop_tools.launch.arguments import api_tool
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.server.tools_list import describe

_COUNTED = (("minLength", "maxLength", "characters"), ("minItems", "maxItems", "items"))
_NUMBER = ("minimum", "maximum", "")
_OTHER = (
    ("exclusiveMinimum", "more than {}"),
    ("exclusiveMaximum", "less than {}"),
    ("pattern", "matches `{}`"),
)


def mcp(entries: Sequence[ToolEntry]) -> bytes:
    """The result of `tools/list` in the newest revision."""
    return _json({"tools": [describe(entry, _newest) for entry in entries]})


def anthropic(entries: Sequence[ToolEntry]) -> bytes:
    """The `tools` of a request to the Messages API."""
    return _json([api_tool(entry) for entry in entries])


def openai(entries: Sequence[ToolEntry]) -> bytes:
    """The `tools` of a request to the chat completions API."""
    return _json([_function(entry) for entry in entries])


def markdown(entries: Sequence[ToolEntry]) -> bytes:
    """A section a tool: what it does, and a table of its arguments."""
    sections = ["# Tools", *(_section(entry) for entry in entries)]
    return ("\n\n".join(sections) + "\n").encode()


def _function(entry: ToolEntry) -> dict[str, Any]:
    function = {
        "name": entry.name,
        "description": entry.published.description,
        "parameters": entry.published.input_schema,
    }
    return {"type": "function", "function": function}


def _json(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _section(entry: ToolEntry) -> str:
    published = entry.published
    rows = list(_rows(published.input_schema, ""))
    table = [
        "| argument | type | required | what it is |",
        "|---|---|---|---|",
        *(f"| {' | '.join(_cell(text) for text in row)} |" for row in rows),
    ]
    kind = "reads only" if published.annotations.read_only else "writes"
    head = f"## {entry.name}\n\n{published.description}\n\n_{entry.namespace}, {kind}_"
    return "\n\n".join([head, "\n".join(table) if rows else "No arguments."])


def _rows(schema: dict[str, Any], prefix: str) -> Iterator[tuple[str, str, str, str]]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        path = prefix + name
        yield (f"`{path}`", _type(field), "yes" if name in required else "no", _meaning(field))
        yield from _rows(field, f"{path}.")
        yield from _rows(field.get("items", {}), f"{path}[].")


def _type(field: dict[str, Any]) -> str:
    if choices := field.get("enum"):
        return " or ".join(f"`{choice}`" for choice in choices)
    if items := field.get("items"):
        return f"array of {_type(items)}"
    if alternatives := field.get("anyOf"):
        return " or ".join(_type(alternative) for alternative in alternatives)
    return str(field.get("type", "any"))


def _meaning(field: dict[str, Any]) -> str:
    notes = [note for words in (*_COUNTED, _NUMBER) if (note := _range(field, *words))]
    notes += [words.format(field[key]) for key, words in _OTHER if key in field]
    if "default" in field:
        notes.append(f"default `{orjson.dumps(field['default']).decode()}`")
    return " ".join([field.get("description", ""), f"({'; '.join(notes)})" if notes else ""])


def _range(field: dict[str, Any], least: str, most: str, unit: str) -> str:
    low, high = field.get(least), field.get(most)
    if low is None and high is None:
        return ""
    if high is None:
        return f"at least {low} {unit}".strip()
    return (
        f"{low} to {high} {unit}".strip() if low is not None else f"at most {high} {unit}".strip()
    )


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


def _newest(_revision: str) -> bool:
    """The newest revision knows what each brought."""
    return True
