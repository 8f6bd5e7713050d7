# SPDX-License-Identifier: Apache-2.0
"""How long the nodes of one graph take behind each of their operands, neighbours considered.

Bitwise nodes that feed one another are one gate, as long as it has no more inputs than a LUT; the scheduler joins them:

    (a & b) ^ (c ^ d)   takes   gate_ns(4)   and not   gate_ns(2) + gate_ns(2)

In front of each bit of an adder's carry chain stands a LUT with room for more than the sum: what is bitwise and goes
to adders only is computed there.

    a + (b ^ c)   takes   gate_ns(3) + chain_ns   and not   gate_ns(2) + gate_ns(2) + chain_ns
"""

from __future__ import annotations

from collections.abc import Iterator

from p4sume.hardware import graph as g
from p4sume.hardware.delay import bit_inputs, chain_ns, delay_ns, gate_ns
from p4sume.hardware.passes.rewrite import users

LUT_INPUTS = 6
_MOST_IN_FRONT = 5  # inputs of what an adder's LUT computes; the sixth is the adder's other operand


class Logic:
    def __init__(self, graph: g.Graph) -> None:
        self._known = {n.result for n in graph.nodes if isinstance(n, g.Constant)}
        self._in_front = _in_front_of_adders(graph)
        self._makers = graph.makers()
        takers = users(graph)
        outputs = set(graph.outputs.values())
        self._only_user = {v: nodes[0] for v, nodes in takers.items() if len(nodes) == 1 and v not in outputs}
        self._inside: set[g.Node] = set()  # gates that are part of their user's
        self._leaves: dict[g.Node, frozenset[g.Value]] = {}  # of gates that have others inside

    def delays(self, node: g.Node) -> tuple[float, ...]:
        """For each operand the time from when it is there to the result, as far as it matters. Combinational nodes."""
        inside = self._in_front.get(node)
        if inside is None:
            return (self._alone(node),) * len(node.operands())
        adder = chain_ns(node.result.width)
        alone, together = self._alone(inside), gate_ns(1 + len(self.leaves(inside)))
        return tuple(adder + together - (alone if v is inside.result else 0.0) for v in node.operands())

    def _alone(self, node: g.Node) -> float:
        if node in self._inside:
            return 0.0
        joined = self._leaves.get(node)
        return delay_ns(node, self._known) if joined is None else gate_ns(len(joined))

    # ---- gates that are joined

    def leaves(self, node: g.Node) -> frozenset[g.Value]:
        """What a gate is a function of."""
        return self._leaves.get(node) or frozenset(v for v in node.operands() if v not in self._known)

    def is_inside(self, node: g.Node) -> bool:
        return node in self._inside

    def inside(self, node: g.Node) -> Iterator[g.Node]:
        """The gates that are part of this one."""
        for operand in node.operands():
            maker = self._makers[operand]
            if maker in self._inside:
                yield maker
                yield from self.inside(maker)

    def join(self, node: g.Node, may: set[g.Value]) -> None:
        """Takes the gates that make `may`, operands of this gate, inside as far as they fit."""
        if bit_inputs(node) is None:
            return
        leaves = self.leaves(node)
        for operand in dict.fromkeys(node.operands()):
            maker = self._makers[operand]
            if operand not in may or self._only_user.get(operand) is not node or bit_inputs(maker) is None:
                continue
            more = leaves - {operand} | self.leaves(maker)
            if len(more) <= LUT_INPUTS:
                leaves = more
                self._leaves[node] = leaves
                self._inside.add(maker)


def _in_front_of_adders(graph: g.Graph) -> dict[g.Node, g.Node]:
    """For each adder the node that its LUTs compute besides."""
    makers = graph.makers()
    takers = users(graph)
    outputs = set(graph.outputs.values())
    found: dict[g.Node, g.Node] = {}
    for node in graph.nodes:
        if not _has_chain(node):
            continue
        for operand in node.operands():
            maker = makers[operand]
            inputs = bit_inputs(maker)
            fits = inputs is not None and inputs <= _MOST_IN_FRONT and operand not in outputs
            if fits and all(_has_chain(u) and u not in found for u in takers[operand]):
                found.update((u, maker) for u in takers[operand])
                break
    return found


def _has_chain(node: g.Node) -> bool:
    return isinstance(node, g.Operate) and node.operator in ("add", "sub")
