"""A site opened from disk in headless Chromium, as a person opens it."""

import contextlib
import importlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.domain.documents.pages import BY_HAND
from tests.tools.docs.contracts import TODO_BE, UNITS

from devloop_tools.toolkit import ToolContext, ToolDefinition
from devloop_tools.toolkit.testing import tool_context
from devloop_tools.tools.docs.bootstrap_prd_site import bootstrap_prd_site
from devloop_tools.tools.docs.bootstrap_sdd_site import bootstrap_sdd_site
from devloop_tools.tools.docs.update_search_index import update_search_index
from devloop_tools.tools.docs.write_chapter import write_chapter
from devloop_tools.tools.docs.write_mvcp_page import write_mvcp_page

CHROMIUM = (
    os.environ.get("DEVLOOP_CHROMIUM")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
    or shutil.which("google-chrome")
    or ""
)
REQUIRED = os.environ.get("DEVLOOP_REQUIRE_BROWSER") == "1"
SENTENCE = "Deploying a service takes a plan, and the plan says how to go back when it fails. "

LOGIN = f"""# 登录 Login

前言 about tokens

## 部署方案

今天讨论了部署方案和回滚流程。{SENTENCE * 6}

### 细节

| 名称 | 说明 | a rather long column head | another long column head | and one more |
|-|-|-|-|-|
| 甲 | 乙 | c | d | e |

```python
value = "{"x" * 200}"
```

## Token lifetime

{(SENTENCE * 3 + chr(10) * 2) * 8}

## 接口

接口getUserById已修复v2.1
"""

MODEL = f"""## 数据 Model

{SENTENCE * 4}

| 字段 | 不变量 |
|-|-|
| `title` | 去掉空格后不为空 |
"""


def call(ctx: ToolContext, definition: ToolDefinition, arguments: dict[str, Any]) -> None:
    """Run a tool that must do its work."""
    assert definition.execute(definition.arguments.parse(definition.name, arguments), ctx).ok


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two finished sites, and a page written by hand in one of them."""
    root = tmp_path_factory.mktemp("项目 project")
    ctx = tool_context(root)
    chapters = [
        {"id": "login", "title": "登录", "group": "功能"},
        {"id": "sync 同步".replace(" ", "-"), "title": "Sync", "group": "功能"},
        {"id": "quota", "title": "配额 Quota", "group": "Limits", "summary": "手写 by hand"},
    ]
    call(ctx, bootstrap_prd_site, {"title": "待办 Todo", "chapters": chapters})
    (root / "prd/quota.html").write_text(BY_HAND.replace('</p>";', '";'), encoding="utf-8")
    texts = {
        "login": LOGIN,
        "sync-同步": "## Conflicts\n\nThe newest write wins.\n\n## 回滚\n\n数据库",
    }
    for chapter, text in texts.items():
        call(ctx, write_chapter, {"site": "prd", "chapter_id": chapter, "markdown": text})
    call(ctx, bootstrap_sdd_site, {"title": "设计 Design", "units": UNITS})
    design = {"unit_id": "todo-be", "contract": TODO_BE, "model": MODEL, "persistence": "SQLite 表"}
    call(ctx, write_mvcp_page, design)
    for name in ("prd", "sdd"):
        call(ctx, update_search_index, {"site": name})
    return root


@pytest.fixture(scope="session")
def site(project: Path) -> Path:
    """The folder of the PRD site."""
    return project / "prd"


class Visit:
    """One tab, what its console said, and what it asked for beside files."""

    def __init__(self, page: Any, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.console: list[str] = []
        self.requests: list[str] = []
        page.set_default_timeout(10_000)
        page.on("console", lambda message: self.console.append(message.text))
        page.on("pageerror", lambda error: self.console.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, name: str) -> None:
        self.page.goto((self.folder / name).as_uri())
        self.page.locator("html[data-shell=ready]").wait_for(state="attached")

    def search(self, query: str) -> None:
        """Type the query into the search that `/` opens, and wait for hits."""
        self.page.keyboard.press("/")
        self.page.locator("dialog.search input").fill(query)
        self.page.locator(".hits a").first.wait_for()

    @property
    def outside(self) -> list[str]:
        return [url for url in self.requests if not url.startswith("file:")]


@pytest.fixture(scope="module")  # while it is open, no other event loop runs in this thread
def browser() -> Iterator[Any]:
    api: Any = None
    with contextlib.suppress(ImportError):
        api = importlib.import_module("playwright.sync_api")
    if api is None or not CHROMIUM:
        what = "chromium (name one in DEVLOOP_CHROMIUM)" if api else "playwright (make browser)"
        if REQUIRED:
            pytest.fail(f"there is no {what}")
        pytest.skip(f"there is no {what}")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: Any, site: Path) -> Iterator[Visit]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield Visit(context.new_page(), site)
    context.close()
