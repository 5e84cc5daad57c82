"""Ports that several real processes ask for at once."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.processes.server import Server, serving
from tests.processes.units import server as listening

PICKER = """
import sys
from pathlib import Path
import anyio
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.integrator.port_picker import port_picker

async def main(root, calls):
    ctx = tool_context(root, agent="integrator")
    for _ in range(calls):
        result = await call_tool(port_picker, {"names": ["todo-be"]}, ctx)
        print(result.ports["todo-be"], flush=True)

anyio.run(main, Path(sys.argv[1]), int(sys.argv[2]))
input()
"""


def test_eight_processes_pick_two_hundred_times_and_no_port_comes_twice(tmp_path: Path) -> None:
    words = [sys.executable, "-c", PICKER, str(tmp_path), "200"]
    pickers = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    ports = []
    for picker in pickers:
        assert picker.stdout is not None
        ports += [picker.stdout.readline() for _ in range(200)]
    # All of them hold their leases until the last one has picked.
    for picker in pickers:
        picker.communicate("\n", timeout=20)
    assert all(int(port) for port in ports)
    assert len(set(ports)) == 1600


def test_twenty_calls_at_once_of_two_servers_give_forty_ports_h_j01(tmp_path: Path) -> None:
    with serving(tmp_path) as one, serving(tmp_path) as other:
        for number in range(20):
            for server in (one, other):
                server.call(number, "port_picker", names=["api"])
        ports = {
            server: [_result(server, number)["ports"]["api"] for number in range(20)]
            for server in (one, other)
        }
        assert len({*ports[one], *ports[other]}) == 40
        # And each of them can be listened on: nobody meets somebody else on a port.
        for name, server in (("a", one), ("b", other)):
            units = [_unit(tmp_path, f"{name}{port}", port) for port in ports[server][:3]]
            server.call("start", "spawn_units", action="start", units=units)
            assert _result(server, "start")["passed"]


def _result(server: Server, request_id: int | str) -> Any:
    return server.reply(request_id, 60)["result"]["structuredContent"]


def _unit(root: Path, unit_id: str, port: int) -> dict[str, Any]:
    (root / "units" / unit_id).mkdir(parents=True)
    ready = {"url": f"http://localhost:{port}/"}
    return {"unit_id": unit_id, "argv": listening(), "port": port, "ready": ready}
