"""Commands that name what is closed to agents."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.guard.fenced import ALLOWED, FORBIDDEN
from tests.guard.passed import PASSED
from tests.guard.refused import REFUSED
from tests.guard.test_hostile import LONG, PIECES

from devloop_tools.guard.fences import forbidden
from devloop_tools.guard.judgement import Judgement


def judged(command: str) -> Judgement:
    return forbidden(
        command,
        folders=("/home/u/.config/devloop-tools", "/srv/tools.d"),
        cwd="/srv/project",
        variables={"HOME": "/home/u", "XDG_CONFIG_HOME": "/home/u/.config"},
    )


@pytest.mark.parametrize("command", FORBIDDEN)
def test_what_is_closed_is_refused_however_it_is_spelled(command: str) -> None:
    judgement = judged(command)
    assert judgement.refused
    assert judgement.reason.startswith("Refused: the command ")


@pytest.mark.parametrize("command", ALLOWED)
def test_what_only_looks_like_it_passes(command: str) -> None:
    judgement = judged(command)
    assert (judgement.refused, judgement.reason) == (False, "")


@pytest.mark.parametrize("command", [*PASSED, *REFUSED])
def test_ordinary_commands_name_nothing_that_is_closed(command: str) -> None:
    assert not judged(command).refused


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("cat .devloop/x", "names .devloop/, which belongs to the tool server. Use its tools"),
        ("sqlite3 */state.db", "names state.db, which belongs"),
        ("cat ~/.config/devloop-tools/x", "names the configuration folder. Who may do what"),
        ("cat /srv/tools.d/agents.json", "names the configuration folder. Who may do what"),
        ("devloop-tools call x", "runs `devloop-tools call`, which is for people. Call the tool"),
        ("devloop-tools approvals list", "runs `devloop-tools approvals`, which is for people. A"),
        ("devloop-tools upstreams list", "runs `devloop-tools upstreams`, which is for people."),
        ("devloop-tools $x", "runs `devloop-tools ...`, which is for people. Which of its"),
    ],
)
def test_the_reason_names_what_it_is_and_what_to_do(command: str, reason: str) -> None:
    assert reason in judged(command).reason


def test_the_folder_in_which_a_command_runs_counts() -> None:
    assert forbidden("cat state.db", cwd="/srv/project/.devloop").refused
    assert forbidden("cat devloop.toml", folders=("/srv/t",), cwd="/srv/t").refused
    assert forbidden("cat t/devloop.toml", folders=("/srv/t",), cwd="/srv").refused
    assert not forbidden("cat t/devloop.toml", folders=("/srv/t",), cwd="/srv/u").refused


def test_without_surroundings_the_usual_places_are_closed() -> None:
    assert forbidden("cat ~/.config/devloop-tools/devloop.toml").refused
    assert forbidden("cat .devloop/state.db").refused
    assert not forbidden("cat tools.d/agents.json").refused


@pytest.mark.parametrize("command", LONG.values(), ids=LONG)
def test_hostile_input_is_judged_within_bounds(command: str) -> None:
    started = time.process_time()
    judged(command)
    assert time.process_time() - started < 2


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, ".devloop", "~", "find ", "python -c "]), max_size=25))
def test_no_mixture_of_signs_raises(pieces: list[str]) -> None:
    judgement = judged("".join(pieces))
    assert judgement.refused == bool(judgement.reason)
