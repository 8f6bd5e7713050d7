# SPDX-License-Identifier: Apache-2.0
"""The externs of hw/rtl/hula: what a program's prototype has to be, and the module's parameters, settings and rows.

Widths of a prototype decide most of a module's parameters; the others are options, written `@engine[tors=1024]` before
the extern. A setting is a register of a group beside the extern's window; docs/hula.md says what it means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from p4sume.hardware import graph as g

Numbers = Mapping[str, int]  # by name

MAX_PORTS = 32
BLOCK_ROWS, DISTRIBUTED_ROWS = 4096, 64  # serial_rows_pkg
ROW_REGISTERS = 2  # serial_rows_pkg::row_cycles, behind the memory
OVERHEAD_BYTES = 24  # preamble, check sequence and gap of a frame


@dataclass(frozen=True)
class Option:
    low: int
    high: int
    default: int


@dataclass(frozen=True)
class Setting:
    """A port `cfg_<name>` of the module; with `count` a vector of so many, one register each."""

    name: str
    bits: int
    meaning: str
    reset: int = 0
    count: int | None = None


@dataclass(frozen=True)
class Rows:
    """What the control plane sees of the module's memory."""

    count: int
    bits: int

    @property
    def index_bits(self) -> int:
        return index_bits(self.count)


@dataclass(frozen=True)
class Engine:
    """The functions are given the widths of all parameters (w), the options (o), and by how much the latest argument is
    late (late)."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    expected: Callable[[Numbers], dict[str, int]]  # the widths that others fix
    wrong: Callable[[Numbers, Numbers], Iterator[str]]  # what the module would refuse
    parameters: Callable[[Numbers, Numbers, int], dict[str, int]]
    latency: Callable[[Numbers, Numbers, int], int]
    settings: Callable[[Numbers], tuple[Setting, ...]]
    rows: Callable[[Numbers, Numbers], Rows] | None = None
    options: Mapping[str, Option] = field(default_factory=dict)
    late: frozenset[str] = frozenset()  # arguments that may be, all by the same
    changes_state: bool = True
    sideband: tuple[str, ...] = ()  # ports of the switch that it sees
    apart_cycles: int = 1  # between requests, at least


def index_bits(count: int) -> int:
    """serial_rows_pkg::row_index_bits, and the bits of a port's number."""
    return max(1, (count - 1).bit_length())


def row_cycles(rows: int) -> int:
    """From a request to its row: serial_rows_pkg::row_cycles of read_cycles."""
    return (3 if rows > BLOCK_ROWS else 2 if rows > DISTRIBUTED_ROWS else 1) + ROW_REGISTERS


def sweep_cycles(rows: int) -> int:
    """serial_rows_pkg::sweep_cycles"""
    return 4 * rows + 1 + 2 * (row_cycles(rows) - ROW_REGISTERS + 4)


# ---- best_hops


def _hops(w: Numbers) -> int:
    return max(1, w["utilisations"] // 8)


def _best_hops_expected(w: Numbers) -> dict[str, int]:
    k = _hops(w)
    fixed = {"operation": 1, "utilisation": 8, "count": 4, "best": 8}
    return {**fixed, "utilisations": 8 * k, "ports": k * w["port"]}


def _best_hops_wrong(w: Numbers, o: Numbers) -> Iterator[str]:
    if _hops(w) > 8:
        yield f"keeps {_hops(w)} hops of a ToR, and 8 is the most"
    yield from _ports_wrong(w["alive"], w["port"], "port")
    if w["tor"] < index_bits(o["tors"]) or w["tor"] > 32:
        yield f"has {w['tor']} bits in parameter 'tor', and {o['tors']} ToRs take {index_bits(o['tors'])} to 32"
    lag_cycles = o["lag_cycles"] + row_cycles(o["tors"]) - ROW_REGISTERS + 3
    yield from _time_wrong(w, o, 4, 30, o["tors"], lag_cycles)


def _best_hops_parameters(w: Numbers, o: Numbers, late: int) -> dict[str, int]:
    return {
        "TORS": o["tors"], "K": _hops(w), "PORTS": w["alive"], "TOR_BITS": w["tor"], "PORT_BITS": w["port"],
        "TIME_BITS": w["now"], "TICK_BITS": o["tick_bits"], "LAG_CYCLES": o["lag_cycles"],
    }  # fmt: skip


def _best_hops_row(w: Numbers, o: Numbers) -> Rows:
    """best_hops_pkg::hops_row_bits"""
    of_time = w["now"] + 1
    return Rows(o["tors"], _hops(w) * (index_bits(w["alive"]) + 8 + of_time) + w["alive"] * of_time)


# ---- flowlet_table


def _flowlet_expected(w: Numbers) -> dict[str, int]:
    return {"operation": 1, "spread": w["proposal"], "hop": w["proposal"], "outcome": 3, "found": 1}


def _flowlet_wrong(w: Numbers, o: Numbers) -> Iterator[str]:
    if not 1 <= w["index"] <= 16:
        yield f"has {w['index']} bits in parameter 'index', and there are 2 to 65536 sets"
    else:
        yield from _time_wrong(w, o, 3, 32, 1 << w["index"])
    yield from _ports_wrong(w["ok"], w["proposal"], "proposal")
    if w["proposal"] > 16:
        yield f"has {w['proposal']} bits in parameter 'proposal', and 16 are the most"
    if w["tag"] > 64:
        yield f"has {w['tag']} bits in parameter 'tag', and 64 are the most"


def _flowlet_parameters(w: Numbers, o: Numbers, late: int) -> dict[str, int]:
    return {
        "INDEX_BITS": w["index"], "TAG_BITS": w["tag"], "PORTS": w["ok"], "PORT_BITS": w["proposal"],
        "TIME_BITS": w["now"], "TICK_BITS": o["tick_bits"], "LATE_CYCLES": late,
    }  # fmt: skip


def _flowlet_latency(w: Numbers, o: Numbers, late: int) -> int:
    """flowlet_table_pkg::latency"""
    found = row_cycles(1 << w["index"])
    return max(0, late + 1 - found) + found + 2


def _flowlet_row(w: Numbers, o: Numbers) -> Rows:
    return Rows(1 << w["index"], 2 * (1 + w["tag"] + index_bits(w["ok"]) + w["now"]))


# ---- probe_gate


def _gate_wrong(w: Numbers, o: Numbers) -> Iterator[str]:
    yield from _ports_wrong(w["wanted"], 32, "wanted")
    if w["tor"] < index_bits(o["tors"]) or w["tor"] > 32:
        yield f"has {w['tor']} bits in parameter 'tor', and {o['tors']} ToRs take {index_bits(o['tors'])} to 32"
    yield from _time_wrong(w, o, 3, 32, max(2, o["tors"]))


def _gate_parameters(w: Numbers, o: Numbers, late: int) -> dict[str, int]:
    return {
        "TORS": o["tors"], "TOR_BITS": w["tor"], "PORTS": w["wanted"], "TIME_BITS": w["now"],
        "TICK_BITS": o["tick_bits"],
    }  # fmt: skip


# ---- what they have in common


def _ports_wrong(ports: int, port_bits: int, name: str) -> Iterator[str]:
    if ports > MAX_PORTS:
        yield f"is for {ports} ports, and {MAX_PORTS} are the most"
    elif port_bits < index_bits(ports):
        yield f"has {port_bits} bits in parameter '{name}', and the number of {ports} ports takes {index_bits(ports)}"


def _time_wrong(w: Numbers, o: Numbers, low: int, high: int, rows: int, lag_cycles: int = 0) -> Iterator[str]:
    if not low <= w["now"] <= high:
        yield f"has {w['now']} bits in parameter 'now', and its engine has {low} to {high}"
    elif ticks(lag_cycles, o) + ticks(sweep_cycles(rows), o) > 1 << (w["now"] - 2):
        yield (
            f"has a time of {w['now']} bits in ticks of {1 << o['tick_bits']} cycles, and a sweep of {rows} rows takes "
            f"{sweep_cycles(rows)} cycles, more than a quarter of that"
        )


def ticks(cycles: int, o: Numbers) -> int:
    """best_hops_pkg::ticks"""
    return -(-cycles // (1 << o["tick_bits"]))


_TORS = Option(2, 16384, 1024)
_TICK_BITS = Option(0, 24, 8)

ENGINES: dict[str, Engine] = {
    "best_hops": Engine(
        ("operation", "tor", "port", "utilisation", "now"),
        ("ports", "utilisations", "count", "best", "alive"),
        _best_hops_expected,
        _best_hops_wrong,
        _best_hops_parameters,
        lambda w, o, late: row_cycles(o["tors"]) - ROW_REGISTERS + 6,  # best_hops_pkg::hops_latency
        lambda w: (
            Setting("fail_ticks", w["now"], "A hop or port without a probe for more ticks of time is not there."),
            Setting("literal", 3, "Rules as the papers print them: bits 0, 1, 2 of cfg_literal in docs/hula.md."),
        ),
        _best_hops_row,
        {"tors": _TORS, "tick_bits": _TICK_BITS, "lag_cycles": Option(0, 65535, 256)},
        apart_cycles=2,
    ),
    "flowlet_table": Engine(
        ("operation", "index", "tag", "now", "ok", "proposal", "spread"),
        ("hop", "outcome", "found"),
        _flowlet_expected,
        _flowlet_wrong,
        _flowlet_parameters,
        _flowlet_latency,
        lambda w: (Setting("timeout_ticks", w["now"], "A flow that pauses for more ticks begins a new flowlet."),),
        _flowlet_row,
        {"tick_bits": _TICK_BITS},
        frozenset({"ok", "proposal", "spread"}),
        apart_cycles=2,
    ),
    "probe_gate": Engine(
        ("tor", "wanted", "now"),
        ("passed",),
        lambda w: {"passed": w["wanted"]},
        _gate_wrong,
        _gate_parameters,
        lambda w, o, late: row_cycles(max(2, o["tors"])) + 1,  # probe_gate_pkg::latency
        lambda w: (Setting("gap_ticks", w["now"], "Ticks to be over before a ToR's next probe goes to a port."),),
        lambda w, o: Rows(o["tors"], w["wanted"] * (1 + w["now"])),
        {"tors": _TORS, "tick_bits": _TICK_BITS},
        apart_cycles=2,
    ),
    "link_util": Engine(
        (),
        ("utilisations",),
        lambda w: {"utilisations": 8 * max(1, w["utilisations"] // 8)},
        lambda w, o: _ports_wrong(w["utilisations"] // 8, MAX_PORTS, "utilisations"),
        lambda w, o, late: {"PORTS": w["utilisations"] // 8, "OVERHEAD_BYTES": OVERHEAD_BYTES},
        lambda w, o, late: 1,
        lambda w: (
            Setting("tau_log2", 5, "Two to its power cycles is the time over which is averaged, 10 to 20.", 16),
            Setting(
                "scale", 17, "256 * 254 over the bytes that the port's link carries in a cycle.", 10404,
                w["utilisations"] // 8,
            ),
        ),
        changes_state=False,
        sideband=("tx_valid", "tx_bytes"),
    ),
    "port_up": Engine(
        (),
        ("up",),
        lambda w: {},
        lambda w, o: _ports_wrong(w["up"], MAX_PORTS, "up"),
        lambda w, o, late: {"PORTS": w["up"]},
        lambda w, o, late: 1,
        lambda w: (Setting("down", w["up"], "A bit for each port that the program shall take to be down."),),
        changes_state=False,
        sideband=("ports_up",),
    ),
}  # fmt: skip


def widths(extern: g.Extern) -> dict[str, int]:
    return {**{name: width for name, width, _ in extern.parameters}, **dict(extern.outputs)}


def lateness(extern: g.Extern) -> int:
    return max((late for _, _, late in extern.parameters), default=0)


def options(extern: g.Extern) -> dict[str, int]:
    """In the order in which the twin takes them."""
    if extern.kind not in ENGINES:
        return {}
    return {name: option.default for name, option in ENGINES[extern.kind].options.items()} | dict(extern.options)


def least_latency(extern: g.Extern) -> int:
    """Of a prototype that fits; of another, which will be refused, any."""
    if misfit(extern):
        return 1
    return ENGINES[extern.kind].latency(widths(extern), options(extern), lateness(extern))


def parameters(extern: g.Extern) -> dict[str, int]:
    made = ENGINES[extern.kind].parameters(widths(extern), options(extern), lateness(extern))
    return {**made, "LATENCY_CYCLES": extern.latency}


def settings(extern: g.Extern) -> tuple[Setting, ...]:
    return ENGINES[extern.kind].settings(widths(extern)) if extern.kind in ENGINES else ()


def rows(extern: g.Extern) -> Rows | None:
    engine = ENGINES.get(extern.kind)
    return engine.rows(widths(extern), options(extern)) if engine is not None and engine.rows is not None else None


def sidebands(extern: g.Extern) -> tuple[str, ...]:
    return ENGINES[extern.kind].sideband if extern.kind in ENGINES else ()


def misfit(extern: g.Extern) -> str:
    """How a program's prototype or options differ from what the module takes, as the rest of a sentence; else empty."""
    engine = ENGINES[extern.kind]
    given = (tuple(name for name, _, _ in extern.parameters), tuple(name for name, _ in extern.outputs))
    if given != (engine.inputs, engine.outputs):
        return f"has the parameters {', '.join((*given[0], *given[1]))}"
    for name, value in extern.options:
        if name not in engine.options:
            known = ", ".join(engine.options) or "none"
            return f"has the option '{name}', and its engine knows {known}"
        option = engine.options[name]
        if not option.low <= value <= option.high:
            return f"has {name}={value}, and its engine takes {option.low} to {option.high}"
    found = widths(extern)
    for name, wanted in engine.expected(found).items():
        if found[name] != wanted:
            return f"has {found[name]} bits in parameter '{name}', and its engine has {wanted}"
    late = {name: by for name, _, by in extern.parameters if by}
    for name in late:
        if name not in engine.late:
            return f"has a late parameter '{name}', and its engine needs it with the call"
    if late and (len(set(late.values())) > 1 or set(late) != engine.late):
        return f"has late parameters, and its engine takes {', '.join(sorted(engine.late))} late by the same"
    return next(engine.wrong(found, options(extern)), "")
