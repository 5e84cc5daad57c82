"""Whether a type of the source is what the contract says, and how it differs.

What either side leaves open agrees with everything: a difference is reported only where both
say something.
"""

from collections.abc import Iterator, Mapping

from devloop_tools.domain.bridge.shapes import (
    Array,
    Constants,
    Intersection,
    Object,
    Primitive,
    Property,
    Reference,
    Shape,
    Union,
)
from devloop_tools.domain.source.source_shapes import SourceShapes

MAX_DEPTH = 12
"""Types nested deeper are taken to agree."""

_SHOWN = 80


class Agreement:
    """Compares shapes of the contract with shapes of the source."""

    def __init__(self, types: Mapping[str, Shape], source: SourceShapes) -> None:
        self._types = types
        self._source = source

    def difference(self, promised: Shape, found: Shape, *, whole_numbers: bool) -> str | None:
        """How `found` differs from what was `promised`; None where it doesn't.

        `whole_numbers`: the language tells integers from other numbers.
        """
        return _Comparison(self, whole_numbers).between(promised, found, 0)

    def resolved(self, shape: Shape) -> Shape:
        """A type of the contract for its name."""
        for _ in range(MAX_DEPTH):
            if not isinstance(shape, Reference):
                return shape
            shape = self._types.get(shape.name, Primitive.UNKNOWN)
        return Primitive.UNKNOWN

    def resolved_source(self, shape: Shape) -> Shape:
        """A type of the source for its name."""
        return self._source.resolved(shape)


class _Comparison:
    def __init__(self, agreement: Agreement, whole_numbers: bool) -> None:
        self._agreement = agreement
        self._whole_numbers = whole_numbers
        self._under_way: set[tuple[str, str]] = set()

    def between(self, promised: Shape, found: Shape, depth: int) -> str | None:
        if depth > MAX_DEPTH or Primitive.UNKNOWN in (promised, found):
            return None
        if self._is_compared_elsewhere(promised, found):
            return None
        promised_left, found_left = _without_common(promised, found)
        left = self._branches(promised_left, contract=True)
        right = self._branches(found_left, contract=False)
        if not left and not right:
            return None
        if Primitive.UNKNOWN in left or Primitive.UNKNOWN in right:
            return None
        if len(left) == len(right) == 1:
            return self._one(left[0], right[0], promised, found, depth)
        all_found = all(any(self._fits(one, other, depth) for other in right) for one in left)
        all_wanted = all(any(self._fits(one, other, depth) for one in left) for other in right)
        return None if all_found and all_wanted else _against(promised, found)

    def _is_compared_elsewhere(self, promised: Shape, found: Shape) -> bool:
        """Types of one name are compared as types; a pair under way leads back to itself."""
        if not isinstance(promised, Reference) or not isinstance(found, Reference):
            return False
        pair = promised.name, found.name
        if promised.name == _short(found) or pair in self._under_way:
            return True
        self._under_way.add(pair)
        return False

    def _fits(self, promised: Shape, found: Shape, depth: int) -> bool:
        return self._one(promised, found, promised, found, depth + 1) is None

    def _branches(self, shape: Shape, *, contract: bool) -> list[Shape]:
        """The alternatives of a shape, all constants as one, references and parts resolved."""
        resolve = self._agreement.resolved if contract else self._agreement.resolved_source
        found: list[Shape] = []
        constants: list[object] = []
        waiting, steps = [shape], 0
        while waiting and steps < 500:
            steps += 1
            one = resolve(waiting.pop())
            if isinstance(one, Union):
                waiting.extend(reversed(one.branches))
            elif isinstance(one, Constants):
                constants.extend(value for value in one.values if value not in constants)
            elif isinstance(one, Intersection):
                found.append(_merged([resolve(part) for part in one.parts]))
            elif one is not Primitive.NEVER:
                found.append(one)
        if None in constants:
            constants.remove(None)
            found.append(Primitive.NULL)
        if set(map(str, constants)) == {"True", "False"}:
            found.append(Primitive.BOOLEAN)
        elif constants:
            found.append(Constants(tuple(constants)))
        return list(dict.fromkeys(found))

    def _one(
        self, promised: Shape, found: Shape, left: Shape, right: Shape, depth: int
    ) -> str | None:
        match promised, found:
            case Primitive(), Primitive():
                same = promised is found or self._both_numbers(promised, found)
                return None if same else _against(left, right)
            case Constants(wanted), Constants(given):
                return _constants(wanted, given)
            case Array(), Array():
                return self._arrays(promised, found, depth)
            case Object(), Object():
                return self._objects(promised, found, depth)
            case _:
                return _against(left, right)

    def _both_numbers(self, promised: Primitive, found: Primitive) -> bool:
        numbers = (Primitive.INTEGER, Primitive.NUMBER)
        return not self._whole_numbers and promised in numbers and found in numbers

    def _arrays(self, promised: Array, found: Array, depth: int) -> str | None:
        if promised.prefix and found.prefix and len(promised.prefix) != len(found.prefix):
            return f"{len(promised.prefix)} items in the contract, {len(found.prefix)} here"
        for at, (wanted, given) in enumerate(zip(promised.prefix, found.prefix, strict=False)):
            if (why := self.between(wanted, given, depth + 1)) is not None:
                return f"item {at + 1}: {why}"
        if promised.rest is None or found.rest is None:
            return None
        why = self.between(promised.rest, found.rest, depth + 1)
        return None if why is None else f"items: {why}"

    def _objects(self, promised: Object, found: Object, depth: int) -> str | None:
        wanted = {one.name: one for one in promised.properties}
        given = {one.name: one for one in found.properties}
        if not wanted or not given:
            return self._others(promised, found, depth)
        reasons: list[str] = []
        reasons += [f"{name} is missing" for name in wanted if name not in given]
        reasons += [f"{name} is not in the contract" for name in given if name not in wanted]
        for name in wanted:
            if name in given:
                reasons.extend(self._properties(wanted[name], given[name], depth))
        return "; ".join(reasons[:4]) + (" …" if len(reasons) > 4 else "") or None

    def _others(self, promised: Object, found: Object, depth: int) -> str | None:
        if promised.others is None or found.others is None:
            return None
        why = self.between(promised.others, found.others, depth + 1)
        return None if why is None else f"values: {why}"

    def _properties(self, wanted: Property, given: Property, depth: int) -> Iterator[str]:
        name = wanted.name
        if wanted.required and not given.required:
            yield f"{name} is required in the contract, optional here"
        elif given.required and not wanted.required:
            yield f"{name} is optional in the contract, required here"
        shape = given.shape
        if not wanted.required:
            shape = self._without_null(wanted.shape, shape)
        if (why := self.between(wanted.shape, shape, depth + 1)) is not None:
            yield f"{name}: {why}"

    def _without_null(self, wanted: Shape, given: Shape) -> Shape:
        """What may be left out is often written as what may be null."""
        if Primitive.NULL in self._branches(wanted, contract=True):
            return given
        if isinstance(given, Union) and Primitive.NULL in given.branches:
            left = tuple(one for one in given.branches if one is not Primitive.NULL)
            return left[0] if len(left) == 1 else Union(left)
        return given


def _without_common(promised: Shape, found: Shape) -> tuple[Shape, Shape]:
    """Two unions without the types that both name: those are compared by themselves."""
    if not isinstance(promised, Union) or not isinstance(found, Union):
        return promised, found
    wanted = {one.name for one in promised.branches if isinstance(one, Reference)}
    given = {_short(one) for one in found.branches if isinstance(one, Reference)}
    left = [one for one in promised.branches if _short(one) not in given or not _short(one)]
    right = [one for one in found.branches if _short(one) not in wanted]
    return Union(tuple(left)), Union(tuple(right))


def _short(shape: Shape) -> str:
    return shape.name.rpartition("#")[2] if isinstance(shape, Reference) else ""


def _merged(parts: list[Shape]) -> Shape:
    properties: dict[str, Property] = {}
    for part in parts:
        if not isinstance(part, Object):
            return Primitive.UNKNOWN
        properties |= {one.name: one for one in part.properties}
    return Object(tuple(properties.values()))


def _constants(wanted: tuple[object, ...], given: tuple[object, ...]) -> str | None:
    lost = [str(value) for value in wanted if value not in given]
    added = [str(value) for value in given if value not in wanted]
    reasons = []
    if lost:
        reasons.append(f"{', '.join(lost)} missing among the values")
    if added:
        reasons.append(f"{', '.join(added)} among the values, not in the contract")
    return "; ".join(reasons) or None


def _against(promised: Shape, found: Shape) -> str:
    return f"{shown(promised)} in the contract, {shown(found)} here"


def shown(shape: Shape) -> str:
    """A shape in a few words."""
    match shape:
        case Primitive():
            text = shape.value
        case Reference(name):
            text = name.rpartition("#")[2]
        case Constants(values):
            text = "one of " + ", ".join(map(str, values))
        case Array(rest):
            text = "an array" if rest is None else f"an array of {shown(rest)}"
        case Object(properties):
            text = "an object" + (
                f" with {', '.join(p.name for p in properties)}" if properties else ""
            )
        case Union(branches):
            text = " or ".join(map(shown, branches))
        case Intersection(parts):
            text = " and ".join(map(shown, parts))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
