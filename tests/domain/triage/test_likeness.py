from devloop_tools.domain.bugs.records import Category
from devloop_tools.domain.triage.likeness import count, known_words, likeness, words_of

EXAMPLES = [
    (Category.FLAKY, "retry is green\n重跑通过"),
    (Category.FLAKY, "retry helps\n重跑 again"),
    (Category.ENVIRONMENT, "disk is full\n磁盘满了"),
    (Category.ENVIRONMENT, "the disk of a runner\n磁盘空间"),
]


def test_words_speak_for_the_reports_that_they_are_known_from() -> None:
    known = count(EXAMPLES)
    like = likeness("retry\n重跑一次", known)
    assert max(like.scores, key=lambda category: like.scores[category]) is Category.FLAKY
    assert "重跑" in like.telling[Category.FLAKY]
    assert like.scores[Category.FLAKY] > 0 > like.scores[Category.ENVIRONMENT]


def test_unknown_and_rare_words_say_nothing() -> None:
    known = count(EXAMPLES)
    assert set(likeness("zzz 火星", known).scores.values()) == {0}
    assert "green" not in known.words
    assert known.reports == (0, 0, 0, 2, 2, 0, 0)


def test_identifiers_are_no_words_and_the_package_knows_many_words() -> None:
    assert not any("savetodo" in word for word in words_of("saveTodo 慢"))
    assert len(known_words().words) > 500
    assert len(known_words().reports) == len(Category)
