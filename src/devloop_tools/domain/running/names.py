"""What units and cases are called in arguments."""

from typing import Annotated

from pydantic import AfterValidator, Field

from devloop_tools.settings import id_fault


def _checked(text: str) -> str:
    if fault := id_fault(text):
        raise ValueError(fault)
    return text


UnitId = Annotated[
    str,
    Field(min_length=1, max_length=64, examples=["todo-be", "登录"]),
    AfterValidator(_checked),
]
