# SPDX-License-Identifier: Apache-2.0
"""Many random programs, each judged; the first fault is made smaller and told.

python -m p4sume.tests.random_programs.campaign --programs 1000 --rtl 100 --result FILE
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from flow.results import write_result
from p4sume.tests.random_programs.judge import AGREES, Verdict, judge
from p4sume.tests.random_programs.program import generate
from p4sume.tests.random_programs.shrink import shrink

MOST = 5  # times the programs wanted are tried until each kind of thing was exercised


@dataclass
class Campaign:
    """What came of the programs. `features`: how many programs have each; `outcomes`, `exercised`: of their packets."""

    seed: int
    programs: int = 0
    on_rtl: int = 0
    too_large: int = 0
    features: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    exercised: Counter[str] = field(default_factory=Counter)
    fault: str = ""

    def add(self, features: Counter[str], verdict: Verdict, on_rtl: bool) -> None:
        self.programs += 1
        self.on_rtl += on_rtl
        self.features.update(set(features))
        self.outcomes += verdict.outcomes
        for name, count in verdict.exercised.items():
            self.exercised["table " + name.split()[-1] if " " in name else "extern"] += count

    def unexercised(self) -> set[str]:
        seen = {*self.exercised, *(["a packet that passes"] if self.outcomes["passed"] else [])}
        return {"table hit", "table miss", "extern", "a packet that passes"} - seen

    def result(self) -> dict[str, object]:
        return {
            "seed": self.seed,
            "programs": self.programs,
            "on_rtl": self.on_rtl,
            "too_large": self.too_large,
            "packets": sum(self.outcomes.values()),
            "faults": int(bool(self.fault)),
            "outcomes": dict(sorted(self.outcomes.items())),
            "exercised": dict(sorted(self.exercised.items())),
            "programs_with": dict(sorted(self.features.items())),
        }


def run_campaign(
    seed: int, programs: int, packets: int, directory: Path, rtl: int = 0, progress: bool = False
) -> Campaign:
    """Judges so many programs, the first `rtl` of them on RTL too, and more until tables have hit and missed, externs
    were asked and packets passed; those that are too large for the hardware are replaced. Ends at a fault."""
    rng = random.Random(f"campaign {seed}")
    found = Campaign(seed)
    begun = time.monotonic()
    while found.programs < programs or (found.unexercised() and found.programs < MOST * programs):
        number = rng.randrange(1 << 32)
        made = generate(number)
        on_rtl = found.programs < rtl
        verdict = judge(made.text, directory, packets, number, on_rtl)
        if verdict.fault:
            found.fault = explain(made.text, number, verdict, directory, packets, on_rtl)
            return found
        if verdict.what != AGREES:
            found.too_large += 1
            continue
        found.add(made.features, verdict, on_rtl)
        for built in directory.iterdir():
            shutil.rmtree(built) if built.is_dir() else built.unlink()
        if progress and found.programs % 20 == 0:
            print(f"{found.programs}/{programs} programs agree ({time.monotonic() - begun:.0f} s)", flush=True)
    return found


def explain(text: str, number: int, verdict: Verdict, directory: Path, packets: int, rtl: bool) -> str:
    """The fault in the smallest program that still shows it."""

    def same(smaller: str) -> bool:
        return judge(smaller, directory, packets, number, rtl).what == verdict.what

    if not verdict.what.startswith("rejected"):
        text = shrink(text, directory / "shrinking.p4", same)
        verdict = judge(text, directory, packets, number, rtl)
    return f"program {number}: {verdict.what}\n{text}\n{verdict.detail}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--packets", type=int, default=100)
    parser.add_argument("--rtl", type=int, default=0, help="how many of the programs run on RTL too")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 2**31))
    parser.add_argument("--result", type=Path)
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        found = run_campaign(given.seed, given.programs, given.packets, Path(directory), given.rtl, progress=True)
    if given.result is not None:
        write_result(given.result, found.result())
    if found.fault:
        print(found.fault)
        return 1
    print(f"{found.programs} programs agree on {sum(found.outcomes.values())} packets, {found.on_rtl} on RTL too")
    return 0


if __name__ == "__main__":
    sys.exit(main())
