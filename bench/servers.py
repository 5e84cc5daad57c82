"""The servers that are measured: ours as installed here, and peers put into `.bench/`."""

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from devloop_tools.version import VERSION

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / ".bench"
SOURCES = ROOT / "bench" / "servers"
TOOLS_DIR = ROOT / "bench" / "tools.d"

OURS = "devloop-tools"
PEER = "mcp"
"""The peer that the ratios are of."""

MCP, FASTMCP, SDK = "2.3.0", "4.2.3", "1.32.2"

_INSTALL_TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Server:
    """How a server is started; `absent` says why it can't be."""

    name: str
    title: str
    words: tuple[str, ...] = ()
    absent: str = ""
    in_project: bool = field(default=False)

    def command(self, project: Path) -> list[str]:
        """The command line; ours keeps its state in `project`."""
        return [*self.words, "--project-dir", str(project)] if self.in_project else [*self.words]


def prepare() -> list[Server]:
    """All of them, installed where that is possible; first time: a minute or two."""
    HOME.mkdir(exist_ok=True)
    return [
        ours(),
        _python_peer(PEER, "MCPServer", f"mcp=={MCP}", "mcp_server.py"),
        _python_peer("fastmcp", "FastMCP", f"fastmcp=={FASTMCP}", "fastmcp_server.py"),
        _node_peer(),
        _floor(),
    ]


def ours() -> Server:
    """As shipped: policy, validation and events on."""
    script = str(Path(sys.executable).with_name("devloop-tools"))
    flags = ("serve", "--agent", "bench", "--tools-dir", str(TOOLS_DIR))
    return Server(OURS, f"{OURS} {VERSION}", (script, *flags), in_project=True)


def _python_peer(name: str, title: str, package: str, source: str) -> Server:
    full_title = f"{title} ({package.replace('==', ' ')})"
    venv = HOME / name
    python = venv / "bin" / "python"
    stamp = venv / ".installed"
    if not _is_stamped(stamp, package):
        fault = _run([sys.executable, "-m", "venv", str(venv)]) or _run(
            [str(python), "-m", "pip", "install", "--quiet", package]
        )
        if fault:
            return Server(name, full_title, absent=fault)
        stamp.write_text(package, encoding="utf-8")
    return Server(name, full_title, (str(python), str(SOURCES / source)))


def _node_peer() -> Server:
    package = f"@modelcontextprotocol/sdk@{SDK}"
    title = f"TypeScript SDK {SDK}"
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return Server("sdk", title, absent="no node and npm here")
    folder = HOME / "node"
    stamp = folder / ".installed"
    if not _is_stamped(stamp, package):
        quiet = ("--silent", "--no-audit", "--no-fund", "--prefix", str(folder))
        if fault := _run([npm, "install", *quiet, package]):
            return Server("sdk", title, absent=fault)
        stamp.write_text(package, encoding="utf-8")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    words = (node, str(SOURCES / "sdk_server.mjs"), str(folder))
    return Server("sdk", f"{title}, node {version.stdout.strip()}", words)


def _floor() -> Server:
    title = "floor (C, no parser)"
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not compiler:
        return Server("floor", title, absent="no C compiler here")
    binary, source = HOME / "floor", SOURCES / "floor.c"
    if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
        if fault := _run([compiler, "-O2", "-o", str(binary), str(source)]):
            return Server("floor", title, absent=fault)
    return Server("floor", title, (str(binary),))


def machine() -> str:
    """What it runs on, without names and paths."""
    system = f"{platform.system()} {platform.release().split('-')[0]}"
    return f"{os.cpu_count()} cores, {system}, Python {platform.python_version()}"


def _is_stamped(stamp: Path, package: str) -> bool:
    return stamp.exists() and stamp.read_text(encoding="utf-8") == package


def _run(words: list[str]) -> str:
    """Why it failed, "" if it did not. The reason goes into a table, so it holds no paths."""
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=_INSTALL_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"{Path(words[0]).name} took longer than {_INSTALL_TIMEOUT_S} s"
    return "" if done.returncode == 0 else f"{Path(words[0]).name} ended with {done.returncode}"
