# SPDX-License-Identifier: Apache-2.0
"""What the modules behind tables and externs can do, asked of a program before anything is written.

Requires: a lowered graph. Ensures: an empty list, or what the modules' own checks would refuse at elaboration, in terms
of the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from p4sume.hardware import graph as g
from p4sume.hardware.blocks import REGISTER_KINDS, extern_index_bits, least_latency, module_exists, table_module
from p4sume.hardware.engines import misfit, prototype
from p4sume.hardware.hula_engines import settings
from p4sume.hardware.names import legal
from p4sume.hardware.registers import RESERVED_NAMES, settings_window
from p4sume.source import Span

MAX_ENTRIES = {"table_exact": 65_536, "table_lpm": 16_384, "table_ternary": 512}
KEY_BITS = {"table_exact": (1, 512), "table_lpm": (8, 128), "table_ternary": (1, 512)}
MAX_INDEX_BITS = 16
_SMALLER = "give it a smaller size = …; without one it has 1024"


@dataclass(frozen=True)
class Problem:
    id: str
    span: Span | None  # a graph that the lowering made has one
    message: str
    hint: str


def problems(graph: g.Graph) -> list[Problem]:
    found: list[Problem] = []
    for node in graph.nodes:
        if isinstance(node, g.Lookup):
            found.extend(_of_table(node.table))
        elif isinstance(node, g.Invoke):
            found.extend(_of_extern(node.extern))
    found.extend(_of_names(graph))
    return found


def _of_names(graph: g.Graph) -> Iterator[Problem]:
    """Each table and extern has a window of its own name among the program's registers, and a group of its settings."""
    taken = dict.fromkeys(RESERVED_NAMES, "the program's own registers")
    for node in graph.nodes:
        if isinstance(node, g.Lookup):
            name, span, groups = node.table.name, node.table.span, [legal(node.table.name)]
        elif isinstance(node, g.Invoke):
            name, span, groups = node.extern.instance, node.extern.span, [legal(node.extern.instance)]
            if not misfit(node.extern) and settings(node.extern):
                groups.append(settings_window(node.extern))
        else:
            continue
        for group in groups:
            other = taken.setdefault(group, name)
            if other is not name:
                yield Problem(
                    "name-clash",
                    span,
                    f"'{name}' has the same name in hardware as {other}: {group}",
                    "give it another name, or another @name",
                )


def _of_table(table: g.Table) -> Iterator[Problem]:
    module = table_module(table)
    kind = module.removeprefix("table_")
    if not 1 <= table.size <= MAX_ENTRIES[module]:
        yield Problem(
            "table-size",
            table.span,
            f"{table.name} has {table.size} entries, and {kind} tables have 1 to {MAX_ENTRIES[module]}",
            _SMALLER,
        )
    low, high = KEY_BITS[module]
    if not low <= table.key_bits <= high:
        yield Problem(
            "table-key",
            table.span,
            f"the key of {table.name} has {table.key_bits} bits, and {kind} tables take {low} to {high}",
            "match fewer fields, or another kind of match",
        )


def _of_extern(extern: g.Extern) -> Iterator[Problem]:
    if not module_exists(extern.kind):
        yield Problem(
            "no-module",
            extern.span,
            f"there is no module for the extern '{extern.name}'",
            f"its kind is {extern.kind}: hw/rtl/extern has an extern_<kind>.sv for each, docs/hula.md others",
        )
        return
    wrong = misfit(extern)
    if wrong:
        yield Problem("extern-ports", extern.span, f"extern '{extern.name}' {wrong}", prototype(extern.kind))
        return
    if extern.kind in REGISTER_KINDS and extern_index_bits(extern) > MAX_INDEX_BITS:
        yield Problem(
            "extern-index",
            extern.span,
            f"the index of '{extern.name}' has {extern_index_bits(extern)} bits, and registers have at most "
            f"{MAX_INDEX_BITS}",
            "use a narrower index",
        )
    least = least_latency(extern)
    if extern.latency < least:
        yield Problem(
            "extern-latency",
            extern.span,
            f"'{extern.name}' answers after {least} cycles, not after {extern.latency}",
            f"write @Xilinx_MaxLatency({least}) or more, or leave it out",
        )
