import itertools

from devloop_tools.domain.bugs.states import FINISHED, STATES, Status


def test_every_status_stands_in_the_table_once_and_leads_on() -> None:
    assert list(STATES) == list(Status)
    for status, state in STATES.items():
        assert state.meaning.endswith(".")
        assert state.to
        assert status not in state.to
        assert len(set(state.to)) == len(state.to)


def test_the_usual_way_goes_from_open_to_closed() -> None:
    way = ["open", "triaged", "assigned", "fixing", "fixed", "verified", "closed"]
    for here, there in itertools.pairwise(way):
        assert STATES[Status(here)].to[0] == there


def test_every_status_can_be_reached() -> None:
    reached, waiting = {Status.OPEN}, [Status.OPEN]
    while waiting:
        new = set(STATES[waiting.pop()].to) - reached
        reached |= new
        waiting += new
    assert reached == set(Status)


def test_what_is_finished_can_only_be_reopened_or_closed() -> None:
    for status in FINISHED:
        assert set(STATES[status].to) <= {Status.REOPENED, Status.CLOSED}
        assert Status.REOPENED in STATES[status].to
