"""What clients are shown of a tool: kept beside its module, and drawn where that doesn't fit."""

import importlib
import json
import sys
import zipfile
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from devloop_tools.registry.discovery import discover
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.published import drawn, stored, to_file

MODULE = '''\
from pydantic import Field

from devloop_tools.toolkit import READ, Done, ToolContext, ToolInput, tool


class Asked(ToolInput):
    query: str = Field(default="登录", max_length=200, description="What to look for. 找什么。")


class Found(Done):
    count: int


@tool(READ)
def look(args: Asked, ctx: ToolContext) -> Found:
    """Look for words. 查词。"""
    return Found(count=0)
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The module of the only tool of the package `kept`."""
    path = tmp_path / "kept" / "docs" / "look.py"
    path.parent.mkdir(parents=True)
    (path.parent / "__init__.py").touch()
    (tmp_path / "kept" / "__init__.py").touch()
    path.write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield path
    forget()


def forget() -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "kept"]:
        del sys.modules[name]


def found() -> ToolEntry:
    [entry] = discover("kept")
    return entry


def spec() -> ModuleSpec:
    known = find_spec("kept.docs.look")
    assert known is not None
    return known


def keep(path: Path, /, **changed: Any) -> None:
    """Write the file beside the module, some of its fields as given; leave nothing imported."""
    fields = json.loads(to_file(drawn(found().definition), spec())) | changed
    path.with_suffix(".json").write_text(json.dumps(fields), encoding="utf-8")
    forget()


def test_what_was_kept_is_what_the_tool_says_and_nothing_is_imported(module: Path) -> None:
    keep(module)
    entry = found()
    assert entry.published.description == "Look for words. 查词。"
    assert not entry.is_loaded
    assert "kept.docs.look" not in sys.modules
    assert entry.published == drawn(entry.definition)


def test_the_file_is_the_same_each_time_it_is_drawn(module: Path) -> None:
    first = to_file(drawn(found().definition), spec())
    module.with_suffix(".json").write_bytes(first)
    kept = stored(spec())
    assert kept is not None
    assert to_file(kept, spec()) == first


def test_a_module_that_was_edited_since_is_drawn_anew(module: Path) -> None:
    keep(module)
    module.write_text(MODULE.replace("查词", "找出词语"), encoding="utf-8")
    assert found().published.description == "Look for words. 找出词语。"


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"5", b"null", b'"text"', b"{}", b"\xff\xfe", b'{"module": 5}',
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_whatever_else_is_there_the_tool_is_drawn(module: Path, content: bytes) -> None:
    module.with_suffix(".json").write_bytes(content)
    assert found().published.description == "Look for words. 查词。"


@pytest.mark.parametrize(
    "changed",
    [
        {"annotations": None}, {"annotations": {"harmless": True}}, {"unknown": 1}, {"module": ""},
    ],
)  # fmt: skip
def test_fields_of_another_form_count_for_nothing(module: Path, changed: dict[str, Any]) -> None:
    keep(module, **changed)
    assert stored(spec()) is None
    assert found().published.annotations.read_only is True


def test_a_file_that_is_missing_or_can_not_be_read_is_no_fault(module: Path) -> None:
    assert stored(spec()) is None
    module.with_suffix(".json").mkdir()
    assert stored(spec()) is None
    assert found().published == drawn(found().definition)


def test_it_is_found_in_an_archive_too(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(module)
    root = module.parents[2]
    archive = root / "tools.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for path in root.rglob("kept/**/*.*"):
            if path.suffix in (".py", ".json"):
                made.write(path, path.relative_to(root))
    module.unlink()
    module.with_suffix(".json").unlink()
    monkeypatch.syspath_prepend(str(archive))
    (root / "kept").rename(root / "gone")
    importlib.invalidate_caches()
    entry = found()
    assert entry.published.description == "Look for words. 查词。"
    assert not entry.is_loaded
    assert str(archive) in (spec().origin or "")
