# SPDX-License-Identifier: Apache-2.0
"""How long a node's logic takes, in nanoseconds, as the scheduler counts it.

The figures are fitted to the mapped netlist of yosys for the SUME's family (a LUT takes 0.13 to 0.64 ns by the pin, a
carry block of four bits 0.1); neighbours share LUTs, so that a sum along a path is a little too long on average. What a
schedule really has is what `make synth` finds in the generated core.
"""

from __future__ import annotations

import math

from p4sume.hardware import graph as g

BUDGET_NS = 2.3  # of logic in a stage; the flip-flops' own time and what the sum misses fill up to 3.0
LEVEL_NS = 0.55  # one LUT of six inputs
CARRY_NS = 0.03  # one bit of a carry chain
CHAIN_NS = 1.15  # on and off a carry chain

# Nodes that only name bits; they are written where they are used and cost nothing.
FREE = (g.Constant, g.Slice, g.Concat, g.Input)


def levels(inputs: int) -> float:
    """LUT levels of a tree over so many inputs; the last, partly filled one counts in part."""
    return max(0.45, math.log(max(inputs, 2), 6))


def delay_ns(node: g.Node) -> float:
    """Of combinational nodes alone; lookups and externs take cycles."""
    if isinstance(node, FREE):
        return 0.0
    if isinstance(node, g.Mux):
        return LEVEL_NS * levels(3)
    if isinstance(node, g.Select):
        return LEVEL_NS * levels(2 * len(node.cases))
    assert isinstance(node, g.Operate)
    width = node.taken[0].width
    operator = node.operator
    if operator == "not":
        return 0.0
    if operator in g.VARIADIC:
        return LEVEL_NS * levels(len(node.taken))
    if operator == "xor":
        return LEVEL_NS * levels(2)
    if operator in ("any", "all", "parity"):
        return LEVEL_NS * levels(width)
    if operator == "eq":
        return LEVEL_NS * levels(2 * width)
    if operator in ("add", "sub") or operator in g.COMPARISONS:
        return LEVEL_NS * levels(4) if width <= 3 else CHAIN_NS + CARRY_NS * width
    if operator in g.SHIFTS:
        return LEVEL_NS * math.ceil(math.log2(max(width, 2)) / 2)
    return CHAIN_NS + LEVEL_NS + CARRY_NS * 2 * width  # mul
