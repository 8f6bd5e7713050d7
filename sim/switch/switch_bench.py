# SPDX-License-Identifier: Apache-2.0
"""What a switch carries with a program, case by case: `make bench`, and the tests of this folder in small."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path

from flow.paths import BUILD, ROOT
from p4sume.cases.runner import CaseError
from p4sume.cases.stf import StfError
from p4sume.cases.target import BuildError
from p4sume.syntax.preprocessor import UnreadableSourceError
from switch.traffic import CASE, PROGRAM, Case, Setup, Traffic, Wires, configured

RESULT = BUILD / "bench" / "switch.json"
SIZES = range(64, 1519)
SHOWN_SIZES = (64, 65, 128, 256, 512, 1024, 1518)
MIX = (64,) * 7 + (594,) * 4 + (1518,)  # simple IMIX
HEADINGS = f"{'case':24} {'size':>5} {'offered':>8} {'Gb/s':>8} {'Mpps':>7} {'loss':>8}   latency in cycles"
DROPS = ("rx_bad", "rx_long", "rx_full", "queue_full", "queue_share", "queue_down", "queue_discarded", "queue_nowhere")


def each_to_one(traffic: Traffic) -> Callable[[int], Wires | None]:
    """Each wire sends to one that no other sends to, its neighbour where the program can: none is offered more than its
    rate. As many wires as can, if not all."""
    ports = traffic.device.ports
    ways = [[t[0] for t in traffic.setup.to(source) if len(t) == 1] for source in range(ports)]
    found: dict[int, int] = {}

    def seek(source: int, taken: dict[int, int]) -> None:
        nonlocal found
        if len(taken) + ports - source <= len(found):
            return
        if source == ports:
            found = taken
            return
        near = (source + 1) % ports
        for wire in sorted(ways[source], key=lambda wire: wire != near):
            if wire not in taken.values():
                seek(source + 1, {**taken, source: wire})
        seek(source + 1, taken)

    seek(0, {})
    return lambda source: (found[source],) if source in found else None


def every_size(traffic: Traffic, cycles: int, sizes: Iterable[int]) -> Iterator[Case]:
    for size in sizes:
        yield traffic.run("line rate", cycles, partial(int, size), each_to_one(traffic))


def mixed_sizes(traffic: Traffic, cycles: int, seed: int) -> Case:
    rng = random.Random(seed)
    return traffic.run("line rate, mixed sizes", cycles, lambda: rng.choice(MIX), each_to_one(traffic))


def senders(traffic: Traffic, targets: Wires) -> list[int]:
    return [s for s in range(traffic.device.ports) if (s, targets) in traffic.setup.templates]


def all_to_one(traffic: Traffic, cycles: int, size: int) -> Case | None:
    """None if the program lets only one wire send there."""
    sources = senders(traffic, (0,))
    if len(sources) < 2:
        return None
    return traffic.run("all to one", cycles, lambda: size, lambda source: (0,) if source in sources else None)


def half_to_one(traffic: Traffic, cycles: int, size: int) -> Case | None:
    """Wire 0 is offered more than its rate, the others at most theirs: every second frame goes there."""
    sources = senders(traffic, (0,))
    if len(sources) < 3:
        return None
    load = Counter[int]()
    other: dict[int, Wires] = {}
    for source in sources:
        ways = [t for t in traffic.setup.to(source) if len(t) == 1 and t != (0,)]
        other[source] = min(ways, key=lambda way: load[way[0]])
        load[other[source][0]] += 1
    turn = Counter[int]()

    def choose(source: int) -> Wires | None:
        turn[source] += 1
        return None if source not in other else (0,) if turn[source] % 2 else other[source]

    return traffic.run("half to one", cycles, lambda: size, choose)


def one_to_all(traffic: Traffic, cycles: int, size: int, held: Collection[int] = ()) -> Case | None:
    """None if the program sends no copies."""
    targets = max(traffic.setup.to(0), key=len)
    if len(targets) < 2:
        return None
    name = "one to all, one held" if held else "one to all"
    return traffic.run(name, cycles, lambda: size, lambda source: None if source else targets, held)


def one_held(traffic: Traffic, cycles: int, size: int) -> Case:
    """What is for the wire that takes nothing is lost, once its queue is full, and nothing else."""
    return traffic.run("one held", cycles, lambda: size, each_to_one(traffic), held=(1,))


def bench(seed: int, cycles: int, setup: Setup) -> Iterator[Case]:
    """Each case on the switch as the last one left it."""
    traffic = Traffic(configured(seed, setup), seed, setup)
    yield from every_size(traffic, cycles, SIZES)
    yield mixed_sizes(traffic, 10 * cycles, seed)
    for size in (64, 512, 1518):
        for case in (
            all_to_one(traffic, 20 * cycles, size),
            half_to_one(traffic, 20 * cycles, size),
            one_to_all(traffic, cycles, size),
            one_to_all(traffic, 20 * cycles, size, held=(2,)),
            one_held(traffic, 20 * cycles, size),
        ):
            if case is not None:
                yield case


def speed(seed: int, setup: Setup, cycles: int = 200_000) -> float:
    """Simulated cycles of the RTL a second of processor time, with every wire at line rate in both directions."""
    traffic = Traffic(configured(seed, setup), seed, setup)
    begun = time.process_time()
    traffic.run("speed", cycles, lambda: 256, each_to_one(traffic))
    return cycles / (time.process_time() - begun)


def line(case: Case) -> str:
    latency = " ".join(f"{name} {value:.0f}" for name, value in case.latency().items())
    return (
        f"{case.name:24} {case.size or 'mix':>5} {case.offered_gbps:8.2f} {case.gbps:8.2f} {case.mpps:7.2f} "
        f"{case.loss:8.2%}   {latency}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, default=PROGRAM, help="the P4 program")
    parser.add_argument("--case", type=Path, help=f"the packet case with its entries and frames, cases/STEM/{CASE}")
    parser.add_argument("--cycles", type=int, default=5000, help="of each size; other cases take longer")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 2**31))
    given = parser.parse_args()
    try:
        setup = Setup(given.program, given.case)
        configured(given.seed, setup)  # builds it
    except (UnreadableSourceError, BuildError, StfError, CaseError, ValueError, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"seed {given.seed}\n{HEADINGS}")
    done: list[Case] = []
    for case in bench(given.seed, given.cycles, setup):
        done.append(case)
        if case.name != "line rate" or case.size in SHOWN_SIZES:
            print(line(case), flush=True)
    total = Counter[str]()
    for case in done:
        for name, count in case.counters.items():
            total[name.partition("[")[0]] += count
    cycles_per_s = speed(given.seed, setup)
    result = {
        "schema": 1,
        "program": setup.program.stem,
        "seed": given.seed,
        "cases": [case.result() for case in done],
        "conservation": {
            "in": total["rx_packets"],
            "out": total["tx_packets"],
            "drops": {name: total[name] for name in DROPS if total[name]},
        },
        "sim_cycles_per_s": round(cycles_per_s),
    }
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    lossy = sorted({case.size for case in done if case.name.startswith("line rate") and case.loss})
    found = f"LOSS at {lossy}" if lossy else "no loss"
    print(f"line rate at {len(SIZES)} sizes and mixed: {found}; {cycles_per_s:.0f} cycles/s")
    print(f"result: {RESULT.relative_to(ROOT)}")
    return 1 if lossy else 0


if __name__ == "__main__":
    sys.exit(main())
