"""A server that can't serve still answers `initialize`, and then says why in one line."""

from pathlib import Path

import pytest
from tests.processes.server import FIXTURES, PATIENCE_S, PROTOCOL, Server, command

NOWHERE = "没有这个文件夹"


def words(tmp_path: Path, case: str) -> list[str]:
    match case:
        case "unknown agent":
            return command(tmp_path, agent="nobody")
        case "missing unit":
            return command(tmp_path, agent="coder")
        case "missing project folder":
            return command(tmp_path / NOWHERE)
        case "missing tools folder":
            return command(tmp_path, tools_dir=tmp_path / NOWHERE)
        case "tools folder without agents":
            return command(tmp_path, tools_dir=FIXTURES / "packs")
        case "tool that nobody knows":
            return command(tmp_path, agent="misspelt")
        case _:
            return command(tmp_path, more=["--colour", "blue"])


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("unknown agent", "unknown agent: nobody"),
        ("missing unit", "--unit is missing"),
        ("missing project folder", NOWHERE),
        ("missing tools folder", NOWHERE),
        ("tools folder without agents", "agents.json"),
        ("tool that nobody knows", "f_ecko (did you mean f_echo?)"),
        ("flag that nobody knows", "--colour"),
    ],
)
def test_it_answers_and_then_says_why_it_ends(case: str, said: str, tmp_path: Path) -> None:
    with Server(words(tmp_path, case)) as server:
        assert server.shake_hands()["result"]["protocolVersion"] == PROTOCOL
        ended = server.wait_ended(PATIENCE_S)
        assert ended is not None
        assert ended.code == 2
        assert said in server.stderr
        assert server.stderr.count("\n") == 1
        assert server.stderr.endswith("\n")
        assert len(server.lines) == 1


def test_it_says_so_in_utf8_whatever_the_environment_wants(tmp_path: Path) -> None:
    environment = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii:strict"}
    with Server(words(tmp_path, "missing project folder"), env=environment) as server:
        server.shake_hands()
        server.wait_ended(PATIENCE_S)
        assert NOWHERE in server.stderr


def test_nothing_is_written_for_an_agent_that_does_not_exist(tmp_path: Path) -> None:
    with Server(command(tmp_path, agent="nobody")) as server:
        server.shake_hands()
        server.wait_ended(PATIENCE_S)
    assert list(tmp_path.iterdir()) == []
