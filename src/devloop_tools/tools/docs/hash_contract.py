"""hash_contract: the hash by which two contracts are the same or not."""

from pydantic import Field

from devloop_tools.domain.contracts.contract import (
    ContractHashed,
    hash_of,
    read_contract,
    unit_page,
)
from devloop_tools.toolkit import (
    READ,
    FreeObject,
    Refused,
    ToolContext,
    ToolInput,
    refused,
    tool,
)


class HashContractInput(ToolInput):
    unit_id: str | None = Field(
        default=None, min_length=1, max_length=64, description="The unit whose page carries it.",
        examples=["todo-be"],
    )  # fmt: skip
    path: str | None = Field(
        default=None, min_length=1, max_length=1024,
        description="A JSON file, or an HTML page that carries a contract.",
        examples=["sdd/units/todo-be.html"],
    )  # fmt: skip
    contract: FreeObject | None = Field(
        default=None, description="The contract itself.",
        examples=[{"unit": "todo-be", "version": 1}],
    )  # fmt: skip


@tool(READ)
def hash_contract(args: HashContractInput, ctx: ToolContext) -> ContractHashed | Refused:
    """Hash a unit's contract: SHA-256 over its canonical JSON (RFC 8785).

    Give one of unit_id, path and contract. The order of keys, white space and the spelling of
    numbers don't matter; everything else does, for no default is added and nothing is removed.
    In a page the contract is the JSON in script#data-contract. Returns the hash
    ("sha256:...") and the length of the canonical form in bytes.
    """
    match args.unit_id, args.path, args.contract:
        case str(unit_id), None, None:
            path = unit_page(unit_id)
            return hash_of(read_contract(ctx.workspace, path), path)
        case None, str(path), None:
            return hash_of(read_contract(ctx.workspace, path), path)
        case None, None, dict(contract):
            return hash_of(contract)
        case _:
            reason = "unit_id, path, contract: exactly one of them is needed."
            return refused(reason, "Leave the other two out.")
