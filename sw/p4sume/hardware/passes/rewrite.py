# SPDX-License-Identifier: Apache-2.0
"""Making a graph anew, node by node: the loop that every pass is.

A pass gives a function that makes what stands for a node, or None to make the node again as it was. Requires: the
function adds nodes through the maker only. Ensures: inputs, lookups and externs are kept, each once and in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from p4sume.hardware import graph as g
from p4sume.hardware.passes.maker import Maker

Made = TypeVar("Made", bound=Maker)


def rewrite(
    graph: g.Graph,
    kind: Callable[[g.Graph], Made],
    replace: Callable[[Made, g.Node, Sequence[g.Value]], g.Value | None] | None = None,
) -> g.Graph:
    """`replace` takes a maker, a node of the old graph, and the new values of its operands."""
    found = g.Graph(graph.program, window_bytes=graph.window_bytes, header_bytes=graph.header_bytes)
    make = kind(found)
    new: dict[g.Value, g.Value] = {}
    for node in graph.nodes:
        taken = [new[v] for v in node.operands()]
        make.span = node.span
        make.name = node.results[0].name if node.results else "t"
        value = replace(make, node, taken) if replace is not None else None
        made = again(make, node, taken) if value is None else (value,)
        new.update(zip(node.results, made, strict=True))
    found.outputs = {port: new[value] for port, value in graph.outputs.items()}
    return found


def again(make: Maker, node: g.Node, taken: Sequence[g.Value]) -> tuple[g.Value, ...]:
    """The node with other operands."""
    match node:
        case g.Input():
            return (make.input(node.port, node.result.width),)
        case g.Constant(value=value):
            return (make.constant(node.result.width, value),)
        case g.Slice(high=high, low=low):
            return (make.slice(taken[0], high, low),)
        case g.Concat():
            return (make.concat(*taken),)
        case g.Operate(operator=operator):
            return (make.operate(operator, *taken),)
        case g.Mux():
            return (make.mux(*taken),)
        case g.Select():
            return (make.select(list(zip(taken[::2], taken[1::2], strict=True)), node.result.width),)
        case g.Lookup(table=table):
            return make.lookup(table, *taken)
    assert isinstance(node, g.Invoke)
    return make.invoke(node.extern, taken[:-1], taken[-1])


def users(graph: g.Graph) -> dict[g.Value, list[g.Node]]:
    """Who takes each value. An output is a user without a node, and not among them."""
    found: dict[g.Value, list[g.Node]] = {}
    for node in graph.nodes:
        for value in node.operands():
            found.setdefault(value, []).append(node)
    return found
