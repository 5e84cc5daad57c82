"""The similar bugs that settings are chosen on have the shape of those they are measured on."""

import re
from collections import Counter

from tests.corpora.bug_texts import identifiers, lines_of, pairs, said_twice, sentences

BUGS = "own/similar_bugs.jsonl"


def test_the_bugs_are_whole() -> None:
    bugs = lines_of(BUGS)
    assert [bug["id"] for bug in bugs] == [f"T{n:03}" for n in range(1, 301)]
    for bug in bugs:
        assert list(bug) == ["id", "title", "text", "language", "duplicate_of", "part"]
        assert bug["title"].strip()
        assert 1 <= len(sentences(bug["text"])) <= 4, bug["id"]
    assert len({bug["title"] for bug in bugs}) == len(bugs)


def test_two_fifths_are_chinese_two_fifths_english_and_the_rest_mixed() -> None:
    bugs = lines_of(BUGS)
    told = Counter(bug["language"] for bug in bugs)
    assert told == {"zh": 121, "en": 119, "mixed": 60}
    for bug in bugs:
        text = f"{bug['title']} {bug['text']}"
        assert bool(re.search("[\u4e00-\u9fff]", text)) == (bug["language"] != "en"), bug["id"]


def test_a_hundred_report_an_earlier_one_that_has_no_other_duplicate() -> None:
    found = pairs(BUGS)
    assert len(found) == len({original["id"] for original, _ in found}) == 100
    assert all(original["duplicate_of"] is None for original, _ in found)
    assert all(original["id"] < duplicate["id"] for original, duplicate in found)


def test_a_pair_stays_in_one_of_two_parts() -> None:
    found = pairs(BUGS)
    assert all(original["part"] == duplicate["part"] for original, duplicate in found)
    assert Counter(original["part"] for original, _ in found) == {"choose": 52, "check": 48}
    assert Counter(bug["part"] for bug in lines_of(BUGS)) == {"choose": 156, "check": 144}


def test_half_of_the_pairs_share_an_identifier_and_all_that_cross_the_languages() -> None:
    crossing = [pair for pair in pairs(BUGS) if {one["language"] for one in pair} == {"zh", "en"}]
    sharing = [pair for pair in pairs(BUGS) if identifiers(pair[0]) & identifiers(pair[1])]
    assert len(crossing) == 25
    assert all(pair in sharing for pair in crossing)
    assert len(sharing) == 50


def test_no_two_bugs_share_a_sentence() -> None:
    assert said_twice(BUGS) == []
