"""Reads the bugs of a corpus, and what two of them have in common."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def lines_of(name: str) -> list[dict[str, Any]]:
    text = (HERE / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def sentences(text: str) -> list[str]:
    pieces = re.split(r"(?<=[。！？])|(?<=[.!?])\s+|\n", text)
    bare = [re.sub(r"\W+", "", piece).lower() for piece in pieces]
    return [piece for piece in bare if piece]


def identifiers(bug: dict[str, Any]) -> set[str]:
    """Names of functions, codes and paths: a capital inside, an underscore or a slash."""
    words = re.findall(r"[A-Za-z0-9_/]+", f"{bug['title']} {bug['text']}")
    return {word for word in words if re.search(r"[a-z][A-Z]|_|^/[a-z]", word)}


def pairs(name: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each original with its duplicate."""
    bugs = lines_of(name)
    by_id = {bug["id"]: bug for bug in bugs}
    return [(by_id[bug["duplicate_of"]], bug) for bug in bugs if bug["duplicate_of"]]


def said_twice(name: str) -> list[str]:
    """Sentences that more than one bug has, titles included."""
    said = Counter(
        sentence
        for bug in lines_of(name)
        for sentence in {*sentences(bug["title"]), *sentences(bug["text"])}
    )
    return [sentence for sentence, times in said.items() if times > 1]
