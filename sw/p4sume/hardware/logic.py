# SPDX-License-Identifier: Apache-2.0
"""How long the nodes of one graph take behind each of their operands, neighbours considered.

In front of each bit of an adder's carry chain stands a LUT with room for more than the sum: what is bitwise and goes
to adders only is computed there.

    a + (b ^ c)   takes   gate_ns(3) + chain_ns   and not   gate_ns(2) + gate_ns(2) + chain_ns
"""

from __future__ import annotations

from p4sume.hardware import graph as g
from p4sume.hardware.delay import bit_inputs, chain_ns, delay_ns, gate_ns
from p4sume.hardware.passes.rewrite import users

_MOST_IN_FRONT = 5  # inputs of what an adder's LUT computes; the sixth is the adder's other operand


class Logic:
    def __init__(self, graph: g.Graph) -> None:
        self._known = {n.result for n in graph.nodes if isinstance(n, g.Constant)}
        self._in_front = _in_front_of_adders(graph)

    def delays(self, node: g.Node) -> tuple[float, ...]:
        """For each operand the time from when it is there to the result, as far as it matters. Combinational nodes."""
        inside = self._in_front.get(node)
        if inside is None:
            return (delay_ns(node, self._known),) * len(node.operands())
        inputs = bit_inputs(inside) or 0
        adder = chain_ns(node.result.width)
        alone, together = delay_ns(inside, self._known), gate_ns(1 + inputs)
        return tuple(adder + together - (alone if v is inside.result else 0.0) for v in node.operands())


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
