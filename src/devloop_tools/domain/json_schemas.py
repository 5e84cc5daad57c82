"""JSON Schema 2020-12 within a bounded time, whatever the schema is. Wraps jsonschema.

References stay inside the schema; nothing is ever fetched. A library that most servers never need
is loaded when the first schema is judged.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

from devloop_tools.domain.linear_patterns import UnusablePattern, is_pattern, occurs_in
from devloop_tools.frozen import frozen

LIMIT_S = 2.0

_Keyword = Callable[[Any, Any, Any, Any], Any]


@frozen
class SchemaFault:
    """What is wrong, and the steps that lead there from the root of the schema or the value."""

    steps: tuple[str | int, ...]
    json_path: str
    message: str


class Unjudged(Exception):
    """A value can't be held against a schema; the text says why, and what to do."""


def fault_of_schema(schema: Any) -> SchemaFault | None:
    """Why `schema` is no JSON Schema, or None. References are not followed."""
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.exceptions import SchemaError

    checker = FormatChecker(())
    checker.checks("regex")(lambda text: not isinstance(text, str) or is_pattern(text))
    try:
        Draft202012Validator.check_schema(schema, format_checker=checker)
    except SchemaError as exc:
        return _fault(exc)
    except RecursionError:
        return SchemaFault((), "$", "it is nested too deeply")
    return None


def faults_of_value(schema: Any, value: Any, *, strict: bool = True) -> Iterator[SchemaFault]:
    """What in `value` does not fit `schema`. Raises Unjudged.

    `strict=False` lets through what stands for a pattern that can't be judged.
    """
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        for fault in _validator(schema, strict)(schema, registry=Registry()).iter_errors(value):
            yield _fault(fault)
    except UnusablePattern as exc:
        raise Unjudged(f"{exc}") from None
    except Unresolvable as exc:
        raise Unjudged(f"the schema refers to {exc.ref}, which is not inside it") from None
    except RecursionError:
        raise Unjudged("the schema or the value is nested too deeply") from None


def _fault(error: Any) -> SchemaFault:
    return SchemaFault(tuple(error.absolute_path), error.json_path, error.message)


def _validator(schema: Any, strict: bool) -> Any:
    """A class of validators that end within the limit from now on."""
    from attrs import evolve
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    keywords = Draft202012Validator.VALIDATORS
    patterns = _Patterns(schema, strict, keywords)
    own: dict[str, _Keyword] = {
        "pattern": patterns.pattern,
        "patternProperties": patterns.pattern_properties,
        "additionalProperties": patterns.additional_properties,
        "unevaluatedProperties": patterns.unevaluated_properties,
    }
    deadline = time.monotonic() + LIMIT_S
    bounded = {name: _until(deadline, keyword) for name, keyword in {**keywords, **own}.items()}
    made: Any = extend(Draft202012Validator, bounded)
    # Else a part of the schema that names a dialect would be judged without our keywords.
    made.evolve = evolve
    return made


def _until(deadline: float, keyword: _Keyword) -> _Keyword:
    def judged(validator: Any, wanted: Any, instance: Any, schema: Any) -> Any:
        if time.monotonic() > deadline:
            raise Unjudged(
                f"holding the value against the schema takes longer than {LIMIT_S:g} s;"
                " let its references branch less, or judge a smaller value"
            )
        return keyword(validator, wanted, instance, schema)

    return judged


class _Patterns:
    """The keywords for which the library would take an engine that may never come to an end."""

    def __init__(self, schema: Any, strict: bool, keywords: Any) -> None:
        self._schema = schema
        self._strict = strict
        self._keywords = keywords

    def pattern(self, validator: Any, pattern: str, instance: Any, _: Any) -> Iterator[Any]:
        from jsonschema import ValidationError

        if validator.is_type(instance, "string") and self._fits(pattern, instance) is False:
            yield ValidationError(f"{instance!r} does not match {pattern!r}")

    def pattern_properties(
        self, validator: Any, patterns: Any, instance: Any, _: Any
    ) -> Iterator[Any]:
        if validator.is_type(instance, "object"):
            for pattern, inner in patterns.items():
                for name in instance:
                    if self._fits(pattern, name):
                        yield from validator.descend(
                            instance[name], inner, path=name, schema_path=pattern
                        )

    def additional_properties(
        self, validator: Any, wanted: Any, instance: Any, schema: Any
    ) -> Iterator[Any]:
        patterns = schema.get("patternProperties", ())
        if patterns and validator.is_type(instance, "object"):
            known = [n for n in instance if any(self._fits(p, n) is not False for p in patterns)]
            named = {**dict.fromkeys(known, True), **schema.get("properties", {})}
            others = {key: part for key, part in schema.items() if key != "patternProperties"}
            schema = {**others, "properties": named}
        yield from self._keywords["additionalProperties"](validator, wanted, instance, schema) or ()

    def unevaluated_properties(
        self, validator: Any, wanted: Any, instance: Any, schema: Any
    ) -> Iterator[Any]:
        if _has_name(self._schema, "patternProperties"):
            raise Unjudged(
                "unevaluatedProperties is not judged in a schema that has patternProperties;"
                " write additionalProperties beside these"
            )
        yield from self._keywords["unevaluatedProperties"](validator, wanted, instance, schema)

    def _fits(self, pattern: str, text: str) -> bool | None:
        try:
            return occurs_in(pattern, text)
        except UnusablePattern:
            if self._strict:
                raise
            return None


def _has_name(node: Any, name: str) -> bool:
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if name in node:
                return True
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    return False
