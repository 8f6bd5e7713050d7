# SPDX-License-Identifier: Apache-2.0
"""Puts each node of a graph into a stage of the pipeline.

As soon as possible: a node stands in the first stage in which its operands are there and its logic still fits the
budget. Stage s begins with the registers that stage s-1 has filled. A lookup or extern takes its operands from
registers at the beginning of its stage and has its results in registers some stages later; a table's value comes
through one more choice, against the default action's. Nodes that only name bits (constants, concatenations) stand
wherever they are used. What can wait is then moved to where it is used, if fewer bits travel that way (`settle`).

Requires: a verified graph in which no node is longer than the budget (pass `carries`).
Ensures: every operand is made in its user's stage, or earlier; the sum of delays along any path within a stage is
within the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from p4sume.hardware import graph as g
from p4sume.hardware.delay import BUDGET_NS, DEFAULT_NS
from p4sume.hardware.logic import Logic
from p4sume.hardware.settle import settle
from p4sume.hardware.stages import Behind, Place, Schedule, is_engine, is_lazy, lateness

__all__ = ["Place", "Schedule", "TableLatency", "UnschedulableError", "check", "is_lazy", "schedule"]

TableLatency = Callable[[g.Table], int]


class UnschedulableError(Exception):
    """A node is longer than a whole stage: a pass has failed to split it. A bug of the compiler."""


def schedule(graph: g.Graph, table_latency: TableLatency, budget_ns: float = BUDGET_NS) -> Schedule:
    made = Schedule(graph, budget_ns)
    logic = Logic(graph)
    _as_soon_as_possible(made, logic, table_latency)
    made.latency = _latency(made)
    settle(made, logic)
    _time(made, logic)
    _count_uses(made)
    return made


def _latency(made: Schedule) -> int:
    """The last stage: outputs are in registers, and what engines are given too, results wanted or not."""
    given = (made.stage_of[n] + max(lateness(n)) for n in made.graph.nodes if is_engine(n))
    return max(1, *(_beginning(made.ready[v]) for v in made.graph.outputs.values()), *given)


def _as_soon_as_possible(made: Schedule, logic: Logic, table_latency: TableLatency) -> None:
    for node in made.graph.nodes:
        places = [made.ready[v] for v in node.operands()]
        if is_engine(node):
            begins = [_beginning(p) - late for p, late in zip(places, lateness(node), strict=True)]
            stage = max(0, *begins)
            made.stage_of[node] = stage
            if isinstance(node, g.Lookup):
                hit, value = node.results
                done = stage + table_latency(node.table)
                made.ready[hit], made.ready[value] = Place(done), Place(done, DEFAULT_NS)
            elif isinstance(node, g.Invoke):
                made.ready.update((value, Place(stage + node.extern.latency)) for value in node.results)
        else:
            last = max((p.stage for p in places), default=0)
            logic.join(node, {v for v in node.operands() if made.ready[v].stage == last})
            place = _joined_fit(made, logic, node)
            made.stage_of[node] = place.stage
            made.ready[node.result] = place


def _joined_fit(made: Schedule, logic: Logic, node: g.Node) -> Place:
    """Where a node fits, with the gates inside it brought to the same stage."""
    inside = list(logic.inside(node))
    for gate in reversed(inside):  # each is there as soon as what it takes
        places = [made.ready[v] for v in gate.operands()]
        stage = max(p.stage for p in places)
        made.ready[gate.result] = Place(stage, _after(places, logic.delays(gate), stage))
    place = _first_fit(node, [made.ready[v] for v in node.operands()], logic.delays(node), made.budget_ns)
    for gate in inside:
        made.stage_of[gate] = place.stage
    return place


def _first_fit(node: g.Node, places: list[Place], delays: tuple[float, ...], budget_ns: float) -> Place:
    alone = max(delays, default=0.0)
    if alone > budget_ns:
        names = ", ".join(v.name for v in node.results)
        raise UnschedulableError(f"{type(node).__name__} {names} takes {alone:.2f} ns of {budget_ns:.2f}")
    stage = max((p.stage for p in places), default=0)
    after = _after(places, delays, stage)
    return Place(stage, after) if after <= budget_ns else Place(stage + 1, alone)


def _after(places: list[Place], delays: tuple[float, ...], stage: int) -> float:
    """When a node's result is there, counted from the beginning of the stage."""
    arrivals = (p.after_ns if p.stage == stage else 0.0 for p in places)
    return max((a + d for a, d in zip(arrivals, delays, strict=True)), default=0.0)


def _beginning(place: Place) -> int:
    """The first stage that begins with the value in a register."""
    return place.stage + (place.after_ns > 0)


def _time(made: Schedule, logic: Logic) -> None:
    """When each value is there, with the nodes in the stages where they stand now."""
    for node in made.graph.nodes:
        if not is_engine(node):
            places = [made.ready[v] for v in node.operands()]
            stage = made.stage_of[node]
            if is_lazy(node):  # it is there when its parts are
                stage = max((p.stage for p in places), default=0)
                made.stage_of[node] = stage
            made.ready[node.result] = Place(stage, _after(places, logic.delays(node), stage))


def _count_uses(made: Schedule) -> None:
    """Where each value is needed, seen through the nodes that are written where they are used."""
    behind = Behind(made.graph)
    for node in made.graph.nodes:
        if not is_lazy(node):
            for operand, late in zip(node.operands(), lateness(node), strict=True):
                for value in behind(operand):
                    made.uses.setdefault(value, set()).add(made.stage_of[node] + late)
    for output in made.graph.outputs.values():
        for value in behind(output):
            made.uses.setdefault(value, set()).add(made.latency)


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
    for node in made.graph.nodes:
        if is_engine(node):
            if made.stage_of[node] + max(lateness(node)) > made.latency:
                raise UnschedulableError(f"{node.results[0].name} begins after the last stage")
            for operand, late in zip(node.operands(), lateness(node), strict=True):
                if _beginning(made.ready[operand]) > made.stage_of[node] + late:
                    raise UnschedulableError(f"{operand.name} is not in a register where {node.results[0].name} begins")
    for port, value in made.graph.outputs.items():
        if _beginning(made.ready[value]) > made.latency:
            raise UnschedulableError(f"output {port} is not in a register at the end")
