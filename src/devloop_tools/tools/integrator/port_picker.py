"""port_picker: lease a free port for each name."""

from typing import Annotated, Literal

from pydantic import Field

from devloop_tools.domain.running.addresses import url_of
from devloop_tools.domain.running.names import UnitId
from devloop_tools.domain.running.ports import DEFAULT_RANGE, PortLeases
from devloop_tools.toolkit import (
    WRITE,
    Done,
    Refused,
    ToolContext,
    ToolInput,
    ToolValidationError,
    tool,
)

MAX_NAMES = 100


class PortPickerInput(ToolInput):
    names: list[UnitId] = Field(
        min_length=1,
        max_length=MAX_NAMES,
        description="What each port is for, mostly the unit's id; each name once.",
        examples=[["todo-be"]],
    )
    range: list[Annotated[int, Field(ge=1024, le=65_535)]] = Field(
        default=list(DEFAULT_RANGE),
        min_length=2,
        max_length=2,
        description="First and last port to choose from.",
        examples=[[20_000, 20_099]],
    )
    host: Literal["localhost", "127.0.0.1", "::1", "0.0.0.0", "::"] = Field(
        default="localhost", description="Where the units will listen; for the urls alone."
    )


class PortsPicked(Done):
    ports: dict[str, int]
    urls: dict[str, str]


@tool(WRITE)
def port_picker(args: PortPickerInput, ctx: ToolContext) -> PortsPicked | Refused:
    """Lease a free port for each name, before spawn_units starts the units.

    No process of this project is given a port that another one was given, and none that anybody
    uses on IPv4 or IPv6 is given at all. Every call gives new ports; {{port.NAME}} then means the
    newest, or the one on which the unit NAME runs. A lease ends when this server ends, or with the
    detached unit that it went to.
    """
    first, last = args.range
    if first > last:
        raise ToolValidationError("range", "the first port comes before the last.")
    if len(set(args.names)) < len(args.names):
        raise ToolValidationError("names", "each name once.")
    picked = PortLeases(ctx.database).pick(args.names, first, last)
    if isinstance(picked, Refused):
        return picked
    urls = {name: url_of(port, args.host) for name, port in picked.items()}
    return PortsPicked(ports=picked, urls=urls)
