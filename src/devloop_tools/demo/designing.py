"""The product manager writes the PRD, the architect makes units and contracts of it."""

from devloop_tools.demo.agent_server import AgentServer, DemoFailed
from devloop_tools.demo.project import ASSETS, UNIT, WEB_UNIT, Project

CHAPTERS = (
    {"id": "todos", "title": "待办 Todos", "group": "功能 Features"},
    {"id": "limits", "title": "范围 Limits", "group": "功能 Features"},
)


def write_prd(pm: AgentServer) -> None:
    """Plan, site, chapters, search index, and a look at the whole."""
    steps = ["Ask what a person wants of 待办", "写 PRD", "Check the site"]
    pm.call("write_todolist", items=[
        {"id": f"step-{number:03}", "description": text, "depends_on": before}
        for number, text, before in zip(
            (1, 2, 3), steps, ([], ["step-001"], ["step-002"]), strict=True
        )
    ])  # fmt: skip
    pm.call("bootstrap_prd_site", title="待办 Todo", chapters=CHAPTERS)
    pm.call("update_todo_item", id="step-001", status="done")
    for chapter in ("todos", "limits"):
        text = (ASSETS / "prd" / f"{chapter}.md").read_text(encoding="utf-8")
        pm.call("write_chapter", site="prd", chapter_id=chapter, markdown=text)
    pm.call("update_todo_item", id="step-002", status="done")
    pm.call("update_search_index", site="prd")
    _require_no_errors(pm, pm.call("validate_prd_site"))
    pm.call("update_todo_item", id="step-003", status="done")
    content = "Ids are never given twice, 删除之后也不重复。"
    pm.call("record_memory", topic="待办的编号", content=content, kind="decision")
    pm.call("timeline_append", event="prd.written", summary="PRD 完成 the PRD is written")


def write_sdd(architect: AgentServer, project: Project, *, typescript: bool) -> None:
    """Units with their pages, each contract in its page, and the whole consistent."""
    units = [{"id": UNIT, "title": "Todo 服务", "kind": "backend", "prd_refs": ["todos"]}]
    if typescript:
        units.append({"id": WEB_UNIT, "title": "Todo 页面", "kind": "frontend",
                      "depends_on": [UNIT], "prd_refs": ["todos"]})  # fmt: skip
    architect.call("bootstrap_sdd_site", title="待办 Todo: design", units=units)
    architect.call(
        "write_mvcp_page",
        unit_id=UNIT,
        contract=project.contract("todo_be"),
        model="One list in memory. 编号从 1 开始，从不重复。",
        controller="One handler a route of the contract, in `todo.py`; HTTP in `serve.py`.",
        persistence="None: 进程结束即清空。",
    )
    if typescript:
        architect.call(
            "write_mvcp_page",
            unit_id=WEB_UNIT,
            contract=project.contract("todo_web"),
            view="One sentence above the list, 中英文并列。",
        )
    architect.call("hash_contract", unit_id=UNIT)
    _require_no_errors(architect, architect.call("validate_sdd_consistency"))
    architect.call("update_search_index", site="sdd")


def _require_no_errors(agent: AgentServer, verdict: dict[str, object]) -> None:
    findings = verdict.get("findings", [])
    assert isinstance(findings, list)
    if errors := [found for found in findings if found.get("severity") == "error"]:
        raise DemoFailed(f"{agent.agent}: the site has faults: {errors[:3]}")
