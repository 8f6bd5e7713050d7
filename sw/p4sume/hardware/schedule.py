# SPDX-License-Identifier: Apache-2.0
"""Puts each node of a graph into a stage of the pipeline.

As soon as possible: a node stands in the first stage in which its operands are there and its logic still fits the
budget. Stage s begins with the registers that stage s-1 has filled. A lookup or extern takes its operands from
registers at the beginning of its stage and has its results in registers some stages later. Nodes that only name bits
(constants, concatenations) stand wherever they are used; a slice stands with what it is cut from, so that only the
bits that are needed travel.

Requires: a verified graph in which no node is longer than the budget (pass `split_wide`).
Ensures: every operand is made in its user's stage, or earlier; the sum of delays along any path within a stage is
within the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from p4sume.hardware import graph as g
from p4sume.hardware.delay import BUDGET_NS, delay_ns

TableLatency = Callable[[g.Table], int]


class UnschedulableError(Exception):
    """A node is longer than a whole stage: a pass has failed to split it. A bug of the compiler."""


@dataclass(frozen=True)
class Place:
    """When a value is there: in `stage`, `after_ns` behind its beginning."""

    stage: int
    after_ns: float = 0.0


@dataclass
class Schedule:
    graph: g.Graph
    budget_ns: float
    stage_of: dict[g.Node, int] = field(default_factory=dict)  # where the node's logic stands
    ready: dict[g.Value, Place] = field(default_factory=dict)  # when each value can be used
    uses: dict[g.Value, set[int]] = field(default_factory=dict)  # the stages in which each value is used
    latency: int = 0  # cycles from the inputs to the outputs, which are registers


def is_lazy(node: g.Node) -> bool:
    """Written where it is used, in any stage."""
    return isinstance(node, g.Constant | g.Concat)


def schedule(graph: g.Graph, table_latency: TableLatency, budget_ns: float = BUDGET_NS) -> Schedule:
    made = Schedule(graph, budget_ns)
    inside = absorbed(graph)
    for node in graph.nodes:
        places = [made.ready[v] for v in node.operands()]
        if isinstance(node, g.Lookup):
            stage = max(map(_at_a_beginning, places))
            _set(made, node, stage, Place(stage + table_latency(node.table)))
        elif isinstance(node, g.Invoke):
            lateness = [*(late for _, _, late in node.extern.parameters), 0]
            stages = [_at_a_beginning(p) - late for p, late in zip(places, lateness, strict=True)]
            stage = max(0, *stages)
            _set(made, node, stage, Place(stage + node.extern.latency))
        elif isinstance(node, g.Constant):
            _set(made, node, 0, Place(0))
        else:
            place = _combinational(node, places, budget_ns, 0.0 if node in inside else delay_ns(node))
            _set(made, node, place.stage, place)
    _count_uses(made)
    return made


def _set(made: Schedule, node: g.Node, stage: int, ready: Place) -> None:
    made.stage_of[node] = stage
    for value in node.results:
        made.ready[value] = ready


def _at_a_beginning(place: Place) -> int:
    """The first stage that begins with the value in a register."""
    return place.stage + (place.after_ns > 0)


def absorbed(graph: g.Graph) -> set[g.Node]:
    """Nodes that vanish into an adder: each bit of one has a LUT in front of its carry, and room there for an XOR of
    two values where the adder's other side is a plain value."""
    users: dict[g.Value, list[g.Node]] = {}
    for node in graph.nodes:
        for operand in node.operands():
            users.setdefault(operand, []).append(node)
    found: set[g.Node] = set()
    taken: set[g.Node] = set()  # adders that have one already
    for node in graph.nodes:
        if isinstance(node, g.Operate) and node.operator == "xor":
            adders = users.get(node.result, [])
            fits = all(isinstance(n, g.Operate) and n.operator in ("add", "sub") for n in adders)
            if adders and fits and not any(n in taken for n in adders):
                found.add(node)
                taken.update(adders)
    return found


def _combinational(node: g.Node, places: list[Place], budget_ns: float, delay: float) -> Place:
    if delay > budget_ns:
        names = ", ".join(v.name for v in node.results)
        raise UnschedulableError(f"{type(node).__name__} {names} takes {delay:.2f} ns of {budget_ns:.2f}")
    stage = max((p.stage for p in places), default=0)
    after = max((p.after_ns for p in places if p.stage == stage), default=0.0) + delay
    return Place(stage, after) if after <= budget_ns else Place(stage + 1, delay)


def _count_uses(made: Schedule) -> None:
    """Where each value is needed, seen through the nodes that are written where they are used."""
    makers = made.graph.makers()

    def use(value: g.Value, stage: int) -> None:
        node = makers[value]
        if is_lazy(node):
            for operand in node.operands():
                use(operand, stage)
        elif stage not in (seen := made.uses.setdefault(value, set())):
            seen.add(stage)

    for node in made.graph.nodes:
        if is_lazy(node):
            continue
        stage = made.stage_of[node]
        if isinstance(node, g.Invoke):
            lateness = [*(late for _, _, late in node.extern.parameters), 0]
            for operand, late in zip(node.operands(), lateness, strict=True):
                use(operand, stage + late)
        else:
            for operand in node.operands():
                use(operand, stage)
    last = max((_at_a_beginning(made.ready[v]) for v in made.graph.outputs.values()), default=0)
    made.latency = max(1, last)
    for value in made.graph.outputs.values():
        use(value, made.latency)


def check(made: Schedule) -> None:
    """Raises unless every value is there when it is used; run on every schedule."""
    makers: Mapping[g.Value, g.Node] = made.graph.makers()
    for value, stages in made.uses.items():
        if min(stages) < made.ready[value].stage:
            raise UnschedulableError(
                f"{value.name} is used in stage {min(stages)} and made in {made.ready[value].stage}"
            )
        if is_lazy(makers[value]):
            raise UnschedulableError(f"{value.name} is carried, and costs nothing where it is used")
    for value, place in made.ready.items():
        if place.after_ns > made.budget_ns + 1e-9:
            raise UnschedulableError(f"{value.name} is there {place.after_ns:.2f} ns into its stage")
