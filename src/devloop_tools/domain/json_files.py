"""JSON files that a store owns: read with a check, written the same way each time."""

from collections.abc import Iterable
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from devloop_tools.storage.errors import CorruptFile
from devloop_tools.storage.files import ProjectFile

Model = TypeVar("Model", bound=BaseModel)


def load(file: ProjectFile, model: type[Model]) -> Model | None:
    """The file as `model`, or None if there is none. Raises CorruptFile naming path and fault."""
    content = file.read()
    if content is None:
        return None
    try:
        # Editors on Windows put a byte order mark before what a person has changed.
        return model.model_validate_json(content.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as exc:
        fault = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise CorruptFile(
            f"{file.path}: not what a tool wrote there: {where or 'the file'}: {fault['msg']}.",
            "Restore it from version control or from agent-state/history, or move it away.",
        ) from exc


def save(
    file: ProjectFile, document: BaseModel, *, keep: Iterable[ProjectFile] | None = None
) -> None:
    """Write `document` as readable JSON in UTF-8; on disk when this returns.

    With `keep`, what was there is kept under the first of these names that is free.
    """
    file.replace(document.model_dump_json(indent=2).encode() + b"\n", keep=keep)
