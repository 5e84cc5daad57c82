"""The MCP inspector, on the command line, looks at the installed server and calls it."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.clients.conftest import environment, missing, server_words
from tests.conformance import node

pytestmark = pytest.mark.clients

HANG_S = 60

every_era = pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
"""The inspector stands on the second version of the TypeScript SDK, which speaks both."""


def inspected(
    project: Path, *words: str, server: Sequence[str] = ()
) -> subprocess.CompletedProcess[bytes]:
    """One run of the inspector."""
    try:
        inspector = node.command("@modelcontextprotocol/inspector")
    except node.NodeMissing as exc:
        missing(str(exc))
    env = {**node.environment(), **environment(project.parent), "PATH": node.environment()["PATH"]}
    return subprocess.run(
        [*inspector, "--cli", *(server or server_words(project)), *words],
        env=env, cwd=project, capture_output=True, timeout=HANG_S,
    )  # fmt: skip


def output(run: subprocess.CompletedProcess[bytes]) -> Any:
    """What it printed, which is one JSON value."""
    assert run.returncode == 0, run.stderr.decode()
    return json.loads(run.stdout)


@every_era
def test_every_schema_is_portable(project: Path, era: str) -> None:
    run = inspected(project, "--method", "tools/list", "--strict", "--protocol-era", era)
    names = [tool["name"] for tool in output(run)["tools"]]
    assert {"timeline_append", "write_todolist", "add"} <= set(names)


def test_every_schema_of_a_shipped_agent_is_portable(project: Path) -> None:
    script = server_words(project)[0]
    server = [script, "serve", "--agent", "pm", "--project-dir", str(project)]
    run = inspected(project, "--method", "tools/list", "--strict", server=server)
    assert output(run)["tools"]


@every_era
def test_a_tool_is_called(project: Path, era: str) -> None:
    words = ["--protocol-era", era, "--method", "tools/call", "--tool-name", "add"]
    words += ["--tool-arg", "a=1", "b=2"]
    result = output(inspected(project, *words))
    assert result["structuredContent"] == {"ok": True, "sum": 3}
    assert not result["isError"]


def test_text_in_every_script_passes(project: Path) -> None:
    name = ["--tool-name", "timeline_append"]
    given = ["--tool-arg", "event=单元.built", "summary=好了 done"]
    result = output(inspected(project, "--method", "tools/call", *name, *given))
    [line] = (project / "timeline.ndjson").read_text(encoding="utf-8").splitlines()
    assert result["structuredContent"]["seq"] == 1
    assert json.loads(line)["summary"] == "好了 done"


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--method", "resources/list"], "talk://图"),
        (["--method", "resources/templates/list"], "talk://每个/{id}"),
        (["--method", "resources/read", "--uri", "talk://每个/一"], "给 一"),
        (["--method", "prompts/list"], "travel"),
        (
            ["--method", "prompts/get", "--prompt-name", "travel", "--prompt-args", "城市=北京"],
            "去 北京",
        ),
    ],
)
def test_resources_and_prompts_are_shown(
    project: Path, words: list[str], part: str, era: str
) -> None:
    shown = output(inspected(project, *words, "--protocol-era", era))
    assert part in json.dumps(shown, ensure_ascii=False)
