# SPDX-License-Identifier: Apache-2.0
"""Makes long conjunctions and disjunctions flat, then balanced trees.

    (a & b) & c            ->   a & b & c             where nobody else takes a & b
    a & b & … (40 of them) ->   (7 of them) & (7) & …

Requires: a folded graph. Ensures: no `and`, `or` has more than MOST operands; none takes one of its own kind that has
no other user, unless it was cut here.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.hardware import graph as g
from p4sume.hardware.passes.folder import Folder
from p4sume.hardware.passes.maker import Maker
from p4sume.hardware.passes.rewrite import rewrite, users

MOST = 36  # two levels of LUTs with six inputs
MOST_WIDE = 12  # of values wider than a bit


def trees(graph: g.Graph, most: int = MOST) -> g.Graph:
    takers = users(graph)
    outputs = set(graph.outputs.values())
    only_user = {
        node.result: len(takers.get(node.result, ())) == 1 and node.result not in outputs
        for node in graph.nodes
        if isinstance(node, g.Operate) and node.operator in g.VARIADIC
    }

    def flatten(make: Folder, node: g.Node, taken: Sequence[g.Value]) -> g.Value | None:
        if not isinstance(node, g.Operate) or node.operator not in g.VARIADIC:
            return None
        operands: list[g.Value] = []
        for old, new in zip(node.taken, taken, strict=True):
            inside = make.node(new)
            if only_user.get(old) and isinstance(inside, g.Operate) and inside.operator == node.operator:
                operands.extend(inside.taken)
            else:
                operands.append(new)
        return make.operate(node.operator, *operands)

    def balance(make: Maker, node: g.Node, taken: Sequence[g.Value]) -> g.Value | None:
        limit = most if taken and taken[0].width == 1 else min(most, MOST_WIDE)
        if not isinstance(node, g.Operate) or node.operator not in g.VARIADIC or len(taken) <= limit:
            return None
        groups = -(-len(taken) // limit)
        return make.operate(node.operator, *(make.operate(node.operator, *taken[i::groups]) for i in range(groups)))

    return rewrite(rewrite(graph, Folder, flatten), Maker, balance)
