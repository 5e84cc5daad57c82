"""Runs the CLI to its end, and watches a headless one until it has said what it can do."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Any, BinaryIO, NoReturn, Self

from devloop_tools.launch.errors import LaunchError
from devloop_tools.launch.verification import fault_in_init, is_init

_PATIENCE_S = 3.0
_SET_PDEATHSIG = 1
_FORWARDED = (signal.SIGTERM, signal.SIGHUP)

_Handlers = Mapping[signal.Signals, Callable[[int, FrameType | None], None] | signal.Handlers]


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """What ends this process while a launch is made ready ends it as an exception does.

    So the files of the run are removed, and what was started to try it is ended.
    """

    def end(number: int, _frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    with _handling(dict.fromkeys(_FORWARDED, end)):
        yield


def run_interactively(argv: Sequence[str], env: Mapping[str, str], folder: Path) -> int:
    """Give the terminal to the CLI until it ends. Returns its exit code. Raises LaunchError."""
    # Ctrl-C is the CLI's own affair.
    with _Forwarding(_FORWARDED, ignored=(signal.SIGINT,)) as forwarding:
        with _started(argv, env, folder, None, None) as process:
            forwarding.to(process)
            return _exit_code(process.wait())


def run_headless(
    argv: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    expected: Collection[str],
    prompt: bytes,
    out: BinaryIO,
) -> int:
    """Give the CLI its prompt, pass its events on to `out`, and return its exit code.

    The prompt goes to its standard input: a command line holds no long one, and everybody can read
    it. Raises LaunchError, the CLI being ended, where it can't be started, offers less than
    `expected`, or says nothing of what it offers.
    """
    with _Forwarding((signal.SIGINT, *_FORWARDED)) as forwarding, tempfile.TemporaryFile() as given:
        given.write(prompt)
        given.seek(0)
        with _started(argv, env, folder, given, subprocess.PIPE) as process:
            forwarding.to(process)
            try:
                verified = _pass_on(process, expected, out)
            except BaseException:
                _end(process)
                raise
            code = _exit_code(process.wait())
    if not verified and not forwarding.received:
        raise LaunchError(f"the CLI ended with {code} and said nothing of its tools")
    return code


def _started(
    argv: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    given: IO[bytes] | None,
    out: int | None,
) -> subprocess.Popen[bytes]:
    bound = partial(_end_with, os.getpid()) if sys.platform == "linux" else None
    try:
        return subprocess.Popen(
            argv, env=dict(env), cwd=folder, stdin=given, stdout=out, preexec_fn=bound
        )
    except OSError as exc:
        raise LaunchError(f"{argv[0]}: can't be started ({exc.strerror})") from None


def _end_with(parent: int) -> None:
    """In the child: where this process is killed, the CLI gets SIGTERM and ends what it started.

    As prctl(2) has it, PR_SET_PDEATHSIG; the signal outlasts the start of another program.
    """
    ctypes.CDLL(None).prctl(_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


def _pass_on(process: subprocess.Popen[bytes], expected: Collection[str], out: BinaryIO) -> bool:
    """Whether the first event came, and was as expected."""
    assert process.stdout
    verified = False
    for line in process.stdout:
        out.write(line)
        out.flush()
        if not verified and (event := _event(line)) and is_init(event):
            if fault := fault_in_init(event, expected):
                raise LaunchError(fault)
            verified = True
    return verified


def _event(line: bytes) -> Mapping[str, object] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def _end(process: subprocess.Popen[bytes]) -> None:
    """As the CLI expects to be ended: it then ends its servers."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        process.send_signal(number)
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            continue


def _exit_code(returned: int) -> int:
    """As a shell tells it: 128 and the signal's number."""
    return returned if returned >= 0 else 128 - returned


class _Forwarding:
    """Passes signals on to a process, also those that come while it is being started."""

    def __init__(
        self, numbers: Sequence[signal.Signals], ignored: Sequence[signal.Signals] = ()
    ) -> None:
        self.received: list[int] = []
        self._process: subprocess.Popen[bytes] | None = None
        handlers: _Handlers = dict.fromkeys(numbers, self._receive)
        self._handling = _handling({**handlers, **dict.fromkeys(ignored, signal.SIG_IGN)})

    def __enter__(self) -> Self:
        self._handling.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._handling.__exit__(*raised)

    def to(self, process: subprocess.Popen[bytes]) -> None:
        """From here on they are for `process`, as are those that were received before."""
        self._process = process
        for number in self.received:
            self._send(number)

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        self.received.append(number)
        self._send(number)

    def _send(self, number: int) -> None:
        if self._process is not None and self._process.poll() is None:
            os.kill(self._process.pid, number)


@contextmanager
def _handling(handlers: _Handlers) -> Iterator[None]:
    """Signals in these hands. One that is ignored already (as by `nohup`) stays so."""
    taken = {
        number: handler
        for number, handler in handlers.items()
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    before = {number: signal.signal(number, handler) for number, handler in taken.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
