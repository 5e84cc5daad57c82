"""Which hit comes first in the page's search."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import Visit, call

from devloop_tools.toolkit.testing import tool_context
from devloop_tools.tools.docs.bootstrap_prd_site import bootstrap_prd_site
from devloop_tools.tools.docs.update_search_index import update_search_index

pytestmark = pytest.mark.browser

PAGE = (
    '<!doctype html><html lang="zh-CN"><title>{title}</title><body data-page="{name}">'
    '<aside id="sidebar"></aside><main class="page"><h1>{title}</h1><article class="body">'
    '<section id="s">{body}</section></article></main><script src="assets/shell.js"></script>'
)
PAGES = {
    "t": ("回滚流程", "<p>步骤…</p>"),
    "long": ("长文", f"<p>{'填充文字 filler '.replace(' ', '') * 12_000} 回滚</p>"),
    "spam": ("重复", f"<p>{'回滚 ' * 500}</p>"),
    "both": ("方案", "<h2>回滚</h2><p>部署 回滚</p>"),
}


@pytest.fixture
def ranked(browser: Any, tmp_path: Path) -> Iterator[Visit]:
    ctx = tool_context(tmp_path)
    call(ctx, bootstrap_prd_site, {"title": "排序", "chapters": [{"id": "x", "title": "x"}]})
    for name, (title, body) in PAGES.items():
        text = PAGE.format(title=title, name=f"{name}.html", body=body)
        (tmp_path / f"prd/{name}.html").write_text(text, encoding="utf-8")
    call(ctx, update_search_index, {"site": "prd"})
    context = browser.new_context(reduced_motion="reduce")
    yield Visit(context.new_page(), tmp_path / "prd")
    context.close()


def pages_found(visit: Visit, query: str) -> list[str]:
    """The pages of the hits, each once, best first."""
    found = visit.page.evaluate(
        """query => DEVLOOP_SEARCH.open(() => {}).then(
            () => DEVLOOP_SEARCH.search(query, 30).hits.map(hit => hit.place[0]))""",
        query,
    )
    return list(dict.fromkeys(name.removesuffix(".html") for name in found))


def test_h_l05_a_long_page_comes_last_and_what_is_about_it_first(ranked: Visit) -> None:
    ranked.open("t.html")
    found = pages_found(ranked, "回滚")
    assert found[0] in ("t", "both")
    assert (found[-1], sorted(found)) == ("long", ["both", "long", "spam", "t"])


def test_h_l05_all_words_count_and_the_order_is_stable(ranked: Visit) -> None:
    ranked.open("t.html")
    assert pages_found(ranked, "回滚 部署") == ["both"]
    assert pages_found(ranked, "deploy rollback") == []
    assert pages_found(ranked, "回滚") == pages_found(ranked, "回滚")
    assert ranked.console == []
