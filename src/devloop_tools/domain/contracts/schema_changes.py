"""What a change of a JSON Schema does to the values that fit it.

A change narrows where something that fitted no longer fits, and widens where something fits that
did not. Whoever sends a value is broken by narrowing, whoever reads one by widening. Where that
can't be told, a change counts as both.

One thing differs from the letter of JSON Schema: a property that is named anew counts as allowed
before, if others were allowed by default, for nobody sent it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from devloop_tools.domain.contracts.schema_reading import (
    ANNOTATIONS,
    EVERYTHING,
    Schema,
    Types,
    branches_of,
    effect,
    is_number,
    mapping_in,
    names_in,
    plural,
    refers,
    resolved,
    sequence_in,
    shown,
    type_names,
    types_of,
    values_of,
    without,
)

MAX_DEPTH = 60
"""Below that, schemas are only compared for being equal."""

_LOWER_BOUNDS = frozenset("minimum exclusiveMinimum minLength minItems minProperties".split())
_UPPER_BOUNDS = frozenset("maximum exclusiveMaximum maxLength maxItems maxProperties".split())
_RESTRICTIONS = frozenset(["pattern", "format", "multipleOf", "uniqueItems", "contentEncoding"])
_COMPARED = frozenset(
    "type nullable enum const properties required additionalProperties items prefixItems"
    " anyOf oneOf allOf".split()
)


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """`where` is a place in the value, such as `items[].title`; `what` is for a reader."""

    where: str
    what: str
    narrows: bool = False
    widens: bool = False


def schema_changes(
    before: Schema | None, after: Schema | None, types_before: Types, types_after: Types
) -> list[SchemaChange]:
    """What changed from one schema to the other, references resolved in the contracts' types."""
    comparison = _Comparison(types_before, types_after)
    return list(comparison.compared(_or_any(before), _or_any(after)))


def _or_any(schema: Schema | None) -> Schema:
    return EVERYTHING if schema is None else schema


@dataclass(frozen=True, slots=True)
class _Comparison:
    types_before: Types
    types_after: Types
    where: str = ""
    depth: int = 0
    seen: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of types that were compared: each is reported once, and recursion ends."""

    def compared(self, before: Any, after: Any) -> Iterator[SchemaChange]:
        """The changes between two schemas at this place."""
        old, old_name = resolved(before, self.types_before)
        new, new_name = resolved(after, self.types_after)
        if old_name or new_name:
            if (old_name, new_name) in self.seen:
                return
            self.seen.add((old_name, new_name))
        elif old == new and not refers(old):
            return
        if self.depth > MAX_DEPTH:
            if old != new:
                yield self._unclear("changed, too deep to be judged")
            return
        yield from self._of_schemas(old, new)

    def _of_schemas(self, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
        types = list(self._of_types(old, new))
        yield from types
        if types and types[0].narrows and types[0].widens:
            return
        yield from self._of_values(old, new)
        yield from self._of_bounds(old, new)
        yield from self._of_properties(old, new)
        yield from self._of_items(old, new)
        yield from self._of_branches(old, new)
        yield from self._of_other_keywords(old, new)

    def _of_types(self, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
        was, now = types_of(old), types_of(new)
        if was == now:
            return
        what = f"type changed from {type_names(was)} to {type_names(now)}"
        yield self._change(what, narrows=not was <= now, widens=not now <= was)

    def _of_values(self, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
        was, now = values_of(old), values_of(new)
        if was == now:
            return
        if was is None or now is None:
            listed = ", ".join(sorted(was or now or ()))
            if was is None:
                yield self._change(f"only these values are allowed: {listed}", narrows=True)
            else:
                yield self._change(f"values other than {listed} are allowed", widens=True)
            return
        if gone := sorted(was - now):
            yield self._change(f"value removed: {', '.join(gone)}", narrows=True)
        if added := sorted(now - was):
            yield self._change(f"value added: {', '.join(added)}", widens=True)

    def _of_bounds(self, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
        for key in sorted((_LOWER_BOUNDS | _UPPER_BOUNDS | _RESTRICTIONS) & (set(old) | set(new))):
            was, now = old.get(key), new.get(key)
            if was == now:
                continue
            if was is None or now is None:
                word = "added" if was is None else "removed"
                bound = now if was is None else was
                what = f"{key} {word}: {shown(bound)}"
                yield self._change(what, narrows=was is None, widens=now is None)
                continue
            what = f"{key} changed from {shown(was)} to {shown(now)}"
            if key in _RESTRICTIONS or not (is_number(was) and is_number(now)):
                yield self._unclear(what)
            else:
                tighter = now > was if key in _LOWER_BOUNDS else now < was
                yield self._change(what, narrows=tighter, widens=not tighter)

    def _of_properties(self, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
        was, now = mapping_in(old, "properties"), mapping_in(new, "properties")
        must_was, must_now = names_in(old, "required"), names_in(new, "required")
        for name in dict.fromkeys((*was, *now)):
            here = self._below(f".{name}")
            if name in was and name in now:
                yield from here.compared(was[name], now[name])
            elif name in now:
                yield from here._added(old, now[name], required=name in must_now)
            else:
                yield from here._removed(new, was[name], required=name in must_was)
        for name in sorted(must_now - must_was):
            if name in was or name not in now:
                yield self._below(f".{name}")._change("is required now", narrows=True)
        for name in sorted(must_was - must_now):
            if name in now or name not in was:
                yield self._below(f".{name}")._change("is no longer required", widens=True)
        rest = self._below(".*")
        yield from rest._of_rest(old, new, "additionalProperties")

    def _added(self, old: dict[str, Any], schema: Any, *, required: bool) -> Iterator[SchemaChange]:
        rest = old.get("additionalProperties", True)
        if required:
            yield self._change("required property added", narrows=True, widens=rest is False)
        elif rest is True or rest == {}:
            yield self._change("optional property added")
        elif rest is False:
            yield self._change("optional property added where no other was allowed", widens=True)
        else:
            yield self._change("optional property added")
            yield from self.compared(rest, schema)

    def _removed(
        self, new: dict[str, Any], schema: Any, *, required: bool
    ) -> Iterator[SchemaChange]:
        kind = "required" if required else "optional"
        rest = new.get("additionalProperties", True)
        if rest is False:
            what = f"{kind} property removed, and no other is allowed"
            yield self._change(what, narrows=True, widens=required)
        else:
            # Whatever stands under that name fits now, or nothing does.
            yield self._change(f"{kind} property removed", widens=True)
            if rest is not True and rest != {}:
                yield from self.compared(schema, rest)

    def _of_items(self, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
        was, now = sequence_in(old, "prefixItems"), sequence_in(new, "prefixItems")
        for index in range(max(len(was), len(now))):
            left = was[index] if index < len(was) else old.get("items", True)
            right = now[index] if index < len(now) else new.get("items", True)
            yield from self._below(f"[{index}]").compared(left, right)
        yield from self._below("[]")._of_rest(old, new, "items")

    def _of_rest(
        self, old: dict[str, Any], new: dict[str, Any], key: str
    ) -> Iterator[SchemaChange]:
        was, now = old.get(key, True), new.get(key, True)
        if was == now and not refers(was):
            return
        if now is False:
            yield self._change("nothing else is allowed now", narrows=True)
        elif was is False:
            yield self._change("others are allowed now", widens=True)
        else:
            yield from self.compared(was, now)

    def _of_branches(self, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
        for key in ("anyOf", "oneOf", "allOf"):
            if key not in old and key not in new:
                continue
            was = branches_of(old, key, self.types_before)
            now = branches_of(new, key, self.types_after)
            gone, added = without(was, now), without(now, was)
            if len(gone) == len(added) == 1:
                yield from self.compared(gone[0].written, added[0].written)
                continue
            if gone:
                what = f"{len(gone)} alternative{plural(gone)} of {key} removed"
                yield self._change(what, **effect(widens=key == "allOf"))
            if added:
                what = f"{len(added)} alternative{plural(added)} of {key} added"
                yield self._change(what, **effect(widens=key != "allOf"))
            if not gone and not added:
                # What is spelled the same may refer to types that changed.
                for left, right in zip(was, now, strict=False):
                    yield from self.compared(left.written, right.written)

    def _of_other_keywords(
        self, old: dict[str, Any], new: dict[str, Any]
    ) -> Iterator[SchemaChange]:
        judged = _COMPARED | _LOWER_BOUNDS | _UPPER_BOUNDS | _RESTRICTIONS
        for key in sorted((set(old) | set(new)) - judged):
            if old.get(key) == new.get(key) and (key in old) == (key in new):
                continue
            if key in ANNOTATIONS or key.startswith("x-"):
                if key not in ("$defs", "definitions"):
                    yield self._change(f"{key} changed")
            else:
                yield self._unclear(f"{key} changed, which can't be judged")

    def _below(self, step: str) -> "_Comparison":
        return replace(self, where=f"{self.where}{step}".lstrip("."), depth=self.depth + 1)

    def _change(self, what: str, *, narrows: bool = False, widens: bool = False) -> SchemaChange:
        return SchemaChange(self.where, what, narrows, widens)

    def _unclear(self, what: str) -> SchemaChange:
        return self._change(what, narrows=True, widens=True)
