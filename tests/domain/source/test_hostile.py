"""Source that nobody would write, but that may lie there."""

import time

import pytest

from devloop_tools.domain.contract_check.comparison import differences
from devloop_tools.domain.source.files import SourceFile
from devloop_tools.domain.source.unit_source import UnitSource, read_source

DEEP = 10_000
APP = "const express = require('express'); const app = express();"
CONTRACT = {"unit": "u", "version": 1, "endpoints": [], "functions": [], "types": {}}


def read(*files: tuple[str, str]) -> UnitSource:
    source = read_source([SourceFile(path, content.encode()) for path, content in files])
    differences(CONTRACT, source)
    return source


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.js", "(" * DEEP + "1" + ")" * DEEP),
        ("a.js", "x = " + "[" * DEEP + "]" * DEEP),
        ("a.js", "f(" * DEEP + ")" * DEEP),
        ("a.js", "f" + "()" * DEEP),
        ("a.js", "x = a" + ".b" * DEEP),
        ("a.js", "function f() {" * DEEP + "}" * DEEP),
        ("a.js", "export const f = " + "() => " * DEEP + "1"),
        ("a.js", "x = " + "a ? 1 : " * DEEP + "2"),
        ("a.ts", "export type X = " + "Array<" * DEEP + "string" + ">" * DEEP),
        ("a.ts", "export type X = string" + "[]" * DEEP),
        ("a.ts", "export type X = " + "{a: " * DEEP + "string" + "}" * DEEP),
        ("a.ts", "export type X = " + " | ".join(f"'{n}'" for n in range(DEEP))),
        ("a.py", "x = " + "(" * DEEP + "1" + ")" * DEEP),
        ("a.py", "x = " + "[" * DEEP + "]" * DEEP),
        ("a.py", "x = a" + ".b" * DEEP),
        ("a.py", "def f(x: " + "list[" * DEEP + "int" + "]" * DEEP + "): ..."),
        ("a.py", "x = " + " + ".join(["'a'"] * DEEP)),
        ("a.py", "x = " + "lambda: " * DEEP + "1"),
    ],
    ids=lambda text: text[:24],
)
def test_nesting_ten_thousand_deep_is_bounded(path: str, content: str) -> None:
    started = time.monotonic()
    read((path, content), ("good.js", "export function good() {}"))
    assert time.monotonic() - started < 20


def test_texts_that_double_with_each_step_are_bounded() -> None:
    doubled = "".join(f"const a{n} = `${{a{n - 1}}}${{a{n - 1}}}`;" for n in range(1, 60))
    chosen = "".join(f"const b{n} = b{n - 1} + (x ? 'a' : 'b');" for n in range(1, 30))
    source = read(
        ("a.js", f"{APP} const a0 = 'x'; {doubled} app.get('/' + a59, (q, s) => s.end())"),
        ("b.js", f"{APP} const b0 = 'x'; {chosen} app.get('/' + b29, (q, s) => s.end())"),
    )
    assert len(source.routes) <= 32


def test_types_that_double_with_each_step_are_bounded() -> None:
    steps = "".join(
        f"type A{n}<T> = {{ a: A{n - 1}<T>; b: A{n - 1}<T>; c?: A{n - 1}<T[]> }};"
        for n in range(1, 40)
    )
    types = f"type A0<T> = {{ a: T }}; {steps} export type Z = A39<string>;"
    source = read_source([SourceFile("a.ts", types.encode())])
    contract = {"unit": "u", "version": 1, "types": {"Z": {"type": "object", "properties": {}}}}
    started = time.monotonic()
    differences(contract, source)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    "files",
    [
        [("a.js", "export * from './b'; export { x } from './b'"),
         ("b.js", "export * from './a'; export { x } from './a'")],
        [("a.js", "module.exports = require('./b')"), ("b.js", "module.exports = require('./a')")],
        [("a.py", "from b import *\nfrom b import x"), ("b.py", "from a import *")],
        [("a.py", "class A(B): x: int\nclass B(A): y: int")],
        [("a.ts", "export interface A extends B {} export interface B extends A {}")],
        [("a.ts", "export type A = B; export type B = A")],
        [("a.js", "const f = () => g(); const g = () => f(); f().get('/x', h)")],
        [("a.js", f"{APP} const r = express.Router(); r.use('/a', r); app.use(r)")],
        [("a.js", f"{APP} const a = express.Router(), b = express.Router(); app.use('/x', a);"
                  "a.use('/a', b); b.use('/b', a); a.get('/z', (q, s) => s.end())")],
        [("a.js", "function f(a) { f(a); a.get('/x', h); return a } f(f(f))")],
    ],
)  # fmt: skip
def test_what_leads_back_to_itself_ends(files: list[tuple[str, str]]) -> None:
    read(*files)


@pytest.mark.parametrize(
    ("path", "content", "line"),
    [
        ("a.js", "export function good() {}\nconst = = =\n", 2),
        ("a.ts", "export function good(): void {}\n<<<<<<< HEAD\n", 2),
        ("a.py", "def good(): ...\n\ndef broken(:\n", 3),
    ],
)
def test_a_file_that_does_not_parse_is_named_and_read_as_far_as_it_goes(
    path: str, content: str, line: int
) -> None:
    source = read((path, content))
    [fault] = source.faults
    assert (fault.path, fault.line) == (path, line)
    assert "good" in {one.name for one in source.functions}


def test_code_full_of_holes_raises_nothing() -> None:
    for text in ("}}}))) const function", "export default", "import from", "class {", "app.get("):
        for path in ("a.js", "a.ts", "a.tsx"):
            read((path, text))
    for text in (
        "def",
        "class A(",
        "@",
        "@app.get(",
        "from . import",
        "x: = 3",
        "return",
        "import",
    ):
        read(("a.py", text))


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.py", "-->" * 5000),
        ("a.py", "<!--" * 5000),
        ("a.js", "match x:\n" * 5000),
        ("a.ts", "match x:\n" * 5000),
        ("a.tsx", "match 中:\n" * 5000),
    ],
)
def test_what_a_grammar_takes_minutes_for_is_given_up_and_named(path: str, content: str) -> None:
    started = time.thread_time()
    source = read((path, content), ("good.js", "export function good() {}"))
    assert time.thread_time() - started < 3
    assert [(fault.path, fault.line) for fault in source.faults] == [(path, 1)]
    assert [function.name for function in source.functions] == ["good"]


@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.py"])
def test_a_number_that_python_would_not_read_is_no_number(path: str) -> None:
    assert read((path, "x = 1" + "0" * 5000)).faults == []


DOUBLED = range(1, 40)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.py", "class A(A, A): pass\nA.x.y()\nA().run()\n"),
        ("a.py", "class A0: pass\n" + "".join(
            f"class A{n}(A{n - 1}, A{n - 1}): pass\n" for n in DOUBLED
        ) + "A39.route.x()\n"),
        ("a.py", "a0 = ['/x']\n" + "".join(
            f"a{n} = a{n - 1} if x else a{n - 1}\n" for n in DOUBLED
        ) + "for p in a39: app.route(p)(f)\n"),
        ("a.js", "const a0=['/a'];" + "".join(
            f"const a{n}=[...a{n - 1},...a{n - 1}];" for n in DOUBLED
        ) + f"{APP} for (const p of a39) app.get(p, (q, s) => s.end())"),
        ("a.js", f"const a=[...a,...b];const b=[...a,...b];{APP} for (const p of a) app.get(p, f)"),
        ("a.js", "const a = b.use('/x', a); const b = a.use(b); a.get('/y', f); b.get('/y', f)"),
        ("a.js", "const r = r.get('/x', f); r.get('/y', f)"),
        ("a.js", f"{APP} const a0 = app;" + "".join(
            f"const a{n} = x ? a{n - 1}.use('/x', f) : a{n - 1}.use('/y', f);" for n in DOUBLED
        ) + "a39.get('/z', f)"),
    ],
    ids=["own base", "bases", "choices", "lists", "own item", "own router", "own route", "routers"],
)  # fmt: skip
def test_what_doubles_with_each_step_or_leads_to_itself_is_bounded(path: str, content: str) -> None:
    started = time.thread_time()
    read((path, content))
    assert time.thread_time() - started < 2


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.py", "class T(T): pass\n"),
        ("a.py", "class B(T): pass\nclass T(B): x: int\n"),
        ("a.py", "class T0: x: int\n" + "".join(
            f"class T{n}(T{n - 1}, T{n - 1}): pass\n" for n in DOUBLED
        ) + "class T(T39): pass\n"),
        ("a.py", "class T0: x: int\n" + "".join(
            f"class T{n}(T{n - 1}): pass\n" for n in range(1, 2000)
        ) + "class T(T1999): pass\n"),
        ("a.ts", "type G0<P> = {a: P}; " + "".join(
            f"type G{n}<P> = {{{', '.join(f'a{k}: G{n - 1}<P>' for k in range(30))}}}; "
            for n in range(1, 9)
        ) + "export type T = G8<string>;"),
    ],
    ids=["own base", "circle", "bases", "long", "parameters"],
)  # fmt: skip
def test_types_that_double_or_are_built_on_themselves_are_bounded(path: str, content: str) -> None:
    source = read_source([SourceFile(path, content.encode())])
    started = time.thread_time()
    differences({**CONTRACT, "types": {"T": {"type": "object", "properties": {}}}}, source)
    source.shapes.definition(source.program.modules[path], "T")
    assert time.thread_time() - started < 3
