"""Drop-in tools in the installed server: a bad one beside a good one costs nobody anything."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.processes.server import FIXTURES, PATIENCE_S, Server, clean_environment, command

GOOD = '''\
from pydantic import Field
from devloop_tools.toolkit import READ, ToolContext, ToolInput, tool


class TextInput(ToolInput):
    text: str = Field(max_length=100, description="Any text.")


@tool(READ)
async def f_echo(args: TextInput, ctx: ToolContext) -> str:
    """Return the text 原样."""
    return args.text
'''

BAD = {
    "syntax": ("def (:\n", "SyntaxError"),
    "missing package": ("import 没有这个包\n", "No module named"),
    "exits": ("import sys\nsys.exit(1)\n", "SystemExit: 1"),
    "exits at once": ("import os\nos._exit(1)\n", "its import ends the process"),
    "loops": ("while True:\n    pass\n", "does not end within 3 s"),
    "prints": (
        "import os\nprint('打印')\nos.write(1, b'raw')\nos.system('echo child')\n"
        + GOOD.replace("f_echo", "f_loud"),
        "it prints when it is imported: '打印'",
    ),
    "bad schema": (
        "from collections.abc import Callable\n"
        + GOOD.replace("f_echo", "f_odd").replace("text: str", "text: Callable[[], int]"),
        "f_odd: its schema can't be made",
    ),
    "takes a name": (GOOD.replace("f_echo", "write_todolist"), "write_todolist is already defined"),
}
REPLIES_WITHIN_S = 5.0


def tools_folder(root: Path, packs: dict[str, str], policy: list[str] | None = None) -> Path:
    """agents.json with pm, and these packs."""
    folder = root / "tools.d"
    (folder / "packs").mkdir(parents=True)
    for name, text in packs.items():
        (folder / "packs" / name).write_text(text, encoding="utf-8")
    agent = {"id": "devloop-pm", "cli": {"toolPolicy": policy or ["*"]}}
    content = json.dumps({"templates": [agent]}, ensure_ascii=False)
    (folder / "agents.json").write_text(content, encoding="utf-8")
    return folder


def started(root: Path, tools: Path, **more: Any) -> Server:
    project = root / "project"
    project.mkdir(exist_ok=True)
    env = {"XDG_STATE_HOME": str(root / "state")}
    return Server(command(project, tools_dir=tools), env=env | more)


@pytest.mark.parametrize("kind", BAD)
def test_h_d05_one_drop_in_tool_file_must_not_take_the_rest_down(kind: str, tmp_path: Path) -> None:
    text, reason = BAD[kind]
    with started(tmp_path, tools_folder(tmp_path, {"bad.py": text, "good.py": GOOD})) as server:
        server.shake_hands()
        answered_s = time.monotonic() - server.started_at
        server.request("list", "tools/list")
        server.call("echo", "f_echo", text="好")
        server.request("info", "server.info")
        names = [tool["name"] for tool in server.reply("list")["result"]["tools"]]
        assert server.reply("echo")["result"]["content"][0]["text"] == "好"
        [fault] = server.reply("info")["result"]["packs"]
        server.wait_until(lambda: "bad.py" in server.stderr, PATIENCE_S)
    assert answered_s < REPLIES_WITHIN_S
    assert {"f_echo", "write_todolist"} <= {*names}
    assert fault["file"] == "bad.py"
    assert reason in fault["reason"]
    told = [line for line in server.stderr.splitlines() if line.startswith("devloop-tools")]
    assert told == [f"devloop-tools serve: pack bad.py: {fault['reason']}"]
    assert [line.fault for line in server.lines if line.fault] == []
    assert "Traceback" not in server.stderr


def test_what_was_found_out_is_known_at_the_next_start(tmp_path: Path) -> None:
    tools = tools_folder(tmp_path, {"slow.py": BAD["loops"][0], "good.py": GOOD})
    took = []
    for _ in range(2):
        with started(tmp_path, tools) as server:
            server.request(1, "tools.execute", {"name": "f_echo", "input": {"text": "好"}})
            assert server.reply(1)["result"]["text"] == "好"
            took.append(time.monotonic() - server.started_at)
    assert took[0] > 3.0
    assert took[1] < took[0] - 1.0


def test_a_changed_file_is_tried_again(tmp_path: Path) -> None:
    tools = tools_folder(tmp_path, {"pack.py": "import sys\nsys.exit(1)\n"})
    for text, count in [(GOOD, 1), ("import os\nos._exit(0)\n" + GOOD, 0), (GOOD, 1)]:
        (tools / "packs" / "pack.py").write_text(text)
        with started(tmp_path, tools) as server:
            server.request(1, "tools.list")
            listed = [tool["name"] for tool in server.reply(1)["result"]["tools"]]
        assert listed.count("f_echo") == count


@pytest.mark.parametrize("state", ["a file", "corrupt", "no home"])
def test_a_state_folder_that_can_t_be_used_harms_nobody(state: str, tmp_path: Path) -> None:
    tools = tools_folder(tmp_path, {"good.py": GOOD})
    env = {"XDG_STATE_HOME": str(tmp_path / "state")}
    if state == "a file":
        (tmp_path / "state").write_bytes(b"")
    elif state == "corrupt":
        (tmp_path / "state" / "devloop-tools").mkdir(parents=True)
        (tmp_path / "state" / "devloop-tools" / "packs.json").write_bytes(b'{"version": \xff')
    else:
        env = {"XDG_STATE_HOME": "", "HOME": ""}
    with started(tmp_path, tools, **env) as server:
        server.request(1, "tools.execute", {"name": "f_echo", "input": {"text": "好"}})
        assert server.reply(1)["result"]["text"] == "好"
    assert server.stderr == ""


def test_two_servers_that_try_the_same_packs_at_once_both_work(tmp_path: Path) -> None:
    packs = {f"good_{n}.py": GOOD.replace("f_echo", f"f_{n}") for n in range(5)}
    tools = tools_folder(tmp_path, packs)
    with started(tmp_path, tools) as one, started(tmp_path, tools) as other:
        for server in (one, other):
            server.request(1, "tools.list")
        for server in (one, other):
            names = {tool["name"] for tool in server.reply(1)["result"]["tools"]}
            assert {f"f_{n}" for n in range(5)} <= names
    kept = json.loads((tmp_path / "state" / "devloop-tools" / "packs.json").read_bytes())
    assert len(kept["verdicts"]) == 5
    assert [path.name for path in (tmp_path / "state" / "devloop-tools").iterdir()] == [
        "packs.json"
    ]


def test_a_policy_that_names_a_tool_of_a_failed_pack_is_reported_and_not_fatal(
    tmp_path: Path,
) -> None:
    packs = {"bad.py": "1 / 0\n", "good.py": GOOD}
    tools = tools_folder(tmp_path, packs, policy=["f_echo", "f_lost"])
    with started(tmp_path, tools) as server:
        server.request(1, "tools.list")
        names = [tool["name"] for tool in server.reply(1)["result"]["tools"]]
        server.wait_until(lambda: server.stderr.count("\n") == 2, PATIENCE_S)
    assert names == ["f_echo"]
    assert server.stderr.splitlines() == [
        "devloop-tools serve: pack bad.py: ZeroDivisionError: division by zero (line 1)",
        "devloop-tools serve: agents.json:1:70: templates[0].cli.toolPolicy[1]: "
        "f_lost is in no pack that could be loaded",
    ]


def test_a_policy_that_names_a_tool_nobody_has_is_fatal_where_all_packs_are_sound(
    tmp_path: Path,
) -> None:
    tools = tools_folder(tmp_path, {"good.py": GOOD}, policy=["f_echo", "f_lost"])
    with started(tmp_path, tools) as server:
        server.shake_hands()
        ended = server.wait_ended(PATIENCE_S)
    assert ended is not None
    assert ended.code == 2
    assert "unknown tool: f_lost" in server.stderr


def run(root: Path, *words: str, **env: str) -> "subprocess.CompletedProcess[str]":
    script = Path(sys.executable).with_name("devloop-tools")
    return subprocess.run(
        [str(script), *words],
        capture_output=True,
        encoding="utf-8",
        env=clean_environment({"XDG_STATE_HOME": str(root / "state"), **env}),
        cwd=root,
        timeout=60,
        check=False,
    )


def test_a_call_prints_its_result_alone_whatever_packs_print(tmp_path: Path) -> None:
    tools = tools_folder(tmp_path, {"loud.py": BAD["prints"][0], "good.py": GOOD})
    words = ["--agent", "pm", "--project-dir", str(tmp_path), "--tools-dir", str(tools)]
    ended = run(tmp_path, "call", "f_echo", '{"text": "只有 this"}', *words)
    assert (ended.returncode, ended.stdout) == (0, "只有 this\n")
    assert "it prints when it is imported" in ended.stderr


@pytest.mark.parametrize("kind", ["exits at once", "prints"])
def test_pack_check_says_what_is_wrong_and_exits_2(kind: str, tmp_path: Path) -> None:
    text, reason = BAD[kind]
    (tmp_path / "坏 pack.py").write_text(text, encoding="utf-8")
    ended = run(tmp_path, "pack", "check", "坏 pack.py")
    assert ended.returncode == 2
    assert ended.stdout == ("✓ f_loud · Return the text 原样.\n" if kind == "prints" else "")
    assert ended.stderr.splitlines()[-1].startswith("✗ pack 坏 pack.py: ")
    assert reason in ended.stderr


def test_pack_check_says_what_a_sound_one_offers_and_exits_0(tmp_path: Path) -> None:
    more = '''
from devloop_tools.toolkit.prompts import prompt
from devloop_tools.toolkit.resources import resource


@resource("notes://{day}")
def notes(ctx: ToolContext, day: str) -> str:
    """笔记 of a day."""
    return day


@prompt()
async def plan(args: dict[str, str], ctx: ToolContext) -> list[object]:
    """Plan the day."""
    return []
'''
    (tmp_path / "good.py").write_text(GOOD + more, encoding="utf-8")
    ended = run(tmp_path, "pack", "check", "good.py")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == [
        "✓ f_echo · Return the text 原样.",
        "✓ resource notes://{day}",
        "✓ prompt plan",
    ]


def test_pack_check_speaks_utf8_whatever_the_environment_wants(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(GOOD, encoding="utf-8")
    ended = run(tmp_path, "pack", "check", "good.py", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert (ended.returncode, ended.stdout) == (0, "✓ f_echo · Return the text 原样.\n")


def test_pack_check_of_no_file_says_so(tmp_path: Path) -> None:
    for name in ("没有.py", "."):
        ended = run(tmp_path, "pack", "check", name)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == f"devloop-tools: {name} is not a file\n"


def test_pack_check_of_what_packs_share_says_so(tmp_path: Path) -> None:
    (tmp_path / "_共.py").touch()
    ended = run(tmp_path, "pack", "check", "_共.py")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == ("devloop-tools: _共.py is what packs share, by its name, and no pack\n")


def test_pack_check_tries_a_slow_pack_once_more(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES, tmp_path / "tools.d")
    flag = tmp_path / "ready"
    slow = (
        f"import pathlib, time\nif not pathlib.Path({str(flag)!r}).exists():\n    time.sleep(60)\n"
    )
    file = tmp_path / "tools.d" / "packs" / "slow.py"
    file.write_text(slow + GOOD.replace("f_echo", "f_slow"), encoding="utf-8")
    words = ["--agent", "pm", "--project-dir", str(tmp_path)]
    call = ["call", "f_slow", '{"text": "好"}', *words, "--tools-dir", str(tmp_path / "tools.d")]
    assert run(tmp_path, *call).returncode == 2
    flag.touch()
    assert run(tmp_path, *call).returncode == 2
    assert run(tmp_path, "pack", "check", str(file)).returncode == 0
    assert run(tmp_path, *call).stdout == "好\n"
