"""scripts/new_tool.py: what it writes is a whole tool, and nothing of anybody's is lost."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.processes.server import clean_environment

REPOSITORY = Path(__file__).resolve().parents[2]
LONGEST = "a_name_that_is_as_long_as_the_longest_one_can_be_50"[:50]
WRITTEN = [("docs", "count_words"), ("persistence", LONGEST), ("neu", "x2")]


def run(copy: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """One of the interpreter's neighbours, in the copy and for its sources."""
    script = str(Path(sys.executable).with_name(words[0]))
    return subprocess.run(
        [script, *words[1:]],
        cwd=copy,
        # The copy's lines are none of the repository's coverage.
        env=clean_environment({"PYTHONPATH": str(copy / "src"), "COVERAGE_PROCESS_CONFIG": ""}),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def new_tool(copy: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return run(copy, Path(sys.executable).name, "scripts/new_tool.py", *words)


def files_of(family: str, name: str) -> list[str]:
    return [
        f"src/devloop_tools/tools/{family}/{name}.py",
        f"tests/tools/{family}/test_{name}.py",
    ]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with three tools more."""
    root = tmp_path_factory.mktemp("copy")
    for name in ("src", "scripts", "tools.d"):
        shutil.copytree(
            REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-*")
        )
    shutil.copy(REPOSITORY / "pyproject.toml", root)
    for family, name in WRITTEN:
        made = new_tool(root, family, name)
        assert made.returncode == 0, made.stderr
        assert [line for line in made.stdout.splitlines() if line.startswith("wrote")] == [
            f"wrote {file}" for file in files_of(family, name)
        ]
        assert ("add neu to NAMESPACES" in made.stdout) == (family == "neu")
    return root


def all_files() -> Sequence[str]:
    return [file for family, name in WRITTEN for file in files_of(family, name)]


@pytest.mark.parametrize(
    "words",
    [
        ["ruff", "format", "--check"],
        ["ruff", "check"],
        ["mypy"],
        ["pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_what_it_writes_is_formatted_typed_and_tested(copy: Path, words: list[str]) -> None:
    files = [file for file in all_files() if words[0] != "pytest" or file.startswith("tests")]
    ended = run(copy, *words, *files)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_what_it_writes_is_found_and_can_be_called(copy: Path) -> None:
    words = ["devloop-tools", "call", "count_words", '{"text": "你好 you"}', "--agent", "pm"]
    agents = copy / "tools.d" / "agents.json"
    agents.write_text(agents.read_text("utf-8").replace('"Read",', '"Read", "count_words",', 1))
    ended = run(copy, *words, "--tools-dir", "tools.d", "--project-dir", ".")
    assert (ended.returncode, ended.stdout) == (0, '{"ok":true,"text":"你好 you"}\n')


@pytest.mark.parametrize("family", ["docs", "persistence", "tester"])
def test_it_never_writes_over_what_is_there(copy: Path, family: str) -> None:
    before = {path: path.read_bytes() for path in copy.rglob("*.py")}
    ended = new_tool(copy, family, "count_words")
    assert ended.returncode == 1
    assert ended.stderr.startswith("src/devloop_tools/tools/docs/count_words.py is there already")
    assert {path: path.read_bytes() for path in copy.rglob("*.py")} == before


def test_it_never_writes_over_a_test_alone(copy: Path) -> None:
    test = copy / "tests/tools/docs/test_later.py"
    test.write_text("# 手写\n", encoding="utf-8")
    ended = new_tool(copy, "docs", "later")
    assert (ended.returncode, test.read_text("utf-8")) == (1, "# 手写\n")
    assert not (copy / "src/devloop_tools/tools/docs/later.py").exists()


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["docs"],
        ["docs", "a", "b"],
        ["docs", "Word"],
        ["docs", "词"],
        ["docs", "../x"],
        ["docs", "class"],
        ["import", "x"],
        ["docs", "2x"],
        ["docs", "x" * 51],
        ["docs", ""],
    ],
)
def test_names_that_no_module_can_have_are_refused(copy: Path, words: list[str]) -> None:
    ended = new_tool(copy, *words)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("usage: new_tool.py FAMILY NAME")
