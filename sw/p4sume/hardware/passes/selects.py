# SPDX-License-Identifier: Apache-2.0
"""Cuts choices among many, and makes choices among constants ORs.

    select p: 5, q: 4, r: 1     ->   {p | q, 0, p | r}
    select of 40 cases          ->   (select of 14) | (select of 13) | (select of 13)

Zero stands for "none of mine", so the parts of a choice are joined by OR.

Requires: a folded graph. Ensures: no `Select` has constants only; none has more than MOST_CASES cases.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.hardware import graph as g
from p4sume.hardware.passes.folder import Folder
from p4sume.hardware.passes.rewrite import rewrite

MOST_CASES = 18  # two levels of LUTs with six inputs take so many predicates with their bits


def selects(graph: g.Graph, most: int = MOST_CASES) -> g.Graph:
    def replace(make: Folder, node: g.Node, taken: Sequence[g.Value]) -> g.Value | None:
        if not isinstance(node, g.Select):
            return None
        cases = list(zip(taken[::2], taken[1::2], strict=True))
        numbers = [make.known(v) for _, v in cases]
        if all(n is not None for n in numbers):
            return _bits(make, [(p, n or 0) for (p, _), n in zip(cases, numbers, strict=True)], node.result.width)
        if len(cases) <= most:
            return None
        groups = -(-len(cases) // most)
        parts = [make.select(cases[i::groups], node.result.width) for i in range(groups)]
        return make.or_(*parts)

    return rewrite(graph, Folder, replace)


def _bits(make: Folder, cases: Sequence[tuple[g.Value, int]], width: int) -> g.Value:
    bits = []
    for bit in range(width - 1, -1, -1):
        holding = [p for p, number in cases if number >> bit & 1]
        bits.append(make.or_(*holding) if holding else make.zero)
    return make.concat(*bits)
