"""The base of every tool's input model, and the type of a field whose form is the caller's."""

import math
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

MAX_FREE_FIELDS = 200
MAX_FREE_DEPTH = 32
"""Deeper objects could be taken but not written again: serializers give up at some depth."""


_SURROGATE = re.compile("[\ud800-\udfff]")


class ToolInput(BaseModel):
    """A flat object. Unknown fields and numbers that are not finite are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


def _checked(value: dict[str, Any]) -> dict[str, Any]:
    if fault := _fault_in(value, "", MAX_FREE_DEPTH):
        raise PydanticCustomError("free_object", "{fault}", {"fault": fault})
    return value


FreeObject = Annotated[dict[str, Any], Field(max_length=MAX_FREE_FIELDS), AfterValidator(_checked)]
"""A JSON object of any form that can be written to a file and read back as it was."""


def _fault_in(value: Any, place: str, depth: int) -> str | None:
    if depth < 0:
        return f"Nested deeper than {MAX_FREE_DEPTH} levels"
    match value:
        case dict():
            if any(_is_unwritable(name) for name in value):
                return f"A name in {place or 'it'} holds a lone surrogate"
            below = ((f"{place}.{name}".lstrip("."), item) for name, item in value.items())
        case list():
            below = ((f"{place}[{index}]", item) for index, item in enumerate(value))
        case _:
            return _fault_in_scalar(value, place)
    return next((fault for at, item in below if (fault := _fault_in(item, at, depth - 1))), None)


def _fault_in_scalar(value: Any, place: str) -> str | None:
    match value:
        case str() if _is_unwritable(value):
            return f"{place} holds a lone surrogate"
        case float() if not math.isfinite(value):
            return f"{place} is not a finite number"
        case int() if not -(2**63) <= value < 2**64:
            return f"{place} does not fit 64 bits; send it as a string"
        case _:
            return None


def _is_unwritable(text: str) -> bool:
    return not text.isascii() and _SURROGATE.search(text) is not None
