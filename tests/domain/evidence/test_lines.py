from pathlib import Path

import pytest

from devloop_tools.domain.evidence.lines import MAX_LINE, lines_of_file, lines_of_text
from devloop_tools.storage.errors import ExpectedFailure, ToolSandboxError
from devloop_tools.toolkit.testing import tool_context


def test_lines_end_at_lf_and_lose_returns_and_colours() -> None:
    lines = list(lines_of_text("甲\r\n\x1b[31mb\x1b[0m\n\nc"))
    assert [(line.number, line.text) for line in lines] == [(1, "甲"), (2, "b"), (3, ""), (4, "c")]


def test_a_long_line_is_known_by_its_head() -> None:
    first, second = lines_of_text("x" * (MAX_LINE + 5) + "\ny")
    assert (len(first.text), first.is_cut) == (MAX_LINE, True)
    assert (second.number, second.text, second.is_cut) == (2, "y", False)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_is_read_in_its_encoding_over_the_bounds_of_pieces(
    encoding: str, tmp_path: Path
) -> None:
    said = "登录 failed, 失败 " * 5
    text = f"{said}\n" * 30_000
    (tmp_path / "a.log").write_bytes(text.encode(encoding))
    lines = list(lines_of_file(tool_context(tmp_path).workspace, "a.log"))
    assert len(lines) == 30_000
    assert {line.text for line in lines} == {said}


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    workspace = tool_context(tmp_path).workspace
    (tmp_path / "a.bin").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "empty.log").write_bytes(b"")
    with pytest.raises(ExpectedFailure, match=r"a\.bin is a binary file"):
        lines_of_file(workspace, "a.bin")
    with pytest.raises(ExpectedFailure, match=r"there is no b\.log"):
        lines_of_file(workspace, "b.log")
    with pytest.raises(ToolSandboxError):
        lines_of_file(workspace, ".devloop/state.db")
    assert list(lines_of_file(workspace, "empty.log")) == []


@pytest.mark.parametrize("last", [6, 1 << 20, 3_000_001, 9_000_000])
def test_of_a_large_file_the_end_is_read_with_true_numbers(last: int, tmp_path: Path) -> None:
    text = "".join(f"行 {number:>60}\n" for number in range(1, 60_001))
    (tmp_path / "a.log").write_text(text, encoding="utf-8")
    lines = list(lines_of_file(tool_context(tmp_path).workspace, "a.log", last))
    assert all(line.text == f"行 {line.number:>60}" for line in lines)
    size = sum(len(line.text.encode()) + 1 for line in lines)
    assert min(last, len(text.encode())) - 65 < size <= last
    assert not lines or lines[-1].number == 60_000


def test_a_large_file_without_line_ends_has_no_line_at_its_end(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"x" * 3_000_000)
    assert list(lines_of_file(tool_context(tmp_path).workspace, "a.log", 1_000_000)) == []
