# SPDX-License-Identifier: Apache-2.0
"""Makes a shift by a variable a level of choices for each bit of the distance.

    x << n   ->   x1 = n[0] ? x << 1 : x;   x2 = n[1] ? x1 << 2 : x1;   …   a distance beyond the width: zeros (or sign)

Requires: a folded graph (constant shifts are slices). Ensures: no `shl`, `lshr`, `ashr`.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.hardware import graph as g
from p4sume.hardware.passes.folder import Folder
from p4sume.hardware.passes.rewrite import rewrite


def shifts(graph: g.Graph) -> g.Graph:
    return rewrite(graph, Folder, _levels)


def _levels(make: Folder, node: g.Node, taken: Sequence[g.Value]) -> g.Value | None:
    if not isinstance(node, g.Operate) or node.operator not in g.SHIFTS:
        return None
    value, distance = taken
    width = value.width
    empty = make.zeros(width)
    if node.operator == "ashr":
        empty = make.concat(*[make.slice(value, width - 1, width - 1)] * width)
    bits = (width - 1).bit_length()
    for level in range(min(bits, distance.width)):
        by = make.operate(node.operator, value, make.constant(32, 1 << level))
        value = make.mux(make.slice(distance, level, level), by, value)
    if distance.width > bits:
        beyond = make.operate("any", make.slice(distance, distance.width - 1, bits))
        value = make.mux(beyond, empty, value)
    return value
