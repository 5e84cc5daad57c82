import pytest

from devloop_tools.domain.documents.stems import stem


@pytest.mark.parametrize(
    "family",
    [
        "deploy deploys deployed deploying",
        "conflict conflicts conflicted conflicting",
        "resolve resolves resolved resolving",
        "retry retries retried",
        "hop hopping hopped hops",
        "connect connection connections connective connected",
        "relational relate relating",
        "validate validation validating validated validates",
        "service services",
        "control controlling controlled",
    ],
)
def test_the_forms_of_a_word_have_one_stem(family: str) -> None:
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize("word", ["中文", "v2", "id", "is", "as", "", "café", "a" * 41, "日志log"])
def test_what_is_no_english_word_is_its_own_stem(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("one", "other"), [("policy", "police"), ("news", "new x"), ("sing", "s"), ("feed", "fe")]
)
def test_words_that_only_look_alike_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)
