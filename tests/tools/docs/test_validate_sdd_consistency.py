import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.tools.docs.contracts import TODO_BE, UNITS

from devloop_tools.domain.contracts.contract import hash_of
from devloop_tools.toolkit import ToolContext, ToolDefinition
from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.docs.bootstrap_prd_site import bootstrap_prd_site
from devloop_tools.tools.docs.bootstrap_sdd_site import bootstrap_sdd_site
from devloop_tools.tools.docs.update_search_index import update_search_index
from devloop_tools.tools.docs.validate_sdd_consistency import validate_sdd_consistency
from devloop_tools.tools.docs.write_chapter import write_chapter
from devloop_tools.tools.docs.write_mvcp_page import write_mvcp_page

TODO_FE: dict[str, Any] = {
    "unit": "todo-fe",
    "version": "一",
    "functions": [{"name": "show", "returns": {"$ref": "todo-be#/types/Todo"}}],
}
BE, FE, UNITS_FILE = "sdd/units/todo-be.html", "sdd/units/todo-fe.html", "sdd/units.json"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project whose design holds together."""
    root = tmp_path_factory.mktemp("design")
    ctx = tool_context(root)

    def call(definition: ToolDefinition, **arguments: Any) -> None:
        assert definition.execute(definition.arguments.parse(definition.name, arguments), ctx).ok

    call(bootstrap_prd_site, title="待办", chapters=[{"id": "login", "title": "登录 Login"}])
    call(write_chapter, site="prd", chapter_id="login", markdown="## 流程 Flow\n\n字")
    call(bootstrap_sdd_site, title="设计", units=UNITS)
    for contract in (TODO_BE, TODO_FE):
        call(write_mvcp_page, unit_id=contract["unit"], contract=contract, model="数据 data")
    call(update_search_index, site="sdd")
    return root


@pytest.fixture
def root(built: Path, tmp_path: Path) -> Path:
    for site in ("prd", "sdd"):
        shutil.copytree(built / site, tmp_path / site)
    return tmp_path


async def found(ctx: ToolContext) -> list[tuple[str, str, int]]:
    """Code, page and line of all that is wrong but that the index is behind."""
    result = await call_tool(validate_sdd_consistency, {}, ctx)
    assert result.passed == (not result.errors)
    return [(f.code, f.page, f.line) for f in result.findings if f.code != "stale-index"]


def line_of(root: Path, path: str, text: str) -> int:
    source = (root / path).read_text(encoding="utf-8")
    return source[: source.index(text)].count("\n") + 1


def change(root: Path, path: str, old: str, new: str) -> None:
    source = (root / path).read_text(encoding="utf-8")
    assert old in source
    (root / path).write_text(source.replace(old, new, 1), encoding="utf-8")


def change_units(root: Path, edit: Callable[[list[dict[str, Any]]], object]) -> None:
    document = json.loads((root / UNITS_FILE).read_text(encoding="utf-8"))
    edit(document["units"])
    text = json.dumps(document, ensure_ascii=False, indent=2)
    (root / UNITS_FILE).write_text(text, encoding="utf-8")


def put_contract(root: Path, unit_id: str, contract: dict[str, Any]) -> None:
    """Write a contract past the tool that would refuse it, with its hash."""
    path = root / f"sdd/units/{unit_id}.html"
    source = path.read_text(encoding="utf-8")
    head, mark, rest = source.partition('id="data-contract">')
    text = json.dumps(contract, ensure_ascii=False, indent=1)
    path.write_text(f"{head}{mark}\n{text}</script>{rest.partition('</script>')[2]}", "utf-8")
    at = [unit["id"] for unit in UNITS].index(unit_id)
    hashed = hash_of(contract).hash
    change_units(root, lambda units: units[at].update(contract_hash=hashed))


def of(base: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {**copy.deepcopy(base), **parts}


async def test_a_design_that_holds_together_passes(root: Path, ctx: ToolContext) -> None:
    result = await call_tool(validate_sdd_consistency, {}, ctx)
    assert (result.passed, result.findings, result.pages) == (True, [], 3)


@pytest.mark.parametrize(
    ("code", "line", "faulty", "sound"),
    [
        ("unknown-dependency", '"乙"',
         lambda units: units[1].update(depends_on=["todo-be", "乙"]),
         lambda units: units[1].update(depends_on=["todo-be"], note="乙")),
        ("dependency-cycle", '"todo-fe"\n',
         lambda units: units[0].update(depends_on=["todo-fe"]),
         lambda units: units[1].update(depends_on=["todo-be", "todo-be"])),
        ("dependency-cycle", '"todo-be"\n',
         lambda units: units[0].update(depends_on=["todo-be"]),
         lambda units: units[0].update(depends_on=[])),
        ("broken-prd-ref", '"logout"',
         lambda units: units[0].update(prd_refs=["login", "logout"]),
         lambda units: units[0].update(prd_refs=["login", "login.html", "prd/login.html"])),
        ("broken-prd-ref", '"login#没有"',
         lambda units: units[0].update(prd_refs=["login#没有"]),
         lambda units: units[0].update(prd_refs=["login#流程-flow",
                                                 quote("login#流程-flow", "#")])),
        ("broken-prd-ref", '"../secret"',
         lambda units: units[0].update(prd_refs=["../secret"]),
         lambda units: units[0].update(prd_refs=[])),
        ("hash-mismatch", '"contract_hash": "sha256:0"',
         lambda units: units[0].update(contract_hash="sha256:0"),
         lambda units: units[0].update(title="sha256:0")),
        ("hash-mismatch", '"contract_hash": null',
         lambda units: units[1].update(contract_hash=None),
         lambda units: units[1].update(title="null")),
        ("missing-page", '"新"',
         lambda units: units.append({"id": "新"}),
         lambda units: units[0].update(later="新")),
    ],
)  # fmt: skip
async def test_a_fault_in_units_json_is_found_in_its_line(
    code: str,
    line: str,
    faulty: Callable[[list[dict[str, Any]]], object],
    sound: Callable[[list[dict[str, Any]]], object],
    root: Path,
    ctx: ToolContext,
) -> None:
    before = (root / UNITS_FILE).read_bytes()
    change_units(root, faulty)
    assert await found(ctx) == [(code, UNITS_FILE, line_of(root, UNITS_FILE, line))]
    (root / UNITS_FILE).write_bytes(before)
    change_units(root, sound)
    assert await found(ctx) == []


GET_TWICE = [{"method": "GET", "path": "/a/{x}"}, {"method": "get", "path": "/a/:y"}]
REF = {"$ref": "#/types/Tod"}


@pytest.mark.parametrize(
    ("code", "line", "faulty", "sound"),
    [
        ("duplicate-endpoint", '"/a/:y"', of(TODO_FE, endpoints=GET_TWICE),
         of(TODO_FE, endpoints=[{"method": "PUT", "path": "/a/{x}"}, GET_TWICE[0]])),
        ("duplicate-name", '"E2"', of(TODO_FE, errors=[{"code": "E2"}] * 2),
         of(TODO_FE, errors=[{"code": "E2"}, {"code": "E3"}])),
        ("undefined-type", '"#/types/Tod"', of(TODO_FE, events=[{"name": "e", "payload": REF}]),
         of(TODO_FE, events=[{"name": "e", "payload": REF}], types={"Tod": True})),
        ("undefined-type", '"todo-be#/types/Do"',
         of(TODO_FE, events=[{"name": "e", "payload": {"$ref": "todo-be#/types/Do"}}]), TODO_FE),
        ("invalid-schema", '"文本"', of(TODO_FE, types={"T": {"type": "文本"}}),
         of(TODO_FE, types={"T": {"title": "文本"}})),
        ("invalid-status", '"ok"',
         of(TODO_FE, endpoints=[{"method": "GET", "path": "/", "responses": {"ok": True}}]),
         of(TODO_FE, endpoints=[{"method": "GET", "path": "/", "responses": {"5XX": True}}])),
        ("wrong-unit", '"unit": "todo-be"', of(TODO_FE, unit="todo-be"),
         of(TODO_FE, team="todo-be")),
        ("undeclared-unit", '"网关"', of(TODO_FE, uses=["网关"]), of(TODO_FE, uses=["todo-be"])),
        ("shared-endpoint", '"/todos"', None,
         of(TODO_FE, endpoints=[{"method": "POST", "path": "/todos"}])),
    ],
)  # fmt: skip
async def test_a_fault_in_a_contract_is_found_in_its_line(
    code: str,
    line: str,
    faulty: dict[str, Any] | None,
    sound: dict[str, Any],
    root: Path,
    ctx: ToolContext,
) -> None:
    put_contract(root, "todo-fe", sound)
    assert await found(ctx) == []
    if faulty is None:  # the same two contracts, of units that don't know each other
        put_contract(root, "todo-fe", {**sound, "functions": []})
        change_units(root, lambda units: units[1].update(depends_on=[]))
    else:
        put_contract(root, "todo-fe", faulty)
    at = [n for n, text in enumerate(lines(root, FE), 1) if line in text][-1]
    assert await found(ctx) == [(code, FE, at)]


def lines(root: Path, path: str) -> list[str]:
    return (root / path).read_text(encoding="utf-8").split("\n")


@pytest.mark.parametrize(
    ("old", "new", "at"),
    [
        ('"version": "一"', '"version": 一', '"version": 一'),
        ('"version": "一"', '"version": null', '"version": null'),
        ('"functions": [', '"function": [],\n"functions": [', 'id="data-contract"'),
        ('"name": "show"', '"name": ""', '"name": ""'),
    ],
)
async def test_a_contract_that_is_none_is_found_where_it_goes_wrong(
    old: str, new: str, at: str, root: Path, ctx: ToolContext
) -> None:
    change(root, FE, old, new)
    assert await found(ctx) == [("malformed-contract", FE, line_of(root, FE, at))]


async def test_a_unit_that_promises_nothing_yet_is_a_warning(root: Path, ctx: ToolContext) -> None:
    await call_tool(
        bootstrap_sdd_site,
        {"title": "设计", "units": [*UNITS, {"id": "新", "title": "新", "kind": "x"}]},
        ctx,
    )
    result = await call_tool(validate_sdd_consistency, {}, ctx)
    assert result.passed
    assert {"no-contract"} <= set(result.codes) <= {"no-contract", "placeholder", "stale-index"}


@pytest.mark.parametrize(("levels", "code"), [(19, None), (30, "invalid-schema"),
                                              (300, "malformed-contract")])  # fmt: skip
async def test_a_schema_nested_beyond_reason_is_a_finding(
    levels: int, code: str | None, root: Path, ctx: ToolContext
) -> None:
    text = '{"properties": {"甲": ' * levels + "true" + "}}" * levels
    change(root, FE, '"version": "一"', f'"types": {{"T": {text}}}, "version": "一"')
    codes = {code for code, _, _ in await found(ctx)} - {"hash-mismatch"}
    assert codes == ({code} if code else set())


async def test_a_contract_that_went_is_a_mismatch(root: Path, ctx: ToolContext) -> None:
    change(root, FE, 'id="data-contract"', 'id="contract-data"')
    assert [code for code, _, _ in await found(ctx)] == ["hash-mismatch"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("<code>{{unit.网关.url}}</code>", ["undeclared-unit"]),
        ("<code>{{port.todo-fe}}</code>", ["undeclared-dependency"]),
        ("<code>{{ port.todo-be }} {{env.todo-fe}} {port.todo-fe} unit.网关.url</code>", []),
        ('<a href="todo-fe.html">todo-fe</a>', []),
        ('<a href="没有.html">x</a>', ["broken-link"]),
    ],
)
async def test_units_that_a_page_uses_are_declared(
    text: str, codes: list[str], root: Path, ctx: ToolContext
) -> None:
    change(root, BE, "<p>数据 data</p>", f"<p>\n{text}</p>")
    at = line_of(root, BE, text)
    assert await found(ctx) == [(code, BE, at) for code in codes]


async def test_a_page_of_no_unit_is_found(root: Path, ctx: ToolContext) -> None:
    (root / "sdd/units/旧.html").write_text("<p>旧</p>", encoding="utf-8")
    (root / "sdd/旧.html").write_text("<p>旧</p>", encoding="utf-8")
    codes = [(code, page) for code, page, _ in await found(ctx)]
    assert ("undeclared-unit", "sdd/units/旧.html") in codes
    assert ("undeclared-unit", "sdd/旧.html") not in codes


async def test_every_circle_is_found_once(root: Path, ctx: ToolContext) -> None:
    def edit(units: list[dict[str, Any]]) -> None:
        units[0]["depends_on"] = ["todo-fe", "todo-be"]

    change_units(root, edit)
    result = await call_tool(validate_sdd_consistency, {}, ctx)
    circles = [f.message for f in result.findings if f.code == "dependency-cycle"]
    assert sorted(message.partition(": ")[2].count("→") for message in circles) == [1, 2]


@pytest.mark.parametrize(
    "content",
    ["<meta charset=gbk>镕".encode("gbk"), b"<div>" * 10_000, b"x" * (17 * 1024 * 1024)],
    ids=["gbk", "deep", "large"],
)
async def test_a_page_that_cannot_be_read_is_a_finding(
    content: bytes, root: Path, ctx: ToolContext
) -> None:
    (root / BE).write_bytes(content)
    result = await call_tool(validate_sdd_consistency, {}, ctx)
    assert [f.page for f in result.findings if f.code == "unreadable"] == [BE]
    assert not result.passed


@pytest.mark.parametrize("content", ["[]", '{"units": [{"id": "a"}, {"id": "a"}]}', '{"units": 镕'])
async def test_a_units_file_that_no_tool_wrote_is_named(
    content: str, root: Path, ctx: ToolContext
) -> None:
    (root / UNITS_FILE).write_text(content, encoding="utf-8")
    result = await call_tool(validate_sdd_consistency, {}, ctx)
    assert result.reason.startswith(UNITS_FILE)


async def test_without_a_site_the_tool_to_make_one_is_named(ctx: ToolContext) -> None:
    result = await call_tool(validate_sdd_consistency, {}, ctx)
    assert result.hint == "Call bootstrap_sdd_site first."
