"""What exists: found by walking a package, unique by name, seen through a policy."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from devloop_tools.registry.catalog import Catalog
from devloop_tools.registry.discovery import discover, load_file
from devloop_tools.registry.entries import ToolEntry
from devloop_tools.registry.policy import build_policy
from devloop_tools.registry.registry import DuplicateToolError, Registry
from devloop_tools.registry.soundness import faults_in
from devloop_tools.toolkit import READ, ToolContext, ToolDefinition, ToolInput, tool
from devloop_tools.toolkit.json_schema import SchemaArguments

MODULE = '''\
from devloop_tools.toolkit import READ, ToolContext, ToolInput, tool
{imports}

@tool(READ)
def {name}(args: ToolInput, ctx: ToolContext) -> str:
    """Say 你好."""
    return "{name}"
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package `sampletools` with two families."""
    root = tmp_path / "sampletools"
    for path, name, imports in [
        ("docs/write_page.py", "write_page", ""),
        ("docs/read_page.py", "read_page", "from sampletools.docs.write_page import write_page"),
        ("coder/check.py", "check", ""),
    ]:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(MODULE.format(name=name, imports=imports), encoding="utf-8")
    (root / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield root
    for name in [name for name in sys.modules if name.startswith("sampletools")]:
        del sys.modules[name]


@tool(READ)
def same(args: ToolInput, ctx: ToolContext) -> str:
    """Be the same."""
    return ""


def entry(name: str, source: str = "a.py") -> ToolEntry:
    definition = ToolDefinition(
        name=name,
        description="text",
        arguments=same.arguments,
        result=str,
        annotations=READ,
        execute=same.execute,
        is_async=False,
    )
    return ToolEntry.of(definition, "test", source)


def test_every_module_below_a_package_gives_its_own_tools(package: Path) -> None:
    found = {entry.name: (entry.namespace, entry.source) for entry in discover("sampletools")}
    assert found == {
        "check": ("coder", "sampletools.coder.check"),
        "read_page": ("docs", "sampletools.docs.read_page"),
        "write_page": ("docs", "sampletools.docs.write_page"),
    }


def test_finding_tools_imports_none_of_them(package: Path) -> None:
    found = {entry.name: entry for entry in discover("sampletools")}
    assert not any(entry.is_loaded for entry in found.values())
    assert [name for name in sys.modules if name.startswith("sampletools.docs.")] == []
    assert found["read_page"].definition.name == "read_page"
    assert found["read_page"].is_loaded
    assert "sampletools.coder.check" not in sys.modules


def test_a_module_that_is_broken_is_no_fault_of_others(package: Path) -> None:
    (package / "docs" / "broken.py").write_text("import no_such_module")
    (package / "docs" / "empty.py").write_text("from sampletools.coder.check import check")
    found = {entry.name: entry for entry in discover("sampletools")}
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        assert found["broken"].definition
    with pytest.raises(ImportError, match=r"sampletools\.docs\.empty defines no tool empty"):
        assert found["empty"].definition
    assert found["check"].definition.name == "check"


def test_a_module_that_was_mended_is_imported_at_the_next_try(package: Path) -> None:
    (package / "docs" / "late.py").write_text("import no_such_module")
    [late] = [entry for entry in discover("sampletools") if entry.name == "late"]
    with pytest.raises(ModuleNotFoundError):
        assert late.definition
    (package / "docs" / "late.py").write_text(MODULE.format(name="late", imports="# 修好了"))
    assert late.definition.name == "late"


def test_entries_are_sorted_by_name_and_can_not_be_changed() -> None:
    registry = Registry([entry("b"), entry("c"), entry("a")])
    assert list(registry.entries) == ["a", "b", "c"]
    with pytest.raises(TypeError):
        registry.entries["d"] = entry("d")  # type: ignore[index]  # the point of the test


def test_a_name_that_is_taken_is_an_error_that_names_both_sources() -> None:
    with pytest.raises(DuplicateToolError) as caught:
        Registry([entry("write", "docs/write.py"), entry("write", "packs/我的.py")])
    assert str(caught.value) == (
        "write: defined in docs/write.py and again in packs/我的.py; rename one of them"
    )


def test_a_catalog_shows_what_the_policy_grants_sorted_by_name() -> None:
    policy = build_policy("pm", ["b", "a"], {"a", "b", "c"})
    first = entry("a")
    catalog = Catalog([entry("c"), entry("b"), first], policy)
    assert [entry.name for entry in catalog.entries()] == ["a", "b"]
    assert catalog.get("a") is first


def test_a_forbidden_tool_reads_as_one_that_does_not_exist() -> None:
    catalog = Catalog([entry("a"), entry("b")], build_policy("pm", ["a"], {"a", "b"}))
    assert catalog.get("b") is None
    assert catalog.get("nowhere") is None


def test_tools_that_join_stand_under_the_same_policy() -> None:
    policy = build_policy("pm", ["a", "host_b"], {"a", "host_b", "host_c"})
    joined = Catalog([entry("a")], policy).joined([entry("host_c"), entry("host_b")], policy)
    assert [entry.name for entry in joined.entries()] == ["a", "host_b"]


def test_a_file_that_is_no_python_is_not_loaded(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match="not a Python file"):
        load_file(tmp_path / "notes.txt")


def definition(name: str = "fine", description: str = "text", **schema: object) -> ToolDefinition:
    return ToolDefinition(
        name=name,
        description=description,
        arguments=SchemaArguments({"type": "object"} | schema),
        result=str,
        annotations=READ,
        execute=same.execute,
        is_async=False,
    )


@pytest.mark.parametrize(
    ("unsound", "fault"),
    [
        (definition("bad.name"), "the name 'bad.name' must be 1 to 50 of A-Z a-z 0-9 _ -"),
        (definition("查询"), "the name '查询' must be 1 to 50 of A-Z a-z 0-9 _ -"),
        (definition("n" * 51), f"the name '{'n' * 51}' must be 1 to 50 of A-Z a-z 0-9 _ -"),
        (definition("policy_check"), "the name policy_check belongs to the CLI's hook"),
        (
            definition("mcp__github__delete_repo"),
            "a name that starts with mcp__ belongs to a tool of another server",
        ),
        (definition(description=""), "the description must have 1 to 4096 characters"),
        (definition(description="d" * 4097), "the description must have 1 to 4096 characters"),
        (
            definition(enum=[{}]),
            "the schema's root must be a plain object, without enum",
        ),
        (
            definition(properties={"a": {"type": "text"}}),
            "the schema is invalid at properties.a.type: "
            "'text' is not valid under any of the given schemas",
        ),
        (
            definition(properties={"a": {"description": "长" * 22_000}}),
            "its schema has 66055 bytes; at most 65536 are allowed",
        ),
        (
            definition(default={1, 2}),
            "its schema can't be made: TypeError: Type is not JSON serializable: set",
        ),
    ],
)
def test_a_definition_that_clients_would_choke_on_is_found(
    unsound: ToolDefinition, fault: str
) -> None:
    assert list(faults_in(unsound)) == [fault]


@pytest.mark.parametrize("sound", [definition(), definition("n" * 50, "d" * 4096), same])
def test_nothing_is_said_about_a_sound_definition(sound: ToolDefinition) -> None:
    assert list(faults_in(sound)) == []
