"""Packs that only a hostile or a hurried author writes, and folders that hold more than packs."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from devloop_tools.registry import pack_trial
from devloop_tools.registry.pack_trial import try_packs
from devloop_tools.registry.pack_verdicts import (
    PackVerdict,
    PackVerdicts,
    from_json,
    rules_digest,
    state_folder,
)
from devloop_tools.registry.packs import Packs, load_packs

HEAD = """\
from devloop_tools.toolkit import *
class In(ToolInput):
    pass
"""
TOOL = '''
@tool(READ)
def {name}(args: In, ctx: ToolContext) -> str:
    """Say 你好."""
    return "{name}"
'''
BY_HAND = """
from devloop_tools.toolkit.arguments import ModelArguments
def run(args, ctx):
    return "x"
odd = ToolDefinition({fields}, execute=run, is_async=False)
"""
FIELDS = {
    "name": "name='odd'",
    "description": "description='d'",
    "arguments": "arguments=ModelArguments(In)",
    "result": "result=str",
    "annotations": "annotations=READ",
}


def packs_of(folder: Path, texts: dict[str, str]) -> Packs:
    """All of `texts` and a good pack, loaded as a server loads them."""
    packs = folder / "packs"
    packs.mkdir(exist_ok=True)
    for name, text in {**texts, "good.py": HEAD + TOOL.format(name="good")}.items():
        (packs / name).write_text(text, encoding="utf-8")
    return load_packs([packs], {}, PackVerdicts(folder / "state" / "packs.json"))


def reasons(packs: Packs) -> list[str]:
    return [fault.reason for fault in packs.faults]


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("devloop_tools_packs."):
            del sys.modules[name]


FAILING = [
    ("raise KeyboardInterrupt", "KeyboardInterrupt (line 1)"),
    ("raise BaseException('底')", "BaseException: 底 (line 1)"),
    ("class E(Exception):\n  def __str__(self): raise E\nraise E", "E (line 3)"),
    ("raise ValueError('half \\udcff')", "ValueError: half \\udcff (line 1)"),
    ("\n\ndef f():\n  1 / 0\nf()", "ZeroDivisionError: division by zero (line 4)"),
    ("exec('def (')", "SyntaxError: invalid syntax (line 1)"),
    ("import json\njson.loads('{')", "JSONDecodeError: Expecting property name"),
    ("class P:\n  __class__ = property(lambda s: 1 / 0)\np = P()", "ZeroDivisionError"),
    ("\x00", "source code string cannot contain null bytes"),
    ("# coding: klingon", "unknown encoding: klingon"),
    ("import os\nos.kill(os.getpid(), 9)", "its import ends the process"),
    ("import threading\nthreading.Thread(target=print).start()", "it defines no tool"),
]
BY_HAND_FAULTS = [
    ("name", "5", "the name 5 must be 1 to 50"),
    ("name", "['odd']", "must be 1 to 50"),
    ("name", "'奇怪'", "the name '奇怪' must be 1 to 50"),
    ("name", "'Bash'", "the name Bash belongs to a tool of the Claude CLI"),
    ("description", "None", "the description must have"),
    ("description", "''", "the description must have"),
    ("annotations", "None", "it does not say what a call may do"),
    ("arguments", "None", "its schema can't be made"),
]


def by_hand(field: str, value: str) -> str:
    fields = FIELDS | {field: f"{field}={value}"}
    return HEAD + BY_HAND.format(fields=", ".join(fields.values()))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Packs:
    """All packs above beside a good one, loaded together."""
    failing = {f"fails_{number}.py": text for number, (text, _) in enumerate(FAILING)}
    odd = {
        f"odd_{number}.py": by_hand(field, value)
        for number, (field, value, _) in enumerate(BY_HAND_FAULTS)
    }
    return packs_of(tmp_path_factory.mktemp("packs"), {**failing, **odd})


def test_one_good_pack_among_many_bad_ones_is_loaded(loaded: Packs) -> None:
    assert [entry.name for entry in loaded.entries] == ["good"]
    assert len(loaded.faults) == len(FAILING) + len(BY_HAND_FAULTS)


@pytest.mark.parametrize("number", range(len(FAILING)))
def test_a_pack_that_fails_says_why_with_its_line(loaded: Packs, number: int) -> None:
    [said] = [fault.reason for fault in loaded.faults if fault.file == f"fails_{number}.py"]
    assert FAILING[number][1] in said
    assert said.isprintable()


@pytest.mark.parametrize("number", range(len(BY_HAND_FAULTS)))
def test_a_tool_made_by_hand_is_judged_too(loaded: Packs, number: int) -> None:
    [said] = [fault.reason for fault in loaded.faults if fault.file == f"odd_{number}.py"]
    assert BY_HAND_FAULTS[number][2] in said


def test_a_sound_tool_made_by_hand_is_a_tool(tmp_path: Path) -> None:
    packs = packs_of(tmp_path, {"hand.py": by_hand("result", "object()")})
    assert ([entry.name for entry in packs.entries], reasons(packs)) == (["good", "odd"], [])


def test_another_name_for_the_same_tool_is_no_clash(tmp_path: Path) -> None:
    text = HEAD + TOOL.format(name="one") + "also_one = one\n"
    packs = packs_of(tmp_path, {"alias.py": text})
    assert ([entry.name for entry in packs.entries], reasons(packs)) == (["one", "good"], [])


def test_two_tools_of_one_name_in_one_pack_are_a_clash(tmp_path: Path) -> None:
    text = HEAD + TOOL.format(name="one") + "first = one\n" + TOOL.format(name="one")
    packs = packs_of(tmp_path, {"twice.py": text})
    [reason] = reasons(packs)
    assert reason.startswith("one is already defined in ")
    assert "twice.py" in reason


def test_resources_and_prompts_clash_as_tools_do(tmp_path: Path) -> None:
    text = '''
from devloop_tools.toolkit.resources import resource
from devloop_tools.toolkit.prompts import prompt
@resource("notes://all")
def notes(ctx):
    """笔记."""
    return ""
@prompt()
async def plan(args, ctx):
    """Plan."""
    return []
'''
    packs = packs_of(tmp_path, {"a.py": text, "b.py": text})
    assert [one.uri for one in packs.resources] == ["notes://all"]
    assert [one.name for one in packs.prompts] == ["plan"]
    assert [reason.partition(" in ")[0] for reason in reasons(packs)] == [
        "notes://all is already defined",
        "plan is already defined",
    ]


def test_what_is_no_file_of_python_is_reported_or_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    folder.mkdir()
    (folder / "folder.py").mkdir()
    os.mkfifo(folder / "pipe.py")
    (folder / "dangling.py").symlink_to("nowhere")
    (folder / ".#lock.py").symlink_to("editor@host")
    (folder / "._good.py").write_bytes(b"\x00\x05\x16\x07")
    (folder / "notes.md").write_text("不是 Python")
    packs = packs_of(tmp_path, {})
    assert {fault.file for fault in packs.faults} == {"folder.py", "pipe.py", "dangling.py"}
    assert {*reasons(packs)} == {"the file can't be read"}
    assert [entry.name for entry in packs.entries] == ["good"]


def test_what_a_pack_writes_to_stdout_at_import_goes_to_stderr(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = HEAD + TOOL.format(name="loud") + "import os, sys\nprint('打印')\nos.write(1, b'raw')\n"
    packs = packs_of(tmp_path, {"loud.py": text + "os.system('echo child')\n"})
    out, err = capfd.readouterr()
    assert out == ""
    assert all(word in err for word in ("打印", "raw", "child"))
    assert [entry.name for entry in packs.entries] == ["good", "loud"]
    assert reasons(packs) == ["it prints when it is imported: '打印'"]


def test_a_handler_that_a_pack_sets_up_at_import_goes_on_to_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HEAD + TOOL.format(name="loud") + "import sys\nout = sys.stdout\n"
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    [_, loud] = packs_of(tmp_path, {"loud.py": text}).entries
    loud.definition.execute.__globals__["out"].write("后来")
    assert stderr.getvalue() == "后来"


def test_the_child_imports_nothing_from_the_folder_that_the_server_runs_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("orjson.py", "pydantic.py", "devloop_tools.py", "json.py"):
        (tmp_path / name).write_text("open('planted', 'w').close()")
    monkeypatch.chdir(tmp_path)
    packs = packs_of(tmp_path, {})
    assert [entry.name for entry in packs.entries] == ["good"]
    assert not (tmp_path / "planted").exists()


def test_a_pack_that_writes_to_every_descriptor_fools_nobody(tmp_path: Path) -> None:
    text = "import os\nfor fd in range(3, 20):\n  try: os.write(fd, b'gibberish\\n')\n"
    packs = packs_of(tmp_path, {"bad.py": text + "  except OSError: pass\n"})
    assert [entry.name for entry in packs.entries] == ["good"]
    assert len(packs.faults) == 1


def test_a_grandchild_that_a_pack_leaves_holds_nothing_up(tmp_path: Path) -> None:
    text = HEAD + TOOL.format(name="busy") + "import subprocess\nsubprocess.Popen(['sleep', '5'])\n"
    (tmp_path / "busy.py").write_text(text)
    assert try_packs([tmp_path / "busy.py"]) == {tmp_path / "busy.py": PackVerdict()}


def test_where_no_child_starts_every_pack_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    packs = packs_of(tmp_path, {"other.py": HEAD + TOOL.format(name="other")})
    assert reasons(packs) == ["it can't be tried: no child process starts"] * 2


def test_where_the_child_ends_before_it_begins_every_pack_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack_trial, "_CHILD", "devloop_tools.no_such_module")
    packs = packs_of(tmp_path, {"other.py": HEAD + TOOL.format(name="other")})
    assert reasons(packs) == ["it can't be tried: no child process starts"] * 2
    assert not (tmp_path / "state").exists()


def test_too_slow_is_remembered_until_the_file_changes_or_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack_trial, "TIME_LIMIT_S", 1.0)
    slow = "import time\ntime.sleep(60)\n"
    assert "does not end within" in reasons(packs_of(tmp_path, {"slow.py": slow}))[0]
    monkeypatch.setattr(subprocess, "Popen", None)
    assert "pack check" in reasons(packs_of(tmp_path, {"slow.py": slow}))[0]


@pytest.mark.parametrize(
    "fields",
    ['{"fatal": 5}', '{"unsound": null}', '{"unsound": {"a": 1}}', '{"notes": [1]}', "[]", '"x"'],
)
def test_a_verdict_of_the_wrong_form_is_none(tmp_path: Path, fields: str) -> None:
    with pytest.raises(TypeError):
        from_json(fields.encode())
    cache = tmp_path / "packs.json"
    cache.write_text(f'{{"rules": "{rules_digest()}", "verdicts": {{"digest": {fields}}}}}')
    assert PackVerdicts(cache).known("digest") is None


def test_verdicts_of_another_version_are_not_believed(tmp_path: Path) -> None:
    cache = tmp_path / "packs.json"
    cache.write_text('{"rules": "other ones", "verdicts": {"digest": {"fatal": "old 旧"}}}')
    assert PackVerdicts(cache).known("digest") is None


def test_only_the_newest_verdicts_are_kept(tmp_path: Path) -> None:
    verdicts = PackVerdicts(tmp_path / "packs.json")
    for number in range(1001):
        verdicts.remember(str(number), PackVerdict())
    verdicts.save()
    kept = PackVerdicts(tmp_path / "packs.json")
    assert (kept.known("0"), kept.known("1")) == (None, PackVerdict())


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"XDG_STATE_HOME": "/状态"}, "/状态/devloop-tools"),
        ({"XDG_STATE_HOME": "relative"}, "/home/某人/.local/state/devloop-tools"),
        ({"XDG_STATE_HOME": ""}, "/home/某人/.local/state/devloop-tools"),
        ({}, "/home/某人/.local/state/devloop-tools"),
    ],
)
def test_state_lies_where_the_user_keeps_it(
    environ: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/某人")
    assert state_folder(environ) == Path(folder)


def test_a_user_without_a_home_keeps_nothing_and_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "")
    monkeypatch.chdir(tmp_path)
    verdicts = PackVerdicts(state_folder({}) / "packs.json")
    verdicts.remember("digest", PackVerdict())
    verdicts.save()
    assert list(tmp_path.iterdir()) == []
