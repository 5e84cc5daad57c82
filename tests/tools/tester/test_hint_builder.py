import json
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.domain.reports.model import ReportParsed
from devloop_tools.toolkit import Refused, ToolSandboxError
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.tester.hint_builder import hint_builder
from devloop_tools.tools.tester.parse_vitest import parse_vitest

CODE = """\
export function total(prices) {
  return prices.reduce((sum, price) => sum + price, 1);
}
export function label(text) {
  return text.trim();
}
"""
TESTS = """\
import { label, total } from "../src/shop.js";
it("adds prices", () => {
  expect(total([1, 2])).toBe(3);
});
it("总价为零", () => {
  expect(total([])).toBe(0);
});
it("trims", () => {
  expect(label(" a ")).toBe("a");
});
"""
ADDS = {
    "full_name": "adds prices", "file": "units/shop/test/shop.test.js", "line": 3,
    "message": "expected 4 to be 3", "expected": "3", "actual": "4", "kind": "assertion",
}  # fmt: skip
ZERO = {**ADDS, "full_name": "总价为零", "line": 6, "expected": "0", "actual": "1"}


def lay_out(root: Path, contract: dict[str, Any] | None = None) -> None:
    for path, text in {"src/shop.js": CODE, "test/shop.test.js": TESTS}.items():
        file = root / "units/shop" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    if contract:
        page = root / "sdd/units/shop.html"
        page.parent.mkdir(parents=True)
        data = json.dumps({"unit": "shop", "version": 1, **contract})
        page.write_text(f'<script type="application/json" id="data-contract">{data}</script>')


async def build(root: Path, **arguments: Any) -> str:
    ctx = tool_context(root, "tester", unit_id="shop")
    result = await call_tool(hint_builder, arguments, ctx)
    assert isinstance(result, str), result
    assert len(result) <= 1_200
    return result


async def refusal(root: Path, **arguments: Any) -> str:
    result = await call_tool(hint_builder, arguments, tool_context(root, "tester", unit_id="shop"))
    assert isinstance(result, Refused), result
    return f"{result.reason} {result.hint}"


async def test_a_hint_has_place_values_contract_cause_and_next_step(tmp_path: Path) -> None:
    params = [{"name": "prices", "schema": {"type": "array"}}]
    lay_out(
        tmp_path,
        {"functions": [{"name": "total", "params": params, "returns": {"type": "number"}}]},
    )

    hint = await build(tmp_path, failures=[ADDS])

    assert hint.splitlines() == [
        "1. `total` in units/shop/src/shop.js:1",
        "   Failed: “adds prices” units/shop/test/shop.test.js:3: expected 4 to be 3",
        "   Expected 3; came 4.",
        "   Contract: total(prices: array) → number",
        "   Likely: off by one: a bound, < for <=, or an index. 1 of 1 failures and 1 passing tests"
        " run `total`.",
        '   Next: read units/shop/src/shop.js:1-3; npx vitest run shop.test.js -t "adds prices"',
    ]


async def test_failures_of_one_cause_make_one_hint(tmp_path: Path) -> None:
    lay_out(tmp_path)
    hint = await build(tmp_path, failures=[ADDS, ZERO])
    assert hint.startswith("1. `total` in units/shop/src/shop.js:1 (2 failures)")
    assert "\n2." not in hint
    assert "2 of 2 failures and 0 passing tests" in hint


async def test_chinese_tests_get_a_chinese_hint(tmp_path: Path) -> None:
    lay_out(tmp_path)
    hint = await build(tmp_path, failures=[{**ZERO, "message": "期望 1 等于 0"}])
    assert "期望 0，实际 1。" in hint
    assert "下一步：查看 units/shop/src/shop.js:1-3" in hint


async def test_a_chinese_contract_makes_the_hint_chinese(tmp_path: Path) -> None:
    said = "把所有商品的价格加起来，得到以分为单位的总价，不含运费，也不含任何优惠" * 4
    lay_out(tmp_path, {"functions": [{"name": "total", "summary": said}]})
    assert "契约：total(): 把所有商品" in await build(tmp_path, failures=[ADDS])


async def test_a_report_may_come_as_a_result_a_path_or_a_text(tmp_path: Path) -> None:
    lay_out(tmp_path)
    test = {
        "ancestorTitles": [], "title": "adds prices", "status": "failed",
        "failureMessages": [
            "AssertionError: expected 4 to be 3\n    at /ci/units/shop/test/shop.test.js:3:25"
        ],
    }  # fmt: skip
    file = {"assertionResults": [test], "name": "/ci/test/shop.test.js", "status": "failed"}
    text = json.dumps({"numTotalTests": 1, "success": False, "testResults": [file]})
    (tmp_path / "units/shop/report.json").write_text(text)
    ctx = tool_context(tmp_path, "tester", unit_id="shop")
    parsed = await call_tool(parse_vitest, {"text": text, "exit_code": 1}, ctx)
    assert isinstance(parsed, ReportParsed)
    result = parsed.model_dump(mode="json")

    hints = [
        await build(tmp_path, report=given)
        for given in (result, json.dumps(result), text, "units/shop/report.json")
    ]

    assert hints[0].startswith("1. `total` in units/shop/src/shop.js:1\n")
    assert len(set(hints)) == 1


async def test_what_has_no_code_is_grouped_by_message(tmp_path: Path) -> None:
    def gone(number: int, module: str) -> dict[str, Any]:
        return {
            "full_name": f"t {number}",
            "file": f"a{number}.rb",
            "message": f"no '{module}' {number}",
        }

    hint = await build(tmp_path, failures=[gone(1, "x"), gone(2, "y"), gone(3, "z")])

    assert hint.startswith("1. a1.rb (3 failures)")
    assert "\n2." not in hint


async def test_what_blocks_others_comes_first(tmp_path: Path) -> None:
    lay_out(tmp_path)
    load = {"kind": "load", "file": "test/b.test.js", "message": "Cannot find module './gone'"}
    report = {"failures": [ADDS, ZERO], "suite_errors": [load], "unhandled_errors": []}
    first, second = (await build(tmp_path, report=report)).split("\n2. ")
    assert first.startswith("1. test/b.test.js")
    assert "none of its tests ran" in first
    assert second.startswith("`total`")


async def test_errors_outside_of_tests_get_a_hint(tmp_path: Path) -> None:
    lay_out(tmp_path)
    stack = ["at total (units/shop/src/shop.js:2:5)"]
    error = {"message": "late boom", "file": "units/shop/src/shop.js", "line": 2, "stack": stack}
    hint = await build(tmp_path, report={"unhandled_errors": [error]})
    assert hint.startswith("1. `total` in units/shop/src/shop.js:1")
    assert "nobody awaits" in hint


@pytest.mark.parametrize("count", [1, 3, 12, 200])
async def test_all_hints_together_keep_to_their_bound(count: int, tmp_path: Path) -> None:
    lay_out(tmp_path)
    words = ("甲", "乙", "丙", "丁", "戊", "己", "庚", "辛", "壬", "癸", "子", "丑")
    failures = [
        {"full_name": "组 > " * 40 + f"例 {at}", "file": f"test/{'很长' * 60}{at % 12}.test.js",
         "message": words[at % 12] * 3_000, "expected": "值" * 3_000, "actual": "別" * 3_000}
        for at in range(count)
    ]  # fmt: skip
    hint = await build(tmp_path, failures=failures, max_hints=10)
    assert hint.startswith("1. ")
    assert len(hint) > 300
    assert (await build(tmp_path, failures=failures, max_hints=1)).count("\n2. ") == 0
    if count >= 12:
        assert "个原因" in hint


async def test_no_failure_needs_no_hint(tmp_path: Path) -> None:
    assert "no failure" in await build(tmp_path, report={"failures": []})
    assert "no failure" in await build(tmp_path, failures=[])


async def test_a_stack_in_a_language_we_do_not_know_is_no_hindrance(tmp_path: Path) -> None:
    stack = ["main.rs:12: in `core::panic`", "#0 0x7f in ?? ()", "\tat Foo.bar(Foo.java)"]
    hint = await build(tmp_path, failures=[{"full_name": "t", "message": "panic", "stack": stack}])
    assert hint.startswith("1. t\n")
    assert "panic" in hint


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "exactly one of them"),
        ({"report": "x", "failures": []}, "exactly one of them"),
        ({"report": {"a": 1}}, "it has no failures"),
        ({"report": {"failures": 3}}, "report.failures"),
        ({"report": {"failures": [{"line": "x"}]}}, "report.failures.0"),
        ({"failures": [{"line": []}]}, "failures[0].line"),
        ({"report": "gone.json"}, "gone.json: there is no such file"),
        ({"report": "no report\nat all"}, "no report"),
        ({"report": ""}, "no report"),
    ],
)
async def test_what_cannot_be_used_is_refused(
    arguments: dict[str, Any], said: str, tmp_path: Path
) -> None:
    assert said in await refusal(tmp_path, **arguments)


async def test_a_path_outside_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolSandboxError):
        await build(tmp_path, report="../../etc/passwd")


@pytest.mark.parametrize(
    "given",
    [
        {"failures": [{}]},
        {"failures": [ADDS, {"full_name": " ", "line": 3}]},
        {"report": "[{}]"},
        {"report": '[{"kind": "error"}]'},
    ],
)
async def test_a_failure_that_says_nothing_is_refused(tmp_path: Path, given: Any) -> None:
    assert "it names no test, no file and no message. A failure is" in await refusal(
        tmp_path, **given
    )


async def test_a_list_of_what_is_no_failure_is_refused(tmp_path: Path) -> None:
    assert "failures[0]: it is no object." in await refusal(tmp_path, report="[3]")


async def test_failures_may_come_as_text(tmp_path: Path) -> None:
    lay_out(tmp_path)
    text = await build(tmp_path, report=json.dumps([ADDS]))
    assert text == await build(tmp_path, failures=[ADDS])


@pytest.mark.parametrize(
    ("failure", "lines"),
    [
        ({"full_name": "adds"}, ["1. adds", "   Failed: “adds”"]),
        ({"message": "boom"}, ["1. error", "   Failed: boom"]),
        ({"message": "总价不对"}, ["1. error", "   失败：总价不对"]),
    ],
)
async def test_a_hint_holds_no_empty_places(
    tmp_path: Path, failure: dict[str, str], lines: list[str]
) -> None:
    hint = (await build(tmp_path, failures=[failure])).splitlines()
    assert hint[:2] == lines
    assert not hint[-1].endswith((": ", "："))
