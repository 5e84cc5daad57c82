"""What a site is made of: `site.json`, its pages and where they lie."""

import hashlib
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from devloop_tools.domain.events import EventType
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Refused, refused
from devloop_tools.settings import id_fault

INDEX_PAGE = "index.html"
ARCHIVE_FOLDER = "_archive"
UNITS_FOLDER = "units"
MAX_CHAPTERS = 2000
_RESERVED = frozenset({"index", "assets", "_archive", "units", "site"})
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class SiteName(StrEnum):
    """The two sites; each is a folder of the project."""

    PRD = "prd"
    SDD = "sdd"


class Emitter(Protocol):
    """The project's event log, as far as a site needs it."""

    def emit(self, origin: Origin, event: EventType, data: Mapping[str, Any]) -> None: ...


def _checked_id(text: str) -> str:
    if fault := id_fault(text):
        raise ValueError(fault)
    if text.casefold() in _RESERVED:
        raise ValueError(f"{text} is a name that the site itself uses")
    return text


DocId = Annotated[
    str,
    Field(min_length=1, max_length=64, examples=["login", "登录流程"]),
    AfterValidator(_checked_id),
]


class Chapter(BaseModel):
    """A chapter as site.json lists it; the order there is the order of the site."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)

    id: DocId
    title: str
    group: str | None = None
    summary: str | None = None
    path: str | None = None

    @property
    def page(self) -> str:
        """Relative to the site's folder."""
        return self.path or f"{self.id}.html"


class SiteFile(BaseModel):
    """The file `{site}/site.json`. `generated` holds the hash of what a tool wrote of itself.

    Here and in the chapters, fields that we don't know are left alone.
    """

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)

    version: int = 1
    site: SiteName
    title: str
    language: str
    chapters: list[Chapter] = Field(default_factory=list)
    generated: dict[str, str] = Field(default_factory=dict)

    def chapter(self, chapter_id: str) -> Chapter | None:
        return next((c for c in self.chapters if c.id == chapter_id), None)

    def with_chapter(self, chapter: Chapter) -> "SiteFile":
        """The same with `chapter` in the place that its id has, or last."""
        known = self.chapter(chapter.id) is not None
        kept = [chapter if old.id == chapter.id else old for old in self.chapters]
        chapters = kept if known else [*kept, chapter]
        return self.model_copy(update={"chapters": chapters})


def language_of(*texts: str) -> str:
    """`zh-CN` where any Chinese, Japanese or Korean stands in it, else `en`."""
    return "zh-CN" if _CJK.search(" ".join(texts)) else "en"


def digest(content: bytes) -> str:
    """The hash by which a page is known to be unchanged."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def repeated_id(ids: list[str], field: str) -> Refused | None:
    """A refusal where two ids name one file on a file system that ignores case."""
    seen: dict[str, str] = {}
    for item in ids:
        if (other := seen.setdefault(item.casefold(), item)) != item or ids.count(item) > 1:
            return refused(
                f"{field}: the ids {other} and {item} name the same file", "Give each its own id."
            )
    return None
