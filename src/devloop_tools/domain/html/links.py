"""Links of a page: which are relative, and where they lead from another place."""

import html
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from devloop_tools.domain.html.markup import Kind, Token, attribute_values, tokens

LINKING = frozenset({"href", "src", "poster", "data", "action", "cite"})
_ABSOLUTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|/|\\")
_SRCSET_PART = re.compile(r"(\s*)([^\s,]+)([^,]*,?)")


@dataclass(frozen=True, slots=True)
class Link:
    """One link as it stands in the source; `value` is what it says, entities resolved."""

    tag: Token
    attribute: str
    value: str
    start: int
    end: int


def links_of(source: str, found: list[Token]) -> Iterator[Link]:
    """Every link of the page, in order; a `srcset` is one."""
    for token in found:
        if token.kind is not Kind.OPEN or not token.attributes:
            continue
        if not any(name in LINKING or name == "srcset" for name, _ in token.attributes):
            continue
        for name, start, end in attribute_values(source, token):
            if name in LINKING or name == "srcset":
                yield Link(token, name, html.unescape(source[start:end]), start, end)


def split_link(value: str) -> tuple[str, str | None]:
    """The path and the fragment of a relative link, percent signs resolved, without its query."""
    path, _, fragment = value.partition("#")
    return unquote(path.partition("?")[0]), unquote(fragment) if "#" in value else None


def is_relative(value: str) -> bool:
    """Whether a link leads to a place by the page's own."""
    return not _ABSOLUTE.match(value.strip())


def rebased(source: str, page_folder: str, new_folder: str) -> str:
    """The page as it must read in `new_folder` for its relative links to lead where they led."""
    parts: list[str] = []
    done = 0
    for link in links_of(source, tokens(source)):
        value = _moved_srcset(link.value, page_folder, new_folder)
        if link.attribute != "srcset":
            value = _moved(link.value, page_folder, new_folder)
        if value != link.value:
            parts += [source[done : link.start], html.escape(value)]
            done = link.end
    return "".join([*parts, source[done:]])


def _moved_srcset(value: str, page_folder: str, new_folder: str) -> str:
    return _SRCSET_PART.sub(
        lambda part: part[1] + _moved(part[2], page_folder, new_folder) + part[3], value
    )


def _moved(value: str, page_folder: str, new_folder: str) -> str:
    stripped = value.strip()
    path = re.split(r"[?#]", stripped, maxsplit=1)[0]
    if not path or not is_relative(stripped):
        return value
    target = posixpath.relpath(posixpath.join("/", page_folder, path), "/" + new_folder)
    return target + ("/" if path.endswith("/") else "") + stripped[len(path) :]
