# SPDX-License-Identifier: Apache-2.0
"""What a switch with ecmp.p4 carries, case by case: `make bench`, and the tests of this folder in small."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from flow.paths import BUILD, ROOT
from switch.traffic import TO_ALL, Case, Traffic, configured

RESULT = BUILD / "bench" / "switch.json"
SIZES = range(64, 1519)
SHOWN_SIZES = (64, 65, 128, 256, 512, 1024, 1518)
MIX = (64,) * 7 + (594,) * 4 + (1518,)  # simple IMIX
HEADINGS = f"{'case':24} {'size':>5} {'offered':>8} {'Gb/s':>8} {'Mpps':>7} {'loss':>8}   latency in cycles"
DROPS = ("rx_bad", "rx_long", "rx_full", "queue_full", "queue_share", "queue_down", "queue_discarded", "queue_nowhere")


def next_wire(traffic: Traffic) -> Callable[[int], int]:
    """To each wire goes what one other brings: nobody is offered more than its rate."""
    return lambda source: (source + 1) % traffic.device.ports


def every_size(traffic: Traffic, cycles: int, sizes: Iterable[int]) -> Iterator[Case]:
    for size in sizes:
        yield traffic.run("line rate", cycles, partial(int, size), next_wire(traffic))


def mixed_sizes(traffic: Traffic, cycles: int, seed: int) -> Case:
    rng = random.Random(seed)
    return traffic.run("line rate, mixed sizes", cycles, lambda: rng.choice(MIX), next_wire(traffic))


def all_to_one(traffic: Traffic, cycles: int, size: int) -> Case:
    return traffic.run("all to one", cycles, lambda: size, lambda source: 0)


def half_to_one(traffic: Traffic, cycles: int, size: int) -> Case:
    """Wire 0 is offered twice its rate, the others at most theirs."""
    turn = Counter[int]()

    def choose(source: int) -> int:
        turn[source] += 1
        return 0 if turn[source] % 2 else 1 + source % (traffic.device.ports - 1)

    return traffic.run("half to one", cycles, lambda: size, choose)


def one_to_all(traffic: Traffic, cycles: int, size: int, held: Collection[int] = ()) -> Case:
    name = "one to all, one held" if held else "one to all"
    return traffic.run(name, cycles, lambda: size, lambda source: None if source else TO_ALL, held)


def one_held(traffic: Traffic, cycles: int, size: int) -> Case:
    """What is for the wire that takes nothing is lost, once its queue is full, and nothing else."""
    return traffic.run("one held", cycles, lambda: size, next_wire(traffic), held=(1,))


def bench(seed: int, cycles: int) -> Iterator[Case]:
    """Each case on the switch as the last one left it."""
    traffic = Traffic(configured(seed), seed)
    yield from every_size(traffic, cycles, SIZES)
    yield mixed_sizes(traffic, 10 * cycles, seed)
    for size in (64, 512, 1518):
        yield all_to_one(traffic, 20 * cycles, size)
        yield half_to_one(traffic, 20 * cycles, size)
        yield one_to_all(traffic, cycles, size)
        yield one_to_all(traffic, 20 * cycles, size, held=(2,))
        yield one_held(traffic, 20 * cycles, size)


def speed(seed: int, cycles: int = 200_000) -> float:
    """Simulated cycles of the RTL a second of processor time, with every wire at line rate in both directions."""
    traffic = Traffic(configured(seed), seed)
    begun = time.process_time()
    traffic.run("speed", cycles, lambda: 256, next_wire(traffic))
    return cycles / (time.process_time() - begun)


def line(case: Case) -> str:
    latency = " ".join(f"{name} {value:.0f}" for name, value in case.latency().items())
    return (
        f"{case.name:24} {case.size or 'mix':>5} {case.offered_gbps:8.2f} {case.gbps:8.2f} {case.mpps:7.2f} "
        f"{case.loss:8.2%}   {latency}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=5000, help="of each size; other cases take longer")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 2**31))
    given = parser.parse_args()
    print(f"seed {given.seed}\n{HEADINGS}")
    done: list[Case] = []
    for case in bench(given.seed, given.cycles):
        done.append(case)
        if case.name != "line rate" or case.size in SHOWN_SIZES:
            print(line(case), flush=True)
    total = Counter[str]()
    for case in done:
        for name, count in case.counters.items():
            total[name.partition("[")[0]] += count
    cycles_per_s = speed(given.seed)
    result = {
        "schema": 1,
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
