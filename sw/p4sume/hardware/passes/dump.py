# SPDX-License-Identifier: Apache-2.0
"""A graph as text, one node a line: what tests compare, and what people read.

a:8 = input a
v1:8 = add a 8w0x1        # hdr.ipv4.ttl
output b = v1
"""

from __future__ import annotations

from p4sume.hardware import graph as g


def dump(graph: g.Graph, names: bool = False) -> str:
    """Values are called by their numbers, inputs by their ports, constants by what they are. `names`: also what the
    program calls each value."""
    called: dict[g.Value, str] = {}
    lines: list[str] = []
    number = 0
    for node in graph.nodes:
        if isinstance(node, g.Constant):
            called[node.result] = f"{node.result.width}w{node.value:#x}"
            continue
        number += not isinstance(node, g.Input)
        for index, value in enumerate(node.results):
            called[value] = node.port if isinstance(node, g.Input) else f"v{number}" + (f".{index}" if index else "")
        made = ", ".join(f"{called[v]}:{v.width}" for v in node.results)
        remark = f"  # {node.results[0].name}" if names and node.results else ""
        lines.append(f"{made} = {_shown(node, called)}{remark}")
    lines.extend(f"output {port} = {called[value]}" for port, value in graph.outputs.items())
    return "\n".join(lines) + "\n"


def _shown(node: g.Node, called: dict[g.Value, str]) -> str:
    taken = [called[v] for v in node.operands()]
    match node:
        case g.Input(port=port):
            return f"input {port}"
        case g.Slice(high=high, low=low):
            return f"{taken[0]}[{high}:{low}]"
        case g.Concat():
            return "{" + ", ".join(taken) + "}"
        case g.Mux():
            return f"{taken[0]} ? {taken[1]} : {taken[2]}"
        case g.Select():
            return "select " + ", ".join(f"{p}: {v}" for p, v in zip(taken[::2], taken[1::2], strict=True))
        case g.Lookup(table=table):
            return f"lookup {table.name} {' '.join(taken)}"
        case g.Invoke(extern=extern):
            return f"invoke {extern.instance} {' '.join(taken)}"
    assert isinstance(node, g.Operate)
    return f"{node.operator} {' '.join(taken)}"
