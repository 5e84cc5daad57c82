"""Node and the packages of `package.json` here, installed from npm into a cache of the checkout."""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / ".conformance"
LONGEST_INSTALL_S = 600

_PINS = HERE / "package.json"


class NodeMissing(Exception):
    """Node or its packages are not there; the text says how to get them."""


def install() -> None:
    """Install what is pinned, unless it is there. Runs no script of any package."""
    if _is_current():
        return
    npm = shutil.which("npm")
    if npm is None:
        raise NodeMissing("npm is not installed; any version of it will do")
    FOLDER.mkdir(exist_ok=True)
    shutil.copy(_PINS, FOLDER)
    subprocess.run(
        [npm, "install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund",
         "--loglevel=error"],
        cwd=FOLDER, check=True, timeout=LONGEST_INSTALL_S,
    )  # fmt: skip
    _stamp().write_text(_digest(), encoding="utf-8")


def command(package: str) -> Sequence[str]:
    """The words that start a package's program. Raises NodeMissing."""
    module = installed(package)
    described = json.loads((module / "package.json").read_bytes())
    programs = described["bin"]
    script = programs if isinstance(programs, str) else next(iter(programs.values()))
    return [node(), str(module / script)]


def installed(package: str) -> Path:
    """The folder of a package. Raises NodeMissing."""
    if not _is_current():
        raise NodeMissing("Node's packages are not installed; make clients installs them")
    return FOLDER / "node_modules" / package


def node() -> str:
    """Node itself: the installed one, which there is for Linux on x64, else that of the path."""
    own = FOLDER / "node_modules" / ".bin" / "node"
    found = str(own) if own.exists() else shutil.which("node")
    if found is None:
        raise NodeMissing("Node 22 or newer is not installed")
    return found


def environment() -> dict[str, str]:
    """This process's environment, with that Node first on the path."""
    path = os.pathsep.join([str(Path(node()).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "NO_COLOR": "1"}


def _is_current() -> bool:
    return _stamp().exists() and _stamp().read_text(encoding="utf-8") == _digest()


def _stamp() -> Path:
    return FOLDER / "installed"


def _digest() -> str:
    return hashlib.sha256(_PINS.read_bytes()).hexdigest()
