"""The site from file://, in headless Chromium: `make browser`."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from tests.browser.conftest import Visit
from tests.tools.docs.contracts import TODO_BE

from devloop_tools.domain.documents.search_terms import query_terms
from devloop_tools.domain.html.outline import read_outline

pytestmark = pytest.mark.browser

PAGES = ["index.html", "login.html", "quota.html"]
DESIGN = ["../sdd/index.html", "../sdd/units/todo-be.html"]
WIDTHS = [375, 768, 1280]
THEMES = ["light", "dark"]


@pytest.mark.parametrize(
    ("query", "page", "anchor"),
    [
        ("回滚流程", "login.html", "部署方案"),
        ("newest writes win", "sync-同步.html", "conflicts"),
        ("deploy 回滚", "login.html", "部署方案"),
        ("getuserbyid", "login.html", "接口"),
        ("硬限制", "quota.html", "①-现状-三种配额"),
        ("keep spaces", "quota.html", "limits"),
    ],
)
def test_a_search_lands_on_the_section(query: str, page: str, anchor: str, visit: Visit) -> None:
    visit.open("index.html")
    visit.search(query)
    visit.page.keyboard.press("Enter")
    visit.page.locator("article.body mark").first.wait_for()
    path, _, fragment = unquote(visit.page.url).partition("#")
    assert (path.partition("?")[0].rpartition("/")[2], fragment) == (page, anchor)
    top = "id => document.getElementById(id).getBoundingClientRect().top"
    assert 0 <= visit.page.evaluate(top, anchor) < 800


@pytest.mark.parametrize(
    "query", ["署部", "没有这个", "div", "nbsp", "NOT (x OR", "'; DROP --", "🍸"]
)
def test_what_is_not_there_is_not_found(query: str, visit: Visit) -> None:
    visit.open("login.html")
    visit.search("部署")
    visit.page.locator("dialog.search input").fill(query)
    visit.page.locator(".hits:empty").wait_for(state="attached")
    assert visit.console == []


QUERIES = [
    "部署方案 rollback",
    "relational validations",
    "gen-itgc后50条",
    "getUserById",
    "ＡＰＩ",
    "控",
]
QUERIES += ["retries", "hopping", "agreed", "sized", "controlling", "generalizations", "happiness"]


@pytest.mark.parametrize("query", QUERIES)
def test_the_page_takes_a_query_apart_as_the_index_does(query: str, visit: Visit) -> None:
    visit.open("login.html")
    visit.search("部署")
    found = visit.page.evaluate("query => DEVLOOP_SEARCH.queryTerms(query)", query)
    assert found == query_terms(query)


def test_the_best_hit_is_about_the_word(visit: Visit) -> None:
    visit.open("index.html")
    visit.search("回滚")
    titles = visit.page.locator(".hits .title").all_inner_texts()
    assert titles[0].endswith("回滚")
    assert len(titles) == 2


@pytest.mark.parametrize("name", PAGES + DESIGN)
def test_a_page_is_silent_and_asks_nobody(name: str, visit: Visit) -> None:
    visit.open(name)
    visit.search("token" if name in PAGES else "todo")
    assert (visit.console, visit.outside) == ([], [])


def axe_script() -> str:
    package = pytest.importorskip("axe_playwright_python", reason="axe-core is not installed")
    [script] = Path(package.__file__).parent.rglob("axe.min.js")
    return script.read_text(encoding="utf-8")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", PAGES + DESIGN)
def test_axe_finds_nothing(name: str, theme: Any, visit: Visit) -> None:
    visit.page.emulate_media(color_scheme=theme)
    visit.open(name)
    visit.search("部署" if name in PAGES else "待办")
    for _ in range(2):
        visit.page.evaluate(axe_script())
        found = visit.page.evaluate("async () => (await axe.run()).violations")
        assert [(v["id"], [node["html"] for node in v["nodes"]]) for v in found] == []
        visit.page.keyboard.press("Escape")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES + DESIGN)
def test_no_page_scrolls_sideways(name: str, width: int, visit: Visit) -> None:
    visit.page.set_viewport_size({"width": width, "height": 700})
    visit.open(name)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def test_lines_have_a_length_that_can_be_read(visit: Visit) -> None:
    visit.open("login.html")
    count = """() => {
        const text = document.querySelector("#token-lifetime p").firstChild;
        const range = document.createRange();
        let lines = 0, last = null;
        for (let i = 0; i < text.length; i++) {
            range.setStart(text, i); range.setEnd(text, i + 1);
            const top = range.getBoundingClientRect().top;
            if (top !== last && range.toString().trim()) { lines += 1; last = top; }
        }
        return text.length / lines;
    }"""
    assert 45 <= visit.page.evaluate(count) <= 90


def test_the_sidebar_has_groups_and_shows_where_one_is(visit: Visit) -> None:
    visit.open("login.html")
    assert visit.page.locator("#sidebar .group").all_inner_texts() == ["功能", "Limits"]
    assert visit.page.locator("#sidebar [aria-current=page]").inner_text() == "登录 Login"


def test_previous_and_next_follow_the_order_of_the_site(visit: Visit) -> None:
    visit.open("index.html")
    visit.open("login.html")
    visit.page.locator("nav.prev-next a[rel=next]").click()
    visit.page.locator("nav.prev-next a[rel=next]").click()
    visit.page.wait_for_url("**/quota.html")
    assert visit.page.locator("nav.prev-next a").count() == 1


def test_a_heading_gives_its_address_away(visit: Visit) -> None:
    visit.open("login.html")
    visit.page.locator("#h-部署方案 .anchor").focus()
    visit.page.keyboard.press("Enter")
    visit.page.locator(".anchor[data-copied]").wait_for()
    copied = visit.page.evaluate("navigator.clipboard.readText()")
    assert unquote(copied).endswith("login.html#部署方案")


def test_headings_without_ids_get_those_that_the_tools_give(visit: Visit, site: Path) -> None:
    visit.open("quota.html")
    ids = visit.page.evaluate("Array.from(document.querySelectorAll('article section'), e => e.id)")
    page = read_outline((site / "quota.html").read_text(encoding="utf-8"), "quota.html")
    assert ids == [section.anchor for section in page.sections]


def test_the_theme_is_kept_from_page_to_page(visit: Visit) -> None:
    visit.open("login.html")
    visit.page.locator("button.theme").click()
    visit.open("index.html")
    assert visit.page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_keyboard_opens_walks_and_closes_the_search(visit: Visit) -> None:
    visit.open("login.html")
    visit.search("token")
    visit.page.keyboard.press("ArrowDown")
    assert visit.page.evaluate("document.activeElement.closest('.hits') !== null")
    visit.page.keyboard.press("Escape")
    assert not visit.page.locator("dialog.search").is_visible()


def test_paper_shows_the_text_alone(visit: Visit) -> None:
    visit.open("login.html")
    visit.page.emulate_media(media="print")
    for part in ("#sidebar", "nav.toc", "nav.prev-next"):
        assert not visit.page.locator(part).is_visible()
    assert visit.page.locator("article.body").is_visible()


def test_without_scripts_the_text_and_a_way_home_are_there(browser: Any, site: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / "login.html").as_uri())
    assert "部署方案" in page.locator("article.body").inner_text()
    assert page.locator("#sidebar a").get_attribute("href") == "index.html"
    context.close()


def test_a_contract_is_found_by_what_it_promises(visit: Visit) -> None:
    visit.open(DESIGN[0])
    visit.search("标题 empty")
    visit.page.keyboard.press("Enter")
    visit.page.locator("#contract mark").first.wait_for()
    assert unquote(visit.page.url).endswith(
        "units/todo-be.html?q=标题+empty#contract".replace("+", " ")
    )


def test_a_type_in_a_contract_leads_to_its_table(visit: Visit) -> None:
    visit.open(DESIGN[1])
    visit.page.locator("td a", has_text="Todo").first.click()
    top = visit.page.evaluate("document.querySelector('#type-todo').getBoundingClientRect().top")
    assert 0 <= top < 800


def test_the_contract_can_be_read_by_programs_in_the_page(visit: Visit) -> None:
    visit.open(DESIGN[1])
    text = visit.page.evaluate("document.getElementById('data-contract').textContent")
    assert json.loads(text) == TODO_BE
