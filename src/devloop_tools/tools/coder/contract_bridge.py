"""contract_bridge: code from a contract."""

from pydantic import Field

from devloop_tools.domain.bridge.bridge import Bridge, ContractBridged, Target
from devloop_tools.toolkit import WRITE, Refused, ToolContext, ToolInput, tool


class ContractBridgeInput(ToolInput):
    unit_id: str = Field(
        min_length=1, max_length=64, description="The unit whose contract it is.",
        examples=["todo-be"],
    )  # fmt: skip
    target: Target = Field(description="What to make: types and stubs, or one schema document.")


@tool(WRITE)
def contract_bridge(args: ContractBridgeInput, ctx: ToolContext) -> ContractBridged | Refused:
    """Make code of a unit's contract in units/{unit_id}/contract/, so that nobody types it again.

    typescript: types.ts, client.ts, handlers.ts, as tsc --strict takes them. python: models.py,
    client.py, handlers.py, as a strict type checker takes them. json-schema: schema.json
    (2020-12), with each type, request and response as a definition.
    types and client are for reading: call again when the contract changed. handlers is a stub to
    fill in: a file that was edited by hand is kept as it is and named in `kept`, with what to do.
    Names that a language reserves get an underscore; `warnings` say what a language can't express.
    Returns contract_hash, written, unchanged, kept and warnings.
    """
    return Bridge(ctx.workspace, ctx.origin, ctx.events).build(args.unit_id, args.target)
