"""The sentences of an echo, in the languages that people confirm them in."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """Forms with named places; `kinds` are the names of elements, "" of any other."""

    head: str
    nothing: str
    further: str
    unseen: str
    scripted: str
    page: str
    section: str
    top: str
    added: str
    removed: str
    moved: str
    moved_inside: str
    besides: str
    replaced: str
    edited: str
    other_kind: str
    row: str
    cell_changed: str
    cell_filled: str
    cell_emptied: str
    phrase_changed: str
    phrase_added: str
    phrase_removed: str
    section_added: str
    section_removed: str
    section_moved: str
    link: str
    image: str
    nowhere: str
    same_page: str
    picture: str
    comma: str
    more: str
    end: str
    kinds: Mapping[str, str]

    def cell(self, column: str, old: str, new: str) -> str:
        """What happened to a cell."""
        form = self.cell_changed if old and new else self.cell_filled if new else self.cell_emptied
        return form.format(column=column, old=old, new=new)

    def edit(self, old: str, new: str) -> str:
        """What happened to a phrase."""
        changed = self.phrase_changed if new else self.phrase_removed
        return (changed if old else self.phrase_added).format(old=old, new=new)


_ZH = Phrases(
    head="《{page}》有 {number} 处变化：",
    nothing="《{page}》没有变化。",
    further="\n另有 {number} 处变化没有列出。",
    unseen="\n另有 {number} 处变化读者看不到（样式、空白或页面设置），文字不变。",
    scripted="页面内嵌的数据或脚本有变化。",
    page="页面",
    section="「{section}」一节",
    top="页面开头",
    added="{place}新增{kind}：「{text}」。",
    removed="{place}删除{kind}：「{text}」。",
    moved="{kind}「{text}」从「{old}」移到「{new}」",
    moved_inside="{place}的{kind}「{text}」换了位置",
    besides="，并且{edits}",
    replaced="{place}的{kind}由「{old}」改为「{new}」。",
    edited="{place}的{kind}「{text}」中，{edits}。",
    other_kind="{place}的{other}「{text}」改成了{kind}。",
    row="{place}的表格「{label}」一行，{edits}。",
    cell_changed="「{column}」由「{old}」改为「{new}」",
    cell_filled="「{column}」新增「{new}」",
    cell_emptied="「{column}」删去「{old}」",
    phrase_changed="「{old}」改为「{new}」",
    phrase_added="加上「{new}」",
    phrase_removed="删去「{old}」",
    section_added="新增「{section}」一节，共 {number} 段内容。",
    section_removed="删除「{section}」一节，共 {number} 段内容。",
    section_moved="「{section}」一节换了位置，连同其中 {number} 段内容。",
    link="{place}的{kind}「{text}」中，链接由「{old}」改为「{new}」。",
    image="{place}的{kind}中换了图片。",
    nowhere="无",
    same_page="本页",
    picture="图片",
    comma="，",
    more="，另有 {number} 处",
    end="。",
    kinds={
        "": "内容", "p": "段落", "li": "列表项", "tr": "表格行", "pre": "代码", "title": "标题",
        "blockquote": "引文", "caption": "表题", "figcaption": "图题", "dt": "词条", "dd": "释义",
        "summary": "提要", **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "标题"),
    },
)  # fmt: skip

_EN = Phrases(
    head="What changed in “{page}” ({number}):",
    nothing="“{page}” has not changed.",
    further="\nChanges that are not listed: {number}.",
    unseen="\nUnseen by a reader (style, blanks, settings), the words being the same: {number}.",
    scripted="Data or a script inside the page changed.",
    page="the page",
    section="“{section}”",
    top="the top of the page",
    added="In {place}, a {kind} was added: “{text}”.",
    removed="In {place}, a {kind} was removed: “{text}”.",
    moved="The {kind} “{text}” moved from “{old}” to “{new}”",
    moved_inside="In {place}, the {kind} “{text}” moved to another place",
    besides=", and {edits}",
    replaced="In {place}, the {kind} “{old}” became “{new}”.",
    edited="In {place}, in the {kind} “{text}”: {edits}.",
    other_kind="In {place}, the {other} “{text}” became a {kind}.",
    row="In the table of {place}, row “{label}”: {edits}.",
    cell_changed="“{column}” changed from “{old}” to “{new}”",
    cell_filled="“{column}” was filled with “{new}”",
    cell_emptied="“{column}” lost “{old}”",
    phrase_changed="“{old}” became “{new}”",
    phrase_added="“{new}” was added",
    phrase_removed="“{old}” was removed",
    section_added="The section “{section}” was added (passages: {number}).",
    section_removed="The section “{section}” was removed (passages: {number}).",
    section_moved="The section “{section}” moved (passages: {number}).",
    link="In {place}, in the {kind} “{text}”, a link leads to “{new}” instead of “{old}”.",
    image="In {place}, an image in a {kind} was replaced.",
    nowhere="nothing",
    same_page="this page",
    picture="an image",
    comma=", ",
    more=", and {number} more",
    end=".",
    kinds={
        "": "passage", "p": "paragraph", "li": "list item", "tr": "table row", "pre": "code block",
        "title": "title", "blockquote": "quotation", "caption": "caption", "dt": "term",
        "figcaption": "caption", "dd": "definition", "summary": "summary",
        **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    },
)  # fmt: skip

PHRASES: Mapping[str, Phrases] = {"zh": _ZH, "en": _EN}
