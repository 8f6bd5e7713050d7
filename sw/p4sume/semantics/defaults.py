# SPDX-License-Identifier: Apache-2.0
"""Compile-time values of a type: the default one, and a list or struct literal read as the type.

value_as({1, ...}, struct { bit<8> a; bool b; })  =  {a = 1, b = false}
"""

from __future__ import annotations

from p4sume.semantics.checked import EnumValue, InvalidValue, ListValue, StructValue, Value
from p4sume.semantics.types import (
    Aggregate,
    Bits,
    Bool,
    Enum,
    Error,
    Int,
    List,
    NewType,
    Stack,
    Tuple,
    Type,
    resolve,
)
from p4sume.semantics.values import wrap

NO_ERROR = "NoError"
MAX_ELEMENTS = 4096


def default_value(type_: Type) -> Value | None:
    """What `...` stands for; None if the type has no default, or one too large to write down."""
    match resolve(type_):
        case Bits() | Int():
            return 0
        case Bool():
            return False
        case Error() as error:
            return EnumValue(error, NO_ERROR)
        case Enum(info, _) as enum:
            return enum_value(enum, 0) if info.underlying else EnumValue(enum, next(iter(info.members)))
        case NewType(info, _):
            return default_value(info.underlying)
        case Tuple(items, _):
            return _all([default_value(i) for i in items])
        case Stack(element, size) if size <= MAX_ELEMENTS:
            return _all([default_value(element)] * size)
        case Aggregate() as aggregate if aggregate.kind != "struct":
            return InvalidValue()
        case Aggregate() as aggregate:
            return _struct({n: default_value(t) for n, t in aggregate.fields().items()})
    return None


def enum_value(type_: Enum, number: int) -> Value:
    """The member of a serialisable enum with this value, or the plain number if none has it."""
    for member, value in type_.info.members.items():
        if value == number:
            return EnumValue(type_, member)
    return number


def value_as(value: Value | None, type_: Type) -> Value | None:
    """A value of another type, which fits, as a value of this type."""
    type_ = resolve(type_)
    if isinstance(value, EnumValue) and isinstance(type_, Bits) and isinstance(value.type, Enum):
        return value.type.info.members.get(value.member)
    if isinstance(value, int) and not isinstance(value, bool):
        return wrap(value, type_)
    match type_, value:
        case Aggregate(), ListValue(items, dots):
            fields = type_.fields()
            given = dict(zip(fields, items, strict=False))
            return _fields(fields, given, dots)
        case Aggregate(), StructValue(pairs, dots):
            return _fields(type_.fields(), dict(pairs), dots)
        case Tuple(types, _), ListValue(items, _):
            return _items(types, items)
        case Stack(element, size), ListValue(items, _) if size <= MAX_ELEMENTS:
            return _items((element,) * size, items)
        case List(element), ListValue(items, _):
            return _items((element,) * len(items), items)
    return value


def _items(types: tuple[Type, ...], items: tuple[Value, ...]) -> Value | None:
    values = [value_as(item, t) for item, t in zip(items, types, strict=False)]
    return _all([*values, *(default_value(t) for t in types[len(items) :])])


def _fields(types: dict[str, Type], given: dict[str, Value], dots: bool) -> Value | None:
    missing = types.keys() - given.keys()
    if missing and not dots:
        return None
    return _struct({n: value_as(given[n], t) if n in given else default_value(t) for n, t in types.items()})


def _all(values: list[Value | None]) -> Value | None:
    known = tuple(v for v in values if v is not None)
    return ListValue(known) if len(known) == len(values) else None


def _struct(values: dict[str, Value | None]) -> Value | None:
    known = tuple((n, v) for n, v in values.items() if v is not None)
    return StructValue(known) if len(known) == len(values) else None
