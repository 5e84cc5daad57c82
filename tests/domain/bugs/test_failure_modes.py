import pytest

from devloop_tools.domain.bugs.failure_modes import clauses, known_modes, phrases_in


def modes(text: str) -> set[str]:
    return {phrase.mode for phrase in phrases_in(text)}


@pytest.mark.parametrize(
    ("mode", "cause", "symptom"),
    [
        ("no lock", "扣库存没有加锁", "two people bought the last pair at the same time"),
        ("cache not invalidated", "The cache is never cleared", "改了价格，刷新后才变"),
        ("wrong encoding", "CSV 没有指定编码", "Names are garbled in Excel"),
        ("float arithmetic", "金额用浮点数相加", "the total is a cent too low, one cent"),
        ("local time against utc", "stored as naive local time instead of UTC", "生日早一天"),
        ("query per row", "one query per row, n+1", "循环里一条一条查数据库"),
        ("file handle leak", "句柄没有关闭", "EMFILE: too many open files after two days"),
        ("path separators", "路径用反斜杠拼接", "fails on Windows only"),
        ("number compared as text", "scores are sorted as strings", "10 分排在 9 分前面"),
        ("wrong permission default", "tenant_id 没有过滤", "Company A sees invoices of company B"),
    ],
)
def test_a_cause_and_its_symptom_touch_the_same_mode(mode: str, cause: str, symptom: str) -> None:
    assert mode in modes(cause)
    assert mode in modes(symptom)


def test_the_words_of_a_phrase_stand_near_each_other_in_one_sentence() -> None:
    assert "deadlock" in modes("transfers run into a deadlock")
    assert "no lock" in modes("there is no lock")
    assert "no lock" not in modes("There is no reason. The door has a lock")
    assert "no lock" not in modes("no one of us in the whole team knows what kind of lock it is")


def test_every_word_of_denial_is_the_same() -> None:
    assert clauses("doesn't close") == clauses("never close") == [["not", "close"]]
    assert clauses("没有关闭") == clauses("忘记关闭") == [["not", "关", "闭"]]
    assert clauses("ＡＢ。c") == [["ab"], ["c"]]


def test_what_is_no_failure_touches_none() -> None:
    assert modes("") == modes("你好 world") == modes("🙂") == set()


def test_the_file_is_whole() -> None:
    found = {phrase for phrases in known_modes().phrases.values() for phrase in phrases}
    assert 150 <= len({phrase.mode for phrase in found}) <= 300
    for phrase in found:
        assert phrase.anchor, phrase.mode
        assert all(phrase.others), phrase
        assert phrase.others or all(len("".join(word)) > 1 for word in phrase.anchor), phrase
