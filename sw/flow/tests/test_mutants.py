# SPDX-License-Identifier: Apache-2.0
"""Which mutants are made, and how a verdict is reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from flow import mutants

SOURCE = """\
module m #(
    parameter int N = 4
) (
    input  logic [N-1:0] a,
    output logic [N-1:0] b
);
  typedef logic [1:0] pair_t;
  pair_t [N-1:0] pairs;
  if (N < 2) begin : gen_check
    $fatal(1, "N must be 2 or more");
  end
  always_comb begin
    b = a + 4'h3;
    if (a == '0 || !a[0]) b = ~a;
    b[1] = (a[2] && a[1]) ? |a : 1'b0;
  end
endmodule
"""
EXPECTED = {
    ("<", "<="),
    ("2", "3"),
    ("N < 2", "!(N < 2)"),
    ("+", "-"),
    ("4'h3", "4'd4"),
    ("==", "!="),
    ("'0", "'1"),
    ("a == '0 || !a[0]", "!(a == '0 || !a[0])"),
    ("||", "&&"),
    ("!", ""),
    ("0", "1"),
    ("~", ""),
    ("1", "0"),
    ("(a[2] && a[1])", "!((a[2] && a[1]))"),
    ("&&", "||"),
    ("|", "&"),
    ("1'b0", "1'd1"),
}


@pytest.fixture
def found(tmp_path: Path) -> list[mutants.Mutant]:
    file = tmp_path / "m.sv"
    file.write_text(SOURCE)
    return mutants.mutants_of(file)


def test_every_kind_of_mutant_is_made_and_no_other(found: list[mutants.Mutant]) -> None:
    assert {(m.before, m.after) for m in found} == EXPECTED


def test_defaults_widths_and_messages_are_left_alone(found: list[mutants.Mutant]) -> None:
    assert not {m.line for m in found} & {2, 4, 5, 7, 8, 10}


def test_a_mutant_changes_one_place(found: list[mutants.Mutant]) -> None:
    for m in found:
        changed = m.changed_source().decode()
        assert changed != SOURCE
        assert changed[: m.start] == SOURCE[: m.start]
        assert changed[m.start + len(m.after) :] == SOURCE[m.end :]
        assert SOURCE.splitlines()[m.line - 1][m.column - 1 :].startswith(m.before)


def outcome(verdict: str, equivalent: str | None = None) -> mutants.Outcome:
    mutant = mutants.Mutant(mutants.ROOT / "hw" / "m.sv", 0, 1, "+", "-", 1, 1, "a + b")
    return mutants.Outcome(mutant, verdict, 0.1, equivalent)


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ([outcome("killed")] * 20, 0),
        ([outcome("killed")] * 20 + [outcome("survived")], 1),
        ([outcome("killed")] * 20 + [outcome("survived", "the same circuit")], 0),
        ([outcome("killed")] * 10 + [outcome("survived", "the same circuit")], 1),
        ([outcome("stillborn")] * 3, 1),
    ],
)
def test_report_demands_the_share_and_the_reasons(
    outcomes: list[mutants.Outcome], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutants, "OUT", tmp_path)
    assert mutants.report("m", outcomes) == code
    assert (tmp_path / "m.json").is_file()


def test_a_real_fault_is_killed_and_a_change_without_effect_survives() -> None:
    all_of_them = mutants.all_mutants("axis_register")
    [fault] = [m for m in all_of_them if m.text.startswith("assign s_axis_tready") and m.before == "!"]
    assert mutants.try_mutant("axis_register", fault, {}).verdict == "killed"
    harmless = mutants.Mutant(fault.file, fault.start, fault.end, "!", "~", fault.line, fault.column, fault.text)
    assert mutants.try_mutant("axis_register", harmless, {}).verdict == "survived"
    broken = mutants.Mutant(fault.file, fault.start, fault.end, "!", "?", fault.line, fault.column, fault.text)
    assert mutants.try_mutant("axis_register", broken, {}).verdict == "stillborn"
