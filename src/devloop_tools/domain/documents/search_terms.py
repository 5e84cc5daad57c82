"""What a text is found by: bigrams and single characters of Chinese, stems of English.

Words end where the script changes, so that an identifier glued to Chinese is found. The page's
script (`assets/search.js`) takes a query apart in the same way.
"""

import re
import unicodedata
from functools import lru_cache

from devloop_tools.domain.documents.stems import stem

CJK = "々〆\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_PIECE = re.compile(f"[{CJK}]+|[^\\W_{CJK}]+")
_IS_CJK = re.compile(f"[{CJK}]")
_PART = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MIXED = re.compile("[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]|[A-Z][A-Z][a-z]")
MAX_WORD = 64


def is_cjk(text: str) -> bool:
    """Whether the text starts with a character that is written without spaces."""
    return _IS_CJK.match(text) is not None


def index_terms(text: str) -> list[str]:
    """Every term of the text, as often as it stands there."""
    found: list[str] = []
    for piece in _PIECE.findall(unicodedata.normalize("NFKC", text)):
        found += _of_cjk(piece) if _IS_CJK.match(piece) else _of_word(piece)
    return found


def query_terms(text: str) -> list[str]:
    """What a section must hold to answer the query, each once."""
    found: list[str] = []
    for piece in _PIECE.findall(unicodedata.normalize("NFKC", text)):
        if not _IS_CJK.match(piece):
            found.append(stem(piece[:MAX_WORD].lower()))
        elif len(piece) == 1:
            found.append(piece)
        else:
            found += [piece[i : i + 2] for i in range(len(piece) - 1)]
    return list(dict.fromkeys(found))


def _of_cjk(run: str) -> list[str]:
    return [*run, *(run[i : i + 2] for i in range(len(run) - 1))]


@lru_cache(maxsize=65536)
def _of_word(word: str) -> list[str]:
    whole = stem(word[:MAX_WORD].lower())
    if not _MIXED.search(word):
        return [whole]
    return [whole, *(stem(part[:MAX_WORD].lower()) for part in _PART.findall(word))]
