"""Whatever a client sends, in both eras: every request is answered once, and the server lives."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.conversation import check, converse, no_faults
from tests.fuzz.messages import conversations, damaged, line_of, values
from tests.fuzz.settings import fuzzed
from tests.server import asking_tools
from tests.server.conftest import make_application, stateless

from devloop_tools.app import Application
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.server.era import PROTOCOLS


@st.composite
def states(draw: st.DrawFn) -> Callable[[str], Any]:
    """What a client makes of the state that it was given."""
    kept, put = draw(st.integers(0, 400)), draw(values)
    made: list[Callable[[str], Any]] = [
        lambda state: state,
        lambda state: state[:kept],
        lambda state: state[kept:],
        lambda state: state[:kept] + "A" + state[kept + 1 :],
        lambda state: f"{state}{put}",
        lambda _: put,
    ]
    return made[draw(st.integers(0, len(made) - 1))]


@pytest.fixture(params=PROTOCOLS)
def application(request: pytest.FixtureRequest, tmp_path: Path) -> Application:
    """One server for all examples: what one leaves behind, the next meets."""
    tools = (asking_tools.greet, asking_tools.survey, asking_tools.ask_side_by_side)
    return make_application(tmp_path, *tools, protocol=request.param)


def held(application: Application, lines: list[bytes], answers: list[Any]) -> None:
    """Have the conversation, and hold the server to what a client may expect."""
    with no_faults():
        received = anyio.run(converse, application, lines, answers)
    check(lines, received)


@fuzzed
@given(lines=conversations(), answers=st.lists(values, max_size=3))
def test_every_request_is_answered_exactly_once(
    application: Application, lines: list[bytes], answers: list[Any]
) -> None:
    held(application, lines, answers)


@fuzzed
@given(line=damaged())
def test_a_damaged_line_harms_nobody(application: Application, line: bytes) -> None:
    held(application, [line], [])


@fuzzed
@given(state=states(), answers=values, arguments=st.sampled_from(["早 morning", "晚 evening"]))
def test_whatever_comes_back_with_a_state_is_answered(
    application: Application, state: Any, answers: Any, arguments: str
) -> None:
    call: JsonObject = {"name": "greet", "arguments": {"greeting": "早 morning"}}
    first = line_of({"id": 1, "jsonrpc": "2.0", "method": "tools/call", "params": stateless(call)})
    [*_, asked] = [
        reply for reply in anyio.run(converse, application, [first], []) if reply["id"] == 1
    ]
    given_out = asked.get("result", {}).get("requestState", "")
    again = {
        **call,
        "arguments": {"greeting": arguments},
        "requestState": state(given_out),
        "inputResponses": answers,
    }
    retry = {"id": 2, "jsonrpc": "2.0", "method": "tools/call", "params": stateless(again)}
    held(application, [line_of(retry)], [])
