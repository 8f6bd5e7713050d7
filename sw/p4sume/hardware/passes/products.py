# SPDX-License-Identifier: Apache-2.0
"""Makes products sums.

    a * 10   ->   (a << 3) + (a << 1)          constants with few ones and runs: a * 15 -> (a << 4) - a
    a * b    ->   sum of (b[i] ? a << i : 0)   in a balanced tree

Requires: a folded graph. Ensures: no `mul`.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.hardware import graph as g
from p4sume.hardware.passes.folder import Folder
from p4sume.hardware.passes.rewrite import rewrite


def products(graph: g.Graph) -> g.Graph:
    return rewrite(graph, Folder, _product)


def _product(make: Folder, node: g.Node, taken: Sequence[g.Value]) -> g.Value | None:
    if not isinstance(node, g.Operate) or node.operator != "mul":
        return None
    left, right = sorted(taken, key=lambda v: _rows(make, v), reverse=True)
    number = make.known(right)
    if number is not None:
        return _times(make, left, number)
    rows: list[g.Value] = []
    for bit in range(_rows(make, right)):
        rows.append(make.mux(make.slice(right, bit, bit), _shifted(make, left, bit), make.zeros(left.width)))
    return _sum(make, rows)


def _rows(make: Folder, value: g.Value) -> int:
    """How many bits of a factor may be ones; a constant has as many rows as digits."""
    number = make.known(value)
    if number is not None:
        return 0
    node = make.node(value)
    if isinstance(node, g.Concat) and make.known(node.parts[0]) == 0:
        return value.width - node.parts[0].width
    return value.width


def _times(make: Folder, value: g.Value, number: int) -> g.Value:
    """Digits of the constant are 1, 0 and -1, no two neighbours being other than 0."""
    plus: list[g.Value] = []
    minus: list[g.Value] = []
    place = 0
    while number and place < value.width:
        if number & 1:
            digit = 2 - (number & 3)
            (plus if digit > 0 else minus).append(_shifted(make, value, place))
            number -= digit
        number >>= 1
        place += 1
    found = _sum(make, plus) if plus else make.zeros(value.width)
    return make.operate("sub", found, _sum(make, minus)) if minus else found


def _shifted(make: Folder, value: g.Value, places: int) -> g.Value:
    return make.operate("shl", value, make.constant(32, places))


def _sum(make: Folder, values: Sequence[g.Value]) -> g.Value:
    if len(values) == 1:
        return values[0]
    middle = len(values) // 2
    return make.operate("add", _sum(make, values[:middle]), _sum(make, values[middle:]))
