"""Judges what `tools/list` returned: expressions over each tool, and names."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.cases.run import Run
from tests.cases.verdict import Verdict
from tests.processes.server import same

Schema = dict[str, Any]

_PHRASES = (
    (r"\bnames unique\b", "names_unique"),
    (r"\bevery \$ref resolves inside the same schema\b", "every_ref_resolves(inputSchema)"),
    (r"\bschema is self-recursive\b", "is_recursive(inputSchema)"),
    (r"\bAND\b", "and"),
    (r"\bOR\b", "or"),
)
"""Words that the cases use inside an expression, as Python."""


class Fields(dict[str, Any]):
    """A JSON object whose members can be written with a dot; one that isn't there is None."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)


def for_each_tool(run: Run, expression: str, verdict: Verdict) -> None:
    """A Python expression that must hold of every listed tool."""
    source = expression
    for words, python in _PHRASES:
        source = re.sub(words, python, source)
    try:
        code = compile(source, "for_each_tool", "eval")
    except SyntaxError:
        verdict.unknown.append("for_each_tool")
        return
    tools = listed_tools(run, verdict)
    names = [tool.get("name") for tool in tools]
    for tool in tools:
        known = {
            **{name: _with_dots(value) for name, value in tool.items()},
            "json": json,
            "re": re,
            "names_unique": len(names) == len(set(names)),
            "every_ref_resolves": every_ref_resolves,
            "is_recursive": is_recursive,
        }
        try:
            holds = eval(code, known)
        except Exception as exc:
            # The expression comes from a file: whatever it raises says that it doesn't hold.
            verdict.faults.append(f"for_each_tool: {tool.get('name')}: {exc!r}")
        else:
            if not holds:
                verdict.faults.append(f"for_each_tool: {tool.get('name')}: not {expression}")


def names_unique(run: Run, wanted: bool, verdict: Verdict) -> None:
    """Whether no name is listed twice."""
    names = [tool["name"] for tool in listed_tools(run, verdict)]
    if (len(names) == len(set(names))) is not wanted:
        verdict.faults.append(f"names_unique is not {wanted}: {sorted(names)}")


def not_listed(run: Run, wanted: list[str], verdict: Verdict) -> None:
    """Names that no list may show."""
    there = sorted({tool["name"] for tool in listed_tools(run, verdict)} & set(wanted))
    if there:
        verdict.faults.append(f"not_listed: {there}")


def listed_tools(run: Run, verdict: Verdict) -> list[Schema]:
    """The tools of the first answered `tools/list`; a list that wasn't answered is a fault."""
    for request_id, method, _, _ in run.requests:
        if method != "tools/list":
            continue
        for line in run.replies_to(request_id):
            result = (line.message or {}).get("result")
            if isinstance(result, dict) and result.get("tools"):
                return list(result["tools"])
    verdict.faults.append("tools/list: no list with tools came")
    return []


def every_ref_resolves(schema: Schema) -> bool:
    """Whether each `$ref` points to something in the schema."""
    return all(_resolved(schema, reference) is not None for reference in _references(schema))


def is_recursive(schema: Schema) -> bool:
    """Whether something in the schema refers to what holds it."""
    return any(
        same(reference, inner)
        for reference in _references(schema)
        for inner in _references(_resolved(schema, reference))
    )


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(reference := node.get("$ref"), str):
            yield reference
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for item in node:
            yield from _references(item)


def _resolved(schema: Schema, reference: str) -> Any:
    node: Any = schema
    if not reference.startswith("#"):
        return None
    for step in reference.removeprefix("#").strip("/").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if name:
            node = node.get(name) if isinstance(node, dict) else None
    return node


def _with_dots(value: Any) -> Any:
    if isinstance(value, dict):
        return Fields({name: _with_dots(member) for name, member in value.items()})
    if isinstance(value, list):
        return [_with_dots(item) for item in value]
    return value
