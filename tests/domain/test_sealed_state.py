"""State that a client carries for us: signed, bound, expiring, taken once."""

import base64
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.domain import sealed_state
from devloop_tools.domain.sealed_state import LIFETIME_S, BadState, Binding, SealedStates
from devloop_tools.storage.database import Database

KEY = bytes(range(32))
BINDING = Binding("项目/pm/", "tools/call", {"name": "问 ask", "arguments": {"b": 1, "a": [2]}})
CONTENT: dict[str, Any] = {"answers": {"名字": {"action": "accept"}}, "asked": ["color"]}
NOT_OURS = "requestState is not one of this server's"


@pytest.fixture
def states(tmp_path: Path) -> SealedStates:
    return SealedStates(lambda: KEY, Database(tmp_path))


class Clock:
    """Stands in for the time of day."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(sealed_state, "time", clock)
    return clock


def test_what_was_sealed_comes_back(states: SealedStates) -> None:
    assert states.open(BINDING, states.seal(BINDING, CONTENT)) == CONTENT


def test_a_state_is_plain_text_for_every_transport(states: SealedStates) -> None:
    state = states.seal(BINDING, CONTENT)
    assert state.isascii()
    assert state.isprintable()
    assert json.loads(json.dumps(state)) == state


def test_two_states_of_the_same_differ(states: SealedStates) -> None:
    assert states.seal(BINDING, CONTENT) != states.seal(BINDING, CONTENT)


def test_the_order_of_params_does_not_matter(states: SealedStates) -> None:
    state = states.seal(BINDING, CONTENT)
    params = {"arguments": {"a": [2], "b": 1}, "name": "问 ask"}
    assert states.open(Binding("项目/pm/", "tools/call", params), state) == CONTENT


@pytest.mark.parametrize(
    "other",
    [
        Binding("项目/architect/", BINDING.method, BINDING.params),
        Binding("项目/pm/todo-be", BINDING.method, BINDING.params),
        Binding(BINDING.principal, "prompts/get", BINDING.params),
        Binding(BINDING.principal, BINDING.method, {}),
        Binding(BINDING.principal, BINDING.method, {**BINDING.params, "name": "问"}),
        Binding(BINDING.principal, BINDING.method, {**BINDING.params, "arguments": {"a": [2]}}),
        Binding(BINDING.principal, BINDING.method, {**BINDING.params, "arguments": {"a": ["2"]}}),
    ],
)
def test_it_belongs_to_one_agent_method_and_params(states: SealedStates, other: Binding) -> None:
    state = states.seal(BINDING, CONTENT)
    with pytest.raises(BadState, match="belongs to another request"):
        states.open(other, state)
    assert states.open(BINDING, state) == CONTENT


def test_it_is_taken_once(states: SealedStates) -> None:
    state = states.seal(BINDING, CONTENT)
    states.open(BINDING, state)
    for _ in range(2):
        with pytest.raises(BadState, match="was used before; call again without it"):
            states.open(BINDING, state)


def test_it_is_taken_once_by_two_servers_that_share_the_project(tmp_path: Path) -> None:
    one, other = (SealedStates(lambda: KEY, Database(tmp_path)) for _ in range(2))
    state = one.seal(BINDING, CONTENT)
    assert other.open(BINDING, state) == CONTENT
    with pytest.raises(BadState, match="used before"):
        one.open(BINDING, state)


def test_of_many_that_bring_it_at_once_one_is_served(tmp_path: Path) -> None:
    servers = [SealedStates(lambda: KEY, Database(tmp_path)) for _ in range(4)]
    state = servers[0].seal(BINDING, CONTENT)

    def taken(server: SealedStates) -> bool:
        try:
            return server.open(BINDING, state) == CONTENT
        except BadState:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(taken, servers * 4)) == 1


def test_it_expires_after_a_day(states: SealedStates, clock: Clock) -> None:
    early, late = states.seal(BINDING, CONTENT), states.seal(BINDING, CONTENT)
    clock.now += LIFETIME_S
    assert states.open(BINDING, early) == CONTENT
    clock.now += 1
    with pytest.raises(BadState, match="has expired; call again without it"):
        states.open(BINDING, late)


def test_what_was_used_is_forgotten_when_it_would_have_expired(
    tmp_path: Path, clock: Clock
) -> None:
    database = Database(tmp_path)
    states = SealedStates(lambda: KEY, database)
    for _ in range(3):
        states.open(BINDING, states.seal(BINDING, CONTENT))
    clock.now += LIFETIME_S + 1
    states.open(BINDING, states.seal(BINDING, CONTENT))
    assert database.rows("SELECT count(*) FROM used_states") == [(1,)]


def repacked(state: str, change: Callable[[dict[str, Any]], None]) -> str:
    """The state with its fields changed, under the signature that it had."""
    payload, _, signature = state.partition(".")
    fields = json.loads(base64.urlsafe_b64decode(payload))
    change(fields)
    return base64.urlsafe_b64encode(json.dumps(fields).encode()).decode() + "." + signature


@pytest.mark.parametrize(
    "change",
    [
        lambda fields: fields.update(expires=fields["expires"] + 1),
        lambda fields: fields.update(nonce="0" * 32),
        lambda fields: fields["content"]["answers"].update(更多={"action": "accept"}),
        lambda fields: fields.clear(),
    ],
)
def test_a_changed_one_is_not_taken(states: SealedStates, change: Any) -> None:
    with pytest.raises(BadState, match=NOT_OURS):
        states.open(BINDING, repacked(states.seal(BINDING, CONTENT), change))


@pytest.mark.parametrize(
    "state", ["", ".", "a.b", "状态.签名", "\ud800.x", "e30=.", "e30=.e30=", "A" * 100_000, "\0"]
)
def test_what_was_never_ours_is_not_taken(states: SealedStates, state: str) -> None:
    with pytest.raises(BadState, match=NOT_OURS):
        states.open(BINDING, state)


def test_another_key_takes_none_of_ours(tmp_path: Path, states: SealedStates) -> None:
    stranger = SealedStates(lambda: KEY[::-1], Database(tmp_path))
    with pytest.raises(BadState, match=NOT_OURS):
        stranger.open(BINDING, states.seal(BINDING, CONTENT))


@pytest.mark.parametrize("value", ["\ud83d 半个", 2**70, -(2**70), 1e308, True, None, {"键": []}])
def test_every_value_that_comes_over_the_wire_can_be_kept(
    states: SealedStates, value: object
) -> None:
    binding = Binding(BINDING.principal, BINDING.method, {"值": value})
    state = states.seal(binding, {"answers": {"a": {"content": value}}})
    assert states.open(binding, state) == {"answers": {"a": {"content": value}}}


def test_what_is_nested_too_deeply_is_refused(states: SealedStates) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(BadState, match="nested too deeply"):
        states.seal(Binding("pm", "tools/call", {"deep": deep}), CONTENT)
    with pytest.raises(BadState, match="nested too deeply"):
        states.seal(BINDING, {"deep": deep})
