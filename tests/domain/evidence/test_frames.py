from collections.abc import Sequence

import pytest

from devloop_tools.domain.evidence.frames import FrameReader
from devloop_tools.domain.evidence.lines import lines_of_text
from devloop_tools.domain.evidence.places import Frame, Source


def read(text: str) -> Sequence[Frame]:
    return list(FrameReader().read(lines_of_text(text)))


@pytest.mark.parametrize(
    ("line", "path", "number", "function"),
    [
        ("    at save (/project/src/a.ts:12:5)", "/project/src/a.ts", 12, "save"),
        ("    at async Todos.保存 (file:///p/b.mjs:3:1)", "file:///p/b.mjs", 3, "Todos.保存"),
        ("    at new Cart (src/购物车.js:4:9)", "src/购物车.js", 4, "Cart"),
        ("    at /project/src/a.ts:12:5", "/project/src/a.ts", 12, None),
        ("at async Promise.all (index 0)", None, 0, None),
        ("    at page (app/(auth)/page.tsx:7:3)", "app/(auth)/page.tsx", 7, "page"),
        ("    at C:\\proj\\src\\a.ts:12:5", "C:\\proj\\src\\a.ts", 12, None),
        ("api-1  |     at run (src/a.js:1:2)", "src/a.js", 1, "run"),
        ("    at Object.get [as name] (src/a.js:1:2)", "src/a.js", 1, "Object.get [as name]"),
    ],
)
def test_frames_of_v8(line: str, path: str | None, number: int, function: str | None) -> None:
    wanted = [Frame(Source.V8, path, number, function)] if path else []
    assert read(line) == wanted


def test_a_python_traceback_gives_its_source_the_innermost_first() -> None:
    text = """Traceback (most recent call last):
  File "/project/app/主.py", line 3, in <module>
    run()
  File "/project/app/run.py", line 9, in run
    return 1 / 零
           ~~^~~
ZeroDivisionError: division by zero
see src/a.ts:4
"""
    assert read(text) == [
        Frame(Source.CPYTHON, "/project/app/run.py", 9, "run", "return 1 / 零"),
        Frame(Source.CPYTHON, "/project/app/主.py", 3, "<module>", "run()"),
        Frame(Source.LOG, "src/a.ts", 4),
    ]


def test_a_traceback_in_a_containers_log_keeps_its_source_clean() -> None:
    text = 'api | Traceback\napi |   File "a.py", line 2, in f\napi |     x = y\napi | NameError: y'
    assert read(text) == [Frame(Source.CPYTHON, "a.py", 2, "f", "x = y")]


def test_a_syntax_error_and_a_group_of_exceptions_are_read() -> None:
    text = '  File "a.py", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax'
    assert read(text) == [Frame(Source.CPYTHON, "a.py", 1, None, "def f(:")]
    text = (
        '    | Traceback\n    |   File "b.py", line 5, in g\n    |     boom()\n    | ValueError: 1'
    )
    assert read(text) == [Frame(Source.CPYTHON, "b.py", 5, "g", "boom()")]


def test_a_code_frame_of_vitest_gives_the_line() -> None:
    text = """ FAIL  tests/a.test.ts > 购物车 > adds
AssertionError: expected 1 to be 2
 ❯ tests/a.test.ts:14:21
     12|   const cart = make()
     13|
     14|   expect(cart.总数).toBe(2)
       |                     ^
 ❯ add src/cart.ts:3:1
"""
    assert read(text) == [
        Frame(Source.VITEST, "tests/a.test.ts", 14, None, "expect(cart.总数).toBe(2)"),
        Frame(Source.VITEST, "src/cart.ts", 3, "add"),
    ]


def test_messages_of_tsc_in_both_forms() -> None:
    text = """src/a.ts(12,18): error TS2339: Property 'x' does not exist.
src/b.tsx:3:7 - error TS2322: Type 'string' is not assignable.

3 const n: number = "三"
        ~
"""
    assert read(text) == [
        Frame(Source.TSC, "src/a.ts", 12),
        Frame(Source.TSC, "src/b.tsx", 3, None, 'const n: number = "三"'),
    ]


def test_pytest_gives_the_marked_line() -> None:
    text = (
        "    def test_x():\n>       assert f() == 2\nE       assert 1\n\ntests/test_x.py:5: Assert"
    )
    assert read(text) == [Frame(Source.PYTEST, "tests/test_x.py", 5, None, "assert f() == 2")]


@pytest.mark.parametrize(
    ("text", "path", "number"),
    [
        ("错误在 src/价格.py 第 12 行", "src/价格.py", 12),
        ("src/价格.py的第3行", "src/价格.py", 3),
        ("see `reset.py`, line 40 of it", "reset.py", 40),
        ("WARN [app] units/a/src/b.vue:7 failed", "units/a/src/b.vue", 7),
        ("(lib/x.mjs:10:2)", "lib/x.mjs", 10),
        ("at http://localhost:3000/a", None, 0),
        ("v1.2.3:40 and 10:20:30", None, 0),
        ("a.tsx12:3", None, 0),
    ],
)
def test_places_that_people_write(text: str, path: str | None, number: int) -> None:
    assert [(frame.path, frame.line) for frame in read(text)] == ([(path, number)] if path else [])


def test_a_trace_that_a_json_log_keeps_in_one_line() -> None:
    text = (
        r'{"level":"error","stack":"Error: 坏\n    at f (src/a.ts:1:2)\n    at g (src/b.ts:3:4)"}'
    )
    assert [(frame.path, frame.line) for frame in read(text)] == [("src/a.ts", 1), ("src/b.ts", 3)]


@pytest.mark.parametrize(
    "piece", [".", "a.ts", "❯ ", ":1:2", "at ", 'File "', "(", "第", "\\n    at "]
)
def test_a_line_of_one_thing_over_and_over_costs_no_time(piece: str) -> None:
    read(piece * 200_000)
