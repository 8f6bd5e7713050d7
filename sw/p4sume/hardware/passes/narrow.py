# SPDX-License-Identifier: Apache-2.0
"""Computes only the bits that are taken: slices go through choices, bitwise operators and the low end of sums.

    (c ? a : b)[7:0]   ->   c ? a[7:0] : b[7:0]
    (a + b)[3:0]       ->   a[3:0] + b[3:0]

Only where nothing but slices takes the value, and they do not overlap, so that nothing is computed twice.

Requires: a folded graph. Ensures: a choice or bitwise operation, of which only slices that do not overlap are taken,
is as wide as one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.hardware import graph as g
from p4sume.hardware.passes.dead import dead
from p4sume.hardware.passes.folder import Folder
from p4sume.hardware.passes.rewrite import rewrite, users

_BITWISE = frozenset({"and", "or", "xor", "not"})
_FROM_BELOW = frozenset({"add", "sub", "mul"})


def narrow(graph: g.Graph) -> g.Graph:
    while True:
        cut = _cuts(graph)
        if not cut:
            return graph

        def replace(
            make: Folder, node: g.Node, taken: Sequence[g.Value], cut: dict[g.Value, g.Node] = cut
        ) -> g.Value | None:
            inside = cut.get(node.of) if isinstance(node, g.Slice) else None
            if inside is None or not isinstance(node, g.Slice):
                return None
            return _sliced(make, make.node(taken[0]), node.high, node.low)

        graph = dead(rewrite(graph, Folder, replace))


def _cuts(graph: g.Graph) -> dict[g.Value, g.Node]:
    """The values that can be made narrower."""
    outputs = set(graph.outputs.values())
    takers = users(graph)
    found: dict[g.Value, g.Node] = {}
    for node in graph.nodes:
        if len(node.results) != 1 or node.result in outputs:
            continue
        slices = [u for u in takers.get(node.result, ()) if isinstance(u, g.Slice)]
        if not slices or len(slices) < len(takers[node.result]) or _overlap(slices):
            continue
        if isinstance(node, g.Mux | g.Select):
            found[node.result] = node
        elif isinstance(node, g.Operate):
            if node.operator in _BITWISE:
                found[node.result] = node
            elif node.operator in _FROM_BELOW and len(slices) == 1 and slices[0].high < node.result.width - 1:
                found[node.result] = node
    return found


def _overlap(slices: Sequence[g.Slice]) -> bool:
    ordered = sorted(slices, key=lambda s: s.low)
    return any(a.high >= b.low for a, b in zip(ordered, ordered[1:], strict=False))


def _sliced(make: Folder, node: g.Node, high: int, low: int) -> g.Value:
    if isinstance(node, g.Mux):
        return make.mux(node.condition, make.slice(node.chosen, high, low), make.slice(node.other, high, low))
    if isinstance(node, g.Select):
        return make.select([(p, make.slice(v, high, low)) for p, v in node.cases], high - low + 1)
    if isinstance(node, g.Operate) and node.operator in _BITWISE:
        return make.operate(node.operator, *(make.slice(v, high, low) for v in node.taken))
    if isinstance(node, g.Operate) and node.operator in _FROM_BELOW:
        return make.slice(make.operate(node.operator, *(make.slice(v, high, 0) for v in node.taken)), high, low)
    return make.slice(node.result, high, low)
