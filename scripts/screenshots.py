"""Pictures of a site made by the tools, as Chromium shows it: `make screenshots`.

They go to docs/screenshots, at three widths and in two themes.
"""

import base64
import importlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.sample_site import make

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "screenshots"
SIZES = {375: 812, 768: 1024, 1280: 800}
THEMES = ("light", "dark")
QUALITY = 78
PAGES = {
    "chapter": "prd/login.html",
    "unit": "sdd/units/todo-be.html",
}
SEARCHED = "邮箱 link"


def take(browser: Any, project: Path, width: int, theme: str) -> None:
    """Both pages and the search, at one width and in one theme."""
    page = browser.new_page(
        viewport={"width": width, "height": SIZES[width]},
        color_scheme=theme,
        reduced_motion="reduce",
    )
    for name, path in PAGES.items():
        page.goto((project / path).as_uri())
        page.locator("html[data-shell=ready]").wait_for(state="attached")
        keep(page, f"{name}-{width}-{theme}")
    if width != 768:
        page.goto((project / PAGES["chapter"]).as_uri())
        page.locator("html[data-shell=ready]").wait_for(state="attached")
        page.keyboard.press("/")
        page.locator("dialog.search input").fill(SEARCHED)
        page.locator(".hits mark").first.wait_for()
        keep(page, f"search-{width}-{theme}")
    page.close()


def keep(page: Any, name: str) -> None:
    """What is seen, as WebP."""
    session = page.context.new_cdp_session(page)
    wanted = {"format": "webp", "quality": QUALITY}
    shot = session.send("Page.captureScreenshot", wanted)
    (FOLDER / f"{name}.webp").write_bytes(base64.b64decode(shot["data"]))


def main() -> None:
    """Make the site and take all pictures anew."""
    chromium = os.environ.get("DEVLOOP_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        raise SystemExit("there is no chromium; name one in DEVLOOP_CHROMIUM")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    playwright_api: Any = importlib.import_module("playwright.sync_api")
    with tempfile.TemporaryDirectory() as folder, playwright_api.sync_playwright() as playwright:
        make(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium)
        for width in SIZES:
            for theme in THEMES:
                take(browser, Path(folder), width, theme)
        browser.close()
    total = sum(path.stat().st_size for path in FOLDER.iterdir())
    print(f"{len(list(FOLDER.iterdir()))} pictures, {total / 1024:.0f} kB, in docs/screenshots")


if __name__ == "__main__":
    main()
