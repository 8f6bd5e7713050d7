# SPDX-License-Identifier: Apache-2.0
"""Whatever the text, the answer is diagnostics, and soon: random damage by the run's seed, and extreme texts."""

import os
import random
import time

import pytest

from p4sume.frontend import run_front_end
from p4sume.tests.damage import PROGRAMS, SLOWEST_FRONT_END_SECONDS, SUME_PROGRAMS, run_damage

SEED = int(os.environ.get("SEED", "20"))


def damage(programs, count, seed, tmp_path):
    report = run_damage(seed, programs, lambda r: r.answers.total() < count, tmp_path / "damaged.p4")
    print(f"seed {seed}: {dict(report.answers)}")
    assert not report.faults, f"seed {seed}: {dict(report.faults)}"
    return report.answers


def test_damaged_programs_give_diagnostics(tmp_path):
    answers = damage(PROGRAMS, 250, SEED, tmp_path)
    assert answers["rejected"] > 0


def test_damaged_programs_of_the_switch_are_built_or_refused(tmp_path):
    answers = damage(SUME_PROGRAMS, 60, SEED, tmp_path)
    assert answers["rejected"] > 0


@pytest.mark.soak
def test_many_damaged_programs_give_diagnostics(tmp_path):
    damage([*PROGRAMS, *SUME_PROGRAMS], 50_000, random.randrange(1 << 32), tmp_path)


DEEP = 190


@pytest.mark.parametrize(
    "text",
    [
        "const bit<8> a = " + "(" * DEEP + "1" + ")" * DEEP + ";",
        "const bit<8> a = " + "-(" * (DEEP // 2) + "8w1" + ")" * (DEEP // 2) + ";",
        "const bit<8> a = " + "1 + " * 1999 + "1;",
        "const bit<8> a = 8w1" + "[7:0]" * 1900 + ";",
        "const bit<8> a = " + "true ? 8w1 : " * (DEEP // 2) + "8w2;",
        "const " + "tuple<" * DEEP + "bool" + ">" * DEEP + " a = " + "{" * DEEP + "true" + "}" * DEEP + ";",
        "control c(inout bit<8> x) { apply { " + "{" * DEEP + "x = 1;" + "}" * DEEP + " } }",
        "control c(inout bit<8> x) { apply { " + "if (x == 1) { } else " * DEEP + "{ } } }",
        "bit<8> f(in bit<8> x) { " + "if (x == 1) return 1; else " * DEEP + "return 2; }",
        "bit<8> f(in bit<8> x) { return x; } const bit<8> b = 1; control c(inout bit<8> x) { apply { x = "
        + "f(" * (DEEP // 2)
        + "x"
        + ")" * (DEEP // 2)
        + "; } }",
        "match_kind { exact } control c(inout bit<8> x) { action a(in bit<8> y) { } table t { key = { x : exact; } "
        "actions = { a(x" + " + x" * 1900 + "); } default_action = a(x" + " + x" * 1900 + "); } apply { } }",
    ],
    ids=lambda text: text[:24],
)
def test_programs_just_inside_the_limits_are_accepted(text, tmp_path):
    path = tmp_path / "deep.p4"
    path.write_text(text)
    outcome = run_front_end(path)
    assert outcome.accepted, next(iter(outcome.diagnostics)).render()


@pytest.mark.parametrize(
    "text",
    [
        "(" * 20_000,
        "{" * 20_000,
        "const bit<8> a = " + "-" * 20_000,
        "const bit<8> a = " + "(bit<8>)" * 5_000 + "1;",
        "const bit<8> a = b" + ".c" * 10_000 + ";",
        "const bit<8> a = b" + "[0]" * 10_000 + ";",
        "const " + "tuple<" * 10_000,
        "const bit" + "<bit" * 10_000,
        "const bit<" + "(a<bit<" * 5_000,
        "control c() { apply { " + "if (true) { } else " * 5_000 + "; } }",
        "control c() { apply { " + "{" * 20_000,
        "struct s { bit<8>" + "[1]" * 10_000 + " a; }",
        "const bit<8> a = true" + " ? 1 : true" * 5_000 + ";",
        "@a(" + "(" * 20_000,
        "#if " + "(" * 20_000,
        "#if 1" + "+1" * 10_000,
        "#define F(x) x x\n" + "F(" * 300 + "1" + ")" * 300,
        '"' * 20_001,
        "/*" * 20_000,
        "extern e { " + "void f(in bit<8> a); " * 300 + "}",
    ],
    ids=lambda text: text[:24],
)
def test_extreme_texts_give_diagnostics(text, tmp_path):
    path = tmp_path / "extreme.p4"
    path.write_text(text)
    start = time.process_time()
    assert not run_front_end(path).accepted
    assert time.process_time() - start < SLOWEST_FRONT_END_SECONDS
