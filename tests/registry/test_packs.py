"""Drop-in tools: what is sound is loaded, what isn't is named, and nobody takes others down."""

import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from devloop_tools.registry import pack_trial, pack_verdicts
from devloop_tools.registry.discovery import discover
from devloop_tools.registry.pack_verdicts import RULES, PackVerdict, PackVerdicts, rules_digest
from devloop_tools.registry.packs import Packs, check_pack, examine, load_packs
from devloop_tools.registry.registry import Registry
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.persistence import timeline_append

BUILT_IN = Registry(discover("devloop_tools.tools")).entries

WORD_COUNT = '''\
"""word_count: count the words of a text."""

from pydantic import Field

from devloop_tools.toolkit import READ, Done, ToolContext, ToolInput, tool


class WordCountInput(ToolInput):
    text: str = Field(max_length=10_000, description="The text to count.")


class WordCount(Done):
    words: int


@tool(READ)
def word_count(args: WordCountInput, ctx: ToolContext) -> WordCount:
    """Count the words of a text; words are what blanks separate."""
    return WordCount(words=len(args.text.split()))
'''

HEAD = "from devloop_tools.toolkit import *\nfrom typing import Any, Callable\n"


def a_tool(name: str, *, field: str = "pass") -> str:
    return (
        f"class {name.title()}Input(ToolInput):\n    {field}\n"
        f"@tool(READ)\ndef {name}(args: {name.title()}Input, ctx: ToolContext) -> str:\n"
        f'    """Say 你好."""\n    return "{name}"\n'
    )


SOUND = {
    "word_count.py": WORD_COUNT,
    "two-in-one.py": HEAD + a_tool("alpha") + a_tool("beta"),
    "中文.py": HEAD + a_tool("gamma"),
    "builds_on_others.py": HEAD
    + "from devloop_tools.tools.persistence.timeline_append import timeline_append\n"
    + a_tool("delta"),
}

FAULTY = {
    "broken_syntax.py": ("def f(:\n", "SyntaxError: invalid syntax (line 1)"),
    "raises.py": ("raise ValueError('坏了\\nmore')\n", "ValueError: 坏了"),
    "missing_module.py": ("import no_such_module\n", "No module named 'no_such_module'"),
    "exits.py": ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
    "ends_the_process.py": ("import os\nos._exit(0)\n", "its import ends the process"),
    "empty.py": ("", "it defines no tool; decorate a function with @tool"),
    "no_docstring.py": (
        HEAD + "@tool(READ)\ndef f(args: ToolInput, ctx: ToolContext) -> str: ...\n",
        "the docstring is what the model reads",
    ),
    "zz_twice.py": (HEAD + a_tool("alpha"), "alpha is already defined in "),
    "takes_ours.py": (
        HEAD + a_tool("timeline_append"),
        "timeline_append is already defined in devloop_tools.tools.persistence.timeline_append",
    ),
    "no_schema.py": (
        HEAD + a_tool("epsilon", field="call: Callable[[], int]"),
        "epsilon: its schema can't be made: ",
    ),
    "prints.py": (
        HEAD + "print('你好 from a pack')\n" + a_tool("zeta"),
        "it prints when it is imported: '你好 from a pack'",
    ),
}


def written(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Packs:
    """All packs above, loaded together."""
    root = tmp_path_factory.mktemp("packs")
    texts = SOUND | {name: text for name, (text, _) in FAULTY.items()}
    return load_packs([written(root / "packs", texts)], BUILT_IN, PackVerdicts(root / "cache.json"))


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("devloop_tools_packs."):
            del sys.modules[name]


def test_sound_tools_are_loaded_whatever_else_lies_beside_them(loaded: Packs) -> None:
    names = {entry.name: entry.namespace for entry in loaded.entries}
    assert names == {
        "alpha": "pack:two-in-one",
        "beta": "pack:two-in-one",
        "delta": "pack:builds_on_others",
        "gamma": "pack:中文",
        "word_count": "pack:word_count",
        "zeta": "pack:prints",
    }


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_pack_is_named_with_its_fault(loaded: Packs, name: str) -> None:
    [fault] = [fault for fault in loaded.faults if fault.file == name]
    assert fault.reason.startswith(FAULTY[name][1]) or FAULTY[name][1] in fault.reason
    assert "\n" not in str(fault)


def test_nothing_is_said_about_sound_packs(loaded: Packs) -> None:
    assert {fault.file for fault in loaded.faults} == set(FAULTY)


async def test_a_tool_of_a_pack_is_called_like_any_other(loaded: Packs, tmp_path: Path) -> None:
    [entry] = [entry for entry in loaded.entries if entry.name == "word_count"]
    result = await call_tool(entry.definition, {"text": "中文 and English"}, tool_context(tmp_path))
    assert result.model_dump() == {"ok": True, "words": 3}


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


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": "0"}', b"\xff", b"null"])
def test_a_cache_that_can_not_be_read_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "cache.json").write_bytes(content)
    assert PackVerdicts(tmp_path / "cache.json").known("digest") is None


def test_a_cache_that_can_not_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    verdicts = PackVerdicts(tmp_path / "file" / "cache.json")
    verdicts.remember("digest", PackVerdict())
    verdicts.save()
    assert verdicts.known("digest") == PackVerdict()


def test_verdicts_come_back_as_they_were_remembered(tmp_path: Path) -> None:
    verdict = PackVerdict("坏", {"a": "why"}, ["note"])
    verdicts = PackVerdicts(tmp_path / "a" / "cache.json")
    verdicts.remember("digest", verdict)
    verdicts.save()
    assert PackVerdicts(tmp_path / "a" / "cache.json").known("digest") == verdict
    assert verdict.reasons() == ["坏", "a: why", "note"]


PACKAGE = Path(pack_verdicts.__file__).parents[1]


@pytest.mark.parametrize("module", ["registry/soundness.py", "domain/json_schemas.py"])
def test_a_verdict_is_forgotten_when_a_rule_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    shutil.copytree(PACKAGE, tmp_path / "ours", ignore=shutil.ignore_patterns("__pycache__"))
    assert rules_digest(tmp_path / "ours") == rules_digest()
    verdicts = PackVerdicts(tmp_path / "cache.json")
    verdicts.remember("digest", PackVerdict())
    verdicts.save()
    with (tmp_path / "ours" / module).open("a", encoding="utf-8") as file:
        file.write("# 更严\n")
    changed = rules_digest.__wrapped__(tmp_path / "ours")
    assert changed != rules_digest()
    monkeypatch.setattr(pack_verdicts, "rules_digest", lambda: changed)
    assert PackVerdicts(tmp_path / "cache.json").known("digest") is None


@pytest.mark.parametrize("judge", ["toolkit/json_schema.py", "domain/json_schemas.py"])
def test_what_judges_a_pack_is_among_the_rules(judge: str) -> None:
    source = (PACKAGE / judge).read_text(encoding="utf-8")
    imported = re.findall(r"^from devloop_tools\.(domain[\w.]+) import", source, re.MULTILINE)
    files = {PACKAGE / f"{name.replace('.', '/')}.py" for name in imported}
    assert files
    assert files <= {path for rule in RULES for path in PACKAGE.glob(rule)}


def test_no_packs_folder_means_no_packs(tmp_path: Path) -> None:
    packs = load_packs([tmp_path / "packs"], BUILT_IN, PackVerdicts(tmp_path / "cache.json"))
    assert (list(packs.entries), list(packs.faults)) == ([], [])


def test_a_folder_named_like_a_pack_is_named_as_unreadable(tmp_path: Path) -> None:
    (tmp_path / "packs" / "odd.py").mkdir(parents=True)
    packs = load_packs([tmp_path / "packs"], {}, PackVerdicts(tmp_path / "cache.json"))
    assert [str(fault) for fault in packs.faults] == ["pack odd.py: the file can't be read"]


def test_one_file_can_be_checked_anew(tmp_path: Path) -> None:
    verdicts = PackVerdicts(tmp_path / "cache.json")
    folder = written(tmp_path, {"good.py": WORD_COUNT, "bad.py": "1 / 0\n"})
    assert [e.name for e in check_pack(folder / "good.py", BUILT_IN, verdicts).entries] == [
        "word_count"
    ]
    [fault] = check_pack(folder / "bad.py", BUILT_IN, verdicts).faults
    assert str(fault) == "pack bad.py: ZeroDivisionError: division by zero (line 1)"


def test_a_pack_can_be_examined_here(tmp_path: Path) -> None:
    folder = written(tmp_path, {"a.py": WORD_COUNT, "b.py": HEAD + a_tool("x" * 51)})
    assert examine(folder / "a.py") == PackVerdict()
    assert examine(folder / "b.py").fatal.endswith("at most 50 characters (line 5)")


def test_packs_of_a_second_folder_join_and_a_tool_of_both_is_a_fault(tmp_path: Path) -> None:
    first = written(tmp_path / "first", {"a.py": HEAD + a_tool("a")})
    both = {"a.py": HEAD + a_tool("a"), "b.py": HEAD + a_tool("b")}
    second = written(tmp_path / "second", both)
    packs = load_packs([first, second], {}, PackVerdicts(tmp_path / "cache.json"))
    assert sorted(entry.name for entry in packs.entries) == ["a", "b"]
    [fault] = packs.faults
    assert fault.file == "a.py"
