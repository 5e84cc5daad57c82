"""Bytes of one line to a message and back."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devloop_tools.protocol.codec import decode, encode, encode_batch
from devloop_tools.protocol.errors import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR
from devloop_tools.protocol.messages import Batch, Malformed, Notification, Request, Response

BIGGEST, SMALLEST = 2**64 - 1, -(2**63)


def decoded(**members: Any) -> Any:
    return decode(json.dumps({"jsonrpc": "2.0", **members}).encode())


def code_of(line: bytes) -> int:
    message = decode(line)
    assert isinstance(message, Malformed)
    return message.error.code


@pytest.mark.parametrize("request_id", [0, -3, 2**63 - 1, BIGGEST, SMALLEST, "", "1", "请求-1"])
def test_an_id_is_kept_as_it_came(request_id: int | str) -> None:
    assert decoded(id=request_id, method="ping") == Request(request_id, "ping", {})


@pytest.mark.parametrize("odd", [None, True, False, 1.5, {}, [], [1], BIGGEST + 1, SMALLEST - 1])
def test_another_id_is_refused_without_being_echoed(odd: object) -> None:
    message = decoded(id=odd, method="ping")
    assert isinstance(message, Malformed)
    assert (message.id, message.error.code) == (None, INVALID_REQUEST)


def test_null_params_count_as_absent() -> None:
    assert decoded(id=1, method="tools/list", params=None) == Request(1, "tools/list", {})


@pytest.mark.parametrize("params", [[], [1], "f_echo", 0, False, 1.5])
def test_params_that_are_no_object_are_refused_under_the_requests_id(params: object) -> None:
    message = decoded(id="甲", method="tools/list", params=params)
    assert isinstance(message, Malformed)
    assert (message.id, message.error.code) == ("甲", INVALID_PARAMS)


@pytest.mark.parametrize("params", [None, [], "text", 3])
def test_a_notification_with_odd_params_has_none(params: object) -> None:
    assert decoded(method="notifications/cancelled", params=params) == Notification(
        "notifications/cancelled", {}
    )


def test_a_notification_keeps_its_params() -> None:
    assert decoded(method="n", params={"a": 1}) == Notification("n", {"a": 1})


@pytest.mark.parametrize(
    "line",
    [b"42", b'"str"', b"{}", b"null", b"[]", b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","id":1}',
     b'{"jsonrpc":"2.0","method":5}', b'{"jsonrpc":"2.0","id":1,"method":null}',
     b'{"jsonrpc":"1.0","id":87,"method":"ping"}', b'{"id":87,"method":"ping"}'],
)  # fmt: skip
def test_what_is_no_message_is_an_invalid_request(line: bytes) -> None:
    assert code_of(line) == INVALID_REQUEST


def test_an_invalid_request_is_answered_under_its_own_id_where_it_has_one() -> None:
    message = decode(b'{"jsonrpc":"1.0","id":87,"method":"ping"}')
    assert isinstance(message, Malformed)
    assert message.id == 87


@pytest.mark.parametrize(
    "line",
    [b"this is not json", b'{"jsonrpc":"2.0","id":15,', b"\xff\xfe{", b"\x00", b"\xef\xbb\xbf{}",
     b'{"a":NaN}', b'{"a":-Infinity}', b"[" * 5000, b'{"a":' * 5000, b'{"id":' + b"9" * 5000 + b"}",
     b'{"id":1} {"id":2}', '{"甲":"乙'.encode()[:-1], b"\xed\xa0\x80"],
)  # fmt: skip
def test_what_is_not_json_in_utf8_is_a_parse_error(line: bytes) -> None:
    assert code_of(line) == PARSE_ERROR


def test_a_carriage_return_at_the_end_is_white_space() -> None:
    assert decode(b'{"jsonrpc":"2.0","id":11,"method":"ping"}\r') == Request(11, "ping", {})


def test_a_lone_surrogate_and_an_overflowing_number_are_left_to_the_arguments_check() -> None:
    line = b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\\ud800","n":1e999}}'
    assert decode(line) == Request(1, "m", {"a": "\ud800", "n": float("inf")})


def test_an_integer_of_any_size_arrives_as_it_is() -> None:
    for number in (2**53 + 1, 2**64 - 1, 2**64, 123456789012345678901234567890, -(10**19) - 1):
        message = decoded(id=1, method="m", params={"n": number, "text": "1" * 30})
        assert message == Request(1, "m", {"n": number, "text": "1" * 30})


@pytest.mark.parametrize("member", ["result", "error"])
def test_an_answer_of_the_peers_is_a_response(member: str) -> None:
    message = decoded(id="ours-1", **{member: {}})
    assert isinstance(message, Response)
    assert message.id == "ours-1"


def test_an_error_of_the_peers_may_have_a_null_id() -> None:
    message = decoded(id=None, error={"code": PARSE_ERROR, "message": "解析"})
    assert isinstance(message, Response)
    assert message.id is None


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"[" * 200_000 + b"]" * 200_000, "nested too deeply"),
        (b'{"a":' * 200_000 + b"1" + b"}" * 200_000, "nested too deeply"),
        (b"[" * 50, "not JSON in UTF-8"),
        (b"\xff", "not JSON in UTF-8"),
    ],
    ids=["arrays", "objects", "unended", "bytes"],
)
def test_a_line_that_can_not_be_read_says_why(line: bytes, why: str) -> None:
    message = decode(line)
    assert isinstance(message, Malformed)
    assert (message.error.code, message.error.message) == (
        PARSE_ERROR, f"Parse error: the line is {why}"
    )  # fmt: skip


def test_each_item_of_a_batch_is_judged_alone() -> None:
    batch = decode(
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"},5,[],{"jsonrpc":"2.0","method":"n"}]'
    )
    assert isinstance(batch, Batch)
    assert [type(item) for item in batch.items] == [Request, Malformed, Malformed, Notification]


def test_line_separators_leave_as_escapes() -> None:
    line = encode({"id": 1, "result": "甲\u2028乙\u2029丙\u0085“丁”"})
    assert b"\xe2\x80\xa8" not in line
    assert b"\xe2\x80\xa9" not in line
    assert json.loads(line)["result"] == "甲\u2028乙\u2029丙\u0085“丁”"


@pytest.mark.parametrize("text", ["\ud800", "文件\udcff.md", "a\udfff"])
def test_a_lone_surrogate_leaves_as_an_escape(text: str) -> None:
    line = encode({"id": text, "result": {text: "\u2028"}})
    assert line.isascii()
    assert line.endswith(b"\n")
    assert json.loads(line) == {"jsonrpc": "2.0", "id": text, "result": {text: "\u2028"}}


def test_replies_of_a_batch_stand_in_one_line() -> None:
    line = encode_batch([encode({"id": 1, "result": "甲"}), encode({"id": "\ud800", "result": {}})])
    assert line.count(b"\n") == 1
    assert [reply["id"] for reply in json.loads(line)] == [1, "\ud800"]


def test_an_integer_of_any_size_leaves_as_it_is() -> None:
    assert json.loads(encode({"id": 1, "result": 10**30}))["result"] == 10**30


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


_LOOP: list[Any] = []
_LOOP.append(_LOOP)


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, b"x", {"a": object()}, _LOOP, _nested(100_000)]
)
def test_what_json_has_no_form_for_is_a_type_error(value: object) -> None:
    with pytest.raises(TypeError):
        encode({"id": 1, "result": value})


def test_not_a_number_never_leaves_bare() -> None:
    assert encode({"id": 1, "result": [float("nan")]}).endswith(b'"result":[null]}\n')
    with pytest.raises(TypeError):
        encode({"id": "\ud800", "result": float("inf")})


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(SMALLEST, BIGGEST) | st.text() | st.floats(-1e9, 1e9),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(max_examples=40)
@given(_JSON)
def test_what_was_encoded_reads_back_equal_and_is_one_line(value: object) -> None:
    line = encode({"id": 1, "result": value})
    assert line.count(b"\n") == 1
    message = decode(line)
    assert isinstance(message, Response)
    assert message.body["result"] == value


@given(st.binary(max_size=80))
def test_decoding_never_raises(line: bytes) -> None:
    decode(line)
