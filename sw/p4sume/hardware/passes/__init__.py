# SPDX-License-Identifier: Apache-2.0
"""Rewrites of flow graphs: small passes, one list of them, and the verifier between all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from p4sume.deep import run_deep
from p4sume.hardware import graph as g
from p4sume.hardware.passes.carries import carries
from p4sume.hardware.passes.dead import dead
from p4sume.hardware.passes.fold import fold
from p4sume.hardware.passes.hasten import hasten
from p4sume.hardware.passes.ladders import ladders
from p4sume.hardware.passes.narrow import narrow
from p4sume.hardware.passes.products import products
from p4sume.hardware.passes.selects import selects
from p4sume.hardware.passes.share import share
from p4sume.hardware.passes.shifts import shifts
from p4sume.hardware.passes.speculate import speculate
from p4sume.hardware.passes.trees import trees

__all__ = ["PASSES", "Pass", "run"]


@dataclass(frozen=True)
class Pass:
    apply: Callable[[g.Graph], g.Graph]
    why_here: str

    @property
    def name(self) -> str:
        return self.apply.__name__


PASSES: tuple[Pass, ...] = (
    Pass(speculate, "before all: it relies on how the lowering uses lookups"),
    Pass(fold, "first of the rewrites: the others look for shapes that only folded graphs have"),
    Pass(dead, "before narrow: a user that nobody wants would keep bits alive"),
    Pass(narrow, "before products and carries: narrower values need fewer rows and chunks"),
    Pass(products, "before shifts and carries: it makes sums, and shifts that fold"),
    Pass(shifts, "before selects and trees: it makes choices"),
    Pass(hasten, "behind narrow, which cuts the rungs; before ladders, which takes what this leaves"),
    Pass(ladders, "behind narrow, which cuts the rungs; before selects, which takes what this makes"),
    Pass(carries, "behind products, whose sums may be wide"),
    Pass(selects, "behind all that make choices; it makes disjunctions"),
    Pass(trees, "behind all that make conjunctions and disjunctions"),
    Pass(share, "last of the rewrites: two passes may have made the same"),
    Pass(dead, "at the end: what was replaced still stands there"),
)


def run(graph: g.Graph, passes: Sequence[Pass] = PASSES) -> g.Graph:
    """The graph as the scheduler wants it. Raises BrokenGraphError, naming the pass, if one breaks it."""
    return run_deep(lambda: _run(graph, passes))


def _run(graph: g.Graph, passes: Sequence[Pass]) -> g.Graph:
    g.verify(graph)
    for each in passes:
        graph = each.apply(graph)
        try:
            g.verify(graph)
        except g.BrokenGraphError as problem:
            raise g.BrokenGraphError(f"pass {each.name}: {problem}") from problem
    return graph
