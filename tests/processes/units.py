"""Small programs that tests run as units, and the project to run them in."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.testing import call_tool
from devloop_tools.tools.integrator.port_picker import port_picker
from devloop_tools.tools.integrator.spawn_units import spawn_units

SERVER = """
import http.server, os, socket, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"{}")
    def log_message(self, *args): pass
class Server(http.server.HTTPServer):
    address_family = socket.AF_INET6 if ":" in HOST else socket.AF_INET
    def server_bind(self):
        if HOST == "::1": self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        super().server_bind()
Server((HOST, int(os.environ["PORT"])), Handler).serve_forever()
"""


def python(program: str) -> list[str]:
    """The words that run a program which needs the standard library alone."""
    return [sys.executable, "-I", "-S", "-c", program]


def server(host: str = "127.0.0.1") -> list[str]:
    """A server on PORT that answers 200 to each GET."""
    return python(f"HOST = {host!r}{SERVER}")


async def free_port(ctx: ToolContext, name: str = "a") -> int:
    picked = await call_tool(port_picker, {"names": [name]}, ctx)
    port: int = picked.ports[name]
    return port


async def start(ctx: ToolContext, *units: dict[str, Any], **more: Any) -> Any:
    """Start units whose folders are made if need be."""
    for unit in units:
        (ctx.workspace.root / "units" / unit["unit_id"]).mkdir(parents=True, exist_ok=True)
    return await call_tool(spawn_units, {"action": "start", "units": list(units), **more}, ctx)


async def change(ctx: ToolContext, action: str, *unit_ids: str) -> Any:
    units = [{"unit_id": unit_id} for unit_id in unit_ids]
    return await call_tool(spawn_units, {"action": action, "units": units}, ctx)


def wait_until(condition: Callable[[], bool], within_s: float = 15) -> bool:
    """For what another process does, of which nobody tells."""
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def running_in(folder: Path) -> list[int]:
    """Every process whose current folder is below `folder`, zombies included."""
    return [pid for pid in _pids() if _folder_of(pid).startswith(str(folder.resolve()))]


def _pids() -> Iterator[int]:
    yield from (int(name) for name in os.listdir("/proc") if name.isdigit())


def _folder_of(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""
