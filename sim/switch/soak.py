# SPDX-License-Identifier: Apache-2.0
"""Many random frames through a whole switch with ecmp.p4, judged by its model; ends at the first difference.

python -m switch.soak --frames 10000000 --result FILE
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from flow.paths import HW
from flow.results import write_result
from p4sume.cases import stf
from p4sume.cases.model_target import ModelTarget
from p4sume.cases.rtl_build import build_switch
from p4sume.cases.runner import run_case
from p4sume.frontend import Options
from p4sume.model.build import build_model
from p4sume.model.library import Model
from switch.library import SimulatedSwitch
from switch.storm import SwitchStorm, Tally
from switch.traffic import Builder

PROGRAM = HW / "p4" / "ecmp.p4"
CASES = HW / "p4" / "cases" / "ecmp"
BURST = 1000


def soak(
    frames: int, seed: int, burst: int = BURST, progress: bool = False, build: Builder = build_switch
) -> tuple[Tally, list[str]]:
    """Sends at least so many; the first differences, if there are any."""
    rng = random.Random(seed)
    switch = SimulatedSwitch(build(PROGRAM, Options("sume")), rng.randrange(1, 1 << 31))
    library = build_model(PROGRAM).library
    cases = [(path, stf.parse_file(path)) for path in sorted(CASES.glob("*.stf"))]
    tally = Tally()
    begun, told = time.monotonic(), 0
    while tally.frames < frames:
        for path, statements in cases:
            switch.reset()
            storm = SwitchStorm(ModelTarget(Model(library)), switch, rng, burst, tally)
            run_case(statements, storm, str(path))  # type: ignore[arg-type]
            if storm.differences:
                return tally, [f"{path.name}: {text}" for text in storm.differences]
            if tally.frames >= frames:
                break
            if progress and tally.frames // 100_000 > told:
                told = tally.frames // 100_000
                print(f"{tally.frames}/{frames} frames  ({time.monotonic() - begun:.0f} s)", flush=True)
    return tally, []


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m switch.soak", description=__doc__)
    parser.add_argument("--frames", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
    parser.add_argument("--result", type=Path, help="where the result goes, as JSON")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    tally, differences = soak(given.frames, given.seed, progress=True)
    for text in differences[:5]:
        print(text, file=sys.stderr)
    if given.result is not None:
        write_result(
            given.result,
            {
                "seed": given.seed,
                "frames": tally.frames,
                "cycles": tally.cycles,
                "departures": tally.departures,
                "differences": len(differences),
                "counters": dict(sorted(tally.counters.items())),
                "drops_of_the_program": dict(sorted(tally.reasons.items())),
                "events": dict(sorted(tally.events.items())),
            },
        )
    if not differences:
        print(f"{tally.frames} frames: every one has left as the model says, or is counted")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
