# SPDX-License-Identifier: Apache-2.0
"""Holds how long each program's pipeline may be: the latency_cycles of bounds.json, and the bars of DESIGN.md §8.

What a core may cost stands there too; `make synth M=<program>_core` holds it, after `make p4`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from flow.paths import ROOT
from flow.synth import program_bounds
from p4sume.frontend import Options, run_front_end
from p4sume.hardware.blocks import DATA_BYTES, table_latency
from p4sume.hardware.lowering import lower
from p4sume.hardware.passes import run
from p4sume.hardware.schedule import schedule

SHELL_CYCLES = 3  # of pipeline_shell, beside the beats of the window and the pipeline
BARS = {"ecmp": 40}  # cycles from the first beat in to the first beat out, with the largest headers
PROGRAMS = sorted((ROOT / "hw" / "p4").glob("*.p4"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_latency_stays_within_its_bound(path: Path) -> None:
    bounds = {b.program: b for b in program_bounds()}
    outcome = run_front_end(path, Options(target="sume"))
    assert outcome.checked is not None
    lowered = lower(outcome.checked, outcome.diagnostics, path.stem)
    assert lowered is not None
    made = schedule(run(lowered.graph), table_latency)
    beats = -(-lowered.graph.window_bytes // DATA_BYTES)
    through = beats + made.latency + SHELL_CYCLES
    print(f"{path.stem}: {made.latency} cycles, {through} from the first beat in to the first beat out")
    assert made.latency <= bounds[path.stem].latency_cycles
    assert through <= BARS.get(path.stem, through)
