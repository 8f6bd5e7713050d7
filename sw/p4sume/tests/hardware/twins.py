# SPDX-License-Identifier: Apache-2.0
"""The externs in Python: what a flow graph calls when it is evaluated. P4-NetFPGA's stock externs from the rules in
sim/model/README.md, those of hw/rtl/hula from the rules that their modules are tested with, with no setting changed,
every port up and nothing sent. One `Twin` is one engine, with its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from p4sume.hardware import graph as g
from p4sume.hardware import hula_engines
from rtl.best_hops import oracle
from rtl.flowlet_table import flowlet_rules
from rtl.probe_gate import gate_rules

READ, WRITE, ADD, SUB, _, READ_WRITE, ADD_SAT, SUB_SAT = range(8)
RELATIONS: tuple[Callable[[int, int], bool], ...] = (
    lambda compared, held: compared == held,
    lambda compared, held: compared != held,
    lambda compared, held: compared > held,
    lambda compared, held: compared < held,
)


@dataclass
class Twin:
    extern: g.Extern
    registers: dict[int, int] = field(default_factory=dict)
    rows: dict[int, Any] = field(default_factory=dict)

    def call(self, arguments: Sequence[int], cycle: int) -> list[int]:
        """The outputs, in the order of their parameters."""
        named = {name: value for (name, _, _), value in zip(self.extern.parameters, arguments, strict=True)}
        width = self.extern.outputs[0][1]
        match self.extern.kind:
            case "lrc":
                return [_folded(arguments[0], width)]
            case "timestamp":
                return [cycle & (1 << width) - 1]
            case "ip_chksum":
                return [self._checksum(arguments)]
            case "reg_rw":
                known = named["opCode"] in (READ, WRITE, READ_WRITE)
                return [self._operate(named if known else {**named, "opCode": 4}, "", width)[0]]
            case "reg_raw":
                return [self._operate(named, "", width)[0]]
            case "reg_praw":
                holds = self._holds(named, named["index"])
                code = named["opCode"] if holds else READ
                return [self._operate({**named, "opCode": code}, "", width)[0], int(holds)]
            case "reg_ifElseRaw" | "reg_sub":
                holds = self._holds(named, named["index_comp"])
                _, after = self._operate(named, "_1" if holds else "_2", width)
                return [after, int(holds)][: len(self.extern.outputs)]
            case "best_hops" | "flowlet_table" | "probe_gate":
                return self._row(named, cycle)
            case "link_util":
                return [0]
            case "port_up":
                return [(1 << width) - 1]
        raise AssertionError(self.extern.kind)

    def _row(self, named: Mapping[str, int], cycle: int) -> list[int]:
        p, options = hula_engines.parameters(self.extern), hula_engines.options(self.extern)
        tick = cycle >> options["tick_bits"]
        now = tick - (tick - named["now"]) % (1 << p["TIME_BITS"])
        if self.extern.kind == "flowlet_table":
            row = self.rows.get(named["index"], flowlet_rules.EMPTY)
            self.rows[named["index"]], answer = flowlet_rules.rule(p, row, named, now, 0)
            return list(answer)
        if self.extern.kind == "probe_gate":
            row = self.rows.get(named["tor"], (None,) * p["PORTS"])
            self.rows[named["tor"]], answer = gate_rules.rule(p, row, named, now, 0)
            return list(answer)
        limit = oracle.limit(p["TIME_BITS"], p["TICK_BITS"], p["LAG_CYCLES"])
        rules = oracle.Rules(p["K"], p["PORTS"], p["PORT_BITS"], limit)
        row = self.rows.get(named["tor"], oracle.Row())
        if named["tor"] >= p["TORS"]:
            return list(rules.answer(oracle.Row(), now, 0))
        if named["operation"] == oracle.PROBE:
            row = rules.after(row, named["port"], named["utilisation"], now, 0, 0)
        self.rows[named["tor"]] = row
        return list(rules.answer(row, now, 0))

    def _holds(self, named: Mapping[str, int], index: int) -> bool:
        code = named["relOp"]
        return code < len(RELATIONS) and RELATIONS[code](named["compVal"], self.registers.get(index, 0))

    def _operate(self, named: Mapping[str, int], side: str, width: int) -> tuple[int, int]:
        """Does one operation; the result, and the register afterwards."""
        index, most = named["index" + side], (1 << width) - 1
        old, new, by = self.registers.get(index, 0), named["newVal" + side], named.get("incVal" + side, 0)
        results = {
            READ: (old, old),
            WRITE: (new, new),
            ADD: (old + by & most,) * 2,
            SUB: (old - by & most,) * 2,
            READ_WRITE: (old, new),
            ADD_SAT: (min(old + by, most),) * 2,
            SUB_SAT: (max(old - by, 0),) * 2,
        }
        result, self.registers[index] = results.get(named["opCode" + side], (0, old))
        return result, self.registers[index]

    def _checksum(self, parts: Sequence[int]) -> int:
        header = 0
        for (_, width, _), part in zip(self.extern.parameters, parts, strict=True):
            header = header << width | part
        total = sum(header >> low & 0xFFFF for low in range(0, 160, 16))
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        return total ^ 0xFFFF


def _folded(data: int, width: int) -> int:
    found = 0
    while data:
        found ^= data & (1 << width) - 1
        data >>= width
    return found
