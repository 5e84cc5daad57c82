"""Texts of packs, and the tools that they meet."""

from pathlib import Path

from devloop_tools.registry.discovery import discover
from devloop_tools.registry.registry import Registry

BUILT_IN = Registry(discover("devloop_tools.tools")).entries


WORD_COUNT = '''\
"""word_count: count the words of a text."""

from pydantic import Field

from devloop_tools.toolkit import READ, Done, ToolContext, ToolInput, tool


class WordCountInput(ToolInput):
    text: str = Field(max_length=10_000, description="The text to count.")


class WordCount(Done):
    words: int


@tool(READ)
def word_count(args: WordCountInput, ctx: ToolContext) -> WordCount:
    """Count the words of a text; words are what blanks separate."""
    return WordCount(words=len(args.text.split()))
'''


HEAD = "from devloop_tools.toolkit import *\nfrom typing import Any, Callable\n"


def a_tool(name: str, *, field: str = "pass") -> str:
    return (
        f"class {name.title()}Input(ToolInput):\n    {field}\n"
        f"@tool(READ)\ndef {name}(args: {name.title()}Input, ctx: ToolContext) -> str:\n"
        f'    """Say 你好."""\n    return "{name}"\n'
    )


def written(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
