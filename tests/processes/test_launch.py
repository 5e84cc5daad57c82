"""`devloop-tools launch` with the real server and a script in the CLI's place."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.processes.server import PATIENCE_S
from tests.processes.units import wait_until

FAKE = """#!{python}
import json, os, sys
if "--version" in sys.argv:
    print("{version} (Claude Code)")
    sys.exit()
flags = dict(word.partition("=")[::2] for word in sys.argv if word.startswith("--"))
config = json.load(open(flags["--mcp-config"]))
settings = json.load(open(flags["--settings"]))
print(json.dumps({{
    "type": "system", "subtype": "init", "tools": {tools},
    "mcp_servers": [{{"name": "devloop", "status": "connected"}}],
    "argv": sys.argv[1:], "hook": settings["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"],
    "api_key": os.environ.get("ANTHROPIC_API_KEY"), "cwd": os.getcwd(),
    "allowlist": os.environ.get("CLAUDE_CODE_MCP_ALLOWLIST_ENV"),
    "prompt": "" if sys.stdin.isatty() else sys.stdin.read(),
}}))
{end}
"""

WAIT = """
sys.stdout.flush()
import time
with open({path!r} + ".part", "w") as file:
    file.write(str(os.getpid()))
os.rename({path!r} + ".part", {path!r})
time.sleep(60)
"""


class SetUp:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = root / "项目"
        self.tools = root / "tools"
        for folder in (self.project, self.tools, root / "run"):
            folder.mkdir()
        (root / "run").chmod(0o700)
        self.agents(["Read", "write_todolist"])
        self.claude(["Read", "mcp__devloop__write_todolist"])

    def agents(self, policy: list[Any], **cli: Any) -> None:
        template = {"id": "devloop-pm", "cli": {"toolPolicy": policy, **cli}}
        (self.tools / "agents.json").write_text(json.dumps({"templates": [template]}))

    def claude(
        self, tools: list[str], version: str = "2.1.400", code: int = 0, end: str = ""
    ) -> None:
        end = end or f"sys.exit({code})"
        text = FAKE.format(python=sys.executable, version=version, tools=tools, end=end)
        (self.root / "claude").write_text(text)
        (self.root / "claude").chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        return {
            **{name: os.environ[name] for name in ("PATH",) if name in os.environ},
            "HOME": str(self.root),
            "XDG_RUNTIME_DIR": str(self.root / "run"),
            "ANTHROPIC_API_KEY": "key",
        }

    def command(self, *words: str) -> list[str]:
        at = words.index("--") if "--" in words else len(words)
        place = ["--project-dir", self.project, "--tools-dir", self.tools]
        place += ["--claude", self.root / "claude"]
        start = [sys.executable, "-m", "devloop_tools", "launch", "pm"]
        return [*start, *words[:at], *map(str, place), *words[at:]]

    def launch(self, *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words),
            env=self.environment,
            input=said,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    @property
    def left(self) -> list[str]:
        return os.listdir(self.root / "run" / "devloop-tools")


@pytest.fixture
def setup(tmp_path: Path) -> SetUp:
    return SetUp(tmp_path)


def test_a_headless_run_has_policy_hook_and_prompt_and_leaves_no_file(setup: SetUp) -> None:
    setup.claude(["Read", "mcp__devloop__write_todolist"], code=4)
    done = setup.launch("-", "--", "--max-turns=3", said="--help 列出\n第二行")
    assert (done.returncode, done.stderr) == (4, "")
    event = json.loads(done.stdout)
    assert event["argv"][-2:] == ["--verbose", "--max-turns=3"]
    assert event["prompt"] == "--help 列出\n第二行"
    assert "--tools=Read" in event["argv"]
    assert (event["hook"], event["api_key"], event["allowlist"]) == ("block", "key", "1")
    assert event["cwd"] == str(setup.project)
    assert setup.left == []


@pytest.mark.parametrize("prompt", ["", " \n", "-"])
def test_an_empty_prompt_is_refused(setup: SetUp, prompt: str) -> None:
    done = setup.launch(prompt)
    assert done.returncode == 2
    assert done.stderr.startswith("devloop-tools: the prompt is empty; write one, or leave it out")


def test_a_launch_that_is_ended_while_it_looks_at_the_cli_leaves_no_file(setup: SetUp) -> None:
    asked = setup.root / "asked"
    script = f"#!{sys.executable}\nopen({str(asked)!r}, 'w')\nimport time\ntime.sleep(60)\n"
    (setup.root / "claude").write_text(script)
    with subprocess.Popen(
        setup.command("go"), env=setup.environment, stderr=subprocess.PIPE
    ) as process:
        assert wait_until(asked.exists)
        assert len(setup.left) == 1
        process.terminate()
        _, said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, said) == (128 + signal.SIGTERM, b"")
    assert setup.left == []


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux's")
def test_a_launch_that_is_killed_leaves_no_cli(setup: SetUp) -> None:
    waiting = setup.root / "waiting"
    setup.claude(["Read", "mcp__devloop__write_todolist"], end=WAIT.format(path=str(waiting)))
    with subprocess.Popen(
        setup.command("go"), env=setup.environment, stdout=subprocess.DEVNULL
    ) as process:
        assert wait_until(waiting.exists)
        cli = int(waiting.read_text())
        process.kill()
    assert wait_until(lambda: not Path(f"/proc/{cli}").exists())


def test_a_cli_that_will_not_do_is_not_given_the_terminal(setup: SetUp) -> None:
    setup.claude(["Read"])
    done = setup.launch()
    assert done.returncode == 2
    assert "does not offer what the policy grants: mcp__devloop__write_todolist" in done.stderr
    assert done.stdout == ""
    assert setup.left == []


def test_an_interactive_run_has_the_terminal(setup: SetUp) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        setup.command(), env=setup.environment, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        code = process.wait(PATIENCE_S)
    printed = os.read(ours, 65536).decode()
    os.close(ours)
    assert code == 0
    assert '"subtype": "init"' in printed
    assert "stream-json" not in printed
    assert setup.left == []


@pytest.mark.parametrize(
    ("tools", "version", "code", "said"),
    [
        (["Read"], "2.1.400", 1, "does not offer what the policy grants: mcp__devloop__write_todo"),
        (["Read"], "2.1.197", 2, "is 2.1.197; before 2.1.332 a hook that fails does not block"),
        (["Read"], "no", 2, "says no version (exit code 0); name the Claude CLI with --claude"),
    ],
)
def test_a_cli_that_will_not_do_is_said_and_no_file_is_left(
    setup: SetUp, tools: list[str], version: str, code: int, said: str
) -> None:
    setup.claude(tools, version)
    done = setup.launch("go")
    assert done.returncode == code
    assert said in done.stderr
    assert setup.left == []


def test_a_system_prompt_that_is_not_there_is_no_launch(setup: SetUp) -> None:
    setup.agents(["Read"], systemPromptFile="prompts/没有.md")
    done = setup.launch("go")
    assert done.returncode == 2
    assert "system prompt prompts/没有.md: not in" in done.stderr


def test_a_person_at_a_terminal_is_asked_about_configuration_inside_the_project(
    setup: SetUp,
) -> None:
    setup.tools = setup.project / "conf"
    setup.tools.mkdir()
    setup.agents(["Read", "write_todolist"])
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        setup.command("go"),
        env=setup.environment,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        os.write(ours, b"y\n")
        output, _ = process.communicate(timeout=PATIENCE_S)
    os.close(theirs)
    os.close(ours)
    assert process.returncode == 0, output
    assert "+ new: agents.json" in output
    assert "Accept it?" in output
    assert setup.launch("go").returncode == 0


def test_a_server_that_is_started_again_takes_no_configuration_that_changed(setup: SetUp) -> None:
    setup.tools = setup.project / "conf"
    setup.tools.mkdir()
    setup.agents(["Read", "write_todolist"])
    words = ["--project-dir", str(setup.project), "--tools-dir", str(setup.tools)]
    command = [sys.executable, "-m", "devloop_tools", "cli-args", "--agent", "pm", *words]
    printed = subprocess.run(
        [*command, "--format", "json"], env=setup.environment, capture_output=True, check=True
    )
    [config] = [file for file in json.loads(printed.stdout)["files"] if "mcp" in file]
    entry = json.loads(Path(config).read_text())["mcpServers"]["devloop"]

    def serve() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [entry["command"], *entry["args"]],
            env=setup.environment,
            input='{"jsonrpc": "2.0", "id": 1, "method": "tools.list"}\n',
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    assert '"write_todolist"' in serve().stdout
    setup.agents(["Read", "Bash", "*"])
    changed = serve()
    assert changed.returncode == 2
    assert "the configuration inside the project has changed since" in changed.stderr


@pytest.mark.parametrize(
    "flag", ["--bare", "--safe-mode", "--settings=x.json", "--permission-mode=bypassPermissions"]
)
def test_flags_that_would_take_policy_or_hook_away_are_refused(setup: SetUp, flag: str) -> None:
    done = setup.launch("go", "--", flag)
    assert done.returncode == 2
    assert done.stderr.startswith(f"devloop-tools: {flag.partition('=')[0]}: ")
