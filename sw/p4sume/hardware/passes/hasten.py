# SPDX-License-Identifier: Apache-2.0
"""Takes what comes out of a table late past the choices that are decided early.

    c ? a : (d ? (e ? X : b) : f)   ->   ~c & d & e ? X : (c ? a : (d ? b : f))      X later than c, d and e

The late value passes one choice and not three; the others are made while it is awaited. Late is counted in cycles of
tables and externs. Several late values of one ladder become cases of a select.

Requires: a folded graph. Ensures: no value passes two choices of a ladder, whose inner rungs have no other user, if
the conditions of both are there before it, unless more than MOST_LATE values of the ladder are late.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from p4sume.hardware import graph as g
from p4sume.hardware.blocks import table_latency
from p4sume.hardware.passes.folder import Folder
from p4sume.hardware.passes.rewrite import rewrite, users

MOST_LATE = 8  # values of one ladder; the predicates of more would cost more than they save

Way = tuple[tuple[g.Value, bool], ...]  # conditions and how they are decided


@dataclass
class _Ladder:
    late: dict[tuple[g.Mux, bool], Way] = field(default_factory=dict)  # arms, and the way to each
    inside: set[g.Value] = field(default_factory=set)  # the rungs on the way of something late


def hasten(graph: g.Graph) -> g.Graph:
    cycles = _cycles(graph)
    makers = graph.makers()
    takers = users(graph)
    outputs = set(graph.outputs.values())

    def rung(value: g.Value) -> g.Mux | None:
        node = makers[value]
        alone = len(takers.get(value, ())) == 1 and value not in outputs
        return node if isinstance(node, g.Mux) and alone else None

    def climb(node: g.Mux, way: Way, latest: int, ladder: _Ladder) -> None:
        latest = max(latest, cycles[node.condition])
        for arm, decided in ((node.chosen, True), (node.other, False)):
            if cycles[arm] > latest:
                here = (*way, (node.condition, decided))
                inner = rung(arm)
                if inner is not None and cycles[inner.condition] < max(cycles[inner.chosen], cycles[inner.other]):
                    ladder.inside.add(arm)
                    climb(inner, here, latest, ladder)
                else:
                    ladder.late[node, decided] = here

    found: dict[g.Node, _Ladder] = {}
    taken_in: set[g.Value] = set()
    for node in reversed(graph.nodes):
        if isinstance(node, g.Mux) and node.result not in taken_in:
            ladder = _Ladder()
            climb(node, (), 0, ladder)
            taken_in |= ladder.inside
            if len(ladder.late) <= MOST_LATE and any(len(way) > 1 for way in ladder.late.values()):
                found[node] = ladder

    new: dict[g.Value, g.Value] = {}

    def replace(make: Folder, node: g.Node, taken: Sequence[g.Value]) -> g.Value | None:
        new.update(zip(node.operands(), taken, strict=True))
        ladder = found.get(node)
        if ladder is None or not isinstance(node, g.Mux):
            return None

        def early(rung: g.Mux, decided: bool) -> g.Value | None:
            """An arm without what is late in it; None: nothing is left."""
            if (rung, decided) in ladder.late:
                return None
            arm = rung.chosen if decided else rung.other
            inner = makers[arm]
            return between(inner) if arm in ladder.inside and isinstance(inner, g.Mux) else new[arm]

        def between(rung: g.Mux) -> g.Value | None:
            chosen, other = early(rung, True), early(rung, False)
            if chosen is None or other is None:
                return chosen or other
            return make.mux(new[rung.condition], chosen, other)

        rest = between(node)
        cases = [
            (_taken(make, way, new), new[rung.chosen if decided else rung.other])
            for (rung, decided), way in ladder.late.items()
        ]
        if rest is None:
            return make.select(cases, node.result.width)
        if len(cases) == 1:
            return make.mux(*cases[0], rest)
        left = make.not_(make.or_(*(predicate for predicate, _ in cases)))
        return make.select([*cases, (left, rest)], node.result.width)

    return rewrite(graph, Folder, replace)


def _taken(make: Folder, way: Way, new: dict[g.Value, g.Value]) -> g.Value:
    return make.and_(*(new[c] if decided else make.not_(new[c]) for c, decided in way))


def _cycles(graph: g.Graph) -> dict[g.Value, int]:
    """For each value the cycles of tables and externs on the longest way to it."""
    found: dict[g.Value, int] = {}
    for node in graph.nodes:
        before = max((found[v] for v in node.operands()), default=0)
        if isinstance(node, g.Lookup):
            before += table_latency(node.table)
        elif isinstance(node, g.Invoke):
            before += node.extern.latency
        found.update((value, before) for value in node.results)
    return found
