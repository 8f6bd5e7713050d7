# SPDX-License-Identifier: Apache-2.0
"""Runs all module tests again and again, each round with a new seed; stops at the first that fails."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time

from flow.paths import ROOT, SIM, VENV_BIN, tool_environment


def main() -> int:
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    folders = sorted(str(p.parent) for p in (SIM / "rtl").glob("*/test_*.py"))
    command = [str(VENV_BIN / "python"), "-m", "pytest", "-q", "-n", str(os.cpu_count() or 1), *folders]
    begun = time.monotonic()
    for number in range(1, rounds + 1):
        seed = random.SystemRandom().randrange(1, 2**31)
        ran = subprocess.run(
            command, cwd=ROOT, env={**tool_environment(), "SEED": str(seed)}, capture_output=True, text=True
        )
        if ran.returncode:
            print(ran.stdout + ran.stderr)
            print(f"soak: round {number} failed; SEED={seed} make test repeats it")
            return 1
        last = ran.stdout.strip().splitlines()[-1].strip("= ")
        print(f"round {number}/{rounds} seed {seed}: {last}  ({time.monotonic() - begun:.0f} s)", flush=True)
    print(f"soak: {rounds} rounds, no failure")
    return 0


if __name__ == "__main__":
    sys.exit(main())
