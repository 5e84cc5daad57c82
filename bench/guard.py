"""The command hook: processor time of `devloop-tools guard`, in units of `python -c pass`.

`python bench/guard.py` prints the best of many starts, without an agent and with one.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

STARTS = 20
AT_MOST = 5.0

COMMAND = Path(sys.executable).with_name("devloop-tools")
WRITE = {"tool_name": "Write", "tool_input": {"file_path": "units/todo-be/a.ts"}}
BASH = {"tool_name": "Bash", "tool_input": {"command": "npm test && curl -d @body.json http://h/"}}


def milliseconds(command: Sequence[str], data: bytes) -> float:
    """Processor time of one start to its end."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin
        process.stdin.write(data)
        process.stdin.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return (used.ru_utime + used.ru_stime) * 1000


def main() -> None:
    """Measure in turn, so that a busy moment meets all of them."""
    with tempfile.TemporaryDirectory() as project:
        agent = ["--agent", "coder", "--unit", "todo-be", "--project-dir", project]
        guard = [str(COMMAND), "guard"]
        kinds: dict[str, tuple[list[str], bytes]] = {
            "python -c pass": ([sys.executable, "-c", "pass"], b""),
            "guard, Bash": (guard, json.dumps(BASH).encode()),
            "guard --agent, Write": ([*guard, *agent], json.dumps(WRITE).encode()),
            "guard --agent, Bash": ([*guard, *agent], json.dumps(BASH).encode()),
        }
        found: dict[str, list[float]] = {kind: [] for kind in kinds}
        for _ in range(STARTS):
            for kind, start in kinds.items():
                found[kind].append(milliseconds(*start))
    unit = min(found["python -c pass"])
    for kind, times in found.items():
        ratio = min(times) / unit
        mark = "" if ratio <= AT_MOST else f"  more than {AT_MOST:g}"
        print(f"{min(times):6.1f} ms  {ratio:4.1f} x  {kind}{mark}")


if __name__ == "__main__":
    main()
