# SPDX-License-Identifier: Apache-2.0
"""What takes longer than `make test` may, with new seeds each time; stops at the first fault of a module or program.

modules     all module tests, round after round
programs    random P4 programs, compiled both ways and compared; the result goes to eval/random_programs
switch      random frames through a whole switch, judged by the model; the result goes to eval/switch_soak
packets     random packets through the programs of hw/p4, on model and RTL; the result goes to eval/random_packets
damage      damaged P4 programs, for a time; the result goes to eval/damaged_programs
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable

from flow.paths import ROOT, SIM, VENV_BIN, tool_environment
from flow.results import write_result

RTL_SHARE = 20  # one random program of so many is built as RTL too


def modules(rounds: int) -> int:
    return _tests(rounds, sorted(str(p.parent) for p in (SIM / "rtl").glob("*/test_*.py")), {})


def fabric(rounds: int) -> int:
    """HULA's fabrics, those that are too large for every run among them."""
    return _tests(rounds, [str(SIM / "fabric" / "test_hula.py")], {"LARGE_FABRICS": "1"}, "hula_fabrics")


def _tests(rounds: int, paths: list[str], environment: dict[str, str], question: str = "") -> int:
    """So many times with new seeds. `question`: the folder of eval/ that gets the result."""
    command = [str(VENV_BIN / "python"), "-m", "pytest", "-q", "-n", str(os.cpu_count() or 1), *paths]
    begun = time.monotonic()
    done = []
    for number in range(1, rounds + 1):
        seed = random.SystemRandom().randrange(1, 2**31)
        with_seed = {**tool_environment(), **environment, "SEED": str(seed)}
        ran = subprocess.run(command, cwd=ROOT, env=with_seed, capture_output=True, text=True)
        if ran.returncode:
            print(ran.stdout + ran.stderr)
            print(f"soak: round {number} failed; SEED={seed} make test repeats it")
            return 1
        last = ran.stdout.strip().splitlines()[-1].strip("= ")
        print(f"round {number}/{rounds} seed {seed}: {last}  ({time.monotonic() - begun:.0f} s)", flush=True)
        done.append({"seed": seed, "said": last})
    print(f"soak: {rounds} rounds, no failure")
    if question:
        write_result(ROOT / "eval" / question / "result.json", {"rounds": done})
    return 0


def programs(count: int) -> int:
    rtl = str(count // RTL_SHARE)
    return _module("p4sume.tests.random_programs.campaign", "random_programs", "--programs", str(count), "--rtl", rtl)


def packets(count: int) -> int:
    return _module("p4.campaign", "random_packets", "--packets", str(count))


def switch(count: int) -> int:
    return _module("switch.soak", "switch_soak", "--frames", str(count))


def damage(minutes: int) -> int:
    return _module("p4sume.tests.damage", "damaged_programs", "--minutes", str(minutes))


def _module(module: str, question: str, *arguments: str) -> int:
    result = ["--result", str(ROOT / "eval" / question / "result.json")]
    command = [str(VENV_BIN / "python"), "-m", module, *arguments, *result]
    return subprocess.run(command, cwd=ROOT, env=tool_environment()).returncode


def hula(seeds: int) -> int:
    return _module("fabric.hula_rules", "hula_rules", "--seeds", str(seeds))


KINDS: dict[str, tuple[Callable[[int], int], int]] = {
    "modules": (modules, 20),
    "programs": (programs, 1000),
    "packets": (packets, 1_000_000),
    "switch": (switch, 10_000_000),
    "damage": (damage, 60),
    "fabric": (fabric, 5),
    "hula": (hula, 5),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="make soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=KINDS, default="modules")
    parser.add_argument("-n", type=int, help="rounds, programs, packets of each program, frames, minutes, or seeds")
    given = parser.parse_args()
    run, usual = KINDS[given.what]
    return run(given.n or usual)


if __name__ == "__main__":
    sys.exit(main())
