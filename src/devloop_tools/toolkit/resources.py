"""Resources: what a client may read by URI without calling a tool."""

import inspect
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from devloop_tools.frozen import frozen
from devloop_tools.toolkit.context import ToolContext

Read = Callable[..., str | bytes]


@frozen
class ResourceDefinition:
    """`uri` is whole, or a template with `{names}` (RFC 6570, level 1)."""

    uri: str
    name: str
    description: str
    mime_type: str
    read: Read

    @property
    def is_template(self) -> bool:
        return "{" in self.uri

    def match(self, uri: str) -> dict[str, str] | None:
        """The template's values in `uri`, or None if it is another one's."""
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(self.uri))
        found = re.fullmatch(pattern, uri)
        return (
            {name: unquote(value) for name, value in found.groupdict().items()} if found else None
        )


def resource(uri: str, *, mime_type: str = "text/plain") -> Callable[[Read], ResourceDefinition]:
    """Make a resource of a function `(ctx, **values) -> str | bytes`.

    The values are those of the template's names. The docstring is the description. Raises
    TypeError naming what is missing.
    """

    def define(function: Read) -> ResourceDefinition:
        where = f"{function.__module__}.{function.__qualname__}"
        wanted = {"ctx", *re.findall(r"\{(\w+)\}", uri)}
        if set(inspect.signature(function).parameters) != wanted:
            raise TypeError(f"{where}: a resource at {uri} takes ({', '.join(sorted(wanted))})")
        description = inspect.getdoc(function)
        if not description:
            raise TypeError(f"{where}: the docstring says what the resource is; write one")
        return ResourceDefinition(uri, function.__name__, description, mime_type, function)

    return define


def read_resource(
    definition: ResourceDefinition, ctx: ToolContext, values: dict[str, Any]
) -> str | bytes:
    """What the resource holds now."""
    return definition.read(ctx=ctx, **values)
