# SPDX-License-Identifier: Apache-2.0
"""Keysets of select cases and table entries: when one matches, and which of two cannot match together.

A list of keysets is tried in order. So that the predicates exclude each other, each is taken without those before it
that may match the same value; most lists need nothing of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from p4sume.hardware import graph as g
from p4sume.hardware.lowering.calls import Calls
from p4sume.hardware.lowering.layout import plain
from p4sume.hardware.lowering.state import State
from p4sume.semantics import types as t
from p4sume.semantics.checked import EnumValue, Value
from p4sume.semantics.values import wrap
from p4sume.syntax import ast


@dataclass(frozen=True)
class Region:
    """Values known to contain all that a keyset matches: `low` to `high`, and `value` where `mask` has ones."""

    low: int
    high: int
    value: int = 0
    mask: int = 0

    def misses(self, other: Region) -> bool:
        """Whether no value lies in both."""
        if self.high < other.low or other.high < self.low:
            return True
        if (self.value ^ other.value) & self.mask & other.mask:
            return True
        return self._excludes(other) or other._excludes(self)

    def _excludes(self, other: Region) -> bool:
        return self.low == self.high and bool((self.low ^ other.value) & other.mask)


@dataclass(frozen=True)
class Keyset:
    """`regions`: one for each key."""

    matches: g.Value
    regions: tuple[Region, ...]

    def misses(self, other: Keyset) -> bool:
        return any(a.misses(b) for a, b in zip(self.regions, other.regions, strict=True))


class Keysets(Calls):
    def keyset(self, node: ast.Expression, keys: Sequence[g.Value], types: Sequence[t.Type], state: State) -> Keyset:
        """One case against all keys."""
        items: Sequence[ast.Expression]
        if isinstance(node, ast.ListExpression) and (len(keys) > 1 or len(node.items) == len(keys)):
            items = node.items
        elif isinstance(node, ast.DefaultKeyset):
            items = [node] * len(keys)
        else:
            items = [node]
        if len(items) != len(keys):
            raise self.refuse("unsupported-keyset", node, "this keyset cannot be compared with the keys in hardware")
        found = [self._item(i, k, plain(ty), state) for i, k, ty in zip(items, keys, types, strict=True)]
        return Keyset(self.make.and_(*(m for m, _ in found)), tuple(r for _, r in found))

    def _item(self, node: ast.Expression, key: g.Value, type_: t.Type, state: State) -> tuple[g.Value, Region]:
        make = self.make
        full = Region(0, (1 << key.width) - 1)
        if isinstance(node, ast.DefaultKeyset):
            return make.one, full
        if isinstance(node, ast.Mask):
            value, mask = (self._fixed(part, key.width, state) for part in (node.value, node.mask))
            return self.masked(key, value, mask), Region(0, full.high, value & mask, mask)
        if isinstance(node, ast.Range):
            low, high = (self._fixed(part, key.width, state) for part in (node.low, node.high))
            if isinstance(type_, t.Bits) and type_.signed:
                return self._signed_range(key, low, high), full
            if low > high:
                return make.zero, Region(1, 0)
            return self.within(key, low, high), Region(low, high)
        number = self._number(node, key.width)
        if number is not None:
            return make.equals(key, number), Region(number, number, number, full.high)
        if isinstance(plain(self.checked.types[node]), t.Set):
            raise self.refuse(
                "value-set", node, "a value_set cannot be built", "list the values in the cases of the select"
            )
        return make.eq(key, self.resize(self.scalar(node, state), key.width, False)), full

    def _fixed(self, node: ast.Expression, width: int, state: State) -> int:
        """A part of a mask or range, which the language demands to be known."""
        number = self._number(node, width)
        if number is None:
            number = self.make.known(self.resize(self.scalar(node, state), width, False))
        if number is None:
            raise self.refuse("variable-keyset", node, "masks and ranges are built only from constants")
        return number

    def _number(self, node: ast.Expression, width: int) -> int | None:
        """A constant as bits of a key."""
        value: Value | None = self.checked.constants.get(node)
        if isinstance(value, EnumValue):
            value = self.layouts.code(value)
        return wrap(int(value), t.bit(width)) if isinstance(value, int) else None

    def masked(self, key: g.Value, value: int, mask: int) -> g.Value:
        """key & mask == value & mask, of the bits that the mask has."""
        make = self.make
        parts: list[g.Value] = []
        wanted = 0
        bit = key.width - 1
        while bit >= 0:
            if not mask >> bit & 1:
                bit -= 1
                continue
            high = bit
            while bit >= 0 and mask >> bit & 1:
                bit -= 1
            low = bit + 1
            parts.append(make.slice(key, high, low))
            wanted = wanted << (high - low + 1) | value >> low & ((1 << (high - low + 1)) - 1)
        return make.equals(make.concat(*parts), wanted) if parts else make.one

    def within(self, key: g.Value, low: int, high: int) -> g.Value:
        """low <= key <= high, unsigned; a block of a power of two is a comparison of the upper bits."""
        make = self.make
        size = high - low + 1
        if size & (size - 1) == 0 and low % size == 0:
            return self.masked(key, low, ~(size - 1) & ((1 << key.width) - 1))
        return make.and_(make.not_(make.below(key, low)), make.below(key, high + 1))

    def _signed_range(self, key: g.Value, low: int, high: int) -> g.Value:
        make = self.make
        return make.and_(
            make.operate("sle", make.constant(key.width, low), key),
            make.operate("sle", key, make.constant(key.width, high)),
        )

    def first_of(self, keysets: Sequence[Keyset]) -> list[g.Value]:
        """For each, whether it is the first that matches."""
        make = self.make
        found: list[g.Value] = []
        for index, this in enumerate(keysets):
            before = [o.matches for o in keysets[:index] if not o.misses(this)]
            found.append(make.and_(this.matches, make.not_(make.or_(*before))) if before else this.matches)
        return found
