"""`devloop-tools dump-schema` beside a server, and in processes that hash differently."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from devloop_tools.cli.commands import app


def test_the_mcp_form_is_what_the_server_lists(tmp_path: Path) -> None:
    requests: list[dict[str, Any]] = [
        {"method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
        {"method": "tools/list"},
    ]
    lines = [json.dumps({"jsonrpc": "2.0", "id": i, **r}) for i, r in enumerate(requests)]
    done = subprocess.run(
        [sys.executable, "-m", "devloop_tools", "serve", "--agent", "pm"],
        input="\n".join(lines).encode() + b"\n",
        cwd=tmp_path,
        capture_output=True,
        timeout=30,
        check=True,
    )
    listed = json.loads(done.stdout.splitlines()[-1])["result"]
    words = ["dump-schema", "--agent", "pm", "--format", "mcp"]
    assert json.loads(CliRunner().invoke(app, words).stdout) == listed


@pytest.mark.parametrize("form", ["mcp", "anthropic", "openai", "markdown"])
def test_two_outputs_are_the_same_byte_for_byte(form: str) -> None:
    words = [sys.executable, "-m", "devloop_tools", "dump-schema", "--format", form]
    outputs = {
        subprocess.run(
            words, env={"PYTHONHASHSEED": seed}, capture_output=True, timeout=30, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().endswith(b"\n")
