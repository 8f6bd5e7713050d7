# SPDX-License-Identifier: Apache-2.0
"""Sizes and latencies at the limits of the modules: the last that is built, and the first that is refused.

The numbers are those of the modules' own checks (hw/rtl/table, hw/rtl/extern).
"""

from pathlib import Path

import pytest

from p4sume.frontend import Options, run_front_end
from p4sume.hardware import graph as g
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


@pytest.mark.parametrize(
    ("annotation", "cycles"), [("", 4), ("@Xilinx_MaxLatency(4)", 4), ("@Xilinx_MaxLatency(64)", 4)]
)
def test_a_stock_extern_takes_no_longer_than_it_needs(annotation: str, cycles: int, tmp_path: Path) -> None:
    declarations = "header byte_t { bit<8> x; } " + REGISTER.format(annotation, 8)
    graph = lowered(write_program(tmp_path, declarations=declarations, pipe="r_reg_rw(0, 0, 0, hdr.a.x);")).graph
    assert [n.extern.latency for n in graph.nodes if isinstance(n, g.Invoke)] == [cycles]


@pytest.mark.parametrize(
    ("prototype", "call", "refused"),
    [
        ("a_lrc(in bit<24> in_data, out bit<8> h)", "a_lrc(0, hdr.a.x)", []),
        ("a_lrc(in bit<8> more, in bit<24> data, out bit<8> h)", "a_lrc(0, 0, hdr.a.x)", ["extern-ports"]),
    ],
)
def test_names_of_parameters(prototype: str, call: str, refused: list[str], tmp_path: Path) -> None:
    declarations = f"header byte_t {{ bit<8> x; }} extern void {prototype};"
    assert found(tmp_path, declarations=declarations, pipe=f"{call};") == refused


def test_the_core_connects_by_place_what_has_other_names(tmp_path: Path) -> None:
    declarations = "header byte_t { bit<8> x; } extern void a_lrc(in bit<24> in_data, out bit<8> h);"
    program = write_program(tmp_path, declarations=declarations, pipe="sume.dst_port = 1; a_lrc(3, hdr.a.x);")
    assert build(run_front_end(program, Options("sume")), "named", tmp_path / "out") is not None
    text = (tmp_path / "out" / "named_core.sv").read_text()
    assert ".data(a_lrc_0_in_data)" in text and ".result_result(a_lrc_0_h_result)" in text


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


NAMED = '@name("{0}") table {1} {{ key = {{ hdr.a.x: exact; }} actions = {{ NoAction; }} size = 16; }} '


def test_tables_of_one_name_in_hardware(tmp_path: Path) -> None:
    two = NAMED.format(".x_y", "t") + NAMED.format(".x.y", "u")
    assert found(tmp_path, locals_=two, pipe="t.apply(); u.apply();") == ["name-clash"]
    assert found(tmp_path, locals_=NAMED.format(".packets", "t"), pipe="t.apply();") == ["name-clash"]


def test_a_name_that_is_a_word_of_systemrdl(tmp_path: Path) -> None:
    path = write_program(tmp_path, locals_=NAMED.format(".field", "t"), pipe="sume.dst_port = 1; t.apply();")
    outcome = run_front_end(path, Options("sume"))
    made = build(outcome, "small", tmp_path / "out")
    assert made is not None
    assert any(r["name"] == "field.command" for r in made.manifest["registers"])  # type: ignore[attr-defined]


def test_more_registers_than_the_address_space_holds(tmp_path: Path) -> None:
    wide = "header wide_t { bit<512> x; }"
    tables = "".join(NAMED.format(f"t{i}", f"t{i}") for i in range(30))
    applied = " ".join(f"t{i}.apply();" for i in range(30))
    path = write_program(tmp_path, declarations=wide, headers="wide_t a;", locals_=tables, pipe=applied)
    outcome = run_front_end(path, Options("sume"))
    assert build(outcome, "small", tmp_path / "out") is None
    assert [d.id for d in outcome.diagnostics if d.severity == "error"] == ["too-many-registers"]


@pytest.mark.parametrize(
    ("prototype", "call"),
    [
        ("in bit<4> index, in bit<8> newVal, in bit<4> opCode, out bit<8> result", "r_reg_rw(0, 0, 0, hdr.a.x);"),
        ("in bit<4> index, in bit<9> newVal, in bit<8> opCode, out bit<8> result", "r_reg_rw(0, 0, 0, hdr.a.x);"),
    ],
)
def test_widths_that_are_not_the_engines(prototype: str, call: str, tmp_path: Path) -> None:
    declarations = f"header byte_t {{ bit<8> x; }} extern void r_reg_rw({prototype});"
    assert found(tmp_path, declarations=declarations, pipe=call) == ["extern-ports"]
