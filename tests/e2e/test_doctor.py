"""`devloop-tools doctor` with the real CLI: no model, and nothing left in the project."""

import json
import subprocess
import sys

import pytest
from tests.e2e.conftest import MakeHost
from tests.e2e.host import LONGEST_RUN_S

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("agent", ["pm", "coder"])
def test_the_real_cli_takes_the_tools_of_the_policy(agent: str, make_host: MakeHost) -> None:
    host, model = make_host()
    words = ["--agent", agent, "--project-dir", str(host.project), "--claude", host.claude]
    done = subprocess.run(
        [sys.executable, "-m", "devloop_tools", "doctor", "--format", "json", *words],
        env={**host.environment, "XDG_RUNTIME_DIR": str(host.scratch)},
        capture_output=True,
        timeout=LONGEST_RUN_S,
        check=False,
    )
    found = {one["check"]: one for one in json.loads(done.stdout)}
    assert done.returncode == 0, done.stdout
    assert found[f"server of {agent}"]["found"].endswith("so does its hook")
    assert found[f"claude with {agent}"]["state"] == "ok"
    assert model.requests == []
    assert list(host.project.iterdir()) == []
