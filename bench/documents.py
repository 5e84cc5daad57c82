"""The figures of the documents' tools beside Pagefind, in one run; writes bench/DOCS.md.

    bench/documents.py [--pages N] [--rounds N] [--out FILE]

Each measurement has a process of its own, so that its memory is its own. Pagefind is put into
`.bench/` the first time; it and the browser are named as absent where they can't be had.
"""

import argparse
import importlib
import multiprocessing
import os
import platform
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import diff_html
from bench.search_index import SECTIONS, page, silent

from devloop_tools.domain.documents.search_index import SearchIndex
from devloop_tools.domain.documents.site import SiteName
from devloop_tools.domain.documents.validation import SiteValidator
from devloop_tools.domain.html.markup import decode_utf8
from devloop_tools.domain.html.outline import read_outline
from devloop_tools.toolkit.testing import tool_context
from devloop_tools.tools.docs.bootstrap_prd_site import bootstrap_prd_site

ROOT = Path(__file__).resolve().parents[1]
PAGEFIND = "1.5.2"
PAGEFIND_HOME = ROOT / ".bench" / f"pagefind-{PAGEFIND}"
QUERIES = ("部署", "rollback timeout", "deploy 回滚", "v7.3")
MB = 1024 if sys.platform == "linux" else 1024 * 1024


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the page; `met` is None where nothing was asked or a peer is missing."""

    what: str
    aim: str
    found: str
    met: bool | None = None


def alone(work: Callable[..., Any], *arguments: Any) -> Any:
    """What `work` returns, from a process that does nothing else."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def make_site(root: Path, pages: int) -> None:
    """A PRD site with the tools' shell and `pages` pages of two languages."""
    ctx = tool_context(root)
    chapters = [{"id": "p0", "title": "第0页"}]
    arguments = {"title": "Bench 测量", "chapters": chapters}
    name = bootstrap_prd_site.name
    bootstrap_prd_site.execute(bootstrap_prd_site.arguments.parse(name, arguments), ctx)
    choose = random.Random(7)
    for number in range(pages):
        (root / "prd" / f"p{number}.html").write_text(page(number, choose), encoding="utf-8")


def index_all(root: str) -> tuple[float, float, float, float]:
    """Seconds for all pages, for one that changed, for none; peak memory in MB."""
    index = SearchIndex(tool_context(Path(root)).workspace, SiteName.PRD)
    seconds = []
    for changed in (None, "p1.html", None):
        if changed:
            text = page(1, random.Random(time.time_ns()))
            (Path(root) / "prd" / changed).write_text(text, encoding="utf-8")
        start = time.perf_counter()
        index.update(silent)
        seconds.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MB
    return seconds[0], seconds[1], seconds[2], peak


def check_all(root: str) -> tuple[float, float]:
    """Seconds of the processor to parse every page, and to validate the site."""
    start = time.process_time()
    for path in sorted((Path(root) / "prd").glob("*.html")):
        read_outline(decode_utf8(path.read_bytes(), path.name), path.name)
    parsed = time.process_time()
    validator = SiteValidator(tool_context(Path(root)).workspace, SiteName.PRD)
    validator.validate(silent, strict=False)
    return parsed - start, time.process_time() - parsed


def pagefind_command() -> list[str]:
    """How Pagefind is run; empty where it can't be had."""
    if not (PAGEFIND_HOME / "pagefind").is_dir():
        words = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(PAGEFIND_HOME)]
        done = subprocess.run([*words, f"pagefind[extended]=={PAGEFIND}"], check=False)
        if done.returncode:
            return []
    return [sys.executable, "-m", "pagefind"]


def pagefind_all(command: list[str], site: Path, out: Path) -> float:
    """Seconds in which Pagefind indexes the site from nothing."""
    shutil.rmtree(out, ignore_errors=True)
    environment = {**os.environ, "PYTHONPATH": str(PAGEFIND_HOME)}
    words = [*command, "--site", str(site), "--output-path", str(out), "--quiet"]
    start = time.perf_counter()
    subprocess.run(words, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


def searching(root: Path, pages: int, rounds: int) -> list[Figure]:
    """The index against Pagefind, alternately, each time from nothing."""
    command = pagefind_command()
    ours, theirs = [], []
    for _ in range(rounds):
        for name in ("search", "search-index.json"):
            remove(root / "prd" / "assets" / name)
        ours.append(alone(index_all, str(root)))
        if command:
            theirs.append(pagefind_all(command, root / "prd", root / "pagefind"))
    whole, one, none, peak = (median(values) for values in zip(*ours, strict=True))
    figures = [
        Figure(f"update_search_index, {pages:,} pages × {SECTIONS} sections, s", "at most 20",
               f"{whole:.2f}", whole <= 20),
        Figure("the same after one changed page, % of it", "at most 5",
               f"{100 * one / whole:.1f} ({one:.2f} s)", one <= 0.05 * whole),
        Figure("the same with nothing changed, s", "", f"{none:.2f}"),
        Figure("peak memory, MB", "below 300", f"{peak:.0f}", peak < 300),
    ]  # fmt: skip
    if not theirs:
        absent = Figure("× Pagefind", "at most 1.5", "pagefind could not be installed", None)
        return [*figures, absent]
    pagefind = median(theirs)
    ratio = whole / pagefind
    seen = f"{ratio:.2f} (Pagefind {PAGEFIND} extended: {pagefind:.2f} s)"
    return [*figures, Figure("× Pagefind, same pages", "aim 1.5", seen, ratio <= 1.5)]


def remove(path: Path) -> None:
    """A file or folder, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


_FIRST_HIT = """query => new Promise(resolve => {
    const input = document.querySelector("dialog.search input");
    const hits = document.querySelector(".hits");
    hits.replaceChildren();
    const start = performance.now();
    const watcher = new MutationObserver(() => {
        if (hits.querySelector("a")) { watcher.disconnect(); resolve(performance.now() - start); }
    });
    watcher.observe(hits, { childList: true });
    input.value = query;
    input.dispatchEvent(new Event("input"));
    setTimeout(() => { watcher.disconnect(); resolve(NO_HIT_MS); }, NO_HIT_MS);
})""".replace("NO_HIT_MS", "20000")


def first_hits(site: Path) -> list[Figure]:
    """Milliseconds from the last key to the first hit; with the index's loading, and without."""
    what = "first hit in the page, ms"
    chromium = os.environ.get("DEVLOOP_CHROMIUM") or shutil.which("chromium")
    try:
        api: Any = importlib.import_module("playwright.sync_api")
    except ImportError:
        api = None
    if api is None or not chromium:
        return [Figure(what, "at most 100", "no Chromium here", None)]
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        cold, warm = [], []
        for query in QUERIES:
            tab = browser.new_page()
            tab.goto((site / "p0.html").as_uri())
            tab.locator("html[data-shell=ready]").wait_for(state="attached")
            tab.evaluate("document.querySelector('button.find').click()")
            cold.append(tab.evaluate(_FIRST_HIT, query))
            tab.wait_for_timeout(3000)
            warm += [tab.evaluate(_FIRST_HIT, query) for _ in range(5)]
            tab.close()
        version = browser.version
        browser.close()
    title = f"{what}, Chromium {version}"
    return [
        Figure(f"{title}, index loaded: worst of {len(warm)}", "at most 100",
               f"{max(warm):.0f} (median {median(warm):.0f})", max(warm) <= 100),
        Figure(f"{title}, search just opened: worst of {len(cold)}", "at most 100",
               f"{max(cold):.0f} (median {median(cold):.0f})", max(cold) <= 100),
    ]  # fmt: skip


def comparing() -> list[Figure]:
    """diff_html on pages of 1, 2 and 4 MB."""
    found: Mapping[str, tuple[float, float, int, int]] = {
        name: alone(diff_html.measure, name) for name in list(diff_html.CASES)[:3]
    }
    (one, clock, memory, _), _, (four, _, most, _) = found.values()
    return [
        Figure("diff_html, two pages of 1 MB, 200 changes, s", "at most 2",
               f"{clock:.2f} ({one:.2f} of the processor)", clock <= 2),
        Figure("its memory, MB", "at most 300", f"{memory} (4 MB: {most})", memory <= 300),
        Figure("4 MB against 1 MB, × processor", "at most 4", f"{four / one:.2f}",
               four <= 4.2 * one),
    ]  # fmt: skip


def validating(root: Path, pages: int) -> list[Figure]:
    """validate_prd_site against parsing the same pages."""
    parse, check = alone(check_all, str(root))
    ratio = check / parse
    seen = f"{ratio:.2f} ({check:.2f} s against {parse:.2f} s of the processor)"
    what = f"validate_prd_site, {pages:,} pages, × parsing them"
    return [Figure(what, "at most 2", seen, ratio <= 2)]


def page_of_figures(figures: list[Figure], load: tuple[float, float], rounds: int) -> str:
    """What was asked and what was found, as Markdown."""
    system = f"{platform.system()} {platform.release().split('-')[0]}"
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    marks = {True: "yes", False: "no", None: "–"}
    lines = [
        "# The documents' figures\n",
        f"{now}. {os.cpu_count()} cores, {system}, Python {platform.python_version()}; load"
        f" average {load[0]:.1f} at the start, {load[1]:.1f} at the end. Medians of {rounds}"
        " rounds, Pagefind and ours in turn. Written by `make bench-docs`.\n",
        "| figure | aim | found | met |",
        "|---|---:|---:|---:|",
        *(f"| {f.what} | {f.aim} | {f.found} | {marks[f.met]} |" for f in figures),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run everything; exit 1 if a figure fell short."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "DOCS.md")
    options = parser.parse_args()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_site(root, options.pages)
        figures = [
            *searching(root, options.pages, options.rounds),
            *first_hits(root / "prd"),
            *comparing(),
            *validating(root, options.pages),
        ]
    text = page_of_figures(figures, (before, os.getloadavg()[0]), options.rounds)
    options.out.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    return 1 if any(figure.met is False for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
