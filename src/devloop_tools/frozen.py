"""Classes of values that can't be changed, made without writing code.

`dataclass(frozen=True, slots=True)` writes the source of seven methods for each class and compiles
it. For what a server holds before its first call, that was a sixth of its start. A class of values
that is imported then is `@frozen`: of the same form, with methods that all of them share.
"""

from typing import Any, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def frozen(cls: type[T]) -> type[T]:
    """A class of values: its annotated attributes, given by position or name, are its fields.

    Two values are equal if they are of one class and their fields are. A default is shared by all
    values, so it must not be mutable either.
    """
    inherited: tuple[str, ...] = getattr(cls, "__match_args__", ())
    fields = tuple(dict.fromkeys((*inherited, *vars(cls).get("__annotations__", ()))))
    methods: dict[str, Any] = {
        "__match_args__": fields,
        "_fields": frozenset(fields),
        "_defaults": {name: getattr(cls, name) for name in fields if hasattr(cls, name)},
        "__init__": _init,
        "__repr__": _repr,
        "__eq__": _eq,
        "__hash__": _hash,
        "__setattr__": _refuse_set,
        "__delattr__": _refuse_delete,
    }
    for name, value in methods.items():
        setattr(cls, name, value)
    return cls


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of such a value by name, in their order."""
    return {name: getattr(value, name) for name in value.__match_args__}


def changed(value: T, **fields: Any) -> T:
    """The same value with other fields. Raises TypeError for a field that it doesn't have."""
    return type(value)(**{**fields_of(value), **fields})


def _init(self: Any, *values: Any, **named: Any) -> None:
    # One function and few steps: some ten values are made on the way of a call.
    held = vars(self)
    if values:
        held.update(zip(self.__match_args__, values, strict=False))
    held.update(named)
    given = len(held)
    if given < len(self._fields):
        for name, value in self._defaults.items():
            held.setdefault(name, value)
    if given < len(values) + len(named) or held.keys() != self._fields:
        raise _misfit(self)


def _misfit(self: Any) -> TypeError:
    return TypeError(f"{type(self).__qualname__} takes {', '.join(self.__match_args__)}, each once")


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={value!r}" for name, value in fields_of(self).items())
    return f"{type(self).__qualname__}({shown})"


def _eq(self: Any, other: object) -> bool:
    return fields_of(self) == fields_of(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(tuple(fields_of(self).values()))


def _refuse_set(self: Any, name: str, _value: Any) -> NoReturn:
    raise AttributeError(f"{type(self).__qualname__} is frozen: {name} can't be set")


def _refuse_delete(self: Any, name: str) -> NoReturn:
    raise AttributeError(f"{type(self).__qualname__} is frozen: {name} can't be removed")
