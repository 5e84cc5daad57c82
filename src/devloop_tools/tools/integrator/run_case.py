"""run_case: send requests to the project's units and judge the answers."""

from pydantic import Field

from devloop_tools.domain.running.case_model import Case
from devloop_tools.domain.running.case_runs import CaseRuns, CasesRun
from devloop_tools.toolkit import Annotations, FreeObject, Refused, ToolContext, ToolInput, tool


class RunCaseInput(ToolInput):
    case: Case | None = Field(default=None, description="One case; or give path.")
    path: str | None = Field(
        default=None,
        min_length=1,
        max_length=1000,
        description="A file of cases: a JSON list, {cases, vars}, or one case a line.",
    )
    vars: FreeObject = Field(default_factory=dict, description="Values for {{NAME}}.")
    timeout_s: float = Field(default=30, gt=0, le=300, description="For each request, in seconds.")


@tool(Annotations(read_only=False, open_world=True))
async def run_case(args: RunCaseInput, ctx: ToolContext) -> CasesRun | Refused:
    """Run end-to-end cases against the running units, and judge each expectation.

    Requests go to leased ports of this project's own units and nowhere else; names but localhost
    are not looked up, redirects are not followed: their status and location are what is judged.
    Placeholders are filled first: {{unit.todo-be.url}}, {{port.todo-be}}, {{env.NAME}},
    {{case.login.token}}, {{NAME}} of vars. json expects a subset: objects may hold more, lists have
    the same length. save keeps parts of the answer for later cases, also of later calls; in a file
    a case runs after those whose values it uses. passed is for all, each failed expectation comes
    with expected and actual; one case that fails does not stop the others.
    """
    runs = CaseRuns(ctx.workspace, ctx.origin, ctx.events, ctx.database)
    return await runs.run(args.case, args.path, args.vars, args.timeout_s, ctx.progress)
