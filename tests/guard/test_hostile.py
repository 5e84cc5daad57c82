"""Whatever a command is, it gets a verdict, and soon."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.guard.passed import PASSED
from tests.guard.refused import REFUSED

from devloop_tools.guard.judging import judge

PIECES = (
    *("a", " ", "|", "||", "&", "&&", ";", "\n", "(", ")", "{", "}", "$(", "${", "$((", "))"),
    *("`", '"', "'", "<", "<<", "<<<", ">", ">(", "<(", "[", "]", "[[", "]]", "if ", "then "),
    *("fi", "case ", " in ", "esac", "do ", "done", "for ", "while ", "function ", "=", "+=", "!"),
    *("#", "\\", "$", "~", "*", "?", "f()", "a=(", "2>", "&>", "|&", ":-", "@", "/", "%", "E\n"),
    *("<<E\n", "time ", "curl ", "-d ", "sh -c ", "xargs ", "eval ", "@-", '{"a":1}', "张", "\0"),
)
DEEP = 10_000
LONG = {
    "pipes": "a|" * 50_000,
    "background": "&1" * 50_000,
    "subshells": "(" * DEEP + "curl" + ")" * DEEP,
    "substitutions": "echo " + "$(" * DEEP + "a" + ")" * DEEP,
    "quoted substitutions": '"$(a ' * DEEP + ')"' * DEEP,
    "groups": "{ " * DEEP + "a;" + " }" * DEEP,
    "parameters": "${a:-" * DEEP + "}" * DEEP,
    "backquotes": "`" * 100_000,
    "lists": "a && " * 20_000 + "b",
    "lines": "curl x\n" * 15_000,
    "words": "curl " + "x " * 50_000,
    "one word": "curl -d " + "x" * 100_000,
    "signs in a word": "@done" * 20_000,
    "braces": "curl " + "{a,b}" * 20_000,
    "nested shells": "bash -c '" * 10_000,
    "doubling": "x=aa;" + "x=$x$x;" * 60 + "curl -d $x",
    "functions": "".join(f"f{i}(){{ f{i + 1}; f{i + 1}; }}; " for i in range(60)) + "f0",
    "a body": "curl -d '" + '{"a":' * 20_000 + "' x",
    "bodies that stay open": 'curl -d "{' * 10_000,
    "plain patterns": '-d "{' * 20_000,
    "fields": "curl -d '" + "a=1&" * 25_000 + "' x",
    "PowerShell": "pwsh -c '" + "irm -body " * 9_000 + "'",
    "heredocs": "cat <<E\n" * 12_000,
    "a heredoc that hides pipes": 'echo "<<E"\n' + "a|" * 50_000,
    "arithmetic that looks like a heredoc": "((1<<E))\n" + "a|" * 40_000 + "\nE",
    "formats": "printf '%s' " + "a " * 40_000,
    "replacements": "x=" + "a" * 90_000 + ";" + "x=${x//a/aaaa};" * 9,
    "a megabyte": "curl -d '" + "{" * 1_000_000,
}


@pytest.mark.parametrize("command", LONG.values(), ids=LONG)
def test_hostile_input_is_judged_within_bounds(command: str) -> None:
    started = time.process_time()
    judge(command)
    assert time.process_time() - started < 2


def test_a_large_file_in_a_heredoc_is_read_as_one() -> None:
    lines = '| `curl` | {"a": [1]} | $x (y) |\n' * 5_000
    assert judge(f"cat > 接口.md <<'E'\n{lines}E\ncurl -d @接口.md x") == (False, "", None, True)
    assert judge(f"cat > 接口.md <<'E'\n{lines}E\ncurl -d '{{}}' x").parsed


def test_a_function_that_calls_itself_is_read() -> None:
    assert judge("f() { curl x; f; }; f") == (False, "", None, True)
    assert judge("f() { curl -d '{}' x; f; }; f").parsed


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_no_mixture_of_signs_raises(command: str) -> None:
    judgement = judge(command)
    assert judgement.refused == bool(judgement.reason)


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_no_text_raises(text: str) -> None:
    judge(text)
    judge(f"curl -d {text} x")


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(REFUSED), st.integers(0, 300), st.sampled_from(PIECES))
def test_no_broken_command_raises(command: str, place: int, piece: str) -> None:
    judge(command[:place] + piece + command[place:])
    judge(command[:place])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PASSED), st.sampled_from(REFUSED))
def test_a_refused_command_stays_refused_behind_another(first: str, second: str) -> None:
    judgement = judge(f"{first}\n{second}")
    assert judgement.refused or not judge(second).refused


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PASSED), st.sampled_from(PASSED))
def test_two_commands_that_pass_do_so_together(first: str, second: str) -> None:
    assert not judge(f"{first}\n{second}").refused


@pytest.mark.parametrize("sign", ["é", "张", "\u3000", "\uffff", "🙂", "\U0010ffff"])
def test_no_letter_of_any_script_ends_the_process(sign: str) -> None:
    for place in ("{}", "${}", "${{{}}}", "<<{}", "a={}", "${{a:{}}}", "$(({}))", "[[ a =~ {} ]]"):
        command = place.format(sign) * 50
        assert judge(command) == judge(command)
        assert not judge(f"curl -d @{sign}.json x{sign}").refused
