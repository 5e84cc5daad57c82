"""Names of a contract as identifiers: any script is kept, what a language reserves is not."""

import re
import unicodedata
from collections.abc import Iterable

_PARAMETER = re.compile(r"\{([^/{}]*)\}|(?<=/):([^/]+)")


class Names:
    """Gives each thing in one scope an identifier of its own."""

    def __init__(self, reserved: Iterable[str]) -> None:
        self._taken = set(reserved)

    def take(self, wanted: str) -> str:
        """`wanted` as an identifier that nothing else in this scope has."""
        base = identifier(wanted)
        name, count = base, 1
        while name in self._taken:
            name = f"{base}_" if count == 1 else f"{base}_{count}"
            count += 1
        self._taken.add(name)
        return name


def identifier(text: str) -> str:
    """The nearest identifier: both languages take letters of every script (UAX 31)."""
    # Python compares identifiers in this form (Lexical analysis, Names).
    composed = unicodedata.normalize("NFKC", text)
    name = "".join(char if f"a{char}".isidentifier() else "_" for char in composed) or "_"
    return name if name.isidentifier() else f"_{name}"


def path_parameters(path: str) -> list[str]:
    """The names in `/todos/{id}` or `/todos/:id`, in order."""
    return [_name(match) for match in _PARAMETER.finditer(path)]


def braced(path: str) -> str:
    """The path with every parameter written as `{name}`."""
    return _PARAMETER.sub(lambda match: "{" + _name(match) + "}", path)


def path_pieces(path: str) -> list[tuple[str, bool]]:
    """What a braced path is put together of, in order: texts, and (True) names of parameters."""
    pieces: list[tuple[str, bool]] = []
    end = 0
    for match in _PARAMETER.finditer(path):
        pieces += [(path[end : match.start()], False), (_name(match), True)]
        end = match.end()
    return [piece for piece in [*pieces, (path[end:], False)] if piece[0] or piece[1]]


def readable(text: str) -> str:
    """The text in one line, without characters that can't be seen and may not stand in code."""
    seen = (char for char in text if char.isspace() or unicodedata.category(char)[0] != "C")
    return " ".join("".join(seen).split())


def _name(match: re.Match[str]) -> str:
    """Without the converter that some frameworks write: {id:int} is id."""
    return (match[1] or match[2] or "").partition(":")[0]


def words_of(method: str, path: str) -> list[str]:
    """What an endpoint is called, in words: GET /todos/{id} is get, todos, by, id."""
    words = [method.lower()]
    for part in path.split("/"):
        if names := path_parameters(f"/{part}"):
            words.append("by")
            part = "-".join(names)
        words += re.findall(r"[^\W_]+", part)
    return words


def camel(words: list[str]) -> str:
    """getTodosById"""
    return words[0] + "".join(word[:1].upper() + word[1:] for word in words[1:])


def pascal(words: list[str]) -> str:
    """GetTodosById"""
    return "".join(word[:1].upper() + word[1:] for word in words)


def snake(words: list[str]) -> str:
    """get_todos_by_id"""
    split = (re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word).lower() for word in words)
    return "_".join(split)
