# SPDX-License-Identifier: Apache-2.0
"""Which names of a generated module are read as a whole, and which are not."""

from p4sume.hardware.unused import unused_names, unused_wire


def test_what_nobody_reads_and_what_is_read_in_part():
    lines = [
        "  wire logic [7:0] whole = in_a + 8'h1;  // from part.p4:3",
        "  wire logic [7:0] part = whole;",
        "  wire logic none = whole[0];",
        "  logic [3:0] first, second, third;",
        "  assign out = {part[3:0], second};",
        "  always_ff @(posedge clk) begin",
        "    first <= third;",
        "  end",
    ]
    assert unused_names(lines, ["in_a", "in_b"]) == ["in_b", "part", "none", "first"]
    assert unused_wire(lines) == ["  wire unused = &{1'b0, part, none, first};"]


def test_what_is_given_a_value_is_not_thereby_read():
    lines = [
        "  logic [7:0] carried, delayed, taken;",
        "    carried <= in_a;",
        "      .out({delayed, taken})",
        "  assign out = {carried[3:0], delayed[1], taken};",
    ]
    assert unused_names(lines) == ["carried", "delayed"]


def test_connections():
    lines = [
        "  logic shorthand, connected, sliced;",
        "  some_module some_inst (",
        "      .clk, .shorthand,",
        "      .sliced(connected)",
        "  );",
    ]
    assert unused_names(lines) == ["sliced"]
    assert unused_wire(["  logic a;", "  assign b = a;"]) == []
