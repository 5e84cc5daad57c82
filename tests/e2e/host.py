"""An agent host: starts the real CLI with what `cli-args` printed, in an environment of its own."""

import json
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

Json = dict[str, Any]

LONGEST_RUN_S = 60
"""A hang guard; a run takes one or two seconds."""

QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}
HEADLESS = ("-p", "--output-format", "stream-json", "--verbose")


@dataclass(frozen=True)
class Line:
    """A command line as printed by `cli-args --format json`."""

    argv: list[str]
    env: dict[str, str]


@dataclass(frozen=True)
class Finished:
    """A run that has ended."""

    events: list[Json]
    returncode: int
    stderr: str

    @property
    def init(self) -> Json:
        return next(event for event in self.events if event.get("subtype") == "init")

    @property
    def result(self) -> Json:
        return [event for event in self.events if event["type"] == "result"][-1]


class Running:
    """A CLI that runs; its events are read as they come."""

    def __init__(self, process: subprocess.Popen[bytes], stderr: Path) -> None:
        self.process = process
        self._stderr = stderr
        self.events: list[Json] = []
        self._queue: queue.Queue[Json | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def say(self, message: Json) -> None:
        """One line of stream-json on its input."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def event(self, kind: str) -> Json:
        """The next event of this type."""
        while (event := self._queue.get(timeout=LONGEST_RUN_S)) is not None:
            self.events.append(event)
            if event["type"] == kind:
                return event
        raise AssertionError(f"the CLI ended without {kind}")

    def finish(self) -> Finished:
        """Close its input and wait for its end."""
        if self.process.stdin:
            self.process.stdin.close()
        code = self.process.wait(LONGEST_RUN_S)
        while (event := self._queue.get(timeout=LONGEST_RUN_S)) is not None:
            self.events.append(event)
        return Finished(self.events, code, self._stderr.read_text(encoding="utf-8"))

    def _read(self) -> None:
        output = self.process.stdout
        assert output
        for line in output:
            self._queue.put(json.loads(line))
        self._queue.put(None)


@dataclass
class Host:
    """One project with a scratch home. `api` is where the model answers."""

    claude: str
    project: Path
    scratch: Path
    api: str
    tools_dir: Path | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.scratch),
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": self.api,
            "ANTHROPIC_API_KEY": "stub-key",
            **QUIET,
        }

    def cli_args(self, *words: str) -> bytes:
        """What `cli-args` prints for this project. It finds the CLI by itself."""
        place = ["--project-dir", str(self.project)]
        if self.tools_dir:
            place += ["--tools-dir", str(self.tools_dir)]
        command = [sys.executable, "-m", "devloop_tools", "cli-args", *place, *words]
        environment = {"PATH": "", "XDG_RUNTIME_DIR": str(self.scratch)}
        done = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=True)
        assert done.stderr == b""
        return done.stdout

    def line(self, agent: str, *words: str) -> Line:
        """The agent's command line."""
        unit = ["--unit", "todo-be"] if agent in ("coder", "tester") else []
        text = self.cli_args("--agent", agent, *unit, "--format", "json", *words)
        printed = json.loads(text)
        assert printed["argv"][0] == self.claude
        return Line(printed["argv"], printed["env"])

    def line_with_protocol(self, agent: str, protocol: str) -> Line:
        """The agent's command line, with another `--protocol` for the server than the builder's."""
        line = self.line(agent)
        flag = next(word for word in line.argv if word.startswith("--mcp-config="))
        file = Path(flag.partition("=")[2])
        config = json.loads(file.read_bytes())
        arguments = config["mcpServers"]["devloop"]["args"]
        place = next(i for i, word in enumerate(arguments) if word.startswith("--protocol="))
        arguments[place] = f"--protocol={protocol}"
        file.write_text(json.dumps(config), encoding="utf-8")
        return line

    def run(self, line: Line, prompt: str, *extra: str) -> Finished:
        """One headless run to its end."""
        with self.started(line, *extra, "--", prompt) as running:
            return running.finish()

    @contextmanager
    def started(self, line: Line, *extra: str, talking: bool = False) -> Iterator[Running]:
        """A headless run; `talking` gives it an input for stream-json. Killed if left early."""
        stderr = self.scratch / "stderr"
        with (
            stderr.open("wb") as errors,
            subprocess.Popen(
                [*line.argv, *HEADLESS, *extra],
                env={**self.environment, **line.env},
                cwd=self.project,
                stdin=subprocess.PIPE if talking else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            ) as process,
        ):
            try:
                yield Running(process, stderr)
            finally:
                if process.poll() is None:
                    process.kill()


class Signals:
    """A pipe in the project on which a tool of the test pack says what happens to it."""

    def __init__(self, project: Path) -> None:
        path = project / "signals"
        os.mkfifo(path)
        self._pipe: IO[bytes] = os.fdopen(os.open(path, os.O_RDWR), "rb", buffering=0)
        self._rest = b""

    def next(self) -> list[str]:
        """The words of the next line."""
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._pipe], [], [], LONGEST_RUN_S)
            assert ready, "the tool said nothing"
            self._rest += os.read(self._pipe.fileno(), 4096)
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode().split()

    def close(self) -> None:
        self._pipe.close()
