# SPDX-License-Identifier: Apache-2.0
"""Which module of hw/rtl stands for a table or an extern, with which parameters and ports, and how long it takes.

Latencies are worked out here as the modules work them out; each module checks the number it is given when it is
elaborated, so that the two cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from p4sume.control import sizes
from p4sume.hardware import graph as g
from p4sume.hardware import hula_engines
from p4sume.hardware.engines import PORTS
from p4sume.hardware.hula_engines import ENGINES
from p4sume.hardware.names import legal

DATA_BYTES = 32  # of the SUME's bus

# Ports of each kind of table beyond those that all have.
TABLE_PORTS = {
    "table_exact": ("control_key", "status_occupied", "status_key"),
    "table_ternary": ("control_key", "control_mask", "status_occupied", "status_key", "status_mask"),
    "table_lpm": ("control_key", "control_target"),
}
LPM_TARGET_BITS = 16

EXTERN_MODULES = Path(__file__).resolve().parents[3] / "hw" / "rtl" / "extern"
OPERATE_CYCLES = 2  # of a register extern, behind its memory
CHECKSUM_CYCLES = 3

PROBED_KIND = "best_hops"

REGISTER_KINDS = frozenset({"reg_rw", "reg_raw", "reg_praw", "reg_ifElseRaw", "reg_sub"})


def spacing_cycles(kinds: Iterable[str]) -> int:
    """From a packet's window to the next one at least, by the kinds of a program's externs."""
    return max((ENGINES[kind].apart_cycles for kind in kinds if kind in ENGINES), default=1)


def has_probes(kinds: Iterable[str]) -> bool:
    """Whether the switch around a program makes probes, by the kinds of its externs."""
    return PROBED_KIND in kinds


def table_module(table: g.Table) -> str:
    kinds = {key.match_kind for key in table.keys}
    if kinds == {"lpm"}:
        return "table_lpm"
    return "table_exact" if kinds == {"exact"} else "table_ternary"


def table_latency(table: g.Table) -> int:
    match table_module(table):
        case "table_exact":
            return sizes.exact_latency(table.key_bits, table.size)
        case "table_lpm":
            return sizes.lpm_latency(table.key_bits, table.size)
        case _:
            return sizes.ternary_latency(table.size)


def mask_bits(table: g.Table) -> int:
    """Width of the window's mask: none for an exact table; an lpm table takes the target of a node there."""
    return {"table_exact": 0, "table_lpm": LPM_TARGET_BITS}.get(table_module(table), table.key_bits)


def has_found_mask(table: g.Table) -> bool:
    """Whether a row that is read shows a mask."""
    return "status_mask" in TABLE_PORTS[table_module(table)]


def extern_parameters(extern: g.Extern) -> dict[str, int]:
    if extern.kind in ENGINES:
        return hula_engines.parameters(extern)
    widths = {name: width for name, width, _ in extern.parameters}
    [(_, result)] = extern.outputs[:1]
    if extern.kind in REGISTER_KINDS:
        index = widths.get("index", widths.get("index_1", 1))
        return {"INDEX_BITS": index, "VALUE_BITS": result, "LATENCY_CYCLES": extern.latency}
    if extern.kind == "lrc":
        [(_, data, _)] = extern.parameters
        return {"DATA_BITS": data, "RESULT_BITS": result, "LATENCY_CYCLES": extern.latency}
    if extern.kind == "timestamp":
        return {"RESULT_BITS": result, "LATENCY_CYCLES": extern.latency}
    return {"LATENCY_CYCLES": extern.latency}


def extern_module(kind: str) -> str:
    return kind if kind in ENGINES else f"extern_{kind}"


def module_exists(kind: str) -> bool:
    return kind in ENGINES or (EXTERN_MODULES / f"extern_{kind}.sv").is_file()


def least_latency(extern: g.Extern) -> int:
    """The cycles after which an extern can answer."""
    if extern.kind in ENGINES:
        return hula_engines.least_latency(extern)
    widths = {name: width for name, width, _ in extern.parameters}
    if extern.kind in REGISTER_KINDS:
        return sizes.memory_cycles(1 << widths.get("index", widths.get("index_1", 1))) + OPERATE_CYCLES
    return CHECKSUM_CYCLES if extern.kind == "ip_chksum" else 1


def with_latency(extern: g.Extern, most: int | None) -> g.Extern:
    """`most` is what the program allows: an extern that is known takes what it needs at most, another just that."""
    least = least_latency(extern)
    known = extern.kind in PORTS or extern.kind in ENGINES
    return replace(extern, latency=least if most is None else min(most, least) if known else most)


def has_window(extern: g.Extern) -> bool:
    """Whether the control plane reaches what the extern keeps."""
    return extern.kind in REGISTER_KINDS or hula_engines.rows(extern) is not None


def is_written(extern: g.Extern) -> bool:
    """Whether the control plane writes there too."""
    return extern.kind in REGISTER_KINDS


def extern_value_bits(extern: g.Extern) -> int:
    rows = hula_engines.rows(extern)
    return extern.outputs[0][1] if rows is None else rows.bits


def extern_index_bits(extern: g.Extern) -> int:
    rows = hula_engines.rows(extern)
    return extern_parameters(extern)["INDEX_BITS"] if rows is None else rows.index_bits


def extern_entries(extern: g.Extern) -> int:
    rows = hula_engines.rows(extern)
    return 1 << extern_index_bits(extern) if rows is None else rows.count


def engine_ports(node: g.Lookup | g.Invoke) -> Iterator[tuple[str, int]]:
    """The wires between the pipeline and one engine."""
    if isinstance(node, g.Lookup):
        name = legal(node.table.name)
        yield f"{name}_lookup_valid", 1
        yield f"{name}_lookup_key", node.table.key_bits
        yield f"{name}_result_hit", 1
        yield f"{name}_result_value", node.table.value_bits
    else:
        name = legal(node.extern.instance)
        yield f"{name}_input_valid", 1
        for parameter, width, _ in node.extern.parameters:
            yield f"{name}_{legal(parameter)}", width
        for parameter, width in node.extern.outputs:
            yield f"{name}_{legal(parameter)}_result", width
