"""update_search_index and validate_prd_site on 1,000 pages of 20 sections in two languages.

`python bench/search_index.py [PAGES]` prints seconds (of the clock and of the processor), peak
memory and the cost after one change.
"""

import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from devloop_tools.domain.documents.search_index import SearchIndex
from devloop_tools.domain.documents.site import SiteName
from devloop_tools.domain.documents.validation import SiteValidator
from devloop_tools.domain.html.markup import decode_utf8
from devloop_tools.domain.html.outline import read_outline
from devloop_tools.toolkit.testing import tool_context

SECTIONS = 20
CHINESE = "部署方案回滚流程数据库检索系统设计登录令牌配额租户接口契约测试覆盖监控告警日志归档"
ENGLISH = (
    "deploy service rollback index search page token quota tenant contract interface review"
    " monitor alert archive validate connection request response timeout retry conflict"
).split()


def page(number: int, choose: random.Random) -> str:
    """One page with about 120 words a section."""
    sections = []
    for count in range(SECTIONS):
        chinese = "".join(choose.choices(CHINESE, k=60))
        english = " ".join(
            f"{word}{choose.randrange(400)}" for word in choose.choices(ENGLISH, k=15)
        )
        plain = " ".join(choose.choices(ENGLISH, k=45))
        sections.append(
            f'<section id="s{count}"><h2>第{count}节 {choose.choice(ENGLISH)}</h2>'
            f"<p>{chinese}。{plain}.</p><ul><li>{english}</li><li><code>v{number}.{count}</code></li></ul>"
            "</section>"
        )
    body = "\n".join(sections)
    return (
        f'<!doctype html><html lang="zh-CN"><head><meta charset=utf-8><title>第{number}页</title>'
        '<link rel="stylesheet" href="assets/shell.css"></head>'
        f'<body data-page="p{number}.html"><div class="shell"><aside id="sidebar"></aside>'
        f'<main class="page"><header class="page-head"><h1>第{number}页</h1></header>'
        f'<article class="body">{body}</article></main></div>'
        '<script src="assets/shell.js"></script></body></html>'
    )


def silent(progress: float, total: float | None, message: str) -> None:
    """Nobody asks for progress here."""


def timed(name: str, work: Callable[[], object]) -> float:
    """Do the work, print how long it took, and return the processor's seconds."""
    start, busy = time.perf_counter(), time.process_time()
    work()
    took, busy = time.perf_counter() - start, time.process_time() - busy
    print(f"{name:<44}{took:8.2f} s {busy:8.2f} s of the processor")
    return busy


def main(pages: int) -> None:
    """Make the pages in a temporary folder, and measure."""
    choose = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "prd"
        site.mkdir()
        for number in range(pages):
            (site / f"p{number}.html").write_text(page(number, choose), encoding="utf-8")
        workspace = tool_context(Path(folder)).workspace
        index = SearchIndex(workspace, SiteName.PRD)
        whole = timed(f"update_search_index, {pages} pages", lambda: index.update(silent))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        (site / "p1.html").write_text(page(1, choose), encoding="utf-8")
        one = timed("update_search_index, one page changed", lambda: index.update(silent))
        timed("update_search_index, nothing changed", lambda: index.update(silent))
        size = sum(file.stat().st_size for file in (site / "assets").rglob("*.*")) / 1e6
        print(f"{'one change against all':<44}{100 * one / whole:8.1f} %")
        print(f"{'peak memory':<44}{peak:8.0f} MB")
        print(f"{'index and shards':<44}{size:8.1f} MB")
        read = timed(
            "parse every page",
            lambda: [
                read_outline(decode_utf8(path.read_bytes(), path.name), path.name)
                for path in site.glob("*.html")
            ],
        )
        validator = SiteValidator(workspace, SiteName.PRD)
        check = timed("validate_prd_site", lambda: validator.validate(silent, strict=False))
        print(f"{'validation against parsing':<44}{check / read:8.2f} times")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
