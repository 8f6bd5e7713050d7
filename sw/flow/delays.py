# SPDX-License-Identifier: Apache-2.0
"""Holds what the P4 compiler takes a node's logic to last against the mapped netlist.

Each case is a small graph, written by the compiler as a pipeline of one stage, with its inputs at the ports and its
result in flip-flops. All are mapped in one run of yosys, each by itself, and timed.

    python -m flow.delays          every case: measured, estimated, and by how much the estimate is above
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from flow import synth
from flow.paths import BUILD, ROOT
from p4sume.hardware import graph as g
from p4sume.hardware.passes.maker import Maker
from p4sume.hardware.schedule import schedule
from p4sume.hardware.verilog import PipelineWriter

OUT = BUILD / "synth" / "delays"
ENDLESS_NS = 1000.0
NUMBER = 0x5A5A5A5B << 96 | 0x5A5A5A5B << 64 | 0x5A5A5A5B << 32 | 0x5A5A5A5B  # a constant with bits of both kinds

Case = Callable[[Maker], g.Value]


@dataclass(frozen=True)
class Delay:
    measured_ns: float
    estimated_ns: float

    @property
    def reserve_ns(self) -> float:
        return self.estimated_ns - self.measured_ns


def binary(operator: str, width: int) -> Case:
    return lambda make: make.operate(operator, make.input("a", width), make.input("b", width))


def with_constant(operator: str, width: int) -> Case:
    number = NUMBER & (1 << width) - 1
    return lambda make: make.operate(operator, make.input("a", width), make.constant(width, number))


def unary(operator: str, width: int) -> Case:
    return lambda make: make.operate(operator, make.input("a", width))


def variadic(operator: str, count: int, width: int) -> Case:
    return lambda make: make.operate(operator, *(make.input(f"a{i}", width) for i in range(count)))


def select(count: int, width: int) -> Case:
    return lambda make: make.select([(make.input(f"p{i}", 1), make.input(f"a{i}", width)) for i in range(count)], width)


def choices(count: int) -> Case:
    def case(make: Maker) -> g.Value:
        value = make.input("a", 8)
        for number in range(count):
            value = make.mux(make.input(f"c{number}", 1), make.input(f"b{number}", 8), value)
        return value

    return case


def sum_with(case: Case) -> Case:
    """A sum of which one side is a small case."""
    return lambda make: make.operate("add", make.input("z", 32), case(make))


def choice_of(case: Case) -> Case:
    return lambda make: make.mux(make.input("c", 1), case(make), make.input("y", 32))


def choice_by(case: Case) -> Case:
    return lambda make: make.mux(case(make), make.input("x", 32), make.input("y", 32))


MARGIN_NS = 0.1  # by which an estimate may be below what is measured
CASES: Mapping[str, Case] = {
    **{f"add {w}": binary("add", w) for w in (2, 3, 4, 8, 16, 24, 32, 34)},
    "sub 32": binary("sub", 32),
    **{f"add {w} constant": with_constant("add", w) for w in (8, 32)},
    **{f"{o} {w}": binary(o, w) for o in ("ult", "ule", "slt", "sle") for w in (2, 3, 4, 8, 16, 32, 34)},
    **{f"ult {w} constant": with_constant("ult", w) for w in (4, 8, 16, 32)},
    **{f"eq {w}": binary("eq", w) for w in (1, 2, 4, 8, 16, 32, 48, 128)},
    **{f"eq {w} constant": with_constant("eq", w) for w in (4, 8, 16, 32, 48, 128)},
    **{f"{o} {w}": unary(o, w) for o in ("any", "parity") for w in (6, 16, 48, 128)},
    **{f"and of {n}": variadic("and", n, 1) for n in (2, 3, 4, 5, 6, 8, 12, 18, 24, 36)},
    **{f"or of {n}, 32 wide": variadic("or", n, 32) for n in (2, 6, 12)},
    "xor 32": binary("xor", 32),
    **{f"mux chain of {n}": choices(n) for n in (1, 2, 3, 6)},
    **{f"select of {n}": select(n, 32) for n in (2, 3, 4, 6, 8, 12, 18)},
    **{f"add 32 of and of {n}": sum_with(variadic("and", n, 32)) for n in (2, 3, 4)},
    "add 32 of xor": sum_with(binary("xor", 32)),
    "add 32 of mux": sum_with(lambda make: make.mux(make.input("c", 1), make.input("a", 32), make.input("b", 32))),
    "mux of add 32": choice_of(binary("add", 32)),
    "mux by eq 16 constant": choice_by(with_constant("eq", 16)),
    "mux by ult 16": choice_by(binary("ult", 16)),
}


def measure(cases: Mapping[str, Case]) -> dict[str, Delay]:
    OUT.mkdir(parents=True, exist_ok=True)
    estimates = {}
    for number, case in enumerate(cases.values()):
        make = Maker(g.Graph("case"))
        make.graph.outputs["o"] = case(make)
        made = schedule(make.graph, lambda _: 1, ENDLESS_NS)
        estimates[number] = max(place.after_ns for place in made.ready.values())
        (OUT / f"case_{number}.sv").write_text(PipelineWriter(made, f"case_{number}").text())
    files = [OUT / f"case_{number}.sv" for number in estimates]
    (OUT / "cases.sv").write_text(_all_cases(files))
    folder = OUT.relative_to(ROOT)
    names = " ".join(str(f.relative_to(ROOT)) for f in [*files, OUT / "cases.sv"])
    synth.run_yosys(
        folder / "map",
        f"read_slang --threads 1 --keep-hierarchy --top cases {names}\n"
        "synth_xilinx -family xc7 -top cases -abc9 -noiopad -noclkbuf\n"
        f"write_verilog -noexpr -noattr {folder}/netlist.v\n",
    )
    log = synth.run_yosys(folder / "timing", synth.timing_script(folder / "netlist.v", "cases"))
    found = {}
    for number, name in enumerate(cases):
        arrival = re.search(rf"Latest arrival time in 'case_{number}\$\S+' is (\d+):", log)
        if arrival is None:
            raise synth.SynthesisError(f"sta printed no arrival time for '{name}'")
        found[name] = Delay(int(arrival[1]) / 1000, estimates[number])
    return found


def _all_cases(files: Iterable[Path]) -> str:
    """A module that holds all others, so that yosys keeps them: their ports are its own."""
    ports, instances = ["input wire logic clk", "input wire logic rst"], []
    for file in files:
        header = re.search(r"\(\n(.*?)\n\);", file.read_text(), re.S)
        assert header is not None
        connections = [".clk", ".rst"]
        for direction, width, name in re.findall(r"(input  wire|output) logic *(\[\d+:0\])? ?(\w+)", header[1]):
            if name not in ("clk", "rst"):
                ports.append(f"{direction} logic {width} {file.stem}_{name}")
                connections.append(f".{name}({file.stem}_{name})")
        instances.append(f"  {file.stem} {file.stem}_inst ({', '.join(connections)});")
    return f"module cases ({', '.join(ports)});\n" + "\n".join(instances) + "\nendmodule\n"


def table(found: Mapping[str, Delay]) -> str:
    lines = ["| logic | measured ns | estimate ns | reserve ns |", "|---|---|---|---|"]
    lines += [f"| {n} | {d.measured_ns:.2f} | {d.estimated_ns:.2f} | {d.reserve_ns:+.2f} |" for n, d in found.items()]
    return "\n".join(lines)


def main() -> int:
    try:
        print(table(measure(CASES)))
    except synth.SynthesisError as error:
        print(f"delays: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
