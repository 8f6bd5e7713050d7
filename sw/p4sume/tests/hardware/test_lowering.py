# SPDX-License-Identifier: Apache-2.0
"""The lowering: packets through the flow graph of small programs, against expectations written by hand.

What each program computes follows from the specification, and from the choices that README.md of the lowering names:
what is not initialised is zero, fields of invalid headers are zero, a parser's error drops the packet.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from p4sume.frontend import Options, run_front_end
from p4sume.hardware import graph as g
from p4sume.hardware.lowering import lower
from p4sume.model.library import KeyValue
from p4sume.tests.hardware.harness import (
    BYTE,
    PROGRAMS,
    Engines,
    Passed,
    Row,
    lowered,
    through,
    write_program,
)

ALL = {"src_port": 4, "pkt_len": 64}


def run(directory: Path, packet: str, engines: Engines | None = None, **parts: Any) -> Passed:
    return through(lowered(write_program(directory, **parts)), bytes.fromhex(packet), ALL, engines)


def passes(directory: Path, packet: str, **parts: Any) -> str:
    found = run(directory, packet, **parts)
    assert found.drop_reason is None
    return found.packet.hex()


def log(directory: Path, packet: str, **parts: Any) -> int:
    found = run(directory, packet, **parts)
    assert found.drop_reason is None
    return found.digest


# ---- ports


def test_ports_are_those_of_the_readme(tmp_path: Path) -> None:
    graph = lowered(write_program(tmp_path)).graph
    inputs = [(n.port, n.result.width) for n in graph.nodes if isinstance(n, g.Input)]
    metadata = [
        *((f"sume_metadata.{q}_q_size", 16) for q in ("dma", "nf3", "nf2", "nf1", "nf0")),
        ("sume_metadata.send_dig_to_cpu", 8),
        ("sume_metadata.drop", 8),
        ("sume_metadata.dst_port", 8),
        ("sume_metadata.src_port", 8),
        ("sume_metadata.pkt_len", 16),
    ]
    assert inputs == [("window", 8), ("window_length", 1), *metadata]
    outputs = [(port, v.width) for port, v in graph.outputs.items()]
    first = [("header", 8), ("header_length", 1), ("strip_length", 1), ("drop", 1), ("drop_reason", 4)]
    assert outputs == [*first, *metadata, ("digest_data", 256)]
    assert (graph.window_bytes, graph.header_bytes) == (1, 1)


def test_metadata_goes_through_and_a_missing_port_drops(tmp_path: Path) -> None:
    found = run(tmp_path, "aa", pipe="sume.dst_port = sume.src_port;")
    assert found.metadata["dst_port"] == 4
    assert found.metadata["pkt_len"] == 64
    assert run(tmp_path, "aa", pipe="sume.dst_port = 0;").drop_reason == "no_port"


def test_a_packet_with_a_digest_for_the_cpu_needs_no_port(tmp_path: Path) -> None:
    pipe = "sume.dst_port = 0; sume.send_dig_to_cpu = hdr.a.x;"
    assert run(tmp_path, "03", pipe=pipe).drop_reason is None
    assert run(tmp_path, "02", pipe=pipe).drop_reason == "no_port"


def test_a_program_that_emits_nothing_strips(tmp_path: Path) -> None:
    assert passes(tmp_path, "aabbcc", deparser="") == "bbcc"


# ---- the parser


def test_a_short_packet_is_dropped_whatever_comes_behind_its_end(tmp_path: Path) -> None:
    parser = "state start { p.extract(hdr.a); transition select(hdr.a.x) { 1: more; 2: accept; } }"
    parser += "state more { p.extract(hdr.b); transition select(hdr.b.x) { 7: accept; } }"
    assert passes(tmp_path, "0107ff", parser=parser) == "0107ff"
    assert passes(tmp_path, "02", parser=parser) == "02"
    assert run(tmp_path, "", parser=parser).drop_reason == "PacketTooShort"
    assert run(tmp_path, "01", parser=parser).drop_reason == "PacketTooShort"
    assert run(tmp_path, "03", parser=parser).drop_reason == "NoMatch"
    assert run(tmp_path, "0108", parser=parser).drop_reason == "NoMatch"


def test_the_first_error_counts(tmp_path: Path) -> None:
    parser = "state start { p.extract(hdr.a); verify(hdr.a.x != 1, error.HeaderTooShort); p.extract(hdr.b);"
    parser += " verify(hdr.b.x != 1, error.NoMatch); transition select(hdr.b.x) { 2: reject; default: accept; } }"
    assert run(tmp_path, "01", parser=parser).drop_reason == "HeaderTooShort"
    assert run(tmp_path, "00", parser=parser).drop_reason == "PacketTooShort"
    assert run(tmp_path, "0001", parser=parser).drop_reason == "NoMatch"
    assert run(tmp_path, "0002", parser=parser).drop_reason == "reject"
    assert passes(tmp_path, "0003", parser=parser) == "0003"


def test_a_field_that_two_states_extract(tmp_path: Path) -> None:
    parser = "state start { p.extract(hdr.a); transition select(hdr.a.x) { 1: skip; default: last; } }"
    parser += "state skip { p.advance(16); transition last; } state last { p.extract(hdr.b); transition accept; }"
    assert log(tmp_path, "01aabb05", parser=parser, pipe="digest.log = hdr.b.x;") == 5
    assert log(tmp_path, "00aabb05", parser=parser, pipe="digest.log = hdr.b.x;") == 0xAA
    assert passes(tmp_path, "01aabb0599", parser=parser) == "010599"


def test_a_loop_ends_with_the_stack(tmp_path: Path) -> None:
    parts = {
        "headers": "byte_t[2] s; byte_t a; byte_t b;",
        "parser": "state start { p.extract(hdr.s.next); transition select(hdr.s.last.x) { 0: start; _: accept; } }",
    }
    assert passes(tmp_path, "0001aa", **parts, pipe="hdr.s[1].x = hdr.s[1].x + 4;") == "0005aa"
    assert passes(tmp_path, "02aa", **parts, pipe="hdr.s.push_front(1);") == "02aa"
    assert passes(tmp_path, "02aa", **parts, pipe="hdr.s.pop_front(1);") == "aa"
    assert run(tmp_path, "0000aa", **parts).drop_reason == "StackOutOfBounds"


def test_the_last_element_of_an_empty_stack_is_an_error(tmp_path: Path) -> None:
    parts = {
        "headers": "byte_t[3] s; byte_t a; byte_t b;",
        "parser": "state start { p.extract(hdr.a); if (hdr.a.x == 1) { p.extract(hdr.s.next); }"
        " meta.m = hdr.s.last.x; transition accept; }",
    }
    assert log(tmp_path, "0105", **parts, pipe="digest.log = meta.m;") == 5
    assert run(tmp_path, "0005", **parts).drop_reason == "StackOutOfBounds"


def test_a_lookahead_in_an_arm_needs_bits_in_that_arm_only(tmp_path: Path) -> None:
    parser = (
        "state start { p.extract(hdr.a); if (hdr.a.x == 1) { meta.m = p.lookahead<bit<8>>(); } transition accept; }"
    )
    assert passes(tmp_path, "00", parser=parser) == "00"
    assert run(tmp_path, "01", parser=parser).drop_reason == "PacketTooShort"
    assert log(tmp_path, "0107", parser=parser, pipe="digest.log = meta.m;") == 7


def test_variables_of_states_begin_anew(tmp_path: Path) -> None:
    parser = "state start { bit<8> n; byte_t t; n = n + 1; p.extract(t); meta.m = meta.m + n + t.x;"
    parser += " transition select(t.x) { 0: start; 9: reject; default: done; } } state done { transition accept; }"
    headers = "byte_t a; byte_t b;"
    parser = parser.replace("0: start", "0: done")
    assert log(tmp_path, "05ff", headers=headers, parser=parser, pipe="digest.log = meta.m;") == 6


def test_varbits_keep_their_length(tmp_path: Path) -> None:
    parts = {
        "declarations": "header v_t { bit<4> n; bit<4> rest; varbit<24> data; bit<8> tail; }",
        "headers": "v_t a; v_t b;",
        "parser": "state start { bit<8> n = p.lookahead<bit<8>>(); p.extract(hdr.a, (bit<32>)n[7:4] * 8);"
        " transition accept; }",
    }
    assert passes(tmp_path, "20aabbccdd", **parts, pipe="hdr.a.rest = 15; hdr.a.tail = 1;") == "2faabb01dd"
    assert passes(tmp_path, "00aabbccdd", **parts, pipe="hdr.b = hdr.a;") == "00aa00aabbccdd"
    assert passes(tmp_path, "30aabbccdd", **parts) == "30aabbccdd"
    assert run(tmp_path, "40aabbccddee", **parts).drop_reason == "HeaderTooShort"
    assert run(tmp_path, "20aabb", **parts).drop_reason == "PacketTooShort"


def test_a_size_counts_the_bits_it_depends_on_however_it_is_computed(tmp_path: Path) -> None:
    parts = {
        "declarations": BYTE + "header v_t { bit<4> n; bit<4> rest; varbit<24> data; bit<8> tail; }",
        "headers": "byte_t a; v_t b;",
        "parser": "state start { p.extract(hdr.a); p.extract(hdr.b, ((bit<32>)hdr.a.x[7:4] - 5) * 8);"
        " transition accept; }",
    }
    assert passes(tmp_path, "7000aabbcc", **parts, pipe="hdr.b.tail = 1;") == "7000aabb01"
    assert passes(tmp_path, "5000aabbcc", **parts, pipe="hdr.b.tail = 1;") == "500001bbcc"
    assert run(tmp_path, "4000aabbcc", **parts).drop_reason == "HeaderTooShort"


def test_sub_parsers_have_variables_of_their_own(tmp_path: Path) -> None:
    declarations = BYTE + "parser Sub(packet_in p, out byte_t h, inout bit<8> sum) { bit<8> mine = 1;"
    declarations += " state start { p.extract(h); mine = mine + h.x; sum = sum + mine; transition accept; } }"
    parser = "Sub() one; Sub() two; state start { one.apply(p, hdr.a, meta.m); two.apply(p, hdr.b, meta.m);"
    parser += " transition select(meta.m) { 0x10: accept; default: reject; } }"
    assert passes(tmp_path, "060899", declarations=declarations, parser=parser) == "060899"
    assert run(tmp_path, "0607", declarations=declarations, parser=parser).drop_reason == "reject"


# ---- headers


def test_an_invalid_header_is_zero_and_stays_so(tmp_path: Path) -> None:
    assert log(tmp_path, "aa", pipe="hdr.b.x = 5; digest.log = hdr.b.x;") == 0
    assert log(tmp_path, "aa", pipe="hdr.b.x = 5; hdr.b.setValid(); digest.log = hdr.b.x;") == 0
    assert log(tmp_path, "aa", pipe="hdr.b.setValid(); hdr.b.x = 5; digest.log = hdr.b.x;") == 5
    assert log(tmp_path, "aa", pipe="hdr.a.setInvalid(); hdr.a.setValid(); digest.log = hdr.a.x;") == 0
    assert log(tmp_path, "aa", pipe="hdr.a.setValid(); digest.log = hdr.a.x;") == 0xAA
    assert log(tmp_path, "aa", pipe="hdr.b = { 7 }; hdr.a = hdr.b; digest.log = hdr.a.x;") == 7


def test_validity_by_condition(tmp_path: Path) -> None:
    pipe = "if (hdr.a.x == 1) { hdr.b.setValid(); } hdr.b.x = 9; if (hdr.b.isValid()) { digest.log = hdr.b.x; }"
    assert log(tmp_path, "01", pipe=pipe) == 9
    assert log(tmp_path, "02", pipe=pipe) == 0
    assert passes(tmp_path, "01ff", pipe=pipe) == "0109ff"
    assert passes(tmp_path, "02ff", pipe=pipe) == "02ff"


def test_headers_leave_in_the_order_of_the_deparser(tmp_path: Path) -> None:
    parts = {"pipe": "hdr.b.setValid(); hdr.b.x = 0x55; if (hdr.a.x == 2) { hdr.a.setInvalid(); }"}
    assert passes(tmp_path, "aa11", deparser="p.emit(hdr.b); p.emit(hdr.a);", **parts) == "55aa11"
    assert passes(tmp_path, "0211", deparser="p.emit(hdr.b); p.emit(hdr.a);", **parts) == "5511"
    assert passes(tmp_path, "aa11", deparser="p.emit(hdr.a); p.emit(hdr.a);", **parts) == "aaaa11"
    condition = "if (hdr.a.x == 7) { p.emit(hdr.b); } else { p.emit(hdr.a); }"
    assert passes(tmp_path, "0711", deparser=condition, **parts) == "5511"
    assert passes(tmp_path, "0811", deparser=condition, **parts) == "0811"


def test_headers_that_are_no_whole_bytes_are_filled_up(tmp_path: Path) -> None:
    declarations = "header nibble_t { bit<4> x; }"
    headers = "nibble_t a; nibble_t b;"
    assert passes(tmp_path, "ab11", declarations=declarations, headers=headers) == "a011"
    pipe = "hdr.b.setValid(); hdr.b.x = 3;"
    assert passes(tmp_path, "ab11", declarations=declarations, headers=headers, pipe=pipe) == "a311"


# ---- tables


def test_an_entry_runs_its_action_with_its_data(tmp_path: Path) -> None:
    locals_ = "action set(bit<4> high, bit<8> value) { digest.log = value; hdr.a.x[7:4] = high; }"
    locals_ += " action other(bit<8> value) { digest.log = value + 1; } table t { key = { hdr.a.x: exact; }"
    locals_ += " actions = { set; other; } default_action = other(7); size = 16; }"
    parts = {"locals_": locals_, "pipe": "if (t.apply().hit) { digest.log = digest.log | 0x80; }"}
    [lookup] = [n for n in lowered(write_program(tmp_path, **parts)).graph.nodes if isinstance(n, g.Lookup)]
    table = lookup.table
    assert table.name == "TopPipe.t"
    assert [(k.name, k.width, k.match_kind) for k in table.keys] == [("hdr.a.x", 8, "exact")]
    assert [(a.name, a.code, a.parameters) for a in table.actions] == [
        ("TopPipe.set", 1, (("high", 4), ("value", 8))),
        ("TopPipe.other", 2, (("value", 8),)),
    ]
    assert (table.size, table.default_action, table.default_data) == (16, "TopPipe.other", 7)
    engines = Engines(
        rows={"TopPipe.t": [Row((KeyValue(5),), 0, 1 << 12 | 0xC22), Row((KeyValue(6),), 0, 2 << 12 | 0x330)]}
    )
    assert run(tmp_path, "05", engines, **parts) == Passed(
        None, b"\xc5", run(tmp_path, "05", engines, **parts).metadata, 0xA2
    )
    assert run(tmp_path, "06", engines, **parts).digest == 0x80 | 0x34
    assert run(tmp_path, "07", engines, **parts).digest == 8


def test_a_code_that_no_action_has_does_nothing(tmp_path: Path) -> None:
    locals_ = "action one() { digest.log = 1; } action two() { digest.log = 2; } table t { key = { hdr.a.x: exact; }"
    locals_ += " actions = { one; two; } default_action = one(); }"
    engines = Engines(rows={"TopPipe.t": [Row((KeyValue(5),), 0, 3)]})
    assert run(tmp_path, "05", engines, locals_=locals_, pipe="digest.log = 9; t.apply();").digest == 9


def test_no_action_is_the_default_of_tables_without_one(tmp_path: Path) -> None:
    locals_ = "action one() { digest.log = 1; } table t { key = { hdr.a.x: exact; } actions = { one; } }"
    graph = lowered(write_program(tmp_path, locals_=locals_, pipe="t.apply();")).graph
    [table] = [n.table for n in graph.nodes if isinstance(n, g.Lookup)]
    assert (table.default_action, table.actions[-1].name, table.actions[-1].code) == ("NoAction", "NoAction", 2)


def test_const_entries_are_logic(tmp_path: Path) -> None:
    locals_ = (
        "action set(bit<8> v) { digest.log = v; } table t { key = { hdr.a.x: ternary; } actions = { set; NoAction; }"
    )
    locals_ += " const entries = { 0x10 &&& 0xf0: set(1); 0x12: set(2); 0x02 &&& 0x0f: set(3); _: NoAction(); } }"
    path = write_program(tmp_path, locals_=locals_, pipe="t.apply();")
    found = lowered(path)
    assert not any(isinstance(n, g.Lookup) for n in found.graph.nodes)
    assert [through(found, bytes([x]), ALL).digest for x in (0x12, 0x1F, 0x22, 0x23)] == [1, 1, 3, 0]


def test_a_table_without_key_runs_its_default(tmp_path: Path) -> None:
    locals_ = "action set(bit<8> v) { digest.log = v; } table t { actions = { set; } const default_action = set(6); }"
    assert log(tmp_path, "00", locals_=locals_, pipe="t.apply();") == 6


# ---- externs


def test_each_call_is_an_engine(tmp_path: Path) -> None:
    graph = lowered(PROGRAMS / "engines.p4").graph
    calls = [n for n in graph.nodes if isinstance(n, g.Invoke)]
    assert [c.extern.instance for c in calls] == [
        "count_reg_raw_0",
        "sum_lrc_0",
        "last_reg_rw_0",
        "sum_lrc_1",
        "sum_lrc_2",
    ]
    last = calls[2].extern
    assert (last.name, last.kind, last.latency, last.control_address_bits) == ("TopPipe.last_reg_rw", "reg_rw", 3, 4)
    assert last.parameters == (("index", 4, 0), ("newVal", 16, 0), ("opCode", 8, 2))
    assert last.outputs == (("result", 16),)


def test_a_second_call_of_a_register_is_warned_of(tmp_path: Path) -> None:
    declarations = BYTE + "@Xilinx_MaxLatency(2) @Xilinx_ControlWidth(0) extern void r_reg_rw(in bit<8> index,"
    declarations += " in bit<8> newVal, in bit<8> opCode, out bit<8> result);"
    pipe = "r_reg_rw(1, 2, 1, digest.log); r_reg_rw(1, 3, 0, hdr.a.x);"
    outcome = run_front_end(write_program(tmp_path, declarations=declarations, pipe=pipe), Options())
    assert outcome.checked is not None
    assert lower(outcome.checked, outcome.diagnostics) is not None
    assert [d.id for d in outcome.diagnostics if d.severity == "warning" and d.id == "two-engines"] == ["two-engines"]


def test_a_function_of_an_extern_may_return(tmp_path: Path) -> None:
    declarations = BYTE + "extern bit<8> my_clock(in bit<8> x); extern void poke(in bit<8> y);"
    path = write_program(tmp_path, declarations=declarations, pipe="poke(hdr.a.x); digest.log = my_clock(3);")
    outcome = run_front_end(path, Options())
    assert outcome.checked is not None
    found = lower(outcome.checked, outcome.diagnostics)
    assert found is not None
    kinds = [(n.extern.kind, n.extern.outputs) for n in found.graph.nodes if isinstance(n, g.Invoke)]
    assert kinds == [("poke", (("result_value", 1),)), ("clock", (("result_value", 8),))]


# ---- control


def test_exit_and_return_end_what_they_should(tmp_path: Path) -> None:
    locals_ = "action leave() { digest.log = 1; exit; } action back() { if (hdr.a.x == 2) { return; } digest.log = 2; }"
    pipe = "if (hdr.a.x == 1) { leave(); digest.log = 99; } back(); digest.log = digest.log + 0x10;"
    assert [log(tmp_path, p, locals_=locals_, pipe=pipe) for p in ("01", "02", "03")] == [1, 0x10, 0x12]


def test_constructor_parameters_may_be_values(tmp_path: Path) -> None:
    declarations = BYTE + "control Add(inout bit<8> x)(bit<8> by) { apply { x = x + by; } }"
    declarations += " control Twice(inout bit<8> x)(Add add) { apply { add.apply(x); add.apply(x); } }"
    declarations = declarations.replace("(Add add) { apply", "(bit<8> n) { Add(n) add; apply")
    pipe = "digest.log = hdr.a.x; three.apply(digest.log);"
    assert log(tmp_path, "05", declarations=declarations, locals_="Twice(3) three;", pipe=pipe) == 11


def test_constructor_parameters_may_be_controls(tmp_path: Path) -> None:
    declarations = BYTE + "control Step(inout bit<8> x); control Add(inout bit<8> x) { apply { x = x + 1; } }"
    declarations += " control Twice(inout bit<8> x)(Step step) { apply { step.apply(x); step.apply(x); } }"
    for locals_ in ("Twice(Add()) twice;", "Add() add; Twice(add) twice;"):
        assert log(tmp_path, "05", declarations=declarations, locals_=locals_, pipe="twice.apply(digest.log);") == 2


def test_arms_that_all_end_leave_nothing_behind(tmp_path: Path) -> None:
    locals_ = "action leave() { if (hdr.a.x == 1) { digest.log = 1; exit; } else { digest.log = 2; exit; } }"
    assert log(tmp_path, "01", locals_=locals_, pipe="leave(); digest.log = 9;") == 1
    assert log(tmp_path, "02", locals_=locals_, pipe="leave(); digest.log = 9;") == 2
    pipe = "switch (hdr.a.x) { 1: { digest.log = 1; return; } default: { digest.log = 2; return; } } digest.log = 9;"
    assert [log(tmp_path, p, pipe=pipe) for p in ("01", "07")] == [1, 2]
    declarations = (
        BYTE + "control In(inout bit<8> x) { apply { switch (x) { 0: { x = 3; exit; } default: { exit; } } } }"
    )
    found = log(
        tmp_path, "01", declarations=declarations, locals_="In() i;", pipe="i.apply(digest.log); digest.log = 9;"
    )
    assert found == 3


def test_assignments_with_operators_and_empty_statements(tmp_path: Path) -> None:
    pipe = "digest.log = 6; digest.log += hdr.a.x; ; digest.log <<= 1; digest.log |+|= 0xf0; hdr.a.x[3:0] ^= 0xf;"
    found = run(tmp_path, "03", pipe=pipe + " static_assert(2 > 1);")
    assert (found.digest, found.packet) == (0xFF, b"\x0c")


def test_conditions_with_effects_run_only_where_they_are_asked(tmp_path: Path) -> None:
    declarations = BYTE + "bool bump(inout bit<8> x) { x = x + 1; return true; }"
    pipe = "bool t = true || bump(digest.log); t = false && bump(digest.log); t = true && bump(digest.log);"
    assert log(tmp_path, "00", declarations=declarations, pipe=pipe) == 1
    pipe = "bool t = hdr.a.x == 1 || bump(digest.log);"
    assert [log(tmp_path, p, declarations=declarations, pipe=pipe) for p in ("01", "02")] == [0, 1]


def test_const_entries_by_prefix_length_and_by_constants(tmp_path: Path) -> None:
    declarations = BYTE + "const bit<8> K = 0x40; enum bit<8> E { one = 1, two = 2 }"
    locals_ = "action set(bit<8> v) { digest.log = v; } table t { key = { hdr.a.x: lpm; hdr.b.isValid(): exact; }"
    locals_ += " actions = { set; NoAction; } const entries = { (K &&& 0xc0, false): set(1); (0x55, false): set(3);"
    locals_ += " (0x50 &&& 0xf0, false): set(2); (E.two, false): set(v = 4); (_, true): set(9); } }"
    path = write_program(tmp_path, declarations=declarations, locals_=locals_, pipe="t.apply();")
    found = lowered(path)
    assert [through(found, bytes([x]), ALL).digest for x in (0x41, 0x51, 0x55, 0x02, 0x03)] == [1, 2, 3, 4, 0]


def test_keys_are_named_as_written(tmp_path: Path) -> None:
    declarations = BYTE + "const bit<8> K = 1;"
    locals_ = "table t { key = { hdr.a.x[3:1]: exact; hdr.s[1].x: exact; hdr.a.isValid(): exact; hdr.a.x + K: exact"
    locals_ += ' @name("sum"); meta.m: optional; } actions = { NoAction; } } '
    headers = "byte_t[2] s; byte_t a; byte_t b;"
    path = write_program(
        tmp_path,
        declarations=declarations,
        headers=headers,
        locals_=locals_,
        pipe="t.apply();",
    )
    [table] = [n.table for n in lowered(path).graph.nodes if isinstance(n, g.Lookup)]
    names = ["hdr.a.x[3:1]", "hdr.s[1].x", "hdr.a.$valid$", "sum", "meta.m"]
    assert [k.name for k in table.keys] == names


def test_signed_ranges_and_wide_keysets(tmp_path: Path) -> None:
    declarations = "header byte_t { int<8> x; }"
    parser = "state start { p.extract(hdr.a); transition select(hdr.a.x) { -3 .. 4: accept; 100: reject; } }"
    parts = {"declarations": declarations, "parser": parser}
    reasons = [run(tmp_path, p, **parts).drop_reason for p in ("fd", "04", "05", "fc", "64")]
    assert reasons == [None, None, "NoMatch", "NoMatch", "reject"]


def test_a_control_may_be_applied_by_its_type(tmp_path: Path) -> None:
    declarations = BYTE + "control Add(inout bit<8> x) { apply { x = x + 1; } }"
    assert log(tmp_path, "05", declarations=declarations, pipe="Add.apply(digest.log); Add.apply(digest.log);") == 2


def test_slices_of_slices_and_at_run_time(tmp_path: Path) -> None:
    assert passes(tmp_path, "00", pipe="hdr.a.x[6:1][2:1] = 3;") == "0c"
    assert log(tmp_path, "b4", pipe="digest.log = (bit<8>)hdr.a.x[4+:4];") == 0xB
    assert log(tmp_path, "b4", pipe="hdr.a.x[4+:2] = 0; digest.log = hdr.a.x;") == 0x84


def test_a_condition_that_is_known_needs_no_branch(tmp_path: Path) -> None:
    pipe = (
        "const bit<8> k = 3; if (k == 3) { digest.log = 1; } else { digest.log = 2; } if (k == 4) { digest.log = 5; }"
    )
    assert log(tmp_path, "00", pipe=pipe) == 1


def test_deep_nesting_is_no_problem(tmp_path: Path) -> None:
    chain = "".join(f"if (hdr.a.x == {n}) {{ digest.log = {255 - n}; }} else " for n in range(1, 250))
    assert log(tmp_path, "07", pipe=chain + "{ digest.log = 1; }") == 248
    assert log(tmp_path, "07", pipe="digest.log = " + "(" * 300 + "hdr.a.x" + " + 1)" * 300 + ";") == (7 + 300) % 256


def test_the_graph_is_the_same_each_time(tmp_path: Path) -> None:
    from p4sume.hardware.passes.dump import dump

    path = PROGRAMS / "router.p4"
    assert dump(lowered(path).graph, names=True) == dump(lowered(path).graph, names=True)


def test_keysets_of_constructor_parameters(tmp_path: Path) -> None:
    declarations = BYTE + "parser Sub(packet_in p, inout byte_t h)(bit<8> mask, bit<8> low) { state start {"
    declarations += " p.extract(h); transition select(h.x) { 0x80 &&& mask: accept; low .. 9: accept; } } }"
    parts = {
        "declarations": declarations,
        "parser": "Sub(0xf0, 7) s; state start { s.apply(p, hdr.a); transition accept; }",
    }
    assert [run(tmp_path, p, **parts).drop_reason for p in ("85", "90", "08", "06", "0a")] == [
        None,
        "NoMatch",
        None,
        "NoMatch",
        "NoMatch",
    ]
