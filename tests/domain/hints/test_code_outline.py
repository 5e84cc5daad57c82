import time

from devloop_tools.domain.hints.code_outline import WrittenTest, outline_of
from devloop_tools.domain.source.tree import SUFFIXES

SCRIPT = """\
import { total } from "../src/价格";
beforeEach(() => { reset(); });
const helper = (x) => wrap(x);
class Cart { add(item) { this.#check(item); return item.sum; } held = () => keep(); }
const api = { load: async () => fetchAll() };
describe("组", () => {
  it("adds > 加", async () => { expect(total([1])).toBe(1); });
  it.each([[1]])("case %i of ${name}", (n) => { helper(n); });
  test.skip(`left out`, () => {});
  it(title, () => {});
});
"""

PYTHON = """\
import pytest

@pytest.fixture
def ledger(database):
    return open_ledger(database)

class TestBooks:
    async def test_一本(self, ledger):
        assert ledger.balance("x") == compute(1)

def plain(value):
    return [inner(v) for v in value.items]
"""


def test_functions_of_every_form_are_found() -> None:
    outline = outline_of(SCRIPT.encode(), "test/a.test.js")
    names = {part.name: part.names for part in outline.functions}
    assert set(names) == {"helper", "add", "held", "load"}
    assert "wrap" in names["helper"]
    assert "#check" in names["add"]
    assert "sum" not in names["add"]
    assert "fetchAll" in names["load"]


def test_tests_and_hooks_are_found() -> None:
    outline = outline_of(SCRIPT.encode(), "test/a.test.ts")
    titles = [(test.name, test.start, test.is_left_out) for test in outline.tests]
    assert titles == [
        ("adds > 加", 7, False),
        ("case %i of ${name}", 8, False),
        ("left out", 9, True),
    ]
    assert "total" in outline.tests[0].names
    assert [hook.name for hook in outline.hooks] == ["beforeEach"]
    assert "reset" in outline.hooks[0].names
    assert "total" in outline.lines[7]


def test_a_title_with_places_is_that_of_each_case() -> None:
    test = WrittenTest("case %i of ${name}", 1, 1, frozenset())
    assert test.is_called("case 2 of 甲")
    assert not test.is_called("case 2")
    assert not WrittenTest("a.b", 1, 1, frozenset()).is_called("axb")


def test_python_asks_for_fixtures_by_parameters() -> None:
    outline = outline_of(PYTHON.encode(), "tests/test_a.py")
    [test] = outline.tests
    names = {part.name: part.names for part in outline.functions}
    assert test.name == "test_一本"
    assert {"ledger", "balance", "compute"} <= test.names
    assert {"open_ledger", "database"} <= names["ledger"]
    assert "inner" in names["plain"]
    assert "items" not in names["plain"]


def test_what_cannot_be_parsed_is_read_as_far_as_it_can_be() -> None:
    broken = b"function a() { b(); }\n)))] \xff\xfe function c() { d("
    assert [part.name for part in outline_of(broken, "a.ts").functions][:1] == ["a"]
    for suffix in SUFFIXES:
        deep = b"(" * 50_000
        assert outline_of(deep, f"a{suffix}").functions == []


def test_calls_of_calls_without_end_are_read() -> None:
    outline = outline_of(b"f" + b"()" * 20_000 + b"; it('a', () => { g(); })", "a.ts")
    assert [test.name for test in outline.tests] == ["a"]


def test_functions_in_functions_cost_no_more_than_their_text() -> None:
    inner = "g(1); " * 20_000
    content = "function f(){" * 60 + inner + "}" * 60
    started = time.thread_time()
    outline = outline_of(content.encode(), "a.js")
    assert time.thread_time() - started < 5
    assert len(outline.functions) == 60
    assert all("g" in part.names for part in outline.functions)


def test_what_takes_too_long_to_parse_has_no_outline() -> None:
    started = time.thread_time()
    assert outline_of(b"-->" * 5000, "a.py").functions == []
    assert time.thread_time() - started < 3
