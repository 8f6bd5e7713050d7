# SPDX-License-Identifier: Apache-2.0
"""Which numbers a computed size can be: it depends on a few bits of the packet, so all of them are tried.

(bit<32>)(ihl - 5) * 32   ->   ihl = 5: 0,  ihl = 6: 32,  …
"""

from __future__ import annotations

from itertools import product

from p4sume.hardware import graph as g
from p4sume.hardware.evaluate import operate
from p4sume.hardware.passes.maker import Maker

MAX_BITS = 8  # that a size may depend on


def possible(make: Maker, size: g.Value) -> list[tuple[int, g.Value]] | None:
    """Each number that the value can be, with the predicate that it is; None if it depends on too many bits."""
    leaves = _leaves(make, size, {})
    if leaves is None or sum(v.width for v in leaves) > MAX_BITS:
        return None
    found: dict[int, list[g.Value]] = {}
    for bits in product(*(range(1 << leaf.width) for leaf in leaves)):
        given = dict(zip(leaves, bits, strict=True))
        holds = make.and_(*(make.equals(leaf, number) for leaf, number in given.items())) if given else make.one
        found.setdefault(_number(make, size, dict(given)), []).append(holds)
    return [(number, make.or_(*predicates)) for number, predicates in sorted(found.items())]


Leaves = list[g.Value] | None


def _leaves(make: Maker, value: g.Value, known: dict[g.Value, Leaves]) -> Leaves:
    """The narrow values from which `value` is computed; the narrower of itself and what it is made of."""
    if value not in known:
        known[value] = _leaves_of(make, value, known)
    return known[value]


def _leaves_of(make: Maker, value: g.Value, known: dict[g.Value, Leaves]) -> Leaves:
    node = make.node(value)
    if isinstance(node, g.Constant):
        return []
    itself = [value] if value.width <= MAX_BITS else None
    if not isinstance(node, g.Slice | g.Concat | g.Operate | g.Mux):
        return itself
    inner: dict[g.Value, None] = {}
    for taken in node.operands():
        below = _leaves(make, taken, known)
        if below is None:
            return itself
        inner.update(dict.fromkeys(below))
    if itself is not None and sum(v.width for v in inner) > value.width:
        return itself
    return list(inner)


def _number(make: Maker, value: g.Value, found: dict[g.Value, int]) -> int:
    """The number that `value` is; `found` holds those of the leaves, and takes the others."""
    if value not in found:
        node = make.node(value)
        taken = [_number(make, v, found) for v in node.operands()]
        if isinstance(node, g.Constant):
            found[value] = node.value
        elif isinstance(node, g.Slice):
            found[value] = taken[0] >> node.low & ((1 << value.width) - 1)
        elif isinstance(node, g.Concat):
            joined = 0
            for part, bits in zip(node.parts, taken, strict=True):
                joined = joined << part.width | bits
            found[value] = joined
        elif isinstance(node, g.Mux):
            found[value] = taken[1] if taken[0] else taken[2]
        else:
            assert isinstance(node, g.Operate)
            found[value] = operate(node.operator, taken, [v.width for v in node.taken])
    return found[value]
