# SPDX-License-Identifier: Apache-2.0
"""Removes nodes whose results nobody takes.

    v1 = a + b      (neither an output nor an operand)      ->      nothing

Requires: a verified graph. Ensures: every node's result is an output or somebody's operand, but for inputs (they are
ports), lookups (the control plane sees the table) and externs (they keep state).
"""

from __future__ import annotations

from p4sume.hardware import graph as g

KEPT = (g.Input, g.Lookup, g.Invoke)


def dead(graph: g.Graph) -> g.Graph:
    wanted = set(graph.outputs.values())
    kept: list[g.Node] = []
    for node in reversed(graph.nodes):
        if isinstance(node, KEPT) or any(v in wanted for v in node.results):
            kept.append(node)
            wanted.update(node.operands())
    return g.Graph(graph.program, kept[::-1], dict(graph.outputs), graph.window_bytes, graph.header_bytes)
