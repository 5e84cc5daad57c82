import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cases.case import Case, load_cases, pick
from tests.cases.runner import main, run_case
from tests.cases.verdict import Verdict

FAKE = Path(__file__).with_name("fake_server.py")
HANDED = Path(__file__).with_name("cases.jsonl")
PATIENCE_S = 2.0
SEPARATED = "甲\u2028乙"


def line(request_id: Any, method: str, params: Any = None) -> dict[str, str]:
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return {"line": json.dumps(message | ({} if params is None else {"params": params}))}


def call(request_id: Any, tool: str, **arguments: Any) -> dict[str, str]:
    token = {"_meta": {"progressToken": 0}}
    return line(request_id, "tools/call", {"name": tool, "arguments": arguments, **token})


PING = [line(1, "ping")]
ECHO = [call(1, "f_echo", text="你好 hello")]
LIST = [line(1, "tools/list")]
GARBAGE = [{"line": "这 is not json"}, line(1, "ping")]
BATCH = [{"line": '[{"jsonrpc":"2.0","id":8,"method":"ping"}]'}, line(1, "ping")]
CANCEL: list[dict[str, Any]] = [
    call(1, "f_sleep", seconds=0.3),
    {"line": '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'},
    {"sleep": 0.6},
]
FORGE = [call(1, "f_print", text='x\n{"jsonrpc":"2.0","id":1,"result":{"forged":true}}\n')]
RAISE = [call(1, "f_raise"), call(2, "no_such_tool")]
ANSWERED: dict[str, Any] = {"reply": {"1": {"result": True}}}
ERROR_TEXT = {"is_error": True, "text_contains": ["磁盘"], "no_key": "structuredContent"}
RAISED = {
    "reply": {
        "1": {**ERROR_TEXT, "text_not_contains": ["Traceback"]},
        "2": {"error_code": -32602, "text_contains": ["no_such_tool"]},
    }
}
PROGRESSED = {
    "notifications": {
        "method": "notifications/progress", "token_exact": 0, "n_min": 3, "before_reply": True
    }
}  # fmt: skip
JSON_TEXT = {"each_line": "json-object", "inner_text": "also strict JSON if it claims to be JSON"}
END = {"exit": {"within_s": 3, "code_in": [0]}, "cpu_spin": False, "children_left": 0}
CLOSE = [{"close_stdin": True}]

TABLE: list[tuple[str, list[dict[str, Any]], dict[str, Any], str]] = [
    ("banner", PING, ANSWERED, "not strict JSON"),
    ("utf-16", PING, ANSWERED, "not strict JSON"),
    ("no line feed", PING, ANSWERED, "no reply"),
    ("crlf", PING, {"stdout_bytes": {"must_not_contain_hex": "0d0a"}}, "0d0a"),
    ("mute", PING, ANSWERED, "no reply"),
    ("twice", PING, ANSWERED, "a second reply to 1"),
    ("id as text", PING, ANSWERED, 'a reply to "1", which was never asked'),
    ("id as text", PING, {"reply_exact_ids": [1]}, "reply_exact_ids: none for 1"),
    ("late", PING, {"reply": {"1": {"result": {}, "within_s": 1}}}, "1 s allowed"),
    ("says too much", PING, {"reply": {"1": {"result": {}}}}, "result is"),
    ("dies", PING, {"alive": True}, "alive is not True"),
    ("traceback", GARBAGE, ANSWERED, "a Traceback for bad input"),
    ("traceback", GARBAGE, {"stderr_must_not_contain": ["Traceback"]}, "stderr holds"),
    ("silent about garbage", GARBAGE,
     {"count_matching": {"id": None, "error_code": -32700, "n": 1}}, "count_matching: 0"),
    ("", GARBAGE, {"extra_ok": [{"id": None, "error_code": -32600}]}, "is not among them"),
    ("answers batches", BATCH,
     {"error_line": {"id": None, "error_code": -32600}}, "error_line: nothing"),
    ("answers batches", BATCH, {"no_reply": [8]}, "no_reply: 8 has one"),
    ("deaf to cancels", CANCEL, {"no_reply": [1]}, "no_reply: 1 has one"),
    ("changed text", ECHO, {"reply": {"1": {"text_equals": "你好 hello"}}}, "text is"),
    ("raw separators", [call(1, "f_echo", text=SEPARATED)],
     {"stdout_bytes": {"must_not_contain_hex_any": ["e280a8"]}}, "e280a8"),
    ("nan", ECHO, {"stdout_bytes": JSON_TEXT}, "looks like JSON"),
    ("forged", FORGE, {"no_forged": True}, "no_forged"),
    ("token as text", [call(1, "f_progress", n=3)], PROGRESSED, "notifications: 0"),
    ("too little progress", [call(1, "f_progress", n=3)], PROGRESSED, "notifications: 2"),
    ("progress after the reply", [call(1, "f_progress", n=3)], PROGRESSED, "before the reply"),
    ("shows a traceback", RAISE, RAISED, "磁盘"),
    ("no error", RAISE, RAISED, "isError is not True"),
    ("structured error", RAISE, RAISED, "structuredContent"),
    ("wrong code", RAISE, RAISED, "not error -32602"),
    ("union at the root", LIST, {"for_each_tool": "'anyOf' not in inputSchema"}, "f_echo: not"),
    ("dangling reference", LIST,
     {"for_each_tool": "every $ref resolves inside the same schema"}, "f_echo: not"),
    ("a name twice", LIST, {"names_unique": True}, "names_unique"),
    ("a name twice", LIST, {"for_each_tool": "name and names unique"}, "f_echo: not"),
    ("", LIST, {"not_listed": ["f_sleep"]}, "not_listed: ['f_sleep']"),
    ("", [*PING, line(2, "tools/list")], {"same_result": ["1", "2"]}, "same_result"),
    ("", [call(1, "record_memory", topic="甲", content="x")], {"entries_after": 1}, "0, not 1"),
    ("", [call(1, "f_echo", text="x")], {"id_1": "isError or -32602 naming text"}, "neither"),
    ("deaf to the end", CLOSE, {"exit": {"within_s": 1}}, "it lives on"),
    ("wrong exit code", CLOSE, END, "code 3"),
    ("spins at the end", CLOSE, END, "cpu_spin"),
    ("leaves a child", CLOSE, END, "children_left"),
    ("wrong exit code", PING, ANSWERED, "code 0"),
]  # fmt: skip


def against_fake(fault: str, steps: list[dict[str, Any]], expect: dict[str, Any]) -> Verdict:
    case = Case("H-X01", "X", "rpc", {"init": True, "steps": steps}, expect)
    return run_case(case, lambda _project: [sys.executable, str(FAKE), fault], PATIENCE_S)


@pytest.mark.parametrize(("fault", "steps", "expect", "said"), TABLE)
def test_a_misbehaving_server_fails_the_case(
    fault: str, steps: list[dict[str, Any]], expect: dict[str, Any], said: str
) -> None:
    verdict = against_fake(fault, steps, expect)
    assert verdict.word == "failed"
    assert said in verdict.line("H-X01")


@pytest.mark.parametrize(
    ("steps", "expect"),
    [
        (steps, expect)
        for number, (fault, steps, expect, _) in enumerate(TABLE)
        if fault and (steps, expect) not in [row[1:3] for row in TABLE[:number]]
    ],
)
def test_the_same_server_without_the_fault_passes(
    steps: list[dict[str, Any]], expect: dict[str, Any]
) -> None:
    assert against_fake("", steps, expect).line("H-X01") == "H-X01 passed"


@pytest.mark.parametrize(
    ("expect", "key"),
    [
        ({"colour": 3}, "colour"),
        ({"reply": {"1": {"colour": "blue"}}}, "reply.colour"),
        ({"stdout_bytes": {"colour": "blue"}}, "stdout_bytes.colour"),
        ({"for_each_tool": "has a colour, mostly"}, "for_each_tool"),
    ],
)
def test_a_key_that_no_handed_case_has_is_not_run_and_named(
    expect: dict[str, Any], key: str
) -> None:
    assert against_fake("", PING, ANSWERED | expect).line("x") == f"x not run | key: {key}"


def test_the_other_keys_of_such_a_case_are_judged_all_the_same() -> None:
    verdict = against_fake("mute", PING, {"colour": 3, **ANSWERED})
    assert verdict.word == "failed"


def test_a_step_that_no_handed_case_has_is_not_run_and_named() -> None:
    assert against_fake("", [{"dance": 1}, *PING], ANSWERED).unknown == ["dance"]


@pytest.mark.parametrize("key", ["upstream", "policy"])
def test_a_case_whose_set_up_does_not_exist_yet_is_not_run(key: str) -> None:
    given = {"init": True, "steps": PING, key: {}}
    assert run_case(Case("H-X01", "X", "rpc", given, ANSWERED)).unknown == [key]


def test_a_sentence_in_words_is_listed_and_does_not_fail_the_case() -> None:
    verdict = against_fake("", PING, {**ANSWERED, "wording": "clear"})
    assert verdict.word == "passed"
    assert verdict.prose == ["wording"]


def test_the_last_line_counts_and_the_exit_code_tells_of_failures(tmp_path: Path) -> None:
    cases = [
        {"id": "H-X01", "group": "X", "kind": "rpc", "expect": ANSWERED,
         "input": {"init": True, "steps": PING}},
        {"id": "H-X02", "group": "X", "kind": "rpc", "expect": {"no_reply": [1]},
         "input": {"init": True, "steps": PING}},
        {"id": "H-X03", "group": "X", "kind": "bash_guard", "input": "ls", "expect": {}},
        {"id": "H-Y01", "group": "Y", "kind": "tool", "input": {}, "expect": {}},
    ]  # fmt: skip
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(json.dumps(case) for case in cases), encoding="utf-8")
    said: list[str] = []
    fake = [sys.executable, str(FAKE)]
    assert main([str(file)], said.append, lambda _project: fake) == 1
    assert said[-1] == "1 passed, 1 failed, 1 not run"
    assert main([str(file), "--only", "X01,Y"], said.append, lambda _project: fake) == 0
    assert said[-1] == "1 passed, 0 failed, 0 not run"


def test_cases_are_picked_by_group_and_by_id() -> None:
    picked = pick(load_cases(HANDED), "C,B01,H-A20")
    assert [case.short_id for case in picked] == ["A20", "B01", "C01", "C02", "C03", "C04", "C05"]


def test_a_group_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="Z9"):
        pick(load_cases(HANDED), "A,Z9")


def test_our_copy_holds_all_handed_cases() -> None:
    cases = load_cases(HANDED)
    assert len({case.id for case in cases}) == len(cases) == 114
