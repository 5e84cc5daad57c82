"""What units and cases are called in arguments."""

from typing import Annotated

from pydantic import AfterValidator, Field

from devloop_tools.settings import is_id


def _checked(text: str) -> str:
    if not is_id(text):
        raise ValueError("1 to 64 letters or digits of any script, and - _ . inside")
    return text


UnitId = Annotated[
    str,
    Field(min_length=1, max_length=64, examples=["todo-be", "登录"]),
    AfterValidator(_checked),
]
