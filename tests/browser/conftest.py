"""A site opened from disk in headless Chromium, as a person opens it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.domain.pages import BY_HAND

from devloop_tools.toolkit import ToolDefinition
from devloop_tools.toolkit.testing import tool_context
from devloop_tools.tools.docs.bootstrap_prd_site import bootstrap_prd_site
from devloop_tools.tools.docs.update_search_index import update_search_index
from devloop_tools.tools.docs.write_chapter import write_chapter

CHROMIUM = os.environ.get("DEVLOOP_CHROMIUM") or shutil.which("chromium") or ""
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


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished site with a page written by hand in it."""
    root = tmp_path_factory.mktemp("项目 project")
    ctx = tool_context(root)

    def call(definition: ToolDefinition, arguments: dict[str, Any]) -> None:
        assert definition.execute(definition.arguments.parse(definition.name, arguments), ctx).ok

    chapters = [
        {"id": "login", "title": "登录", "group": "功能"},
        {"id": "sync 同步".replace(" ", "-"), "title": "Sync", "group": "功能"},
        {"id": "quota", "title": "配额 Quota", "group": "Limits", "summary": "手写 by hand"},
    ]
    call(bootstrap_prd_site, {"title": "待办 Todo", "chapters": chapters})
    (root / "prd/quota.html").write_text(BY_HAND.replace('</p>";', '";'), encoding="utf-8")
    texts = {
        "login": LOGIN,
        "sync-同步": "## Conflicts\n\nThe newest write wins.\n\n## 回滚\n\n数据库",
    }
    for chapter, text in texts.items():
        call(write_chapter, {"site": "prd", "chapter_id": chapter, "markdown": text})
    call(update_search_index, {"site": "prd"})
    return root / "prd"


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
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM:
        pytest.skip("there is no chromium; name one in DEVLOOP_CHROMIUM")
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
