"""Redirections of a command, and what the grammar hangs behind them."""

from collections.abc import Sequence
from typing import NamedTuple

from devloop_tools.guard.scope import Feed, Frame
from devloop_tools.guard.syntax import Tree
from devloop_tools.guard.values import HOLE, bare
from devloop_tools.guard.words import WORDS, Expansion

_TO_FILE = frozenset({">", ">>", "&>", "&>>", ">|", "<>"})
_STDOUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/tty")


class Redirected(NamedTuple):
    """What the redirections of one command come to."""

    stdin: str
    feed: Feed | None
    to_file: bool = False
    """Whether what it prints goes into a file."""
    to_command: Sequence[Tree] = ()
    """The `>(...)` that read what it prints."""
    words: Sequence[Tree] = ()
    """Arguments that stand behind a redirection."""
    stages: Sequence[Tree] = ()
    """What stands behind a heredoc's `|`, to the end of the line."""
    after: Sequence[Tree] = ()
    """What stands behind a heredoc's `&&` or `||`."""
    targets: Sequence[tuple[str, bool]] = ()
    """The names of the files, and whether each is written."""


def redirected(nodes: Sequence[Tree], frame: Frame, expansion: Expansion) -> Redirected:
    """Apply redirections from left to right; numbered ones are kept in the frame's scope."""
    found = Redirected(frame.stdin, frame.feed)
    for node in nodes:
        if node.type == "file_redirect":
            found = _file(node, frame, expansion, found)
        elif node.type == "herestring_redirect":
            found = _herestring(node, frame, expansion, found)
        elif node.type == "heredoc_redirect":
            found = _heredoc(node, frame, expansion, found)
    return found


def _file(node: Tree, frame: Frame, expansion: Expansion, found: Redirected) -> Redirected:
    number = "".join(frame.source.text(c) for c in node.children if c.type == "file_descriptor")
    operator = next((c.type for c in node.children if not c.is_named), ">")
    words = [child for child in node.named_children if child.type != "file_descriptor"]
    if not words:
        return found
    target, *rest = words
    found = found._replace(words=[*found.words, *rest])
    if target.type == "process_substitution" and operator in _TO_FILE:
        return found._replace(to_command=[*found.to_command, target], to_file=True)
    name = expansion.text(target, frame)[0]
    if operator in ("<&", ">&") and bare(name).isdecimal():
        name = f"/dev/fd/{bare(name)[:6]}"
    else:
        written = operator not in ("<", "<&")
        found = found._replace(targets=[*found.targets, (name, written)])
    if operator in ("<", "<&"):
        return _fed(frame, found, number, frame.scope.read(bare(name), found.stdin), None)
    if number in ("", "1") and bare(name) not in _STDOUT:
        return found._replace(to_file=True)
    return found


def _herestring(node: Tree, frame: Frame, expansion: Expansion, found: Redirected) -> Redirected:
    [text, *_] = expansion.text(node.named_children[-1], frame)
    feed = Feed("herestring", node.start_byte, node.end_byte)
    number = "".join(frame.source.text(c) for c in node.children if c.type == "file_descriptor")
    return _fed(frame, found, number, text + "\n", feed)


def _heredoc(node: Tree, frame: Frame, expansion: Expansion, found: Redirected) -> Redirected:
    start, end, text, number = node.start_byte, node.end_byte, "", ""
    quoted = False
    for child in node.children:
        match child.type:
            case "file_descriptor":
                number = frame.source.text(child)
            case "heredoc_start":
                end = child.end_byte
                quoted = any(sign in frame.source.text(child) for sign in "'\"\\")
            case "heredoc_body":
                text = (
                    frame.source.text(child)
                    if quoted
                    else expansion.between_quotes(child, frame.deeper())[0]
                )
            case "pipeline":
                found = found._replace(stages=child.named_children)
            case "file_redirect" | "herestring_redirect":
                found = redirected_again(child, frame, expansion, found)
            case kind if kind in WORDS:
                found = found._replace(words=[*found.words, child])
            case _ if child.is_named and child.type != "heredoc_end":
                found = found._replace(after=[*found.after, child])
    return _fed(frame, found, number, text, Feed("heredoc", start, end))


def redirected_again(
    node: Tree, frame: Frame, expansion: Expansion, found: Redirected
) -> Redirected:
    """A redirection that stands behind a heredoc, on the same line."""
    one = _file if node.type == "file_redirect" else _herestring
    return one(node, frame, expansion, found)


def _fed(frame: Frame, found: Redirected, number: str, text: str, feed: Feed | None) -> Redirected:
    """`text` comes in by a descriptor: 0 is the standard input, others can be named."""
    if number in ("", "0"):
        return found._replace(stdin=text or HOLE, feed=feed)
    frame.scope.files[f"/dev/fd/{number[:6]}"] = text
    return found
