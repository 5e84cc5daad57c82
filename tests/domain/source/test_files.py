from pathlib import Path

import pytest

from devloop_tools.domain.source import files
from devloop_tools.domain.source.files import SourceFiles, source_files
from devloop_tools.storage.sandbox import Sandbox
from devloop_tools.storage.workspace import Workspace


def write(root: Path, *paths: str, content: bytes = b"x = 1\n") -> None:
    for path in paths:
        file = root / "units/u" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def read(root: Path) -> SourceFiles:
    return source_files(Workspace(root, Sandbox("bug-triager")), "units/u")


def test_what_others_wrote_what_was_made_and_tests_do_not_count(tmp_path: Path) -> None:
    write(tmp_path, "app.py", "src/app.ts", "src/视图.tsx", "lib/a.mjs", "src/contract/kept.ts")
    write(
        tmp_path,
        "node_modules/express/index.js",
        "packages/a/node_modules/b/c.js",
        ".venv/lib/a.py",
        "venv/lib/a.py",
        "dist/app.js",
        ".hidden/a.py",
        "contract/types.ts",
        "tests/a.py",
        "src/__tests__/a.ts",
        "src/app.test.ts",
        "src/app.spec.js",
        "test_app.py",
        "app_test.py",
        "conftest.py",
        "vite.config.ts",
        "lib/app.min.js",
        "README.md",
        "data.json",
    )
    found = [file.path for file in read(tmp_path).files]
    assert found == ["app.py", "lib/a.mjs", "src/app.ts", "src/contract/kept.ts", "src/视图.tsx"]


def test_an_environment_by_any_name_does_not_count(tmp_path: Path) -> None:
    write(tmp_path, "app.py", "py311/pyvenv.cfg", "py311/lib/a.py", "py311b/kept.py")
    result = read(tmp_path)
    assert [file.path for file in result.files] == ["app.py", "py311b/kept.py"]
    assert result.left_out == 1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"x = '\xc4\xe3\xba\xc3'\n", "not UTF-8 at byte 5"),
        ("x = 1".encode("utf-16"), "UTF-16"),
        (b"\x7fELF\0\0", "NUL bytes"),
        (b"x" * 300_000, "300000 bytes; files above 262144"),
        (b"y = 1\n" + b"x" * 20_001, "a line of more than 20000 bytes"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(content: bytes, why: str, tmp_path: Path) -> None:
    write(tmp_path, "good.py")
    write(tmp_path, "坏.py", content=content)
    result = read(tmp_path)
    assert [file.path for file in result.files] == ["good.py"]
    [unreadable] = result.unreadable
    assert unreadable.path == "坏.py"
    assert why in unreadable.why


def test_a_byte_order_mark_is_no_part_of_the_source(tmp_path: Path) -> None:
    write(tmp_path, "a.py", content=b"\xef\xbb\xbfx = 1\n")
    assert read(tmp_path).files[0].content == b"x = 1\n"


def test_only_so_many_files_and_bytes_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, *(f"a{n}.py" for n in range(5)))
    monkeypatch.setattr(files, "MAX_FILES", 2)
    assert [one.path for one in read(tmp_path).unreadable] == ["a2.py", "a3.py", "a4.py"]
    monkeypatch.setattr(files, "MAX_FILES", 9)
    monkeypatch.setattr(files, "MAX_BYTES", 20)
    result = read(tmp_path)
    assert len(result.files) == 3
    assert "more than 20 bytes" in result.unreadable[0].why
