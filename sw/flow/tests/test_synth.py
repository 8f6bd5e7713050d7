# SPDX-License-Identifier: Apache-2.0
"""What `make synth` counts, reads from yosys and refuses."""

from __future__ import annotations

import json
import subprocess

import pytest

from flow import synth
from flow.paths import ROOT

COST = synth.Cost("m", {"A": 1}, "flat", 10, 20, 1.5, 0, 3, 4, 5, 2.5, [])


def test_cells_are_counted_by_the_sites_they_take() -> None:
    cells = {
        "LUT1": 1, "LUT6": 2, "INV": 1, "FDRE": 5, "FDSE_1": 1, "RAMB18E1": 3, "RAMB36E1": 1, "RAM64M": 2,
        "RAM32X1D": 1, "SRL16E": 4, "SRLC32E": 1, "CARRY4": 7, "MUXF7": 9, "DSP48E1": 1,
    }  # fmt: skip
    assert synth.count_cells(cells) == {
        "lut": 4, "ff": 6, "bram36": 2.5, "dsp": 1, "srl": 5, "lutram": 10, "carry": 7,
    }  # fmt: skip


def test_a_cell_that_nobody_counts_is_an_error() -> None:
    with pytest.raises(synth.SynthesisError, match="URAM288"):
        synth.count_cells({"LUT2": 1, "URAM288": 1})


def test_timing_is_read_with_its_path() -> None:
    log = """
Latest arrival time in 'm' is 1210:
    1210 _412_ (FDRE.R)
           \\_007_
     806 _338_ (LUT3.I0->O)
       0   \\clk (<primary input>)

Arrival histogram:
     9999 _1_ (LUT1.I0->O)
"""
    assert synth.read_timing(log) == (1.21, ["1.210 _412_ (FDRE.R)", "0.806 _338_ (LUT3.I0->O)"])
    with pytest.raises(synth.SynthesisError):
        synth.read_timing("something else")


def test_bounds_name_what_is_exceeded() -> None:
    bound = synth.Bound("m", {"A": 1}, {"lut": 9, "sites": 17, "lut_srl": 12, "logic_ns": 2.5}, True)
    assert bound.exceeded(COST) == ["m A=1: lut is 10, more than 9", "m A=1: lut_srl is 13, more than 12"]


def test_settings_are_numbers_with_names() -> None:
    assert synth.parse_settings("A=1  B_2=0x10") == {"A": 1, "B_2": 16}
    for bad in ("A", "A=", "A=x", "=1", "1=1"):
        with pytest.raises(ValueError, match="NAME=NUMBER"):
            synth.parse_settings(bad)


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "-s", *arguments], cwd=ROOT, capture_output=True, text=True)


def test_make_synth_writes_the_promised_file() -> None:
    ran = make("synth", "M=axis_register", "G=DATA_BYTES=2 USER_BITS=3")
    assert ran.returncode == 0, ran.stderr
    made = json.loads((ROOT / "build" / "synth" / "axis_register.json").read_text())
    assert made["params"] == {"DATA_BYTES": 2, "USER_BITS": 3}
    registers = 2 * (8 * 2 + 2 + 3 + 1) + 2
    assert made["ff"] == registers, "two places of a beat, two valid bits"
    assert 0 < made["logic_ns"] < 3
    promised = "schema module params method lut ff bram36 dsp srl lutram carry logic_ns worst_path"
    assert " ".join(made) == promised


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("M=axis_registre",), "no module 'axis_registre'"),
        (("M=axis_register", "G=DATA_BYTES"), "NAME=NUMBER"),
        (("M=axis_register", "G=DATA_BYTES=0"), "DATA_BYTES must be 1 or more"),
        ((), "M=module is missing"),
    ],
)
def test_make_synth_refuses_with_a_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    ran = make("synth", *arguments)
    assert ran.returncode != 0
    assert sentence in ran.stderr
    assert "Traceback" not in ran.stderr
