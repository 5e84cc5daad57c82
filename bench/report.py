"""The figures as one page: what was aimed at, and the whole table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median

from bench.durable import LINKED_STEPS, PROCESSES, STEPS, Appended, Written
from bench.measures import BLOCKING_CALLS, BLOCKING_MS, IDLE_S, SETTLE_S, WINDOW, Samples
from bench.servers import OURS, PEER, Server


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that one run found."""

    servers: Sequence[Server]
    samples: Mapping[str, Samples]
    todolist_ms: Written
    file_system: str
    timeline: Appended
    timeline_wanted: int
    machine: str
    load: tuple[float, float]
    rounds: str


@dataclass(frozen=True, slots=True)
class Aim:
    """One figure; `met` is None where a peer is missing to hold it against."""

    figure: str
    aim: str
    found: str
    met: bool | None


COLUMNS = (
    ("spawn → initialize, ms", "init_ms", 1),
    ("spawn → first call, ms", "first_call_ms", 1),
    ("CPU until then, ms", "start_cpu_ms", 0),
    (f"end of input → exit after {IDLE_S:g} s idle, ms", "exit_ms", 1),
    ("p50 of a call, ms", "call_ms", 3),
    (f"calls/s, {WINDOW} in flight", "per_s", 0),
    ("CPU per 1,000 of them, ms", "cpu_ms_per_1000", 0),
    (f"{BLOCKING_CALLS} blocking calls of {BLOCKING_MS} ms, ms", "blocking_ms", 0),
    (f"RSS {SETTLE_S:g} s after initialize, MB", "rss_mb", 1),
)


def aims(results: Results) -> list[Aim]:
    """Each figure of ours beside what it should be."""
    written = results.todolist_ms
    python = _middle(results, "python", "init_ms")
    appended = results.timeline
    whole = appended.lines == results.timeline_wanted and appended.gapless
    return [
        _ratio_aim(
            "spawn → initialize, × `python -c pass`",
            _middle(results, OURS, "init_ms"), python, most=2.0,
        ),
        _most("end of input → exit, ms", _middle(results, OURS, "exit_ms"), 10),
        _most(
            f"{BLOCKING_CALLS} blocking calls of {BLOCKING_MS} ms, ms",
            _middle(results, OURS, "blocking_ms"), 250,
        ),
        _peer_aim(results, "first call", "first_call_ms", most=0.35),
        _peer_aim(results, "p50 of a call", "call_ms", most=0.33),
        _peer_aim(results, f"calls/s, {WINDOW} in flight", "per_s", least=7.0),
        _peer_aim(results, f"RSS {SETTLE_S:g} s after initialize", "rss_mb", most=0.7),
        _ratio_aim(
            f"write_todolist, × the same durable steps bare ({results.file_system})",
            median(written.ours), median(written.bare), most=1.5,
        ),
        Aim(
            f"{PROCESSES} processes append to one timeline",
            f"{results.timeline_wanted:,} lines, gapless",
            f"{appended.lines:,} lines, {'gapless' if appended.gapless else 'with gaps'},"
            f" {appended.lines / appended.seconds:,.0f} a second",
            whole,
        ),
    ]  # fmt: skip


def page(results: Results) -> str:
    """The page, in Markdown."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    parts = [
        "# Benchmark",
        f"{now}. {results.machine}; load average {results.load[0]:.1f} at the start,"
        f" {results.load[1]:.1f} at the end. Written by `make bench`.",
        f"All servers in one run, one after the other in each round ({results.rounds}); medians."
        " The same tools on every side, over pipes. Ours as shipped: policy, validation and the"
        " event log are on. Absolute times depend on who else uses the machine; trust the ratios.",
        "## Aims",
        _table(
            ["figure", "aim", "found", "met"],
            [[aim.figure, aim.aim, aim.found, _word(aim.met)] for aim in aims(results)],
        ),
        "## All figures",
        _table(
            ["server", *(title for title, _, _ in COLUMNS)],
            [_row(results, server) for server in results.servers if not server.absent],
        ),
        f"`python -c pass`, start to end: {_middle(results, 'python', 'init_ms'):.1f} ms.",
        "## Durability",
        *_durability(results.todolist_ms, results.file_system),
    ]
    absent = [f"* {server.title}: {server.absent}" for server in results.servers if server.absent]
    if absent:
        parts += ["## Not measured", "\n".join(absent)]
    return "\n\n".join(parts) + "\n"


def _durability(written: Written, file_system: str) -> Sequence[str]:
    ours, bare, linked = (median(t) for t in (written.ours, written.bare, written.linked))
    return (
        f"`write_todolist` over MCP: {ours:.2f} ms; the same bare: {bare:.2f} ms;"
        f" {len(written.ours)} of each, in turn, on {file_system}. The steps: {STEPS}.",
        "The tool makes the same three things durable (the old list in history, the new one, the"
        " event) with fewer steps, since the old list is on disk already and needs only a name."
        f" Its own steps done bare take {linked:.2f} ms; it takes {ours / linked:.2f} × that. They"
        f" are: {LINKED_STEPS}. The aim is held against the first, in which every file is written"
        " as any durable file is.",
    )


def _row(results: Results, server: Server) -> list[str]:
    cells = []
    for _, name, digits in COLUMNS:
        here = _middle(results, server.name, name)
        peer = _middle(results, PEER, name)
        ratio = f" ({here / peer:.2f} ×)" if here and peer and server.name != PEER else ""
        cells.append("–" if here is None else f"{here:,.{digits}f}{ratio}")
    return [server.title, *cells]


def _middle(results: Results, server: str, name: str) -> float | None:
    values = results.samples.get(server, {}).get(name)
    return median(values) if values else None


def _peer_aim(
    results: Results, figure: str, name: str, *, most: float | None = None, least: float = 0.0
) -> Aim:
    ours, peer = _middle(results, OURS, name), _middle(results, PEER, name)
    return _ratio_aim(f"{figure}, × MCPServer", ours, peer, most=most, least=least)


def _ratio_aim(
    figure: str, ours: float | None, base: float | None, *, most: float | None, least: float = 0.0
) -> Aim:
    aim = f"at least {least:g}" if most is None else f"at most {most:g}"
    if not ours or not base:
        return Aim(figure, aim, "not measured", None)
    ratio = ours / base
    return Aim(figure, aim, f"{ratio:.2f}", ratio >= least if most is None else ratio <= most)


def _most(figure: str, found: float | None, most: float) -> Aim:
    if found is None:
        return Aim(figure, f"at most {most:g}", "not measured", None)
    return Aim(figure, f"at most {most:g}", f"{found:.1f}", found <= most)


def _word(met: bool | None) -> str:
    return {True: "yes", False: "no", None: "–"}[met]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
