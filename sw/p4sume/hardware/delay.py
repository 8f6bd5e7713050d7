# SPDX-License-Identifier: Apache-2.0
"""How long a node's logic takes, in nanoseconds, as the scheduler counts it.

The figures are what yosys' timing of the SUME's family gives for one node alone; `python -m flow.delays` measures them
again and prints both (docs/compiler.md has some). Nodes that follow each other share LUTs, and a LUT's last input is
fast, so that a sum along a path is too long rather than too short; it is left so, because between LUTs lies routing,
which is not counted. What a schedule really has is what `make synth` finds in the generated core.
"""

from __future__ import annotations

import math
from collections.abc import Container

from p4sume.hardware import graph as g

BUDGET_NS = 2.6  # of logic in a stage; with the flip-flop's own 0.3 it stays below 3.0

_GATE_NS = (0.13, 0.13, 0.24, 0.41, 0.48, 0.64, 0.65)  # a LUT by the inputs it has, through the slowest
_LEVEL_NS = 0.55  # a level of a tree of LUTs with six inputs each
_FIRST_LEVEL_NS = 0.02  # and what the tree takes besides
_CHAIN_NS = 0.63  # on and off a carry chain, behind the LUT in front of it
_CARRY_NS = 0.114  # a block of the chain
_CARRY_BITS = 4  # in a block
_COMPARED_NS = 0.17  # a comparison's LUTs in front of the chain have more inputs than a sum's
_WIDEST_GATE = 3  # bits of operands whose sum or comparison fits LUTs alone

DEFAULT_NS = _GATE_NS[3]  # a lookup's result is chosen against the default action behind the table's registers

# Nodes that only name bits; they are written where they are used and cost nothing.
FREE = (g.Constant, g.Slice, g.Concat, g.Input)
# Operators of which a bit depends on the same bit of the operands alone.
_BITWISE = frozenset({"and", "or", "xor", "not"})


def gate_ns(inputs: int) -> float:
    """A tree of LUTs over so many inputs."""
    if inputs < len(_GATE_NS):
        return _GATE_NS[inputs]
    return max(_GATE_NS[-1], _FIRST_LEVEL_NS + _LEVEL_NS * math.log(inputs, 6))


def bit_inputs(node: g.Node) -> int | None:
    """The inputs on which a bit of the result depends; None if it depends on other places of the operands too."""
    if isinstance(node, g.Mux):
        return 3
    if isinstance(node, g.Select):
        return 2 * len(node.cases)
    if isinstance(node, g.Operate) and node.operator in _BITWISE:
        return len(node.taken)
    return None


def chain_ns(width: int) -> float:
    """An adder without the LUTs in front of its carry chain."""
    return _CHAIN_NS + _CARRY_NS * math.ceil(width / _CARRY_BITS)


def delay_ns(node: g.Node, known: Container[g.Value] = ()) -> float:
    """Of combinational nodes alone; lookups and externs take cycles. `known`: the values that are constants."""
    if isinstance(node, FREE):
        return 0.0
    if isinstance(node, g.Operate) and node.operator == "not":
        return 0.0
    inputs = bit_inputs(node)
    if inputs is not None:
        return gate_ns(inputs)
    assert isinstance(node, g.Operate)
    width = node.taken[0].width
    operator = node.operator
    if operator in ("any", "all", "parity"):
        return gate_ns(width)
    if operator == "eq":
        return gate_ns(width if any(v in known for v in node.taken) else 2 * width)
    if operator in ("add", "sub"):
        return gate_ns(2 * width) if width < _WIDEST_GATE else gate_ns(2) + chain_ns(width)
    if operator in g.COMPARISONS:
        return gate_ns(2 * width) if width <= _WIDEST_GATE else gate_ns(2) + _COMPARED_NS + chain_ns(width)
    if operator in g.SHIFTS:
        return gate_ns(6) * math.ceil(math.log2(max(width, 2)) / 2)
    return gate_ns(4) + chain_ns(2 * width)  # mul
