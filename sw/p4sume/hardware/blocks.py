# SPDX-License-Identifier: Apache-2.0
"""Which module of hw/rtl stands for a table or an extern, with which parameters, and how long it takes.

Latencies are worked out here as the modules work them out; each module checks the number it is given when it is
elaborated, so that the two cannot differ.
"""

from __future__ import annotations

from p4sume.hardware import graph as g

DATA_BYTES = 32  # of the SUME's bus


def table_module(table: g.Table) -> str:
    kinds = {key.match_kind for key in table.keys}
    if "lpm" in kinds:
        return "table_lpm"
    return "table_exact" if kinds == {"exact"} else "table_ternary"


def table_latency(table: g.Table) -> int:
    return {"table_exact": _exact_latency}[table_module(table)](table.key_bits, table.size)


def _memory_cycles(words: int) -> int:
    return 2 if words > 64 else 1


def _exact_rows(entries: int) -> int:
    for most, rows in ((16, 16), (32, 32), (128, 64)):
        if entries <= most:
            return rows
    rows = 1024
    while entries * 4 > rows * 17:
        rows *= 2
    return rows


def _exact_latency(key_bits: int, entries: int) -> int:
    compare = 2 if key_bits > 64 else 1
    return 2 + _memory_cycles(_exact_rows(entries)) + compare + 1


def extern_parameters(extern: g.Extern) -> dict[str, int]:
    return {"LATENCY_CYCLES": extern.latency}
