"""The parts of a site that tools write of themselves: page template, index page, script data."""

import html
from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import groupby

import orjson

from devloop_tools.domain.documents.site import INDEX_PAGE, Chapter, SiteFile

SHELL_ASSETS = ("assets/shell.css", "assets/shell.js", "assets/search.js")
SITE_DATA = "assets/site.js"

_PAGE = """\
<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{head_title}</title>
<link rel="stylesheet" href="{root}assets/shell.css">
</head>
<body data-page="{page}">
<div class="shell">
  <aside id="sidebar"><a href="{root}index.html">{site_title}</a></aside>
  <main class="page">
    <header class="page-head">
      <div class="crumb">{crumb}</div>
      <h1>{title}</h1>
      <p class="deck">{deck}</p>
    </header>
    <article class="body">
{body}
    </article>
    <nav class="prev-next"></nav>
    <footer class="site"><span>{site_title}</span> <span>{page}</span></footer>
  </main>
</div>
<script src="{root}assets/shell.js"></script>
</body>
</html>
"""

_UNWRITTEN = {"zh": "待补：本章还没有写。", "en": "TBD: this chapter has not been written yet."}


def shell_asset(path: str) -> bytes:
    """The content of one of `SHELL_ASSETS`."""
    return _asset(path.rpartition("/")[2])


def page_html(site: SiteFile, chapter: Chapter, body: str) -> str:
    """A whole page with `body`, sections that are HTML, in its article."""
    return _fill(
        site, chapter.page, chapter.title, chapter.group or "", chapter.summary or "", body
    )


def unwritten_body(site: SiteFile) -> str:
    """What stands in a chapter that nobody has written."""
    text = _UNWRITTEN["zh" if site.language.startswith("zh") else "en"]
    return f'<section id="intro">\n<p class="unwritten">{text}</p>\n</section>'


def head_title(title: str, site: SiteFile) -> str:
    """What the browser shows in its tab, as HTML."""
    return html.escape(f"{title} · {site.title}")


def index_html(site: SiteFile) -> str:
    """The first page: every chapter with its summary, by group."""
    body = "\n".join(_group(title, list(chapters)) for title, chapters in _groups(site))
    return _fill(site, INDEX_PAGE, site.title, "", "", body or '<section id="intro"></section>')


def site_data(site: SiteFile) -> bytes:
    """`site.json` as a script: from `file://` a browser fetches nothing."""
    chapters = [
        {"id": c.id, "title": c.title, "group": c.group, "page": c.page} for c in site.chapters
    ]
    facts = {"title": site.title, "language": site.language, "chapters": chapters}
    return b"window.DEVLOOP_SITE = " + script_json(facts) + b";\n"


def script_json(value: object) -> bytes:
    """JSON that can't end a script element, wherever it is pasted."""
    return orjson.dumps(value).replace(b"<", b"\\u003c")


@cache
def _asset(name: str) -> bytes:
    return (resources.files("devloop_tools.domain.documents") / "assets" / name).read_bytes()


def _groups(site: SiteFile) -> Iterator[tuple[str, Iterator[Chapter]]]:
    return groupby(site.chapters, key=lambda chapter: chapter.group or "")


def _group(title: str, chapters: list[Chapter]) -> str:
    heading = f"<h2>{html.escape(title)}</h2>\n" if title else ""
    items = "\n".join(
        f'<li><a href="{html.escape(chapter.page)}">{html.escape(chapter.title)}</a>'
        + (f" <span>{html.escape(chapter.summary)}</span>" if chapter.summary else "")
        + "</li>"
        for chapter in chapters
    )
    return f'<section class="chapters">\n{heading}<ul>\n{items}\n</ul>\n</section>'


def _fill(site: SiteFile, page: str, title: str, crumb: str, deck: str, body: str) -> str:
    return _PAGE.format(
        language=html.escape(site.language),
        head_title=head_title(title, site) if page != INDEX_PAGE else html.escape(title),
        root="../" * page.count("/"),
        page=html.escape(page),
        site_title=html.escape(site.title),
        crumb=f"<span>{html.escape(crumb)}</span>" if crumb else "",
        title=html.escape(title),
        deck=html.escape(deck),
        body=body,
    )
