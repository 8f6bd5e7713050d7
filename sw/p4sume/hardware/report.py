# SPDX-License-Identifier: Apache-2.0
"""The schedule as a text: stage by stage what stands there, how wide it is, and what travels on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from p4sume.hardware import graph as g
from p4sume.hardware.blocks import table_latency, table_module
from p4sume.hardware.schedule import Schedule, is_lazy


def schedule_text(made: Schedule) -> str:
    """Logic is counted in bits of results; `ready` is when the last of the stage's values is there."""
    graph = made.graph
    placed: dict[int, list[g.Node]] = defaultdict(list)
    for node in graph.nodes:
        if not is_lazy(node) and not isinstance(node, g.Input | g.Slice):
            placed[made.stage_of[node]].append(node)
    lines = [
        f"{graph.program}: {made.latency} cycles from window to result, stages of {made.budget_ns} ns by estimate",
        f"window {graph.window_bytes} bytes, header {graph.header_bytes} bytes",
        "",
        "stage  nodes  logic bits  ready ns  bits carried on  begins here",
    ]
    for stage in range(made.latency + 1):
        nodes = placed[stage]
        combinational = [n for n in nodes if not isinstance(n, g.Lookup | g.Invoke)]
        bits = sum(n.result.width for n in combinational)
        ready = max((made.ready[n.result].after_ns for n in combinational), default=0.0)
        carried = sum(v.width for v, uses in made.uses.items() if made.ready[v].stage <= stage < max(uses, default=-1))
        begins = "; ".join(_engine(n) for n in nodes if isinstance(n, g.Lookup | g.Invoke))
        lines.append(f"{stage:5}  {len(nodes):5}  {bits:10}  {ready:8.2f}  {carried:15}  {begins}")
    return "\n".join([*lines, "", *_widest(made), ""])


def _engine(node: g.Lookup | g.Invoke) -> str:
    if isinstance(node, g.Lookup):
        table = node.table
        kind = table_module(table).removeprefix("table_")
        return (
            f"table {table.name} ({kind}, {table.key_bits} -> {table.value_bits} bits, {table_latency(table)} cycles)"
        )
    return f"extern {node.extern.name} ({node.extern.latency} cycles)"


def _widest(made: Schedule) -> Iterator[str]:
    """What costs most registers: width by the stages that a value waits."""
    waits = [(v.width * (max(uses) - made.ready[v].stage), v, max(uses)) for v, uses in made.uses.items() if uses]
    yield "what waits longest, width by stages:"
    for cost, value, last in sorted(waits, key=lambda w: -w[0])[:12]:
        if cost:
            first = made.ready[value].stage
            yield f"{cost:8}  {value.name or 'unnamed'} ({value.width} bits, stages {first} to {last})"
