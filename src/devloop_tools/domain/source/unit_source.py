"""The source of one unit, read: its routes, functions and types."""

from collections.abc import Sequence
from dataclasses import dataclass

from devloop_tools.domain.source.files import SourceFile, Unreadable
from devloop_tools.domain.source.model import OfferedFunction, OfferedType, Place, Route
from devloop_tools.domain.source.offered import Offered
from devloop_tools.domain.source.program import Program
from devloop_tools.domain.source.python import read_python
from devloop_tools.domain.source.routes import Routes
from devloop_tools.domain.source.script import read_script
from devloop_tools.domain.source.source_shapes import SourceShapes
from devloop_tools.domain.source.tree import is_python
from devloop_tools.domain.source.type_lookup import TypeLookup


@dataclass(frozen=True)
class UnitSource:
    """What the source offers. `values` are all names given out, also those of no known form.

    `computed` are places of routes whose path the text doesn't say; `faults` are files that
    parse in part only.
    """

    program: Program
    shapes: SourceShapes
    routes: list[Route]
    functions: list[OfferedFunction]
    types: list[OfferedType]
    values: set[str]
    handlers: set[Place]
    computed: list[Place]
    faults: list[Unreadable]


def read_source(files: Sequence[SourceFile]) -> UnitSource:
    """Read the files of a unit."""
    program = Program(
        [
            read_python(file.content, file.path)
            if is_python(file.path)
            else read_script(file.content, file.path)
            for file in files
        ]
    )
    lookup = TypeLookup(program)
    routes = Routes(program)
    found = routes.read()
    offered = Offered(program, routes.evaluation, lookup)
    functions = offered.functions()
    return UnitSource(
        program=program,
        shapes=SourceShapes(lookup),
        routes=found,
        functions=functions,
        types=offered.types(),
        values=offered.values(),
        handlers={one.place for one in functions if any(map(routes.is_handler, one.signatures))},
        computed=[Place(*place) for place in routes.unread],
        faults=[
            Unreadable(module.path, "it doesn't parse here; what follows may be missed", line)
            for module in program.modules.values()
            if (line := module.fault) is not None
        ],
    )
