"""What is measured of every server, one after the other in each round."""

import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.client import Client, environment
from bench.servers import HOME, Server

Samples = dict[str, list[float]]
"""Figures by name."""

BLOCKING_CALLS = 50
BLOCKING_MS = 200
WINDOW = 64
SETTLE_S = 5.0
IDLE_S = 0.5
"""A client that ends a session has been quiet for a while."""

TEXT = "你好, hello world"


@contextmanager
def project() -> Iterator[Path]:
    """A project folder on the disk that holds the repository."""
    with tempfile.TemporaryDirectory(dir=HOME, prefix="project-") as folder:
        yield Path(folder)


def bare_python_ms() -> float:
    """`python -c pass`, the least that any Python program takes, from start to end."""
    since = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], env=environment(), check=True)
    return (time.perf_counter() - since) * 1000


def start_and_end(servers: Sequence[Server], rounds: int) -> dict[str, Samples]:
    """Spawn to answers, and the end of input to the end of the process."""
    found: dict[str, Samples] = defaultdict(lambda: defaultdict(list))
    for _ in range(rounds):
        found["python"]["init_ms"].append(bare_python_ms())
        for server in servers:
            with project() as folder, Client(server.command(folder)) as client:
                samples = found[server.name]
                samples["init_ms"].append(client.initialize())
                client.call("echo", {"text": TEXT})
                samples["first_call_ms"].append(client.since_start_ms())
                samples["start_cpu_ms"].append(client.cpu_ms())
                time.sleep(IDLE_S)
                samples["exit_ms"].append(client.end_input().exit_ms)
    return found


def calls(servers: Sequence[Server], rounds: int, single: int, many: int) -> dict[str, Samples]:
    """One call at a time, many in flight, and many that block."""
    found: dict[str, Samples] = defaultdict(lambda: defaultdict(list))
    for _ in range(rounds):
        for server in servers:
            with project() as folder, Client(server.command(folder)) as client:
                client.initialize()
                samples = found[server.name]
                client.one_at_a_time(_echoes(client, 50))
                samples["call_ms"] += client.one_at_a_time(_echoes(client, single))
                _measure_window(client, samples, many)
                wait = [client.tool("block", {"ms": BLOCKING_MS}) for _ in range(BLOCKING_CALLS)]
                samples["blocking_ms"].append(client.in_flight(wait, BLOCKING_CALLS) * 1000)
    return found


def memory(servers: Sequence[Server], rounds: int) -> dict[str, Samples]:
    """Resident memory a while after `initialize`, of all at the same time."""
    found: dict[str, Samples] = defaultdict(lambda: defaultdict(list))
    for _ in range(rounds):
        with ExitStack() as stack:
            running = []
            for server in servers:
                folder = stack.enter_context(project())
                client = stack.enter_context(Client(server.command(folder)))
                client.initialize()
                running.append((server, client))
            # The figure is asked for at this time, not when something has happened.
            time.sleep(SETTLE_S)
            for server, client in running:
                found[server.name]["rss_mb"].append(client.rss_mb())
    return found


def _measure_window(client: Client, samples: Samples, many: int) -> None:
    cpu_before = client.cpu_ms()
    elapsed_s = client.in_flight(_echoes(client, many), WINDOW)
    samples["per_s"].append(many / elapsed_s)
    samples["cpu_ms_per_1000"].append((client.cpu_ms() - cpu_before) / many * 1000)


def _echoes(client: Client, count: int) -> list[tuple[int, bytes]]:
    return [client.tool("echo", {"text": TEXT}) for _ in range(count)]
