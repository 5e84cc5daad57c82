"""What a pattern of a signal can't say: checks on what it found, by the names of the files."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

_TEST_SIDE = re.compile(
    r"\b(?:tests?|spec file|assert\w*|fixture|mock|snapshot|selector|locator|expected)\b"
    r"|\bexpectation\b"
    r"|用例|断言|测试|夹具|快照",
    re.IGNORECASE,
)


def _some(match: re.Match[str]) -> bool:
    """Whether of the two numbers one is less: some of the runs failed, and not all of them."""
    few, many = _numbers(match)
    return 0 < few < many


def _all(match: re.Match[str]) -> bool:
    few, many = _numbers(match)
    return few == many > 1


def _numbers(match: re.Match[str]) -> tuple[int, int]:
    few, many = sorted(int(group) for group in match.groups() if group)
    return few, many


def _in_two_spellings(match: re.Match[str]) -> bool:
    """Whether a name in snake case stands in the text in camel case, too."""
    words = match[0].split("_")
    camel = words[0].lower() + "".join(word.capitalize() for word in words[1:])
    return re.search(rf"(?<!\w){camel}(?!\w)", match.string) is not None


def _not_of_tests(match: re.Match[str]) -> bool:
    return not _TEST_SIDE.search(match[0])


CHECKS: Mapping[str, Callable[[re.Match[str]], bool]] = MappingProxyType(
    {
        "some": _some,
        "all": _all,
        "in_two_spellings": _in_two_spellings,
        "not_of_tests": _not_of_tests,
    }
)
