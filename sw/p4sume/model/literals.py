# SPDX-License-Identifier: Apache-2.0
"""Values known at compile time as C++ expressions."""

from __future__ import annotations

from p4sume.model.cpp_types import CORE_ERRORS, CppTypes
from p4sume.model.names import cpp_name
from p4sume.model.refusal import RefusedError
from p4sume.semantics.checked import EnumValue, InvalidValue, ListValue, StructValue, Value
from p4sume.semantics.types import (
    Aggregate,
    Bits,
    Bool,
    Enum,
    Error,
    Int,
    Stack,
    Tuple,
    Type,
    is_header,
    resolve,
    strip_new,
)
from p4sume.syntax import ast

_LIMB = (1 << 64) - 1
_SHOWN_IN_DECIMAL = 255


def number(value: int) -> str:
    """An unsigned number of at most 64 bits."""
    return str(value) if value <= _SHOWN_IN_DECIMAL else hex(value)


def bits(value: int, width: int) -> str:
    value &= (1 << width) - 1
    if width <= 64:
        return f"p4::bit<{width}>({number(value)})"
    limbs = [number(value >> low & _LIMB) for low in range(0, width, 64)]
    while len(limbs) > 1 and limbs[-1] == "0":
        limbs.pop()
    return f"p4::bit<{width}>({limbs[0]})" if len(limbs) == 1 else f"p4::bit<{width}>::of({{{', '.join(limbs)}}})"


class Literals:
    def __init__(self, types: CppTypes) -> None:
        self.types = types

    def literal(self, value: Value, type_: Type, at: ast.Node) -> str:
        type_ = strip_new(resolve(type_))
        if isinstance(type_, Enum) and type_.info.underlying is not None:
            if isinstance(value, EnumValue):
                member = type_.info.members.get(value.member)
                if member is None:
                    raise RefusedError(at, f"the value of {value.member} is not known")
                value = member
            type_ = type_.info.underlying
        match type_, value:
            case Bool(), bool():
                return "true" if value else "false"
            case Bits(width, signed), int():
                text = bits(int(value), width)
                return f"p4::sint<{width}>({text})" if signed else text
            case Bits(), EnumValue(type=Enum(info, _), member=name) if info.members.get(name) is not None:
                return self.literal(info.members[name] or 0, type_, at)
            case Int(), int():
                return f"int64_t{{{value}}}"
            case Error(), EnumValue(member=name):
                return self.error(name)
            case Enum(), EnumValue(member=name):
                return f"{self.types.name(type_, at)}::{cpp_name(name)}"
            case ((Aggregate() | Tuple() | Stack()), _):
                return self._composite(value, type_, at)
        raise RefusedError(at, f"the model has no constant of type {type_.show()} here")

    def error(self, name: str) -> str:
        return f"p4::error_t::{name}" if name in CORE_ERRORS else f"{self.types.namespace}::error_::{cpp_name(name)}"

    def _composite(self, value: Value, type_: Type, at: ast.Node) -> str:
        name = self.types.name(type_, at)
        if isinstance(value, InvalidValue):
            return f"{name}{{}}"
        if isinstance(type_, Aggregate):
            fields = type_.fields()
            if isinstance(value, ListValue):
                pairs = list(zip(fields, value.items, strict=False))
            elif isinstance(value, StructValue):
                given = dict(value.fields)
                pairs = [(f, given[f]) for f in fields if f in given]
            else:
                raise RefusedError(at, f"the model has no constant of type {type_.show()} here")
            parts = {f: self.literal(v, fields[f], at) for f, v in pairs}
            return aggregate(name, type_, parts)
        if isinstance(value, ListValue) and isinstance(type_, Tuple):
            items = [self.literal(v, t, at) for v, t in zip(value.items, type_.items, strict=True)]
            return f"{name}{{{', '.join(items)}}}"
        if isinstance(value, ListValue) and isinstance(type_, Stack):
            items = [self.literal(v, type_.element, at) for v in value.items]
            return stack(name, items)
        raise RefusedError(at, f"the model has no constant of type {type_.show()} here")


def aggregate(name: str, type_: Aggregate, parts: dict[str, str]) -> str:
    """A struct or header of these fields; the others are zero."""
    inner = [f".{cpp_name(f)} = {parts.get(f, '{}')}" for f in type_.fields()]
    if is_header(type_):
        inner.insert(0, ".valid_ = true")
    return f"{name}{{{', '.join(inner)}}}"


def stack(name: str, items: list[str]) -> str:
    return f"{name}{{.item = {{{{{', '.join(items)}}}}}, .next_index = 0}}"
