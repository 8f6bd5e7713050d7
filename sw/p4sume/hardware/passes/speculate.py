# SPDX-License-Identifier: Apache-2.0
"""Looks tables up before it is known whether the packet reaches them.

    hit, value = lookup(key, enable)      ->      found, value = lookup(key, 1);  hit = found & enable

A lookup has no side effect, and what a path that is not taken assigns is thrown away where the branches join; so the
answer may be there early, and only the hit has to wait for the predicate, which is usually the last thing to be known.

Requires: lookups whose values are used under their predicate alone, as the lowering makes them.
Ensures: every lookup's predicate is the constant one; the outputs are the same.
"""

from __future__ import annotations

from dataclasses import replace

from p4sume.hardware import graph as g


def speculate(graph: g.Graph) -> g.Graph:
    made = g.Graph(graph.program, [], dict(graph.outputs), graph.window_bytes, graph.header_bytes)
    always = made.add(g.Constant(None, (g.Value(1, ""),), 1))
    for node in graph.nodes:
        if not isinstance(node, g.Lookup):
            made.nodes.append(node)
            continue
        hit, value = node.results
        found = g.Value(1, f"{hit.name}.found")
        made.nodes.append(replace(node, results=(found, value), enable=always))
        made.nodes.append(g.Operate(node.span, (hit,), "and", (found, node.enable)))
    return made
