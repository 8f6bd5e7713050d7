# SPDX-License-Identifier: Apache-2.0
"""What is legal P4 and cannot be built: each refusal by its id, at a place in the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from p4sume.tests.hardware.harness import BYTE, refused, write_program

SUB = BYTE + "parser Sub(packet_in p, inout bit<4> x) { state start { x = 1; transition accept; } }"
REFUSALS: dict[str, dict[str, str]] = {
    "unsupported-loop": {"pipe": "for (bit<8> i in 1 .. 3) { digest.log = i; }"},
    "wide-product": {
        "declarations": "header byte_t { bit<32> x; }",
        "pipe": "hdr.a.x = hdr.a.x * hdr.a.x;",
    },
    "variable-slice": {"pipe": "hdr.a.x[hdr.a.x+:2] = 1;"},
    "initial-entries": {
        "locals_": "table t { key = { hdr.a.x: exact; } actions = { NoAction; } entries = { 1: NoAction(); } }",
        "pipe": "t.apply();",
    },
    "table-applied-twice": {
        "locals_": "table t { key = { hdr.a.x: exact; } actions = { NoAction; } }",
        "pipe": "t.apply(); t.apply();",
    },
    "match-kind": {
        "declarations": BYTE + "match_kind { fuzzy }",
        "locals_": "table t { key = { hdr.a.x: fuzzy; } actions = { NoAction; } }",
        "pipe": "t.apply();",
    },
    "extern-called-twice": {
        "declarations": BYTE + "@Xilinx_ControlWidth(1) extern void n_reg_rw"
        "(in bit<1> index, in bit<8> newVal, in bit<8> opCode, out bit<8> result);",
        "locals_": "action count() { n_reg_rw(0, hdr.a.x, 5, hdr.a.x); }",
        "pipe": "count(); if (hdr.a.x == 1) { count(); }",
    },
    "signed-range": {
        "locals_": 'table t { key = { (int<8>)hdr.a.x: range @name("k"); } actions = { NoAction; } }',
        "pipe": "t.apply();",
    },
    "two-lpm-keys": {
        "locals_": "table t { key = { hdr.a.x: lpm; hdr.b.x: lpm; } actions = { NoAction; } }",
        "pipe": "t.apply();",
    },
    "unbounded-size": {
        "declarations": "header byte_t { bit<32> x; }",
        "parser": "state start { p.extract(hdr.a); p.advance(hdr.a.x); transition accept; }",
    },
    "window-too-large": {
        "parser": "state start { p.extract(hdr.a); transition select(hdr.a.x) { 0: start; default: accept; } }",
    },
    "endless-loop": {
        "parser": "state start { p.extract(hdr.a); transition two; }"
        " state two { transition select(hdr.a.x) { 0: two; default: accept; } }",
    },
    "packet-length": {"parser": "state start { meta.m = (bit<8>)p.length(); transition accept; }"},
    "extern-in-parser": {
        "declarations": BYTE + "extern void f_lrc(in bit<8> data, out bit<8> result);",
        "parser": "state start { f_lrc(1, meta.m); transition accept; }",
    },
    "extern-parameter": {
        "declarations": BYTE + "extern void f_lrc(inout bit<8> data);",
        "pipe": "f_lrc(hdr.a.x);",
    },
    "extern-object": {
        "declarations": BYTE + "extern Box { Box(); void put(in bit<8> x); }",
        "locals_": "Box() box;",
        "pipe": "box.put(1);",
    },
    "value-set": {
        "parser": "value_set<bit<8>>(4) known; state start { p.extract(hdr.a);"
        " transition select(hdr.a.x) { known: accept; } }",
    },
    "sub-parser-argument": {
        "declarations": SUB,
        "parser": "Sub() sub; state start { sub.apply(p, meta.m[3:0]); transition accept; }",
    },
    "conditional-stack-error": {
        "headers": "byte_t[2] s; byte_t a; byte_t b;",
        "parser": "state start { meta.m = meta.m == 1 ? hdr.s.last.x : 8w2; p.extract(hdr.a);"
        " meta.m = hdr.a.x == 1 ? hdr.s.last.x : 8w2; transition accept; }",
    },
    "stack-in-parser": {
        "headers": "byte_t[2] s; byte_t a; byte_t b;",
        "metadata": "byte_t[2] copy; bit<8> m;",
        "parser": "state start { p.extract(hdr.s.next); meta.copy = hdr.s; p.extract(hdr.a); transition accept; }",
    },
    "conditional-lookahead": {
        "parser": "state start { p.extract(hdr.a); meta.m = hdr.a.x == 1 ? p.lookahead<bit<8>>() : 8w2;"
        " transition accept; }",
    },
    "zero-width": {"metadata": "bit<8> m; bit<0> nothing;", "pipe": "meta_t other = meta;"},
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_what_cannot_be_built_is_refused(reason: str, tmp_path: Path) -> None:
    [(found, line)] = refused(write_program(tmp_path, **REFUSALS[reason]))
    assert found == reason
    assert line > 1


def test_only_sume_programs_are_built(tmp_path: Path) -> None:
    path = tmp_path / "other.p4"
    path.write_text("#include <core.p4>\ncontrol C(); package P(C c);\ncontrol D() { apply { } }\nP(D()) main;\n")
    assert refused(path) == [("not-a-sume-program", 4)]


def test_too_many_headers_are_refused(tmp_path: Path) -> None:
    declarations = "header byte_t { bit<16> x; }"
    headers = " ".join(f"byte_t h{n};" for n in range(14))
    pipe = " ".join(f"if (hdr.h0.x[{n}:{n}] == 1) {{ hdr.h{n}.setValid(); }}" for n in range(1, 14))
    parser = "state start { p.extract(hdr.h0); transition accept; }"
    path = write_program(tmp_path, declarations=declarations, headers=headers, parser=parser, pipe=pipe)
    assert refused(path) == [("too-many-headers", 15)]
