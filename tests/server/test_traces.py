"""What a reader may see of a crash."""

import json
from pathlib import Path

import pytest

from devloop_tools.server.traces import last_frames, without_paths

ROOT = Path("/tmp/p")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No such file: '/tmp/p/units/a.md'", "No such file: 'units/a.md'"),
        ("/tmp/p", "."),
        ("cd /tmp/p, then", "cd ., then"),
        ("/tmp/project2/secret/x.md is not /tmp/p/x.md", "…/x.md is not x.md"),
        ("/tmp/p.old/x", "…/x"),
        ("see /home/ann/notes/todo.md: 3", "see …/todo.md: 3"),
        ("see:/home/ann/notes/todo.md", "see:…/todo.md"),
        ("'/home/Ann Lee/my notes/to do.md'", "'…/to do.md'"),
        ('open("/var/lib/甲 乙/丙.db")', 'open("…/丙.db")'),
        ("找不到文件：/home/安/设计/接口.md，请检查", "找不到文件：…/接口.md，请检查"),
        ("无法打开/tmp/安/接口.md", "无法打开…/接口.md"),
        ("文档/设计/接口.md", "文档/设计/接口.md"),
        ("docs/a/b.md", "docs/a/b.md"),
        ("https://example.org/a/b/c.html", "https://example.org/a/b/c.html"),
        ("1/2/3", "1/2/3"),
        ("~/a/b", "~/a/b"),
        ("and/or", "and/or"),
        ("GET /login", "GET /login"),
        ("", ""),
    ],
)
def test_only_names_are_left_of_absolute_paths(text: str, expected: str) -> None:
    assert without_paths(text, ROOT) == expected


def test_a_long_message_takes_no_time() -> None:
    text = "/" + "a/" * 200_000 + " " + "/a" * 200_000 + "'" * 1000
    assert len(without_paths(text, ROOT)) < 3000


def test_frames_are_the_last_three_without_paths() -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads("{")
    frames = last_frames(caught.value.__traceback__)
    assert len(frames) == 3
    assert all(frame.startswith("json.decoder.JSONDecoder.") for frame in frames[1:])
    assert not any("/" in frame for frame in frames)
    assert last_frames(None) == ()
