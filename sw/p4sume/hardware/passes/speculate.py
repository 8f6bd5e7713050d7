# SPDX-License-Identifier: Apache-2.0
"""Looks tables up, and calls externs that change nothing, before it is known whether the packet reaches them.

    hit, value = lookup(key, enable)      ->      found, value = lookup(key, 1);  hit = found & enable
    value = read(index, enable)           ->      value = read(index, 1)

A lookup has no side effect, nor has a register that is only read, and what a path that is not taken assigns is thrown
away where the branches join; so the answer may be there early, and only the hit has to wait for the predicate, which
is usually the last thing to be known.

Requires: lookups and externs whose results are used under their predicate alone, as the lowering makes them.
Ensures: the predicate of every lookup, and of every extern that changes nothing, is the constant one; the outputs are
the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from p4sume.hardware import graph as g
from p4sume.hardware.effects import changes_nothing


def speculate(graph: g.Graph) -> g.Graph:
    made = g.Graph(graph.program, [], dict(graph.outputs), graph.window_bytes, graph.header_bytes)
    always = made.add(g.Constant(None, (g.Value(1, ""),), 1))
    makers = graph.makers()
    for node in graph.nodes:
        if isinstance(node, g.Lookup):
            hit, value = node.results
            found = g.Value(1, f"{hit.name}.found")
            made.nodes.append(replace(node, results=(found, value), enable=always))
            made.nodes.append(g.Operate(node.span, (hit,), "and", (found, node.enable)))
        elif isinstance(node, g.Invoke) and changes_nothing(node.extern, _numbers(node, makers)):
            made.nodes.append(replace(node, enable=always))
        else:
            made.nodes.append(node)
    return made


def _numbers(node: g.Invoke, makers: Mapping[g.Value, g.Node]) -> list[int | None]:
    found = (makers[argument] for argument in node.arguments)
    return [maker.value if isinstance(maker, g.Constant) else None for maker in found]
