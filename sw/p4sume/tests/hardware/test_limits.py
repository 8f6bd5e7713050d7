# SPDX-License-Identifier: Apache-2.0
"""Sizes and latencies at the limits of the modules: the last that is built, and the first that is refused.

The numbers are those of the modules' own checks (hw/rtl/table, hw/rtl/extern).
"""

from pathlib import Path

import pytest

from p4sume.frontend import Options, run_front_end
from p4sume.hardware.build import build
from p4sume.hardware.limits import problems
from p4sume.tests.hardware.harness import lowered, write_program

WIDE = "header wide_t {{ bit<{0}> x; }}"
REGISTER = "{0} extern void r_reg_rw(in bit<{1}> index, in bit<8> newVal, in bit<8> opCode, out bit<8> result);"


def found(directory: Path, **parts: str) -> list[str]:
    return [p.id for p in problems(lowered(write_program(directory, **parts)).graph)]


@pytest.mark.parametrize(("match", "most"), [("exact", 65_536), ("lpm", 16_384), ("ternary", 512), ("range", 512)])
def test_entries(match: str, most: int, tmp_path: Path) -> None:
    table = f"table t {{ key = {{ hdr.a.x: {match}; }} actions = {{ NoAction; }} size = "
    assert found(tmp_path, locals_=f"{table} {most}; }}", pipe="t.apply();") == []
    assert found(tmp_path, locals_=f"{table} {most + 1}; }}", pipe="t.apply();") == ["table-size"]


@pytest.mark.parametrize(("match", "right", "wrong"), [("exact", 512, 520), ("ternary", 512, 520), ("lpm", 128, 136)])
def test_width_of_keys(match: str, right: int, wrong: int, tmp_path: Path) -> None:
    parts = {
        "headers": "wide_t a;",
        "parser": "state start { p.extract(hdr.a); transition accept; }",
        "locals_": f"table t {{ key = {{ hdr.a.x: {match}; }} actions = {{ NoAction; }} size = 16; }}",
        "pipe": "t.apply();",
    }
    assert found(tmp_path, declarations=WIDE.format(right), **parts) == []
    assert found(tmp_path, declarations=WIDE.format(wrong), **parts) == ["table-key"]


@pytest.mark.parametrize(
    ("annotation", "index", "refused"),
    [
        ("", 6, []),
        ("", 16, []),
        ("@Xilinx_MaxLatency(3)", 6, []),
        ("@Xilinx_MaxLatency(2)", 6, ["extern-latency"]),
        ("@Xilinx_MaxLatency(4)", 7, []),
        ("@Xilinx_MaxLatency(3)", 7, ["extern-latency"]),
        ("@Xilinx_MaxLatency(64)", 17, ["extern-index"]),
    ],
)
def test_registers(annotation: str, index: int, refused: list[str], tmp_path: Path) -> None:
    declarations = "header byte_t { bit<8> x; } " + REGISTER.format(annotation, index)
    assert found(tmp_path, declarations=declarations, pipe="r_reg_rw(0, 0, 0, hdr.a.x);") == refused


def test_an_extern_needs_a_module(tmp_path: Path) -> None:
    declarations = "header byte_t { bit<8> x; } extern void f_nobody(in bit<8> data, out bit<8> result);"
    assert found(tmp_path, declarations=declarations, pipe="f_nobody(1, hdr.a.x);") == ["no-module"]


def test_nothing_is_written_of_a_program_that_is_refused(tmp_path: Path) -> None:
    table = "table t { key = { hdr.a.x: ternary; } actions = { NoAction; } size = 513; }"
    program = write_program(tmp_path, locals_=table, pipe="t.apply();")
    outcome = run_front_end(program, Options("sume"))
    assert build(outcome, "small", tmp_path / "out") is None
    assert not (tmp_path / "out").exists()
    [message] = [d.render() for d in outcome.diagnostics if d.severity == "error"]
    assert "TopPipe.t has 513 entries, and ternary tables have 1 to 512 [table-size]" in message
