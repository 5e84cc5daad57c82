"""What a contract is, where it is found, and its hash."""

from typing import Any

import pytest

from devloop_tools.domain.contracts.canonical_json import canonical
from devloop_tools.domain.contracts.contract import contract_in, hash_of
from devloop_tools.storage.errors import ExpectedFailure

BARE = b'{"unit": "todo-be", "version": 1}'


def page(text: str) -> bytes:
    script = f'<script type="application/json" id="data-contract">{text}</script>'
    return f"<!doctype html><meta charset=utf-8><title>待办</title><p>x{script}".encode()


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ({"b": 1, "a": 2}, b'{"a":2,"b":1}'),
        ({"€": 1, "\U0001f600": 2, "\ufb33": 3}, '{"€":1,"😀":2,"\ufb33":3}'.encode()),
        ([1.0, 1e2, -0.0, 1e21, 0.000001, 1e-7], b"[1,100,0,1e+21,0.000001,1e-7]"),
        (2**53 - 1, b"9007199254740991"),
        (2**63 - 1, b"9223372036854776000"),
        ('中"\n\u0007', '"中\\"\\n\\u0007"'.encode()),
        ([True, None], b"[true,null]"),
    ],
)
def test_canonical_json_is_that_of_rfc_8785(value: Any, form: bytes) -> None:
    assert canonical(value, "value") == form


@pytest.mark.parametrize("value", [10**400, float("nan"), "\ud800"])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(ExpectedFailure, match="contract: no canonical JSON"):
        canonical({"a": value}, "contract")


def test_a_contract_is_not_hashed_beyond_a_depth() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    with pytest.raises(ExpectedFailure, match="nested deeper than 200"):
        canonical(deep, "contract")


@pytest.mark.parametrize("more", [{"endpoints": []}, {"x": None}, {"version": "1"}])
def test_nothing_is_added_to_a_contract_before_it_is_hashed(more: dict[str, Any]) -> None:
    bare: dict[str, Any] = {"unit": "todo-be", "version": 1}
    assert hash_of(bare).hash != hash_of({**bare, **more}).hash


@pytest.mark.parametrize(
    "text",
    ['{"unit": "a\\u003c/script>", "version": "一"}', '\n {"version": 1, "unit": "待办"}\n'],
)
def test_a_page_carries_its_contract_as_json(text: str) -> None:
    assert set(contract_in(page(text), "sdd/units/a.html")) == {"unit", "version"}


@pytest.mark.parametrize(
    ("content", "path", "reason"),
    [
        (b"<p>nothing</p>", "a.html", "carries no contract"),
        (b'<p id="data-contract">{}</p>', "a.html", "carries no contract"),
        (page("{,}"), "a.html", "its JSON can't be read"),
        (page("[1]"), "a.html", "its JSON is no object"),
        (b"", "a.json", "its JSON can't be read"),
        ("{'单元': 1}".encode("gb18030"), "a.json", "its JSON can't be read"),
        (b" " * 4_200_000 + BARE, "a.json", "4200033 bytes"),
    ],
)
def test_what_carries_no_contract_is_refused(content: bytes, path: str, reason: str) -> None:
    with pytest.raises(ExpectedFailure, match=reason):
        contract_in(content, path)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ({}, "unit: Field required"),
        ({"unit": "a"}, "version: Field required"),
        ({"unit": "a", "version": 1, "endpoint": []}, "did you mean endpoints"),
        ({"unit": "a", "version": 1, "endpoints": [{"method": "GET"}]}, "endpoints.0.path"),
        ({"unit": "a", "version": 1, "types": {"待办": 3}}, "types.待办"),
    ],
)
def test_what_is_no_contract_is_not_hashed(raw: dict[str, Any], reason: str) -> None:
    with pytest.raises(ExpectedFailure, match=reason):
        hash_of(raw)
