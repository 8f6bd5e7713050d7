# SPDX-License-Identifier: Apache-2.0
"""Cuts long carry chains, so that a stage need not hold a whole one.

    a + b   ->   low  = {0, al, 1} + {0, bl, 0};   high = {ah, 1} + {bh, carry of low}       (the 1 makes the carry)
    a < b   ->   ah < bh | ah == bh & al < bl

A chunk adds CHUNK bits; its chain is two bits longer.

Requires: a folded graph. Ensures: no `add`, `sub`, `ult`, `ule`, `slt`, `sle` is wider than CHUNK + 2 bits.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.hardware import graph as g
from p4sume.hardware.passes.folder import Folder
from p4sume.hardware.passes.rewrite import rewrite

CHUNK = 32


def carries(graph: g.Graph, chunk: int = CHUNK) -> g.Graph:
    def replace(make: Folder, node: g.Node, taken: Sequence[g.Value]) -> g.Value | None:
        if not isinstance(node, g.Operate) or taken[0].width <= chunk + 2:
            return None
        match node.operator:
            case "add":
                return _add(make, taken[0], taken[1], 0, chunk)
            case "sub":
                return _add(make, taken[0], make.not_(taken[1]), 1, chunk)
            case "ult":
                return _below(make, taken[0], taken[1], chunk)
            case "ule":
                return make.not_(_below(make, taken[1], taken[0], chunk))
            case "slt":
                return _below(make, _biased(make, taken[0]), _biased(make, taken[1]), chunk)
            case "sle":
                return make.not_(_below(make, _biased(make, taken[1]), _biased(make, taken[0]), chunk))
        return None

    return rewrite(graph, Folder, replace)


def _add(make: Folder, left: g.Value, right: g.Value, first_carry: int, chunk: int) -> g.Value:
    carry = make.constant(1, first_carry)
    parts: list[g.Value] = []
    for low in range(0, left.width, chunk):
        high = min(low + chunk, left.width) - 1
        a, b = make.slice(left, high, low), make.slice(right, high, low)
        last = high == left.width - 1
        head = () if last else (make.zero,)
        total = make.operate("add", make.concat(*head, a, make.one), make.concat(*head, b, carry))
        parts.insert(0, make.slice(total, a.width, 1))
        if not last:
            carry = make.slice(total, total.width - 1, total.width - 1)
    return make.concat(*parts)


def _below(make: Folder, left: g.Value, right: g.Value, chunk: int) -> g.Value:
    terms: list[g.Value] = []
    equal: list[g.Value] = []
    for high in range(left.width - 1, -1, -chunk):
        low = max(0, high - chunk + 1)
        a, b = make.slice(left, high, low), make.slice(right, high, low)
        terms.append(make.and_(*equal, make.operate("ult", a, b)))
        equal.append(make.eq(a, b))
    return make.or_(*terms)


def _biased(make: Folder, value: g.Value) -> g.Value:
    """Two's complement in the order of unsigned numbers: the sign turned over."""
    top = value.width - 1
    return make.concat(make.not_(make.slice(value, top, top)), make.slice(value, top - 1, 0))
