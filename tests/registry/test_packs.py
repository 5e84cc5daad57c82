"""Drop-in tools: what is sound is loaded, what isn't is named, and nobody takes others down."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.registry.pack_texts import BUILT_IN, HEAD, WORD_COUNT, a_tool, written

from devloop_tools.registry.pack_verdicts import PackVerdict, PackVerdicts
from devloop_tools.registry.packs import Packs, examine, load_packs
from devloop_tools.toolkit.testing import call_tool, tool_context

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


def test_no_packs_folder_means_no_packs(tmp_path: Path) -> None:
    packs = load_packs([tmp_path / "packs"], BUILT_IN, PackVerdicts(tmp_path / "cache.json"))
    assert (list(packs.entries), list(packs.faults)) == ([], [])


def test_a_folder_named_like_a_pack_is_named_as_unreadable(tmp_path: Path) -> None:
    (tmp_path / "packs" / "odd.py").mkdir(parents=True)
    packs = load_packs([tmp_path / "packs"], {}, PackVerdicts(tmp_path / "cache.json"))
    assert [str(fault) for fault in packs.faults] == ["pack odd.py: the file can't be read"]


def test_a_pack_can_be_examined_here(tmp_path: Path) -> None:
    folder = written(tmp_path, {"a.py": WORD_COUNT, "b.py": HEAD + a_tool("x" * 51)})
    assert examine(folder / "a.py") == PackVerdict()
    assert examine(folder / "b.py").fatal.endswith("at most 50 characters (line 5)")


SHARED = "def greeting(name: str) -> str:\n    return f'{name} 好'\n"
SHARING = HEAD + "from ._问候 import greeting\nfrom ._lib.words import LAST\n" + a_tool("eta")


async def test_packs_share_what_lies_beside_them(tmp_path: Path) -> None:
    folder = written(tmp_path / "packs", {"_问候.py": SHARED, "one.py": SHARING})
    written(folder / "_lib", {"__init__.py": "", "words.py": "LAST = '再见'\n"})
    cache = tmp_path / "cache.json"
    packs = load_packs([folder], BUILT_IN, PackVerdicts(cache))
    assert ([str(entry.name) for entry in packs.entries], list(packs.faults)) == (["eta"], [])
    assert examine(folder / "one.py") == PackVerdict()
    assert sys.modules["devloop_tools_packs.one"].greeting("你") == "你 好"


def test_a_pack_is_tried_again_when_what_it_shares_has_changed(tmp_path: Path) -> None:
    folder = written(tmp_path / "packs", {"_问候.py": SHARED, "one.py": SHARING})
    written(folder / "_lib", {"words.py": "LAST = '再见'\n"})
    assert not load_packs([folder], {}, PackVerdicts(tmp_path / "cache.json")).faults
    written(folder, {"_问候.py": SHARED + "import os\nos._exit(0)\n"})
    packs = load_packs([folder], {}, PackVerdicts(tmp_path / "cache.json"))
    assert [str(fault) for fault in packs.faults] == ["pack one.py: its import ends the process"]


def test_each_folder_has_shared_modules_of_its_own(tmp_path: Path) -> None:
    source = HEAD + "from ._which import HERE\n"
    folders = [
        written(tmp_path / name, {"_which.py": f"HERE = {name!r}\n", f"{name}.py": source})
        for name in ("甲", "乙")
    ]
    for folder in folders:
        examine(folder / f"{folder.name}.py")
        assert sys.modules[f"devloop_tools_packs.{folder.name}"].HERE == folder.name


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("import no_such_module", "; install it where devloop-tools is installed"),
        ("import no_such.module", "; install it where devloop-tools is installed"),
        (
            "import beside",
            "; what packs share lies beside them as _NAME.py: from ._NAME import ...",
        ),
        ("import 共", "; what packs share lies beside them as _NAME.py: from ._NAME import ..."),
        ("from ._没有 import x", "; what packs share lies beside them as _NAME.py: from ._NAME"),
    ],
)
def test_a_module_that_is_not_found_comes_with_what_to_do(
    tmp_path: Path, line: str, advice: str
) -> None:
    folder = written(tmp_path, {"beside.py": "", "_共.py": "", "pack.py": f"{line}\n"})
    verdict = examine(folder / "pack.py")
    assert verdict.fatal.startswith("ModuleNotFoundError: No module named '")
    assert f" (line 1){advice}" in verdict.fatal
