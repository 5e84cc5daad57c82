"""write_mvcp_page: write the page of a unit with its contract."""

from typing import Annotated

from pydantic import Field

from devloop_tools.domain.documents.mvcp_pages import (
    SECTIONS,
    MvcpPageStore,
    MvcpPageWritten,
    UnitDraft,
)
from devloop_tools.domain.documents.site import DocId
from devloop_tools.toolkit import (
    Annotations,
    FreeObject,
    Refused,
    ToolContext,
    ToolInput,
    tool,
)

MAX_TEXT = 1_000_000
Text = Annotated[str, Field(max_length=MAX_TEXT)]


class WriteMvcpPageInput(ToolInput):
    unit_id: DocId = Field(description="The unit, as units.json has it.", examples=["todo-be"])
    contract: FreeObject = Field(
        description="What the unit promises: {unit, version, endpoints, functions, types, events,"
        " errors}; all lists optional, schemas in JSON Schema that refer to types as #/types/Name.",
        examples=[{
            "unit": "todo-be", "version": 1,
            "endpoints": [{
                "method": "GET", "path": "/todos", "summary": "列出待办",
                "responses": {"200": {"type": "array", "items": {"type": "object"}}},
            }],
            "types": {"Todo": {"type": "object", "properties": {"title": {"type": "string"}}}},
        }],
    )  # fmt: skip
    model: Text | None = Field(default=None, description="Its data, as Markdown or HTML.")
    view: Text | None = Field(default=None, description="What people see, as Markdown or HTML.")
    controller: Text | None = Field(default=None, description="Its logic, as Markdown or HTML.")
    persistence: Text | None = Field(
        default=None, description="What it stores and where, as Markdown or HTML."
    )


@tool(Annotations(read_only=False, destructive=True))
def write_mvcp_page(args: WriteMvcpPageInput, ctx: ToolContext) -> MvcpPageWritten | Refused:
    """Write a unit's page: its contract as tables and as JSON, and how the unit is built.

    The sections contract, model, view, controller and persistence are written by their ids; those
    you leave out, and all else in the page, stay as they are. A text that starts and ends with a
    block tag is taken as HTML, any other as Markdown. The contract must name its own unit, have
    no endpoint twice and define the types that it refers to; nothing is written otherwise. Its
    hash goes into units.json. Returns changes against the contract before, each with whether it
    breaks callers, and breaking; archive the page first if diff_units is to compare them later.
    """
    given = {name: getattr(args, name, None) for name in SECTIONS[1:]}
    texts = {name: text for name, text in given.items() if text is not None}
    draft = UnitDraft(unit_id=args.unit_id, contract=args.contract, texts=texts)
    return MvcpPageStore(ctx.workspace, ctx.origin, ctx.events).write(draft)
