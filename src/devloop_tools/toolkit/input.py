"""The base of every tool's input model."""

from pydantic import BaseModel, ConfigDict


class ToolInput(BaseModel):
    """A flat object. Unknown fields and numbers that are not finite are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)
