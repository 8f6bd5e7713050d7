# SPDX-License-Identifier: Apache-2.0
"""Random programs, compiled both ways: the model of the unlowered program against the flow graph.

The programs come from the run's seed. One that shows a fault is made smaller and printed; its smallest form then has
its place in `found/`, where each fault that random programs have shown stays tried.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from p4sume.tests.hardware.harness import write_program
from p4sume.tests.random_programs.campaign import run_campaign
from p4sume.tests.random_programs.features import FEATURES
from p4sume.tests.random_programs.hardware import complaints
from p4sume.tests.random_programs.judge import AGREES, SUME, judge
from p4sume.tests.random_programs.program import generate
from p4sume.tests.random_programs.shrink import shrink

HERE = Path(__file__).parent
FOUND = sorted((HERE / "found").glob("*.p4"))
SEED = int(os.environ.get("SEED", "1"))
PARTS = 4  # that run side by side
PROGRAMS = 6  # of a part
PACKETS = 40


@pytest.mark.parametrize("path", FOUND, ids=lambda p: p.stem)
def test_faults_found_before_stay_away(path: Path, tmp_path: Path) -> None:
    verdict = judge(path.read_text(), tmp_path, 200, 1)
    assert verdict.what == AGREES, verdict.detail
    assert verdict.outcomes.total() > 0


@pytest.mark.parametrize("stem", ["r", "mem", "reg", "logic", "9_lives", "a-b"])
def test_a_program_may_be_called_what_other_languages_keep_for_themselves(stem: str, tmp_path: Path) -> None:
    path = tmp_path / f"{stem}.p4"
    path.write_text(FOUND[0].read_text())
    assert not complaints(path, SUME, tmp_path / "hardware")


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_agree(part: int, tmp_path: Path) -> None:
    seed = SEED * PARTS + part
    found = run_campaign(seed, PROGRAMS, PACKETS, tmp_path, rtl=PROGRAMS)
    assert not found.fault, found.fault
    print(f"seed {seed}: {found.programs} programs agree; {dict(found.outcomes)}, {dict(found.exercised)}")
    assert found.on_rtl == PROGRAMS
    assert not found.unexercised()


def test_every_feature_is_in_some_programs() -> None:
    programs = Counter(f for number in range(400) for f in set(generate(number).features))
    assert set(programs) == FEATURES
    print("programs of 400 that have it:", dict(sorted(programs.items(), key=lambda item: item[1])))


def test_a_program_depends_on_its_seed_alone() -> None:
    assert generate(5).text == generate(5).text
    assert generate(5).text != generate(6).text


def test_shrinking_keeps_what_shows_the_fault(tmp_path: Path) -> None:
    """The fault is said to be a product; all else has to go, down to what the language demands."""
    path = write_program(
        tmp_path,
        locals_="action a() { hdr.b.x = 3; } table t { key = { hdr.a.x : exact; } actions = { a; } }",
        pipe="if (hdr.a.x == 1) { bit<8> y = 4; hdr.b.x = (y + 1) * hdr.a.x; } else { t.apply(); }",
    )
    small = shrink(path.read_text(), path, lambda text: "*" in text.partition("{")[2])
    assert "TopPipe" in small
    assert "*" in small
    for gone in ("if", "table", "action", "y", "extract", "emit"):
        assert f" {gone} " not in small, gone
