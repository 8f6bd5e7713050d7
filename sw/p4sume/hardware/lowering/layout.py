# SPDX-License-Identifier: Apache-2.0
"""Types as bits: which leaves a value has, how wide they are, how enums are encoded.

A leaf is named by the path from the value to it. A header has a leaf VALID before its fields, a varbit field a leaf
LENGTH (in bits) behind its bits, which stand at the upper end of the leaf. An enum without bits of its own counts
its members from 0 in the order of their declaration; so does `error`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from p4sume.hardware.lowering.refusal import CannotBuildError
from p4sume.semantics import types as t
from p4sume.semantics.checked import Checked, EnumValue
from p4sume.source import Span
from p4sume.syntax import ast

VALID = "$valid"
LENGTH = "$length"
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Leaf:
    path: Path
    width: int


@dataclass(eq=False)
class Layouts:
    """The leaves of every type of one program."""

    checked: Checked
    _leaves: dict[t.Type, tuple[Leaf, ...]] = field(default_factory=dict)

    def leaves(self, type_: t.Type, where: ast.Node | Span) -> tuple[Leaf, ...]:
        type_ = plain(type_)
        found = self._leaves.get(type_)
        if found is None:
            found = self._leaves[type_] = tuple(self._walk(type_, where))
        return found

    def _walk(self, type_: t.Type, where: ast.Node | Span) -> Iterator[Leaf]:
        match type_:
            case t.Bits(width, _) if width == 0:
                raise CannotBuildError("zero-width", where, f"a {type_.show()} has no bits in hardware", "remove it")
            case t.Varbit(width):
                yield Leaf((), width)
                yield Leaf((LENGTH,), width.bit_length())
            case t.Stack(element, size):
                inner = self.leaves(element, where)
                for index in range(size):
                    yield from (Leaf((index, *leaf.path), leaf.width) for leaf in inner)
            case t.Tuple(items, _):
                for index, item in enumerate(items):
                    yield from (Leaf((index, *leaf.path), leaf.width) for leaf in self.leaves(item, where))
            case t.Aggregate():
                if type_.kind == "header":
                    yield Leaf((VALID,), 1)
                for name, field_type in type_.fields().items():
                    yield from (Leaf((name, *leaf.path), leaf.width) for leaf in self.leaves(field_type, where))
            case _:
                found = self.scalar_width(type_)
                if found is None:
                    raise CannotBuildError("no-bits", where, f"a value of type {type_.show()} has no form in hardware")
                yield Leaf((), found)

    def scalar_width(self, type_: t.Type) -> int | None:
        """The width of a type of one leaf, None for others."""
        match plain(type_):
            case t.Bits(width, _):
                return width
            case t.Bool():
                return 1
            case t.Error():
                return max(1, (len(self.errors) - 1).bit_length())
            case t.Enum(info, _):
                if info.underlying is not None:
                    return info.underlying.width
                return max(1, (len(info.members) - 1).bit_length())
        return None

    def width(self, type_: t.Type, where: ast.Node | Span) -> int:
        """Bits of all leaves but validity: what a header has on the wire, at its largest."""
        return sum(leaf.width for leaf in self.fields(type_, where))

    def fields(self, type_: t.Type, where: ast.Node | Span) -> list[Leaf]:
        return [leaf for leaf in self.leaves(type_, where) if leaf.path[-1:] not in ((VALID,), (LENGTH,))]

    @cached_property
    def errors(self) -> tuple[str, ...]:
        """The members of `error`, in the order of their declaration."""
        found: dict[str, None] = {}
        for node in self.checked.program.declarations:
            if isinstance(node, ast.ErrorMembers):
                found.update(dict.fromkeys(m.name.text for m in node.members))
        return tuple(found) or ("NoError",)

    def code(self, value: EnumValue) -> int:
        """The number that stands for a member of an enum or of `error`."""
        type_ = plain(value.type)
        if isinstance(type_, t.Enum):
            number = type_.info.members[value.member]
            return list(type_.info.members).index(value.member) if number is None else number
        return self.errors.index(value.member)


def plain(type_: t.Type) -> t.Type:
    """Without what `type` declarations and inference put around it."""
    return t.strip_new(t.resolve(type_))


def varbit_path(type_: t.Type) -> Path | None:
    """The path of a header's varbit field, if it has one."""
    type_ = plain(type_)
    if isinstance(type_, t.Aggregate):
        for name, field_type in type_.fields().items():
            if isinstance(plain(field_type), t.Varbit):
                return (name,)
    return None
