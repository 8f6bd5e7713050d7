# SPDX-License-Identifier: Apache-2.0
"""Makes long ladders of choices flat.

    c ? x : (d ? y : (e ? z : w))   ->   select  c: x,  ~c & d: y,  ~(c | d) & e: z,  ~(c | d | e): w

A predicate that excludes those before it anyway (another constant equal to the same value) is taken as it is. A ladder
costs a level for each rung, a select the logarithm. But the rung on top is the statement that stands last, whose
condition is often the last to be known, and it costs that condition one level only: so where predicates have to be
made, only long ladders are cut.

Requires: a folded graph. Ensures: no ladder whose inner rungs have no other user has LEAST rungs or more, if their
conditions compare one value with constants; nor LEAST_MIXED, whatever the conditions.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.hardware import graph as g
from p4sume.hardware.passes.folder import Folder
from p4sume.hardware.passes.rewrite import rewrite, users

LEAST = 4
LEAST_MIXED = 12


def ladders(graph: g.Graph, least: int = LEAST, least_mixed: int = LEAST_MIXED) -> g.Graph:
    makers = graph.makers()
    takers = users(graph)
    outputs = set(graph.outputs.values())

    def rung(value: g.Value) -> g.Mux | None:
        """The mux that makes the value, if it is an inner rung of somebody's ladder."""
        node = makers[value]
        inner = isinstance(node, g.Mux) and len(takers.get(value, ())) == 1 and value not in outputs
        return node if inner and isinstance(node, g.Mux) else None

    inner = {m.result for n in graph.nodes if isinstance(n, g.Mux) and (m := rung(n.other)) is not None}
    found: dict[g.Node, list[g.Mux]] = {}
    for node in graph.nodes:
        if isinstance(node, g.Mux) and node.result not in inner:
            rungs = [node]
            while (below := rung(rungs[-1].other)) is not None:
                rungs.append(below)
            if len(rungs) >= least:
                found[node] = rungs
    new: dict[g.Value, g.Value] = {}

    def replace(make: Folder, node: g.Node, taken: Sequence[g.Value]) -> g.Value | None:
        new.update(zip(node.operands(), taken, strict=True))
        rungs = found.get(node)
        if rungs is None:
            return None
        conditions = [new[r.condition] for r in rungs]
        if len(rungs) < least_mixed and not all(_exclude(make, conditions[0], c) for c in conditions[1:]):
            return None
        cases = [(_first(make, conditions, i), new[r.chosen]) for i, r in enumerate(rungs)]
        cases.append((make.not_(make.or_(*conditions)), new[rungs[-1].other]))
        return make.select(cases, node.results[0].width)

    return rewrite(graph, Folder, replace)


def _first(make: Folder, conditions: Sequence[g.Value], index: int) -> g.Value:
    """Whether a condition holds and none before it does."""
    this = conditions[index]
    before = [c for c in conditions[:index] if not _exclude(make, c, this)]
    return make.and_(this, make.not_(make.or_(*before))) if before else this


def _exclude(make: Folder, first: g.Value, second: g.Value) -> bool:
    """x == 1 and x == 2."""
    mine, yours = (_compared(make, v) for v in (first, second))
    return mine is not None and yours is not None and mine[0] is yours[0] and mine[1] != yours[1]


def _compared(make: Folder, value: g.Value) -> tuple[g.Value, int] | None:
    node = make.node(value)
    if not isinstance(node, g.Operate) or node.operator != "eq":
        return None
    for of, other in (node.taken, node.taken[::-1]):
        number = make.known(other)
        if number is not None:
            return of, number
    return None
