"""Reports of 200 MB: a clear answer in bounded memory and time."""

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import orjson
import pytest

SIZE = 200_000_000
SIZE_OF_LINES = 50_000_000
"""Lines take more time than bytes."""

MOST_MEMORY_MB = 200
"""What a process with the tool and its libraries may take in all."""

READ = """
import asyncio, resource, sys
from pathlib import Path
import orjson
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.tester.parse_vitest import parse_vitest
arguments = {"path": "report", "exit_code": 1}
ctx = tool_context(Path(sys.argv[1]), "tester", unit_id="todo-be")
result = asyncio.run(call_tool(parse_vitest, arguments, ctx))
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(orjson.dumps({"memory": memory, **result.model_dump()}).decode())
"""

_ITEM = '{"ancestorTitles":[],"title":"t","status":"%s","failureMessages":["Error: %s"]}'
_TAIL = '],"name":"/p/a.test.ts","status":"failed"}]}'


def long_string(file: TextIO) -> int:
    piece = '中文 and \\"quotes\\" \\\\ \\n \\u4e2d' * 25_000
    file.write('{"numTotalTests":1,"testResults":[{"assertionResults":[')
    head, tail = (_ITEM % ("failed", "\0")).split("\0")
    file.write(head)
    for _ in range(SIZE // len(piece.encode())):
        file.write(piece)
    file.write(tail + _TAIL)
    return 1


def long_attribute(file: TextIO) -> int:
    file.write('<testsuites name="vitest tests"><testsuite name="')
    for _ in range(SIZE // 1_000_000):
        file.write("x" * 1_000_000)
    file.write('"/></testsuites>')
    return 0


def long_text(file: TextIO) -> int:
    file.write('<testsuites name="vitest tests"><testsuite><testcase name="t" classname="a">')
    file.write("<failure>")
    for _ in range(SIZE // 1_000_000):
        file.write("x" * 1_000_000)
    file.write("</failure></testcase></testsuite></testsuites>")
    return 1


def many_lines(file: TextIO) -> int:
    file.write("\n RUN  v3.2.7 /p\n\n")
    block = "not a line of any report, 只是日志\n" * 25_000
    for _ in range(SIZE_OF_LINES // len(block.encode())):
        file.write(block)
    file.write(" FAIL  a.test.ts > t\nError: 坏\n ❯ a.test.ts:1:2\n\n   Duration  1.50s\n")
    return 1


def no_line_ends(file: TextIO) -> int:
    file.write(" RUN  v3.2.7 /p\n")
    for _ in range(SIZE // 1_000_000):
        file.write("x" * 1_000_000)
    return 0


@pytest.mark.parametrize(
    "write", [long_string, long_attribute, long_text, many_lines, no_line_ends]
)
def test_a_report_of_200_mb_is_answered_in_bounded_memory_and_time(
    write: Callable[[TextIO], int], tmp_path: Path
) -> None:
    report = tmp_path / "report"
    with report.open("w", encoding="utf-8") as file:
        failed = write(file)
    assert report.stat().st_size > 0.95 * (SIZE_OF_LINES if write is many_lines else SIZE)

    done = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path)], capture_output=True, timeout=120, check=True
    )
    report.unlink()

    found = orjson.loads(done.stdout)
    unit = 1 if sys.platform == "darwin" else 1024
    assert found["memory"] * unit < MOST_MEMORY_MB * 1024 * 1024
    if found["ok"]:
        assert (found["passed"], found["totals"]["failed"]) == (False, failed)
    else:
        assert "one tag of it is longer" in found["reason"]


def test_memory_is_counted_in_the_unit_that_is_assumed() -> None:
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024
    assert 10_000_000 < own * unit < 10_000_000_000
