"""The changes of a page in sentences that a person confirms, in Chinese or English.

One sentence a change: in which section, what, from what, to what. Nothing in it is a tag, an
attribute or an id: changes that no reader sees are counted in the last sentence.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from devloop_tools.domain.documents.echo_phrases import PHRASES, Phrases
from devloop_tools.domain.documents.html_blocks import Block
from devloop_tools.domain.documents.html_changes import Change, Op
from devloop_tools.domain.documents.html_diff import CellChange, cell_changes, hunk_of
from devloop_tools.domain.documents.word_changes import pieces

MAX_SENTENCES = 100
"""Further changes are counted; diff_html tells them all."""

MAX_PHRASES = 4
"""Most changed phrases of one block that its sentence quotes."""

MAX_QUOTED = 160
_AROUND = 16
_HIDDEN = frozenset("html head body meta link base".split())
_SCRIPTED = frozenset("script style".split())
_MARKDOWN = re.compile(r"([\\`*_\[\]#|~])")
_LINK = re.compile(r'href="([^"]*)"')
_CHINESE = re.compile("[\u4e00-\u9fff]")


class Language(StrEnum):
    ZH = "zh"
    EN = "en"


def echo(changes: Sequence[Change], language: Language | None) -> str:
    """The sentences as a Markdown list under a line that says how many changes there are."""
    phrases = PHRASES[(language or language_of(changes)).value]
    sentences: list[str] = []
    unseen = 0
    for group in _groups([change for change in changes if change.op is not Op.SAME]):
        found = _sentence(group, phrases)
        if found:
            sentences.append(found)
        else:
            unseen += len(group)
    if not sentences and not unseen:
        return phrases.nothing.format(page=_title(changes))
    further = len(sentences) - MAX_SENTENCES
    lines = [f"{at}. {text}" for at, text in enumerate(sentences[:MAX_SENTENCES], 1)]
    if further > 0:
        lines.append(phrases.further.format(number=further))
    if unseen:
        lines.append(phrases.unseen.format(number=unseen))
    head = phrases.head.format(page=_title(changes), number=len(sentences))
    return "\n".join([head, "", *lines])


def language_of(changes: Sequence[Change]) -> Language:
    """What the page says it is written in, else what most of its text is."""
    blocks = [change.new for change in changes if change.new]
    for block in blocks:
        if block.element == "html" and (said := dict(block.attributes).get("lang")):
            return Language.ZH if said.lower().startswith("zh") else Language.EN
    text = "".join(block.text for block in blocks)
    return Language.ZH if len(_CHINESE.findall(text)) * 5 > len(text) else Language.EN


def _title(changes: Sequence[Change]) -> str:
    blocks = [change.new for change in changes if change.new]
    for element in ("h1", "title"):
        for block in blocks:
            if block.element == element and block.text:
                return _quoted(block.text)
    return "?"


def _groups(changes: list[Change]) -> Iterator[list[Change]]:
    """Changes that are told together: a section that came, went or moved with its heading."""
    group: list[Change] = []
    for change in changes:
        if group and _belongs(change, group[0]):
            group.append(change)
            continue
        if group:
            yield group
        group = [change]
    if group:
        yield group


def _belongs(change: Change, first: Change) -> bool:
    if change.op is not first.op or change.op is Op.CHANGED or not _is_heading(first.block):
        return False
    return f"{change.block.section} › ".startswith(f"{first.block.section} › ")


def _is_heading(block: Block) -> bool:
    return re.fullmatch("h[1-6]", block.element) is not None


def _sentence(group: list[Change], phrases: Phrases) -> str:
    """One sentence, or nothing where a reader sees no change."""
    change = group[0]
    block = change.block
    if block.element in _SCRIPTED:
        return phrases.scripted
    if block.element in _HIDDEN or not block.shows:
        return ""
    if len(group) > 1 and change.op is not Op.CHANGED:
        told = {Op.ADDED: phrases.section_added, Op.REMOVED: phrases.section_removed}
        form = told.get(change.op, phrases.section_moved)
        return form.format(section=_quoted(block.text), number=len(group) - 1)
    match change.op:
        case Op.ADDED:
            return _whole(change, phrases.added, phrases)
        case Op.REMOVED:
            return _whole(change, phrases.removed, phrases)
        case Op.MOVED:
            return _moved(change, phrases)
        case _:
            return _changed(change, phrases)


def _whole(change: Change, form: str, phrases: Phrases) -> str:
    block = change.block
    place = _place(block, phrases)
    return form.format(place=place, kind=_kind(block, phrases), text=_text(block, phrases))


def _moved(change: Change, phrases: Phrases) -> str:
    old, new = change.old, change.new
    assert old is not None
    assert new is not None
    fields = {"kind": _kind(new, phrases), "text": _text(new, phrases)}
    if old.section == new.section:
        told = phrases.moved_inside.format(place=_place(new, phrases), **fields)
    else:
        there, here = (_quoted(block.section) or phrases.top for block in (old, new))
        told = phrases.moved.format(old=there, new=here, **fields)
    edits = "" if old.text == new.text else _edits(old, new, phrases)
    return told + (phrases.besides.format(edits=edits) if edits else "") + phrases.end


def _changed(change: Change, phrases: Phrases) -> str:
    old, new = change.old, change.new
    assert old is not None
    assert new is not None
    fields = {"place": _place(new, phrases), "kind": _kind(new, phrases)}
    if old.element != new.element:
        other = _kind(old, phrases)
        return phrases.other_kind.format(text=_text(new, phrases), other=other, **fields)
    if "".join(old.text.split()) == "".join(new.text.split()):
        return _unworded(change, phrases, fields)
    if old.cells and new.cells:
        return "".join(_cells(old, new, phrases))
    if _is_heading(new) or new.element == "title":
        return phrases.replaced.format(old=_quoted(old.text), new=_quoted(new.text), **fields)
    edits = _edits(old, new, phrases)
    return phrases.edited.format(text=_surroundings(old, new), edits=edits, **fields)


def _unworded(change: Change, phrases: Phrases, fields: dict[str, str]) -> str:
    """A link or image that changed under the same words; other markup is not seen."""
    for attribute in hunk_of(change).attributes:
        if attribute.name == "img":
            return phrases.image.format(**fields)
        links = [_LINK.search(side or "") for side in (attribute.old, attribute.new)]
        if attribute.name == "a" and any(links):
            old, new = (_target(link, phrases) for link in links)
            text = _text(change.block, phrases)
            return phrases.link.format(text=text, old=old, new=new, **fields)
    return ""


def _target(link: re.Match[str] | None, phrases: Phrases) -> str:
    """Where a link leads; a place in a page is an id, which says nothing to a reader."""
    page = link[1].partition("#")[0] if link else ""
    return _quoted(page) if page else phrases.nowhere if link is None else phrases.same_page


def _cells(old: Block, new: Block, phrases: Phrases) -> Iterator[str]:
    told = [phrases.cell(*_cell(change)) for change in cell_changes(old, new)]
    label = _quoted(new.cells[0].partition("\x03")[2] or new.cells[0]) if new.cells else ""
    yield phrases.row.format(
        place=_place(new, phrases),
        label=label or str(new.row),
        edits=phrases.comma.join(told[:MAX_PHRASES]) + _more(told, phrases),
    )


def _cell(change: CellChange) -> tuple[str, str, str]:
    return _quoted(change.column), _quoted(change.old), _quoted(change.new)


def _edits(old: Block, new: Block, phrases: Phrases) -> str:
    """The phrases that changed: from what, to what."""
    before, after = (_joined(block) for block in (old, new))
    told = [
        phrases.edit(_quoted(piece.old.strip()), _quoted(piece.new.strip()))
        for piece in pieces(before, after)
        if piece.old.strip() != piece.new.strip()
    ]
    return phrases.comma.join(told[:MAX_PHRASES]) + _more(told, phrases)


def _more(told: list[str], phrases: Phrases) -> str:
    left = len(told) - MAX_PHRASES
    return phrases.more.format(number=left) if left > 0 else ""


def _joined(block: Block) -> str:
    return "\n".join(block.cells) or block.content


def _surroundings(old: Block, new: Block) -> str:
    """The words around the first change, as they were."""
    text, place, size = old.text, 0, 0
    for piece in pieces(_joined(old), _joined(new)):
        if not piece.same:
            size = len(piece.old)
            break
        place += len(piece.old)
    start, end = max(0, place - _AROUND), place + min(size, MAX_QUOTED) + _AROUND
    head, tail = ("…" if start else ""), ("…" if end < len(text) else "")
    return f"{head}{_quoted(text[start:end])}{tail}"


def _place(block: Block, phrases: Phrases) -> str:
    if not block.section or block.element == "title":
        return phrases.page
    return phrases.section.format(section=_quoted(block.section))


def _kind(block: Block, phrases: Phrases) -> str:
    return phrases.kinds.get(block.element, phrases.kinds[""])


def _text(block: Block, phrases: Phrases) -> str:
    return _quoted(block.text) or phrases.picture


def _quoted(text: str) -> str:
    """One line, cut, in which Markdown sees no sign and a browser no tag."""
    line = " ".join(text.split())
    line = line if len(line) <= MAX_QUOTED else line[:MAX_QUOTED] + "…"
    escaped = _MARKDOWN.sub(r"\\\1", line)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
