"""record_memory: one Markdown file a memory, found again by its content."""

import re
import unicodedata
from pathlib import Path
from typing import Any

import orjson
import pytest

from devloop_tools.domain import memories
from devloop_tools.domain.memories import MemoryRecorded
from devloop_tools.domain.outcome import Refused
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool, recorded_events, tool_context
from devloop_tools.tools.persistence.record_memory import record_memory

FOLDER = "memory/devloop/pm"


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    return tool_context(tmp_path)


async def record(ctx: ToolContext, topic: str, content: str, **more: Any) -> Any:
    arguments = {"topic": topic, "content": content, **more}
    return await call_tool(record_memory, arguments, ctx)


def index(root: Path) -> list[dict[str, Any]]:
    memories: list[dict[str, Any]] = orjson.loads((root / FOLDER / "index.json").read_bytes())[
        "memories"
    ]
    return memories


def files(root: Path) -> list[str]:
    return sorted(path.name for path in (root / FOLDER).iterdir())


PRINTABLE = re.compile(
    "[\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*"
)
"""What a YAML stream may hold (YAML 1.2.2, section 5.1), less U+0085 and U+FEFF."""


def front_matter(root: Path, path: str) -> tuple[dict[str, Any], str]:
    """The front matter, which is JSON but for the hash, and the text below."""
    _, front, text = (root / path).read_bytes().decode().split("---\n", 2)
    assert PRINTABLE.fullmatch(front)
    assert not set(front) & {"\u2028", "\u2029"}
    lines = dict(line.split(": ", 1) for line in front.splitlines())
    digest = lines.pop("content_hash")
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", digest)
    return {name: orjson.loads(value) for name, value in lines.items()}, text


async def test_a_memory_is_a_markdown_file_with_front_matter(
    ctx: ToolContext, tmp_path: Path
) -> None:
    result = await record(
        ctx, "登录 token lifetime", "Sessions end after **30** 分钟.",
        kind="decision", tags=["auth", "会话"],
    )  # fmt: skip
    path = f"{FOLDER}/登录-token-lifetime.md"
    assert result == MemoryRecorded(id="登录-token-lifetime", path=path)
    front, text = front_matter(tmp_path, path)
    assert front.pop("created_at").endswith("Z")
    assert front == {
        "id": "登录-token-lifetime",
        "topic": "登录 token lifetime",
        "kind": "decision",
        "tags": ["auth", "会话"],
        "agent": "pm",
        "call_id": "call-test",
    }
    assert text == "\nSessions end after **30** 分钟.\n"


async def test_the_index_holds_every_memory_oldest_first(ctx: ToolContext, tmp_path: Path) -> None:
    for topic in ("one", "二", "three"):
        await record(ctx, topic, f"content of {topic}")
    assert [memory["id"] for memory in index(tmp_path)] == ["one", "二", "three"]
    [first, *_] = index(tmp_path)
    assert (first["path"], first["kind"]) == (f"{FOLDER}/one.md", "fact")
    assert (first["superseded_by"], first["tags"]) == (None, [])


SAME = "caf\u00e9 登录\nsecond line"


@pytest.mark.parametrize(
    "content",
    [
        SAME,
        SAME.replace("\n", "\r\n"),
        unicodedata.normalize("NFD", SAME),
        f"\n\n  {SAME}\n \n",
        f"\u3000{SAME}\r\n",
    ],
)
async def test_the_same_content_is_one_memory(
    ctx: ToolContext, tmp_path: Path, content: str
) -> None:
    first = await record(ctx, "coffee", SAME)
    again = await record(ctx, "another topic", content, kind="lesson")
    assert again == MemoryRecorded(id=first.id, path=first.path, deduplicated=True)
    assert files(tmp_path) == ["coffee.md", "index.json"]
    assert len(recorded_events(tmp_path)) == 1


async def test_what_was_replaced_can_be_taken_up_again(ctx: ToolContext, tmp_path: Path) -> None:
    await record(ctx, "数据库", "用 SQLite")
    second = await record(ctx, "数据库", "用 PostgreSQL", supersedes="数据库")
    back = await record(ctx, "数据库", "用 SQLite", supersedes=second.id)
    assert (back.id, back.deduplicated) == ("数据库-3", False)
    current = [memory["id"] for memory in index(tmp_path) if memory["superseded_by"] is None]
    assert current == ["数据库-3"]
    assert (await record(ctx, "数据库", "用 SQLite")).id == back.id


@pytest.mark.parametrize("content", [SAME + ".", SAME.upper(), SAME.replace("\n", " ")])
async def test_content_that_differs_is_another_memory(
    ctx: ToolContext, tmp_path: Path, content: str
) -> None:
    await record(ctx, "coffee", SAME)
    assert (await record(ctx, "coffee", content)).id == "coffee-2"
    assert files(tmp_path) == ["coffee-2.md", "coffee.md", "index.json"]


async def test_line_ends_are_written_as_lf(ctx: ToolContext, tmp_path: Path) -> None:
    result = await record(ctx, "crlf", "一\r\n二\r\n")
    assert (tmp_path / result.path).read_bytes().endswith("\n---\n\n一\n二\n".encode())


@pytest.mark.parametrize(
    ("topic", "slug"),
    [
        ("Hello, World!", "hello-world"),
        ("登录页面", "登录页面"),
        ("登录 Token（会话）lifetime", "登录-token-会话-lifetime"),
        ("  __snake_case__  ", "snake-case"),
        ("../../etc/passwd", "etc-passwd"),
        (".env", "env"),
        ("Straße", "strasse"),
        ("Ｆｕｌｌ", "ｆｕｌｌ"),
        ("cafe\u0301", "café"),
        ("ключ доступа", "ключ-доступа"),
        ("😀🎉", "memory"),
        ("...", "memory"),
        ("\u0000\u001b[31m", "31m"),
        ("v1.2.3", "v1-2-3"),
        ("Con", "con-memory"),
        ("NUL", "nul-memory"),
        ("x" * 120, "x" * 64),
        ("字" * 120, "字" * 64),
        ("𠀀" * 120, "𠀀" * 60),
        ("a" * 63 + " b", "a" * 63),
    ],
)
async def test_a_file_is_named_by_its_topic(
    ctx: ToolContext, tmp_path: Path, topic: str, slug: str
) -> None:
    result = await record(ctx, topic, "内容")
    assert (result.id, result.path) == (slug, f"{FOLDER}/{slug}.md")
    front, _ = front_matter(tmp_path, result.path)
    assert front["topic"] == topic


@pytest.mark.parametrize("topic", ["x" * 64, "字" * 64, "𠀀" * 64, "short", "a" * 61 + "-bc"])
async def test_every_id_can_be_named_by_a_memory_that_supersedes_it(
    ctx: ToolContext, tmp_path: Path, topic: str
) -> None:
    ids = [(await record(ctx, topic, f"version {number}")).id for number in range(12)]
    assert len(set(ids)) == 12
    assert max(map(len, ids)) <= 64
    assert (await record(ctx, "newer", "the last", supersedes=ids[-1])).ok
    assert index(tmp_path)[11]["superseded_by"] == "newer"


@pytest.mark.parametrize(
    "topic", ['quote " and \\ slash', "a: b # c", "- item", "line\nbreak", "tab\t", "\x7f\x85\x9f",
              "\u2028\u2029", "\ufeff\ufffe\uffff", "!tag &anchor *alias %", "null", "😀"],
)  # fmt: skip
async def test_front_matter_can_be_read_as_yaml_whatever_the_topic(
    ctx: ToolContext, tmp_path: Path, topic: str
) -> None:
    result = await record(ctx, topic, "内容", tags=[topic])
    front, text = front_matter(tmp_path, result.path)
    assert (front["topic"], front["tags"], text) == (topic, [topic], "\n内容\n")


async def test_content_may_look_like_front_matter(ctx: ToolContext, tmp_path: Path) -> None:
    content = "---\ntitle: mine\n---\n\ncontent_hash: sha256:00\n"
    result = await record(ctx, "yaml", content)
    _, text = front_matter(tmp_path, result.path)
    assert text == "\n" + content


async def test_a_correction_names_what_it_supersedes(ctx: ToolContext, tmp_path: Path) -> None:
    old = await record(ctx, "timeout", "30 分钟")
    new = await record(ctx, "timeout", "15 分钟", supersedes=old.id)
    front, _ = front_matter(tmp_path, new.path)
    assert front["supersedes"] == "timeout"
    assert [memory["superseded_by"] for memory in index(tmp_path)] == ["timeout-2", None]
    assert [memory["supersedes"] for memory in index(tmp_path)] == [None, "timeout"]


async def test_what_can_not_be_superseded_is_named_with_what_can(
    ctx: ToolContext, tmp_path: Path
) -> None:
    nothing = await record(ctx, "a", "a", supersedes="旧")
    assert nothing == Refused(
        reason="supersedes: there is no memory 旧", hint="The newest memories are: none."
    )
    for number in range(10):
        await record(ctx, f"topic {number}", f"content {number}")
    some = await record(ctx, "a", "a", supersedes="旧")
    assert some.hint.startswith("The newest memories are: topic-2, ")
    assert some.hint.endswith(", topic-9.")
    assert "a.md" not in files(tmp_path)


async def test_the_memory_is_an_event(ctx: ToolContext, tmp_path: Path) -> None:
    result = await record(ctx, "主题", "内容")
    [event] = recorded_events(tmp_path)
    assert event.type == "memory.recorded"
    assert event.data == {"id": "主题", "topic": "主题", "path": result.path}


async def test_a_file_that_a_crash_left_without_its_entry_is_taken_over(
    ctx: ToolContext, tmp_path: Path
) -> None:
    await record(ctx, "first", "one")
    before = (tmp_path / FOLDER / "index.json").read_bytes()
    await record(ctx, "second", "two")
    (tmp_path / FOLDER / "index.json").write_bytes(before)
    again = await record(ctx, "second", "two")
    assert (again.id, again.deduplicated) == ("second", False)
    assert files(tmp_path) == ["first.md", "index.json", "second.md"]
    assert [memory["id"] for memory in index(tmp_path)] == ["first", "second"]


async def test_a_file_with_other_content_is_never_overwritten(
    ctx: ToolContext, tmp_path: Path
) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "notes.md").write_text("a person's notes")
    assert (await record(ctx, "notes", "an agent's notes")).id == "notes-2"
    assert (tmp_path / FOLDER / "notes.md").read_text() == "a person's notes"


async def test_a_file_that_somebody_took_away_is_written_again(
    ctx: ToolContext, tmp_path: Path
) -> None:
    first = await record(ctx, "gone", "内容")
    content = (tmp_path / first.path).read_bytes()
    (tmp_path / first.path).unlink()
    again = await record(ctx, "gone", "内容")
    assert (again.id, again.deduplicated) == ("gone", True)
    assert (tmp_path / first.path).read_bytes() == content


async def test_an_index_that_no_tool_wrote_is_named_and_left_alone(
    ctx: ToolContext, tmp_path: Path
) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "index.json").write_bytes(b'{"memories": 3}')
    result = await record(ctx, "a", "a")
    assert isinstance(result, Refused)
    assert result.reason.startswith(f"{FOLDER}/index.json: not what a tool wrote there: agent: ")
    assert (tmp_path / FOLDER / "index.json").read_bytes() == b'{"memories": 3}'


async def test_there_is_a_largest_number_of_memories(
    ctx: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "MAX_MEMORIES", 2)
    await record(ctx, "a", "1")
    await record(ctx, "a", "2")
    assert (await record(ctx, "a", "3")).reason == "memory: 2 memories are kept"
    assert (await record(ctx, "b", "1")).deduplicated


async def test_agents_do_not_share_memories(ctx: ToolContext, tmp_path: Path) -> None:
    await record(ctx, "a", "same")
    other = await record(tool_context(tmp_path, "architect"), "a", "same")
    assert other == MemoryRecorded(id="a", path="memory/devloop/architect/a.md")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"topic": "a"}, "content: it is required"),
        ({"topic": "", "content": "x"}, "topic: "),
        ({"topic": "长" * 121, "content": "x"}, "topic: "),
        ({"topic": "a", "content": "x" * 100_001}, "content: "),
        ({"topic": "a", "content": "\ud800"}, "content: "),
        ({"topic": "a", "content": "x", "kind": "note"}, 'kind: "note" is not allowed.'),
        ({"topic": "a", "content": "x", "tags": ["t"] * 21}, "tags: "),
        ({"topic": "a", "content": "x", "tags": [""]}, "tags[0]: "),
        ({"topic": "a", "content": "x", "title": "b"}, "title: unknown field"),
    ],
)
async def test_arguments_that_do_not_fit_are_named(
    ctx: ToolContext, arguments: dict[str, Any], text: str
) -> None:
    with pytest.raises(InvalidArguments) as caught:
        await call_tool(record_memory, arguments, ctx)
    assert f"- {text}" in str(caught.value)
