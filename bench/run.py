"""Measure the server beside its peers and baselines; writes bench/RESULTS.md.

    bench/run.py [--quick] [--only NAME,NAME] [--out FILE]

Peers are put into `.bench/` the first time; one that can't be is named as absent.
"""

import argparse
import os
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import durable, measures
from bench.report import Results, aims, page
from bench.servers import HOME, OURS, ROOT, machine, prepare


def main() -> int:
    """Run everything; exit 1 if a figure fell short."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="Fewer rounds: to look, not to keep.")
    parser.add_argument("--only", help="Names of servers, such as devloop-tools,mcp.")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "RESULTS.md")
    options = parser.parse_args()
    load_before = os.getloadavg()[0]
    say("servers")
    servers = prepare()
    if options.only:
        servers = [server for server in servers if server.name in options.only.split(",")]
    running = [server for server in servers if not server.absent]
    ours = next(server for server in running if server.name == OURS)
    starts, loads, memories, lists, each = (5, 2, 1, 50, 200) if options.quick else SIZES
    samples: dict[str, measures.Samples] = defaultdict(dict)
    say("starts")
    _add(samples, measures.start_and_end(running, starts))
    say("calls")
    _add(samples, measures.calls(running, loads, single=500, many=2000))
    say("memory")
    _add(samples, measures.memory(running, memories))
    say("durability")
    results = Results(
        servers=servers,
        samples=samples,
        todolist_ms=durable.todolists(ours, lists),
        file_system=durable.file_system(HOME),
        timeline=durable.timelines(ours, each),
        timeline_wanted=durable.PROCESSES * each,
        machine=machine(),
        load=(load_before, os.getloadavg()[0]),
        rounds=f"{starts} starts, {loads} rounds of calls, {memories} of memory",
    )
    options.out.write_text(page(results), encoding="utf-8")
    for aim in aims(results):
        print(f"{aim.figure}: {aim.found} ({aim.aim})")
    return 0 if all(aim.met is not False for aim in aims(results)) else 1


SIZES = (15, 5, 2, 200, 2000)
"""Rounds of starts, calls and memory; lists written; lines that each process appends."""


def _add(samples: dict[str, measures.Samples], found: dict[str, measures.Samples]) -> None:
    for name, values in found.items():
        samples[name].update(values)


def say(title: str) -> None:
    """What is going on, for who waits."""
    print(f"… {title}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
