"""The search of a large site answers before all of its index is loaded."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import Visit, call

from devloop_tools.domain.documents.search_index import GROUP_SECTIONS
from devloop_tools.toolkit.testing import tool_context
from devloop_tools.tools.docs.bootstrap_prd_site import bootstrap_prd_site
from devloop_tools.tools.docs.update_search_index import update_search_index

pytestmark = pytest.mark.browser

GROUPS = 12
PAGE = (
    '<!doctype html><html lang="zh-CN"><title>{title}</title><body data-page="{name}">'
    '<aside id="sidebar"></aside><main class="page"><h1>{title}</h1><article class="body">{body}'
    '</article></main><script src="assets/shell.js"></script>'
)
SECTION = '<section id="s{at}"><h2>节 {at}</h2><p>部署 deploy {more}</p></section>'
LOADED_ORDER = """query => new Promise(resolve => {
    const order = [], engine = DEVLOOP_SEARCH, keep = engine.terms;
    engine.terms = (number, shard) => { order.push(number); keep(number, shard); };
    let hits = 0, before = 0;
    engine.open(() => {
        if (hits || !engine.ready()) return;
        hits = engine.search(query, 5).total;
        before = order.length;
    }).then(() => resolve([order, before, engine.search(query, 5).total]));
})"""
"""The groups in the order in which they came, how many had come at the first hit, and all hits."""


@pytest.fixture
def large(browser: Any, tmp_path: Path) -> Iterator[Visit]:
    """A page a group; the last but one holds words that no other does."""
    ctx = tool_context(tmp_path)
    call(ctx, bootstrap_prd_site, {"title": "大站", "chapters": [{"id": "x", "title": "x"}]})
    for number in range(GROUPS):
        rare = "斑马 zebra" if number == GROUPS - 2 else ""
        sections = [SECTION.format(at=at, more="") for at in range(GROUP_SECTIONS)]
        sections[-1] = SECTION.format(at=GROUP_SECTIONS, more=rare)
        text = PAGE.format(title=f"页 {number}", name=f"p{number:02}", body="".join(sections))
        (tmp_path / f"prd/p{number:02}.html").write_text(text, encoding="utf-8")
    call(ctx, update_search_index, {"site": "prd"})
    context = browser.new_context(reduced_motion="reduce")
    yield Visit(context.new_page(), tmp_path / "prd")
    context.close()


@pytest.mark.parametrize("query", ["斑马", "zebra", "deploy 斑马"])
def test_the_part_that_holds_a_rare_word_is_loaded_first(query: str, large: Visit) -> None:
    large.open("p00.html")
    order, before, total = large.page.evaluate(LOADED_ORDER, query)
    assert sorted(order) == sorted(set(order))
    assert len(order) >= GROUPS
    assert before <= 3
    assert total == 1


@pytest.mark.parametrize(("query", "found"), [("不在", 0), ("zeb", 1)])
def test_what_no_part_says_it_holds_is_still_looked_for_in_all(
    query: str, found: int, large: Visit
) -> None:
    large.open("p00.html")
    order, _, total = large.page.evaluate(LOADED_ORDER, query)
    assert len(order) >= GROUPS
    assert total == found
