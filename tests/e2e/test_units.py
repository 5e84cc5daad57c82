"""Units that an integrator started through the real CLI end with it, however it ends."""

import json
import signal
from pathlib import Path

import pytest
from tests.e2e.conftest import MakeHost
from tests.e2e.messages_stub import Call, Step
from tests.processes.units import python, running_in, wait_until

pytestmark = pytest.mark.e2e

FORKING = ["/bin/sh", "-c", 'sleep 300 & setsid sleep 300 & exec "$0" "$@"', *python(
    "import time; print('ready', flush=True); time.sleep(300)"
)]  # fmt: skip
"""A shell that starts others, one of which leaves the group, and turns into a server."""

START = Call(
    "mcp__devloop__spawn_units",
    {
        "action": "start",
        "units": [{"unit_id": "待办-be", "argv": FORKING, "ready": {"log": "ready"}}],
    },
)
SAID = {"type": "user", "message": {"role": "user", "content": "启动 start"}}


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, None])
def test_no_process_of_a_unit_outlives_the_cli(
    end: signal.Signals | None, make_host: MakeHost, project: Path
) -> None:
    unit = project / "units/待办-be"
    unit.mkdir(parents=True)
    host, model = make_host(Step(calls=(START,)))
    line = host.line("integrator")
    with host.started(line, "--input-format", "stream-json", talking=True) as cli:
        cli.say(SAID)
        cli.event("result")
        [started] = model.results
        assert json.loads(started.text)["passed"] is True, started.text
        assert len(running_in(unit)) >= 3
        if end is not None:
            cli.process.send_signal(end)
        cli.finish()
        assert wait_until(lambda: running_in(unit) == [])
