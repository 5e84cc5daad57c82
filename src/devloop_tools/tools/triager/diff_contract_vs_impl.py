"""diff_contract_vs_impl: what a unit's source does otherwise than its contract says."""

from pydantic import Field

from devloop_tools.domain.contract_check.comparison import ContractCompared, compare_unit
from devloop_tools.toolkit import READ, Refused, ToolContext, ToolInput, tool


class DiffContractVsImplInput(ToolInput):
    unit_id: str = Field(
        min_length=1, max_length=64, description="The unit whose contract and source to compare.",
        examples=["todo-be"],
    )  # fmt: skip


@tool(READ)
def diff_contract_vs_impl(
    args: DiffContractVsImplInput, ctx: ToolContext
) -> ContractCompared | Refused:
    """Compare a unit's contract with its source, in TypeScript, JavaScript or Python.

    missing: in the contract only. extra: in the source only. differing: in both, not the same;
    each with kind (endpoint, function, type), name, file, line and why. Endpoints by method, whole
    path and success status (Express, Fastify, Koa, Hono, FastAPI, Flask); functions and types as
    others can import them, by parameters and properties. A list that the contract leaves out is
    not judged. Tests, dependencies, build output and contract/ in units/{unit_id}/
    don't count.
    Nothing is run, and what the text leaves open counts as right: unread names files and lines
    that could not be read, such as a computed path. Read those before you trust missing.
    """
    return compare_unit(ctx.workspace, args.unit_id)
