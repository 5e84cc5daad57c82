"""Commands of every shape get a verdict from the guard."""

from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.settings import fuzzed
from tests.guard.fenced import ALLOWED, FORBIDDEN
from tests.guard.passed import PASSED
from tests.guard.refused import REFUSED
from tests.guard.test_hostile import PIECES

from devloop_tools.guard.fences import forbidden
from devloop_tools.guard.judging import judge

KNOWN = st.sampled_from([*PASSED, *REFUSED, *ALLOWED, *FORBIDDEN])
MIXED = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
REPEATED = st.builds(lambda text, times: text * times, MIXED, st.integers(1, 400))
CUT = st.builds(lambda text, place: text[:place], KNOWN, st.integers(0, 200))
SPLICED = st.builds(lambda a, b, c: a + b + c, CUT, MIXED, KNOWN)


@fuzzed
@given(st.one_of(MIXED, REPEATED, CUT, SPLICED, st.text()))
def test_every_command_is_judged(command: str) -> None:
    judgement = judge(command)
    assert judgement.refused == bool(judgement.reason)
    if judgement.rewritten is not None:
        assert not judge(judgement.rewritten).refused
    assert forbidden(command, folders=("/srv",)).parsed == judgement.parsed
