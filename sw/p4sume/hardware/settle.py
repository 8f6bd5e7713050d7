# SPDX-License-Identifier: Apache-2.0
"""Moves nodes later where fewer bits travel that way.

    stage 0:   m = c ? a : b              stage 28:  m = c ? a : b
    stage 28:  … m …                 ->              … m …               where a, b and c wait until then anyway

From the last node to the first: each may wait until its first user needs it, and is moved there if the bits of its
result times the stages that it does not wait any more are more than what its operands have to wait in exchange. Gates
that are joined move as one.

Requires: a schedule whose nodes stand as early as they can.
Ensures: what Schedule promises; nodes move later only, and the latency stays.
"""

from __future__ import annotations

from p4sume.hardware import graph as g
from p4sume.hardware.logic import Logic
from p4sume.hardware.stages import Behind, Place, Schedule, is_engine, is_lazy, lateness


def settle(made: Schedule, logic: Logic) -> None:
    _Settler(made, logic).run()


class _Settler:
    def __init__(self, made: Schedule, logic: Logic) -> None:
        self._made = made
        self._logic = logic
        self._behind = Behind(made.graph)
        self._users: dict[g.Value, list[tuple[g.Node, int, float]]] = {}  # node, lateness, delay
        self._due: dict[g.Node, Place] = {}  # when a node's result has to be there
        self._is_output = {v for output in made.graph.outputs.values() for v in self._behind(output)}
        for node in made.graph.nodes:
            if not is_lazy(node):
                self._enter(node)

    def _enter(self, node: g.Node) -> None:
        delays = [0.0] * len(node.operands()) if is_engine(node) else self._logic.delays(node)
        for operand, late, delay in zip(node.operands(), lateness(node), delays, strict=True):
            for value in self._behind(operand):
                self._users.setdefault(value, []).append((node, late, delay))

    def run(self) -> None:
        for node in reversed(self._made.graph.nodes):
            if is_engine(node):
                self._due[node] = Place(self._made.stage_of[node])
            elif self._logic.is_inside(node):
                self._due[node] = self._wanted(node.result) or Place(self._made.stage_of[node])
            elif not is_lazy(node) and not isinstance(node, g.Input):
                self._settle(node)

    def _settle(self, node: g.Node) -> None:
        made = self._made
        now = made.stage_of[node]
        wanted = self._wanted(node.result)
        if wanted is None:  # nobody takes it
            self._due[node] = Place(now, made.budget_ns)
            return
        alone = max(self._logic.delays(node), default=0.0)
        last = wanted if wanted.after_ns >= alone else Place(wanted.stage - 1, made.budget_ns)
        if last.stage > now and self._gain(node, last.stage) >= 0:
            for moved in (node, *self._logic.inside(node)):
                made.stage_of[moved] = last.stage
                made.ready[moved.result] = Place(last.stage, alone)
            self._due[node] = last
        else:
            self._due[node] = wanted if wanted.stage == now else Place(now, made.budget_ns)

    def _wanted(self, value: g.Value) -> Place | None:
        """When the value's users, where they stand now, need it at the latest."""
        found = [Place(self._made.latency)] if value in self._is_output else []
        for user, late, delay in self._users.get(value, ()):
            due = self._due[user]
            found.append(Place(due.stage + late, due.after_ns - delay))
        return min(found, default=None)

    def _gain(self, node: g.Node, stage: int) -> int:
        """Bits that do not travel from a stage to the next any more, less those that do instead."""
        now = self._made.stage_of[node]
        gain = node.result.width * (stage - now)
        gates = {node, *self._logic.inside(node)}
        made_inside = {gate.result for gate in gates}
        taken = {v for gate in gates for operand in gate.operands() for v in self._behind(operand)}
        for value in taken - made_inside:
            gain -= value.width * max(0, stage - self._kept_until(value, gates))
        return gain

    def _kept_until(self, value: g.Value, without: set[g.Node]) -> int:
        """The last stage in which the value is there anyway."""
        stages = [self._made.ready[value].stage]
        if value in self._is_output:
            stages.append(self._made.latency)
        stages += [self._made.stage_of[u] + late for u, late, _ in self._users[value] if u not in without]
        return max(stages)
