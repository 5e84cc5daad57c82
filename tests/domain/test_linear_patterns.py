"""Patterns of others end in time, and say what they can't do."""

import time

import pytest

from devloop_tools.domain.linear_patterns import UnusablePattern, is_pattern, occurs_in

CATASTROPHIC = ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*a){20}b", "^(([a-z])+.)+[A-Z]([a-z])+$"]


@pytest.mark.parametrize("pattern", CATASTROPHIC)
def test_what_goes_back_for_ever_elsewhere_ends_here(pattern: str) -> None:
    before = time.monotonic()
    assert not occurs_in(pattern, "a" * 50_000 + "!")
    assert time.monotonic() - before < 2


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("b", "abc", True),
        (r"^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$", "0" * 36, False),
        (r"^\p{Han}+$", "中文", True),
        (r"^(?<year>\d{4})年$", "2026年", True),
        ("^[\u4e00-\u9fff\\w-]+$", "登录-page", True),
        ("^a$", "a\n", False),
        ("", "", True),
    ],
)
def test_patterns_of_ecmascript_are_read(pattern: str, text: str, fits: bool) -> None:
    assert occurs_in(pattern, text) is fits


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("^(?=.*[A-Z])", "look-around, including look-ahead and look-behind, is not supported"),
        (r"^(a)\1$", "backreferences are not supported"),
        ("(", "unclosed group"),
        ("(((a{1000}){1000}){1000}){1000}", "Compiled regex exceeds size limit of 10485760 bytes"),
        ("(?:(?:a?){100}){30}[^b]{200}c", "a text of 100000 characters is too long for it"),
        ("密码(?!错)", "look-around, including look-ahead and look-behind, is not supported"),
    ],
)
def test_what_can_not_be_judged_is_named_with_the_reason(pattern: str, why: str) -> None:
    with pytest.raises(UnusablePattern) as caught:
        occurs_in(pattern, "a" * 100_000)
    assert str(caught.value).startswith(f"the pattern {pattern} can't be judged: {why}; write it")


@pytest.mark.parametrize("pattern", ["(?=a)", r"(a)\1", r"\p{Han}", "(?<y>a)", "[[a]", "a" * 9000])
def test_what_any_engine_knows_is_a_pattern(pattern: str) -> None:
    assert is_pattern(pattern)


@pytest.mark.parametrize("pattern", ["(", "a{99999999999}", "(" * 3000 + ")" * 3000 + "\\1", "[a"])
def test_what_no_engine_knows_is_none(pattern: str) -> None:
    assert not is_pattern(pattern)
