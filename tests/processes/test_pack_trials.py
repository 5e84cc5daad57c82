"""A pack is tried in a child before it is loaded: how often, and for how long."""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.registry.pack_texts import BUILT_IN, HEAD, WORD_COUNT, a_tool, written

from devloop_tools.registry import pack_trial
from devloop_tools.registry.pack_verdicts import PackVerdicts
from devloop_tools.registry.packs import check_pack, load_packs
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.persistence import timeline_append


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("devloop_tools_packs."):
            del sys.modules[name]


async def test_a_tools_file_moves_between_packs_and_src_unchanged(tmp_path: Path) -> None:
    text = inspect.getsource(timeline_append).replace("timeline_append", "timeline_note")
    folder = written(tmp_path / "packs", {"timeline_note.py": text})
    packs = load_packs([folder], BUILT_IN, PackVerdicts(tmp_path / "cache.json"))
    assert packs.faults == []
    [entry] = packs.entries
    built_in = BUILT_IN["timeline_append"].definition
    assert entry.definition.input_schema() == built_in.input_schema()
    assert entry.definition.output_schema() == built_in.output_schema()
    result = await call_tool(entry.definition, {"event": "登录"}, tool_context(tmp_path))
    assert result.seq == 1


def test_a_pack_that_never_ends_costs_its_time_limit_and_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack_trial, "TIME_LIMIT_S", 1.0)
    texts = {"a.py": HEAD + a_tool("a"), "b.py": "while True: pass\n", "c.py": HEAD + a_tool("c")}
    cache = tmp_path / "cache.json"
    packs = load_packs([written(tmp_path / "packs", texts)], {}, PackVerdicts(cache))
    assert [entry.name for entry in packs.entries] == ["a", "c"]
    assert [str(fault) for fault in packs.faults] == [f"pack b.py: {pack_trial.TOO_SLOW}"]


class NoTrial(AssertionError):
    """Raised where a pack is tried that was known."""


def test_a_pack_that_was_tried_is_not_tried_again_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "state" / "cache.json"
    folder = written(tmp_path / "packs", {"a.py": HEAD + a_tool("a")})
    load_packs([folder], {}, PackVerdicts(cache))

    def refuse(*_: object, **__: object) -> None:
        raise NoTrial

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert [entry.name for entry in load_packs([folder], {}, PackVerdicts(cache)).entries] == ["a"]
    written(folder, {"a.py": HEAD + a_tool("b")})
    with pytest.raises(NoTrial):
        load_packs([folder], {}, PackVerdicts(cache))


def test_a_pack_that_failed_for_want_of_a_module_is_tried_again(tmp_path: Path) -> None:
    cache = tmp_path / "cache.json"
    folder = written(tmp_path / "packs", {"a.py": "import no_such_module\n"})
    assert len(load_packs([folder], {}, PackVerdicts(cache)).faults) == 1
    assert not cache.exists()


def test_one_file_can_be_checked_anew(tmp_path: Path) -> None:
    verdicts = PackVerdicts(tmp_path / "cache.json")
    folder = written(tmp_path, {"good.py": WORD_COUNT, "bad.py": "1 / 0\n"})
    assert [e.name for e in check_pack(folder / "good.py", BUILT_IN, verdicts).entries] == [
        "word_count"
    ]
    [fault] = check_pack(folder / "bad.py", BUILT_IN, verdicts).faults
    assert str(fault) == "pack bad.py: ZeroDivisionError: division by zero (line 1)"


def test_packs_of_a_second_folder_join_and_a_tool_of_both_is_a_fault(tmp_path: Path) -> None:
    first = written(tmp_path / "first", {"a.py": HEAD + a_tool("a")})
    both = {"a.py": HEAD + a_tool("a"), "b.py": HEAD + a_tool("b")}
    second = written(tmp_path / "second", both)
    packs = load_packs([first, second], {}, PackVerdicts(tmp_path / "cache.json"))
    assert sorted(entry.name for entry in packs.entries) == ["a", "b"]
    [fault] = packs.faults
    assert fault.file == "a.py"
