"""Who acts through a connection, and what a call is called."""

import time
import uuid
from pathlib import Path

import pytest
from tests.server.conftest import make_application

from devloop_tools.server.actors import MAX_CALL_ID, Actor, uuid7


@pytest.fixture
def actor(tmp_path: Path) -> Actor:
    found = make_application(tmp_path).cast.default
    assert found is not None
    return found


def test_ids_sort_by_time_also_within_a_millisecond() -> None:
    made = [uuid7() for _ in range(2000)]
    assert made == sorted(made)
    assert len(set(made)) == 2000


def test_an_id_is_a_uuid_of_version_7_that_tells_when() -> None:
    before = time.time_ns() // 1_000_000
    made = uuid.UUID(uuid7())
    assert made.variant == uuid.RFC_4122
    assert made.version == 7
    assert before <= made.int >> 80 <= time.time_ns() // 1_000_000


@pytest.mark.parametrize("given", ["toolu_01ABC", "x" * MAX_CALL_ID, "调用-1", "a b"])
def test_a_call_keeps_the_id_it_came_with(given: str, actor: Actor) -> None:
    assert actor.origin(given).call_id == given


@pytest.mark.parametrize(
    "given", [None, "", 0, 7, True, [], {}, "x" * (MAX_CALL_ID + 1), "a\nb", "a\x00", "\ud800"]
)
def test_another_one_is_replaced(given: object, actor: Actor) -> None:
    call_id = actor.origin(given).call_id
    assert call_id.startswith("call-")
    assert uuid.UUID(call_id.removeprefix("call-")).version == 7


def test_what_stands_behind_a_call_comes_from_the_server_alone(actor: Actor) -> None:
    origin = actor.origin("toolu_1")
    assert (origin.project_id, origin.agent, origin.session_id, origin.unit_id) == (
        "项目-1",
        "pm",
        "session-1",
        None,
    )


def test_a_clock_before_1970_makes_ids_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time_ns", lambda: -315_583_199_489_559_900)
    made = {uuid.UUID(uuid7()) for _ in range(100)}
    assert len(made) == 100
    assert {(one.version, one.int >> 80) for one in made} == {(7, 0)}
