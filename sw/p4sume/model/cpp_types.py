# SPDX-License-Identifier: Apache-2.0
"""P4 types as C++ types: numbers of sim/model/bits.hpp, and a struct for each struct, header and header_union.

Ensures: `definitions` has every aggregate that was named, each after those it is made of.
"""

from __future__ import annotations

from p4sume.model.names import Names, cpp_name
from p4sume.model.refusal import RefusedError
from p4sume.model.writer import Writer
from p4sume.semantics.types import (
    Aggregate,
    Bits,
    Bool,
    Enum,
    Error,
    Extern,
    Int,
    Stack,
    Tuple,
    Type,
    Varbit,
    is_header,
    is_union,
    min_max_width,
    resolve,
    strip_new,
)
from p4sume.syntax import ast

CORE_ERRORS = (
    "NoError",
    "PacketTooShort",
    "NoMatch",
    "StackOutOfBounds",
    "HeaderTooShort",
    "ParserTimeout",
    "ParserInvalidArgument",
)


def plain(type_: Type) -> Type:
    """What carries the value: `type` and serialisable enums rest on their underlying type."""
    type_ = strip_new(resolve(type_))
    if isinstance(type_, Enum) and type_.info.underlying is not None:
        return type_.info.underlying
    return type_


class CppTypes:
    def __init__(self, namespace: str, names: Names) -> None:
        self.namespace = namespace
        self.definitions: list[Writer] = []
        self._names: dict[Type, str] = {}
        self._allocator = names

    def name(self, type_: Type, at: ast.Node) -> str:
        type_ = plain(type_)
        match type_:
            case Bits(width, signed):
                return f"p4::{'sint' if signed else 'bit'}<{width}>"
            case Bool():
                return "bool"
            case Error():
                return "p4::error_t"
            case Varbit(width):
                return f"p4::varbit<{width}>"
            case Stack(element, size):
                return f"p4::stack<{self.name(element, at)}, {size}>"
            case Tuple(items, _):
                return f"std::tuple<{', '.join(self.name(i, at) for i in items)}>"
            case Extern(info, _) if info.name in ("packet_in", "packet_out"):
                return f"p4::{info.name}"
            case Aggregate() | Enum():
                return self._declared(type_, at)
            case Int():
                raise RefusedError(at, "this number has no width", "write it with one, as in 8w1")
        raise RefusedError(at, f"the model has no values of type {type_.show()}")

    def _declared(self, type_: Aggregate | Enum, at: ast.Node) -> str:
        known = self._names.get(type_)
        if known is None:
            definition = Writer()
            if isinstance(type_, Aggregate):
                members = {n: self.name(t, at) for n, t in type_.fields().items()}
            known = f"{self.namespace}::{self._allocator.take(type_.info.name)}"
            self._names[type_] = known
            if type_.info.node is not None:
                definition.source(type_.info.node)
            if isinstance(type_, Aggregate):
                self._aggregate(definition, known.split("::")[1], type_, members)
            else:
                names = ", ".join(cpp_name(m) for m in type_.info.members)
                definition.line(f"enum class {known.split('::')[1]} : uint32_t {{ {names} }};")
            self.definitions.append(definition)
        return known

    def _aggregate(self, to: Writer, name: str, type_: Aggregate, members: dict[str, str]) -> None:
        fields = type_.fields()
        with to.block(f"struct {name}", "};"):
            if is_header(type_):
                to.line("bool valid_ = false;")
            for field, cpp in members.items():
                initial = " = false" if cpp == "bool" else "{}"
                to.line(f"{cpp} {cpp_name(field)}{initial};")
            if members or is_header(type_):
                to.line()
            if is_union(type_):
                self._union_members(to, members)
            elif packable(type_):
                self._packing(to, type_)
            if all(_emittable(t) for t in fields.values()) and not is_header(type_):
                with to.block("void emit_(p4::Packer& to_) const"):
                    for field in members:
                        to.line(f"{cpp_name(field)}.emit_(to_);")
            to.line(f"friend bool operator==(const {name}&, const {name}&) = default;")

    def _union_members(self, to: Writer, members: dict[str, str]) -> None:
        valid = " || ".join(f"{cpp_name(f)}.valid_" for f in members) or "false"
        to.line(f"bool is_valid_() const {{ return {valid}; }}")
        with to.block("void keep_(const void* kept_)"):
            for field, cpp in members.items():
                to.line(f"if (kept_ != &{cpp_name(field)}) {cpp_name(field)} = {cpp}{{}};")

    def _packing(self, to: Writer, type_: Aggregate) -> None:
        fields = type_.fields()
        sizes = min_max_width(type_)
        assert sizes is not None
        to.line(f"static constexpr size_t WIDTH_ = {sizes[0]};")
        varbit = [f for f, t in fields.items() if isinstance(plain(t), Varbit)]
        size = ", uint32_t size_" if varbit else ""
        if varbit:
            to.line(f"static constexpr size_t VARBIT_WIDTH_ = {sizes[1] - sizes[0]};")
        with to.block(f"void unpack_(p4::Unpacker& from_{size})"):
            for field, field_type in fields.items():
                if isinstance(plain(field_type), Aggregate):
                    to.line(f"{cpp_name(field)}.unpack_(from_);")
                else:
                    to.line(f"from_.take({cpp_name(field)}{', size_' if field in varbit else ''});")
            if is_header(type_):
                to.line("valid_ = true;")
        with to.block("void pack_(p4::Packer& to_) const"):
            for field, field_type in fields.items():
                if isinstance(plain(field_type), Aggregate):
                    to.line(f"{cpp_name(field)}.pack_(to_);")
                else:
                    to.line(f"to_.put({cpp_name(field)});")
        if is_header(type_):
            to.line("void emit_(p4::Packer& to_) const {")
            to.line("  if (valid_) pack_(to_);")
            to.line("}")


def packable(type_: Type) -> bool:
    """A header, or a struct that is nothing but bits: it has a layout."""
    if not isinstance(type_, Aggregate) or is_union(type_) or min_max_width(type_) is None:
        return False
    if is_header(type_):
        return True
    for field in type_.fields().values():
        field = plain(field)
        if not isinstance(field, (Bits, Bool)) and (is_header(field) or not packable(field)):
            return False
    return True


def _emittable(type_: Type) -> bool:
    type_ = resolve(type_)
    if isinstance(type_, Stack):
        return _emittable(type_.element)
    if is_header(type_) or is_union(type_):
        return True
    return isinstance(type_, Aggregate) and all(_emittable(t) for t in type_.fields().values())
