"""A report as signals are looked for in it."""

import re
import unicodedata

MAX_CHARACTERS = 20_000
"""Of a report; what stands behind that is not weighed."""

_LONGEST_LINE = 2_000

_SENTENCE = re.compile(r"[^.。!！?？;；\n]*(?:\.(?=\S)[^.。!！?？;；\n]*)*[.。!！?？;；\n]?")
_RULED_OUT = re.compile(
    r"\bfirst i (?:took|thought)|\bat first\b|\b(?:i|we) (?:first )?(?:suspected|thought|blamed)"
    r"|\bsuspects?\b|\bruled out|\bnothing to do with"
    r"|\b(?:not|isn't) (?:a matter|the (?:cause|reason|culprit))"
    r"|\b(?:is|are|was|were) (?:the same|identical|unchanged)"
    r"|\b(?:in sync|looked the same|unrelated)\b"
    r"|\bnothing (?:was|has been|had been) (?:upgraded|changed|merged)"
    r"|怀疑|起初|一开始以为|以为是|排除|无关|不是.{0,14}(?:的问题|的事|的原因|造成|引起)|没有区别|都一样"
    r"|没有变过|没(?:有)?动过|都没(?:有)?变|对比过",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """The text in one Unicode form, with its long lines cut: a pattern may go over a line."""
    text = unicodedata.normalize("NFKC", text[:MAX_CHARACTERS])
    lines = text.replace("’", "'").replace("\t", "    ").splitlines()
    return "\n".join(line[:_LONGEST_LINE] for line in lines)


def without_ruled_out(text: str) -> str:
    """The text without sentences that tell what it was not; if nothing is left, the text."""
    kept = "".join(
        "\n" if _RULED_OUT.search(sentence) else sentence for sentence in _SENTENCE.findall(text)
    )
    return kept if kept.strip() else text
