# SPDX-License-Identifier: Apache-2.0
"""Many random packets through every program of hw/p4, on model and RTL; ends at the first difference.

python -m p4.campaign --packets 1000000 --result FILE
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

from flow.results import write_result
from p4.programs import NAMES, program

ROUND = 20_000  # packets between two lines of progress, each with a seed of its own


def run(name: str, packets: int, seed: int) -> tuple[dict[str, object], str]:
    """What came of the packets, and the first difference if there was one."""
    rng = random.Random(f"{name} {seed}")
    tested = program(name)
    counters: Counter[str] = Counter()
    sent = cycles = 0
    begun = time.monotonic()
    fault = ""
    while sent < packets and not fault:
        number = rng.randrange(1, 1 << 31)
        result = tested.run(min(ROUND, packets - sent), number)
        sent, cycles = sent + result.packets, cycles + result.cycles
        counters.update(result.counters)
        if result.differences:
            fault = f"seed {number}: {result.differences[0]}"
        print(f"{name}: {sent} packets  ({time.monotonic() - begun:.0f} s)", flush=True)
    found = {
        "packets": sent,
        "cycles": cycles,
        "differences": int(bool(fault)),
        "reached": dict(sorted(counters.items())),
    }
    return found, fault


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m p4.campaign", description=__doc__)
    parser.add_argument("--packets", type=int, default=1_000_000, help="of each program")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
    parser.add_argument("--result", type=Path, help="where the result goes, as JSON")
    given = parser.parse_args()
    programs: dict[str, object] = {}
    for name in NAMES:
        programs[name], fault = run(name, given.packets, given.seed)
        if fault:
            print(f"RTL and model of {name} differ: {fault}", file=sys.stderr)
            return 1
    if given.result is not None:
        write_result(given.result, {"seed": given.seed, "programs": programs})
    print(f"{given.packets} packets through each of {len(NAMES)} programs: RTL and model agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
