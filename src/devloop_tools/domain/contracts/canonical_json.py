"""JSON in the one form that RFC 8785 gives it, so that equal values have equal bytes.

The one module that knows rfc8785, which is loaded when the first value is written.
"""

from typing import Any

from devloop_tools.storage.errors import ExpectedFailure

MAX_DEPTH = 200
SAFE_INTEGER = 2**53 - 1


def canonical(value: Any, name: str) -> bytes:
    """`value`, which a reader knows as `name`, in canonical form.

    Numbers are IEEE 754 doubles there, so an integer beyond 2^53 is written as the nearest one,
    as every JavaScript program writes it. Raises ExpectedFailure for what has no such form.
    """
    import rfc8785

    try:
        return rfc8785.dumps(_in_doubles(value, name, MAX_DEPTH))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as exc:
        raise _fault(name, str(exc)) from exc


def _in_doubles(value: Any, name: str, depth: int) -> Any:
    if depth < 0:
        raise _fault(name, f"nested deeper than {MAX_DEPTH} levels")
    match value:
        case dict():
            return {key: _in_doubles(item, name, depth - 1) for key, item in value.items()}
        case list():
            return [_in_doubles(item, name, depth - 1) for item in value]
        case bool():
            return value
        case int() if abs(value) > SAFE_INTEGER:
            return _double(value, name)
        case _:
            return value


def _double(value: int, name: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise _fault(name, "an integer that no double holds") from None


def _fault(name: str, fault: str) -> ExpectedFailure:
    return ExpectedFailure(f"{name}: no canonical JSON: {fault}.", "Write that part differently.")
