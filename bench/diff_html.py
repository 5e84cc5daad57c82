"""How long diff_html takes: pages of 1, 2 and 4 MB with 200 scattered changes, and hard ones.

    python bench/diff_html.py

Every pair is compared in a process of its own, so that its memory is its own. Times are of the
processor and of the clock: on a busy machine the first is the one to look at.
"""

import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from devloop_tools.domain.documents.html_diff import diff_pages
from devloop_tools.toolkit.testing import tool_context

WORDS = "登录 页面 用户 todo list server 接口 返回 error 状态 the of 完成 测试 unit".split()
CHANGES = 200
MOST_SECONDS = 2.0
MOST_MB = 300

Pages = tuple[str, str]


def passage(number: int, chance: random.Random) -> str:
    """A paragraph, or now and then a heading or a small table."""
    if number % 20 == 0:
        return f"<h2>第 {number} 节</h2>"
    if number % 7 == 0:
        cells = "".join(f"<td>{chance.choice(WORDS)} {number}-{column}</td>" for column in range(4))
        return f"<table><tr>{cells}</tr></table>"
    words = " ".join(chance.choices(WORDS, k=20))
    return f"<p>{number} {words} <b>重点</b> <a href='x{number}.html'>link</a></p>"


def scattered(megabytes: int) -> Pages:
    """A page, and the same with paragraphs changed, added, removed and moved."""
    chance = random.Random(megabytes)
    before: list[str] = []
    size = 0
    while size < megabytes * 1_000_000:
        before.append(passage(len(before), chance))
        size += len(before[-1].encode())
    after = list(before)
    for place in chance.sample(range(len(after)), CHANGES):
        match chance.randrange(6):
            case 0:
                after[place] = ""
            case 1:
                after[place] += f"<p>新的一段 {place}</p>"
            case 2:
                other = chance.randrange(len(after))
                after[place], after[other] = after[other], after[place]
            case _:
                after[place] = after[place].replace("</", " 改了</", 1)
    return "".join(before), "".join(after)


def every_second() -> Pages:
    """20,000 paragraphs, every second of them changed."""
    before = [f"<p>段落 {number}</p>" for number in range(20_000)]
    after = [text.replace("</p>", " 改</p>") if at % 2 else text for at, text in enumerate(before)]
    return "".join(before), "".join(after)


def nothing_alike() -> Pages:
    """Two pages of 5,000 paragraphs that share words and no paragraph."""
    chance = random.Random(0)
    pages = [
        "".join(f"<p>{' '.join(chance.choices(WORDS, k=20))}</p>" for _ in range(5_000))
        for _ in range(2)
    ]
    return pages[0], pages[1]


def nothing_unique() -> Pages:
    """Two pages that repeat two short paragraphs in other rhythms."""
    return "<p>x</p><p>y</p>" * 20_000, "<p>y</p><p>y</p><p>x</p>" * 15_000


CASES: dict[str, Callable[[], Pages]] = {
    "1 MB, 200 changes": lambda: scattered(1),
    "2 MB, 200 changes": lambda: scattered(2),
    "4 MB, 200 changes": lambda: scattered(4),
    "every 2nd of 20,000": every_second,
    "nothing alike": nothing_alike,
    "nothing unique": nothing_unique,
}


def measure(name: str) -> tuple[float, float, int, int]:
    """Seconds of processor and clock, MB of memory at most, and the number of changes."""
    before, after = CASES[name]()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "a.html").write_text(before, encoding="utf-8")
        (root / "b.html").write_text(after, encoding="utf-8")
        workspace = tool_context(root).workspace
        processor, clock = time.process_time(), time.perf_counter()
        result = diff_pages(workspace, "a.html", "b.html", 1)
        spent = time.process_time() - processor, time.perf_counter() - clock
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (
        1024 if sys.platform == "linux" else 1024 * 1024
    )
    return *spent, memory, len(result.hunks)


def main() -> None:
    """Print a line a case; exit 1 where the figures that we promise are not met."""
    print(f"{'case':<22}{'cpu s':>8}{'clock s':>9}{'MB':>6}{'changes':>9}")
    figures: dict[str, tuple[float, float, int, int]] = {}
    for name in CASES:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            figures[name] = pool.apply(measure, (name,))
        cpu, clock, memory, changes = figures[name]
        print(f"{name:<22}{cpu:>8.2f}{clock:>9.2f}{memory:>6}{changes:>9}", flush=True)
    one, four = figures["1 MB, 200 changes"], figures["4 MB, 200 changes"]
    print(f"4 MB takes {four[0] / one[0]:.1f} times what 1 MB takes")
    if one[0] > MOST_SECONDS or one[2] > MOST_MB or four[0] > 4.4 * one[0]:
        sys.exit("the promised figures are not met")


if __name__ == "__main__":
    main()
