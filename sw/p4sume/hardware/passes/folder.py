# SPDX-License-Identifier: Apache-2.0
"""Makes nodes, and folds them as it goes: no node is made whose result is known or stands somewhere already.

{a, b}[high:low] -> b[…]     {x[7:4], x[3:0]} -> x     c ? a : a -> a     c ? 1 : b -> c | b     select() -> 0     …
"""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.hardware import graph as g
from p4sume.hardware.passes.identities import Identities
from p4sume.hardware.passes.maker import Case


class Folder(Identities):
    def slice(self, of: g.Value, high: int, low: int) -> g.Value:
        if low == 0 and high == of.width - 1:
            return of
        node = self.node(of)
        width = high - low + 1
        if isinstance(node, g.Constant):
            return self.constant(width, node.value >> low & (1 << width) - 1)
        if isinstance(node, g.Slice):
            return self.slice(node.of, node.low + high, node.low + low)
        if isinstance(node, g.Concat):
            return self.concat(*self._cut(node, high, low))
        return super().slice(of, high, low)

    def _cut(self, node: g.Concat, high: int, low: int) -> list[g.Value]:
        parts: list[g.Value] = []
        base = node.result.width
        for part in node.parts:
            base -= part.width
            upper, lower = min(high - base, part.width - 1), max(low - base, 0)
            if upper >= lower:
                parts.append(self.slice(part, upper, lower))
        return parts

    def concat(self, *parts: g.Value) -> g.Value:
        joined: list[g.Value] = []
        for part in parts:
            node = self.node(part)
            for inner in node.parts if isinstance(node, g.Concat) else (part,):
                merged = self._beside(joined[-1], inner) if joined else None
                if merged is None:
                    joined.append(inner)
                else:
                    joined[-1] = merged
        return super().concat(*joined)

    def _beside(self, left: g.Value, right: g.Value) -> g.Value | None:
        """Two neighbours as one: constants, or slices that meet."""
        first, second = self.node(left), self.node(right)
        if isinstance(first, g.Constant) and isinstance(second, g.Constant):
            return self.constant(left.width + right.width, first.value << right.width | second.value)
        if not isinstance(first, g.Slice) or not isinstance(second, g.Slice):
            return None
        meet = first.of is second.of and first.low == second.high + 1
        return self.slice(first.of, first.high, second.low) if meet else None

    # ---- choices

    def mux(self, condition: g.Value, chosen: g.Value, other: g.Value) -> g.Value:
        known = self.known(condition)
        if known is not None:
            return chosen if known else other
        inner = self.node(condition)
        if isinstance(inner, g.Operate) and inner.operator == "not":
            return self.mux(inner.taken[0], other, chosen)
        chosen, other = self._given(condition, chosen, 1), self._given(condition, other, 2)
        if chosen is other:
            return chosen
        zeros = min(self.leading_zeros(chosen), self.leading_zeros(other))
        if zeros and not self.are_constants(chosen, other):  # those are best asked about as they are
            high = chosen.width - 1 - zeros
            kept = self.mux(condition, self.slice(chosen, high, 0), self.slice(other, high, 0))
            return self.concat(self.zeros(zeros), kept)
        if chosen.width == 1:
            found = self._mux_bit(condition, chosen, other)
            if found is not None:
                return found
        return self._mux_of_mux(condition, chosen, other) or super().mux(condition, chosen, other)

    def _mux_of_mux(self, condition: g.Value, chosen: g.Value, other: g.Value) -> g.Value | None:
        """c ? (d ? x : y) : x  ->  c & ~d ? y : x,  and its like; (d ? x : 0) where c holds too  ->  what d says."""
        first, second = self.node(chosen), self.node(other)
        if isinstance(first, g.Mux) and other is first.chosen:
            return self.mux(self.and_(condition, self.not_(first.condition)), first.other, other)
        if isinstance(first, g.Mux) and other is first.other:
            return self.mux(self.and_(condition, first.condition), first.chosen, other)
        if isinstance(second, g.Mux) and chosen is second.chosen:
            return self.mux(self.or_(condition, second.condition), chosen, second.other)
        if isinstance(second, g.Mux) and chosen is second.other:
            return self.mux(self.or_(condition, self.not_(second.condition)), chosen, second.chosen)
        if isinstance(first, g.Select) and self.known(other) == 0:
            return chosen if all(self._implies(p, condition) for p, _ in first.cases) else None
        return None

    def _implies(self, first: g.Value, second: g.Value) -> bool:
        """As far as it can be seen: x & y implies x, and x implies x | y."""
        return first in self.literals("or", second) or second in self.literals("and", first)

    def _given(self, condition: g.Value, value: g.Value, arm: int) -> g.Value:
        """The value in the arm of a mux over `condition`: a mux inside over the same is decided."""
        node = self.node(value)
        while isinstance(node, g.Mux) and node.condition is condition:
            value = node.operands()[arm]
            node = self.node(value)
        if value is condition:
            return self.constant(1, 2 - arm)
        return value

    def _mux_bit(self, condition: g.Value, chosen: g.Value, other: g.Value) -> g.Value | None:
        first, second = self.known(chosen), self.known(other)
        if first is not None:
            return self.or_(condition, other) if first else self.and_(self.not_(condition), other)
        if second is not None:
            return self.or_(self.not_(condition), chosen) if second else self.and_(condition, chosen)
        return None

    def select(self, cases: Sequence[Case], width: int) -> g.Value:
        by_value: dict[g.Value, list[g.Value]] = {}
        for predicate, value in cases:
            known = self.known(predicate)
            if known:
                return value
            if known is None and self.known(value) != 0:
                by_value.setdefault(value, []).append(predicate)
        grouped = [(self.or_(*predicates), value) for value, predicates in by_value.items()]
        for predicate, value in grouped:
            if self.known(predicate):
                return value
        if not grouped:
            return self.zeros(width)
        if width == 1:
            return self.or_(*(self.and_(p, v) for p, v in grouped))
        if len(grouped) == 1:
            return self.mux(*grouped[0], self.zeros(width))
        if len(grouped) == 2 and self.complement(grouped[0][0]) is grouped[1][0]:
            return self.mux(grouped[0][0], grouped[0][1], grouped[1][1])
        return super().select(grouped, width)
