"""The project that the loop builds: its folder, the sources that agents write, its test runs."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from devloop_tools.demo.agent_server import DemoFailed

ASSETS = Path(__file__).with_name("assets")
UNIT = "todo-be"
WEB_UNIT = "todo-web"
TEST_TIMEOUT_S = 60.0
MIN_NODE = 20


@dataclass(frozen=True, slots=True)
class TestRun:
    """A run of a unit's tests; `report` is relative to the project."""

    __test__ = False

    report: str
    exit_code: int
    closing: str


@dataclass(frozen=True, slots=True)
class Project:
    """A folder that was made for the loop."""

    root: Path
    vitest: Path | None

    def copy(self, asset: str, path: str) -> str:
        """Write one of the loop's sources to a path of the project, which is returned."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ASSETS / asset, target)
        return path

    def contract(self, folder: str) -> dict[str, object]:
        """A contract as the architect has it in mind."""
        loaded: dict[str, object] = orjson.loads((ASSETS / folder / "contract.json").read_bytes())
        return loaded

    def line(self, path: str, number: int) -> str:
        """One line of a file, as an agent reads it. Raises DemoFailed where there is none."""
        try:
            return (self.root / path).read_text(encoding="utf-8").splitlines()[number - 1]
        except (OSError, IndexError) as exc:
            raise DemoFailed(f"{path}:{number}: there is no such line ({exc})") from None

    def run_pytest(self) -> TestRun:
        """The tests of the Python unit."""
        words = [sys.executable, "-m", "pytest", "-q", "--rootdir=.", "-c", os.devnull,
                 "-p", "no:cacheprovider", "--junit-xml=reports/junit.xml", "tests"]  # fmt: skip
        # Neither the sources' compiled forms nor plugins of the surroundings: only the tests.
        more = {"PYTHONPATH": ".", "PYTHONDONTWRITEBYTECODE": "1",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # fmt: skip
        return self._run(UNIT, words, more, "reports/junit.xml")

    def run_vitest(self) -> TestRun:
        """The tests of the TypeScript unit."""
        words = [str(self.vitest), "run", "--globals", "--root", ".", "--reporter=json",
                 "--outputFile=reports/vitest.json"]  # fmt: skip
        return self._run(WEB_UNIT, words, {"CI": "1", "NO_COLOR": "1"}, "reports/vitest.json")

    def _run(self, unit: str, words: Sequence[str], more: dict[str, str], report: str) -> TestRun:
        folder = self.root / "units" / unit
        (folder / "reports").mkdir(exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        try:
            done = subprocess.run(
                words,
                cwd=folder,
                env={**kept, **more},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=TEST_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise DemoFailed(f"the tests of {unit} ran longer than {TEST_TIMEOUT_S:g} s") from None
        if not (folder / report).exists():
            raise DemoFailed(f"the tests of {unit} wrote no report: {done.stdout}{done.stderr}")
        lines = [line.strip(" =") for line in f"{done.stdout}\n{done.stderr}".splitlines()]
        closing = next((line for line in reversed(lines) if line), "")
        return TestRun(f"units/{unit}/{report}", done.returncode, closing)


def prepared(folder: Path, *, typescript: bool) -> Project:
    """The folder, made if need be. Raises DemoFailed with what is missing, before it is touched."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DemoFailed(f"{folder} is not empty; name a folder that is, or a new one")
    if importlib.util.find_spec("pytest") is None:
        raise DemoFailed(
            "the loop runs real tests and needs pytest: pip install devloop-tools[demo]"
        )
    vitest = _vitest(folder) if typescript else None
    folder.mkdir(parents=True, exist_ok=True)
    return Project(folder.resolve(), vitest)


def _vitest(folder: Path) -> Path:
    """The Vitest that is installed for the folder, for where we are, or on the PATH."""
    _require_node()
    for start in (folder.resolve(), Path.cwd()):
        for above in (start, *start.parents):
            found = above / "node_modules/.bin/vitest"
            if found.exists():
                return found
    if named := shutil.which("vitest"):
        return Path(named)
    raise DemoFailed("--typescript needs Vitest: npm install vitest@4, here or above the folder")


def _require_node() -> None:
    node = shutil.which("node")
    if node is None:
        raise DemoFailed(f"--typescript needs Node {MIN_NODE} or later; there is no node")
    shown = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = shown.strip().removeprefix("v").partition(".")[0]
    if not major.isdecimal() or int(major) < MIN_NODE:
        raise DemoFailed(f"--typescript needs Node {MIN_NODE} or later, not {shown.strip()}")
