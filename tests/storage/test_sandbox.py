"""The one verdict on a path: which names an agent may write or read, in every spelling."""

import time
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devloop_tools.storage.errors import ToolSandboxError
from devloop_tools.storage.sandbox import Operation, Sandbox, matches, split

DOCS = Sandbox("pm", ("docs/**", "src/*.ts"))
ANYTHING = Sandbox("coder", ("**",))


def may_write(sandbox: Sandbox, path: str) -> bool:
    return sandbox.judge(path, Operation.WRITE).allowed


def may_read(path: str, sandbox: Sandbox = DOCS) -> bool:
    return sandbox.judge(path, Operation.READ).allowed


@pytest.mark.parametrize(
    ("path", "resolved"),
    [
        ("docs/./a/../ok.html", "docs/ok.html"),
        ("docs/%2e%2e/x.html", "docs/%2e%2e/x.html"),
        ("src/a.ts", "src/a.ts"),
        ("docs/[x].html", "docs/[x].html"),
        ("docs//a///b.html", "docs/a/b.html"),
        ("docs/a b/登录.html", "docs/a b/登录.html"),
        ("docs/...", None),
        ("docs/a/b/c/d/e.html", "docs/a/b/c/d/e.html"),
        ("src/../docs/a.html", "docs/a.html"),
    ],
)
def test_a_path_is_resolved_by_name_before_it_is_judged(path: str, resolved: str | None) -> None:
    """H-G01, H-G04."""
    verdict = DOCS.judge(path, Operation.WRITE)
    assert (verdict.resolved if verdict.allowed else None) == resolved


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../outside.txt", "it leads out of the project folder"),
        ("docs/../../outside.txt", "it leads out of the project folder"),
        ("docs/a/../../../docs/a.html", "it leads out of the project folder"),
        ("..", "it leads out of the project folder"),
        ("/etc/passwd-x", "an absolute path; paths are relative to the project folder"),
        ("//docs/a.html", "an absolute path; paths are relative to the project folder"),
        ("docs\\..\\..\\outside.txt", "a backslash; names are separated by /"),
        ("", "an empty path"),
        (".", "no file name"),
        ("docs/..", "no file name"),
        ("docs", "pm may write docs/**, src/*.ts"),
        ("docs/", "pm may write docs/**, src/*.ts"),
        ("~/x", "pm may write docs/**, src/*.ts"),
        ("file:///tmp/x", "pm may write docs/**, src/*.ts"),
        ("docs-evil/a.html", "pm may write docs/**, src/*.ts"),
        ("docs.html", "pm may write docs/**, src/*.ts"),
        ("Docs/a.html", "pm may write docs/**, src/*.ts"),
        ("src/sub/a.ts", "pm may write docs/**, src/*.ts"),
        ("src/a.tsx", "pm may write docs/**, src/*.ts"),
        ("docs/a\nb.html", "a control character or a lone surrogate"),
        ("docs/a\x00/../../x", "a control character or a lone surrogate"),
        ("docs/a\x7f", "a control character or a lone surrogate"),
        ("docs/\ud800.html", "a control character or a lone surrogate"),
        ("docs/" + "x" * 10_000, "longer than 4096 bytes"),
        (
            "docs/" + "长" * 86,
            "a name longer than 255 bytes: 长长长长长长长长长长长长长长长长长长长长…",
        ),
    ],
)
def test_what_an_agent_may_not_write_is_refused_with_the_rule(path: str, reason: str) -> None:
    """H-G01, H-G04, H-G05."""
    verdict = DOCS.judge(path, Operation.WRITE)
    assert (verdict.allowed, verdict.reason) == (False, reason)


@pytest.mark.parametrize("path", ["docs/a\nb.html", "docs/a\x00", "../" + "登" * 4000, "x\u202ey"])
def test_a_refusal_is_one_short_line(path: str) -> None:
    with pytest.raises(ToolSandboxError) as caught:
        DOCS.require(path, Operation.WRITE)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400
    assert caught.value.agent == "pm"


def test_an_agent_without_a_write_list_writes_nothing() -> None:
    verdict = Sandbox("bug-triager").judge("triage.json", Operation.WRITE)
    assert (verdict.allowed, verdict.reason) == (False, "bug-triager may write nothing")


DENIED = {
    ".devloop": [".devloop", ".DEVLOOP", ".devloop.", ".devloop ", "．devｌoop", ".d\u200bevloop"],
    ".git": [".git", ".Git", ".GIT. .", "．git", ".git::$INDEX_ALLOCATION", "GIT~1", ".g\u200cit"],
    ".claude": [".claude", ".ClAuDe", ".claude...", "․claude", "\ufeff.claude"],
    ".mcp.json": [".mcp.json", ".MCP.JSON", ".mcp.json.", ".mcp．json"],
    ".env*": [".env", ".ENV", ".env.local", ".Env.Production", ".envrc", "．ＥＮＶ", ".env:x"],
    "tools.d": ["tools.d", "tools.D", "Tools.d.", "ＴＯＯＬＳ.d", "toolſ.d"],
}  # fmt: skip


@pytest.mark.parametrize("where", ["{}", "{}/x.txt", "a/{}", "a/b/{}/c.txt"])
@pytest.mark.parametrize(
    ("rule", "name"), [(rule, name) for rule, names in DENIED.items() for name in names]
)
def test_what_is_closed_to_everybody_is_closed_at_any_depth_in_every_spelling(
    rule: str, name: str, where: str
) -> None:
    assert not may_write(ANYTHING, where.format(name))


@pytest.mark.parametrize(
    "path",
    ["env", "my.env", "git/x", "a.git", "gitignore", ".gitignore", ".github/x", "tools.data/x",
     "devloop/x", ".envelope", "mcp.json", "claude.md", "tools", "environment/.x"],
)  # fmt: skip
def test_names_that_only_look_like_closed_ones_are_free(path: str) -> None:
    assert may_write(ANYTHING, path) is (not path.startswith(".env"))


def _alike() -> dict[str, set[str]]:
    """Characters that compatibility and case make equal to an ASCII one."""
    alike: defaultdict[str, set[str]] = defaultdict(set)
    for code in range(0x80, 0x1FFFF):
        character = chr(code)
        plain = unicodedata.normalize("NFKC", character).casefold()
        if len(plain) == 1 and plain.isascii():
            alike[plain].add(character)
    return alike


@pytest.mark.parametrize("name", [".env", ".git", ".devloop", ".claude", ".mcp.json", "tools.d"])
def test_no_character_that_reads_the_same_opens_a_closed_name(name: str) -> None:
    alike = _alike()
    open_names = [
        spelled
        for position, letter in enumerate(name)
        for other in alike[letter]
        if may_write(ANYTHING, spelled := name[:position] + other + name[position + 1 :])
    ]
    assert open_names == []


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_a_deny_rule_of_the_file_holds_in_every_unicode_form(
    form: Literal["NFC", "NFD", "NFKC", "NFKD"],
) -> None:
    sandbox = Sandbox("coder", ("**",), write_deny=("geheim-ä", "prd/é*/**"))
    for path in ("x/Geheim-Ä/y", "prd/Épilogue/a.html"):
        assert not may_write(sandbox, unicodedata.normalize(form, path))


@pytest.mark.parametrize("name", ["con", "NUL.txt", "aux", "com1.log", "a.", "b ", "a/prn/c"])
def test_names_that_a_checkout_on_windows_can_not_have_are_refused(name: str) -> None:
    assert ANYTHING.judge(name, Operation.WRITE).rule == "reserved name"


def test_an_allowed_name_may_come_in_either_unicode_form() -> None:
    sandbox = Sandbox("pm", ("prd/é.html",))
    assert may_write(sandbox, unicodedata.normalize("NFD", "prd/é.html"))


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("units/todo-be/src/a.py", True),
        ("memory/devloop/pm/index.json", True),
        ("tools.d/agents.json", True),
        (".git/config", True),
        (".env", False),
        ("a/.ENV.local", False),
        (".devloop/state.db", False),
        (".Devloop/state.db", False),
        (".devloop/results/call-1.json", True),
        (".devloop/results/../state.db", False),
        ("a/.devloop/results/x.json", False),
        ("../other-project/x", False),
        ("/etc/passwd", False),
        ("a\x00b", False),
    ],
)
def test_reading_is_open_inside_the_project_but_for_secrets_and_state(
    path: str, allowed: bool
) -> None:
    assert may_read(path) is allowed


@pytest.mark.parametrize(
    ("path", "resolved"),
    [
        ("/kb/guides/a.md", "guides/a.md"),
        ("/kb/登录/../a.md", "a.md"),
        ("/kb", None),
        ("/kb/", None),
        ("/kb/../etc/passwd", None),
        ("/kb-evil/a.md", None),
        ("/kb/.env", None),
        ("/etc/passwd", None),
    ],
)
def test_a_folder_beside_the_project_can_be_opened_to_reading(
    path: str, resolved: str | None
) -> None:
    sandbox = Sandbox("pm", ("**",), read_allow=(Path("/kb"),))
    verdict = sandbox.judge(path, Operation.READ)
    assert (verdict.resolved if verdict.allowed else None) == resolved
    assert verdict.root == (Path("/kb") if verdict.allowed or path == "/kb/.env" else None)
    assert not may_write(sandbox, path)


def test_what_may_be_touched_comes_back_as_folder_and_names() -> None:
    sandbox = Sandbox("pm", ("prd/**",), read_allow=(Path("/kb"),))
    assert sandbox.require("prd/./a.html", Operation.WRITE) == (None, ("prd", "a.html"))
    assert sandbox.require("/kb/x/a.md", Operation.READ) == (Path("/kb"), ("x", "a.md"))


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("timeline.ndjson", ["timeline.ndjson"], ["timelinexndjson", "a/timeline.ndjson"]),
        ("prd/**", ["prd/a", "prd/a/b"], ["prd", "prd/", "prdx/a", "a/prd/b"]),
        ("**/a.md", ["a.md", "x/a.md", "x/y/a.md"], ["xa.md", "a.md/x"]),
        ("units/*/logs/**", ["units/b/logs/x"], ["units/b/c/logs/x", "units/logs/x"]),
        ("v?.md", ["v1.md", "v版.md"], ["v.md", "v12.md", "v/.md"]),
        ("[ab].md", ["[ab].md"], ["a.md", "b.md"]),
        ("a+(b).md", ["a+(b).md"], ["aab.md"]),
        ("第*章.md", ["第一章.md", "第章.md"], ["第一/章.md"]),
        ("**", ["a", "a/b"], [""]),
        ("a*b*c", ["abc", "aXbYc", "abbcc", "abcbc"], ["ab", "acb", "abcd", "a/bc"]),
        ("a*b/c", ["ab/c", "abb/c", "aXbXb/c"], ["a/b/c", "abX/c"]),
        ("*.*", ["a.b", "a.b.c", "."], ["ab", "a/b.c"]),
        ("a**b", ["ab", "aXb"], ["a/b"]),
        ("*?", ["a", "ab"], [""]),
    ],
)
def test_globs_compare_names_and_never_parts_of_names(
    pattern: str, yes: Sequence[str], no: Sequence[str]
) -> None:
    assert [path for path in yes if not matches(path, pattern)] == []
    assert [path for path in no if matches(path, pattern)] == []


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["..", ".", "", "a", "登", ".git"])).map("/".join)
)
def test_whatever_the_path_the_names_that_come_out_stay_inside(path: str) -> None:
    try:
        parts = split(path)
    except ValueError:
        return
    assert parts
    assert not {"", ".", ".."} & set(parts)
    assert not any("/" in part or "\x00" in part for part in parts)
    assert split("/".join(parts)) == parts


def test_the_verdict_on_a_long_path_takes_no_time() -> None:
    """A pattern that backtracks would take minutes."""
    sandbox = Sandbox("coder", ("**/a*a*a*a*a*b/**",))
    assert not may_write(sandbox, "/".join(["a" * 200] * 15))


@pytest.mark.parametrize("pattern", ["**/a/**/a/**/b", "**/**/**/b", "**/a*a*a*b"])
def test_no_glob_holds_for_long(pattern: str) -> None:
    path = "a/" * 2000 + "a" * 2000
    before = time.monotonic()
    assert not matches(path, pattern)
    assert time.monotonic() - before < 1
