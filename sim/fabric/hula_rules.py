# SPDX-License-Identifier: Apache-2.0
"""HULA's rule as its figure prints it, and as its text means it, on the same loads: how often each has the right hop.

Four paths between two ToRs, each through a spine whose link to the second ToR carries a load of its own that changes
every period (a first-order autoregression). The first ToR's best hop is looked at twice a period. It is right if no
path's load is less by more than a twentieth of the link.

python -m fabric.hula_rules --seeds 5
"""

from __future__ import annotations

import argparse
import random
import statistics
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from fabric.fabric import Fabric
from fabric.hula import Hula, HulaSettings
from fabric.shapes import Data, leaf_spine
from flow.results import write_result

SPINES = 4
LINK_MBPS = 10_000
LEAST_MBPS, MOST_MBPS = 200, 9000
KEEPS = 0.9  # of a load from one period to the next
SLACK_MBPS = LINK_MBPS // 20
RULES = {"corrected": 0, "literal": 1}  # cfg_literal of best_hops
WARM_PERIODS = 10


@dataclass(frozen=True)
class Outcome:
    """Over all times looked at: how often the hop was right, and its load above the least one, in Mb/s."""

    right: float
    excess_mbps: float


def loads(seed: int, periods: int) -> list[list[int]]:
    """Of each period, the load of each path."""
    rng = random.Random(seed)
    middle, spread = (LEAST_MBPS + MOST_MBPS) / 2, (MOST_MBPS - LEAST_MBPS) / 4
    now = [rng.uniform(LEAST_MBPS, MOST_MBPS) for _ in range(SPINES)]
    found = []
    for _ in range(periods):
        found.append([round(load) for load in now])
        noise = (spread * (1 - KEEPS**2) ** 0.5 * rng.gauss(0, 1) for _ in now)
        now = [
            min(MOST_MBPS, max(LEAST_MBPS, middle + KEEPS * (load - middle) + step))
            for load, step in zip(now, noise, strict=True)
        ]
    return found


def described(first: list[int]) -> Data:
    data = leaf_spine(2, SPINES, 1, program="hw/p4/hula.p4")
    for spine, load in enumerate(first):
        name = f"load{spine}"
        data["hosts"][name] = {"ipv4": f"10.9.{spine}.2", "gateway": data["hosts"]["host0"]["gateway"]}
        data["links"].append({"ends": [name, f"spine{spine}.2"]})
        data["traffic"].append(
            {"name": name, "from": name, "to": "host1", "kind": "poisson", "rate_mbps": load, "frame_bytes": 1000}
        )
    return data


def run(seed: int, periods: int, settings: HulaSettings) -> Outcome:
    trace = loads(seed, periods)
    fabric = Fabric(described(trace[0]))
    tiers = {name: 1 if name.startswith("leaf") else 2 for name in fabric.topology.switches}
    hula = Hula(fabric, settings, tiers)
    spine_at = {port: node for port, node in hula.exits["leaf0"].items() if node in tiers}
    hula.start()
    right, excess = [], []
    for number, now in enumerate(trace):
        for spine, load in enumerate(now):
            fabric.load(f"load{spine}", load)
        for _ in range(2):
            fabric.run(us=settings.period_us / 2)
            if number < WARM_PERIODS:
                continue
            hop = next(iter(hula.hops("leaf0", "leaf1")), None)
            taken = MOST_MBPS if hop is None else now[int(spine_at[hop.port].removeprefix("spine"))]
            right.append(hop is not None and taken <= min(now) + SLACK_MBPS)
            excess.append(taken - min(now))
    return Outcome(statistics.mean(right), statistics.mean(excess))


def compare(seeds: list[int], periods: int, settings: HulaSettings | None = None) -> dict[str, list[Outcome]]:
    """By rule, an outcome for each seed: the same loads for all rules."""
    usual = settings or HulaSettings()
    return {name: [run(seed, periods, replace(usual, literal=bits)) for seed in seeds] for name, bits in RULES.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--periods", type=int, default=500)
    parser.add_argument("--result", type=Path)
    given = parser.parse_args()
    if given.seeds < 1 or given.periods <= WARM_PERIODS:
        parser.error(f"--seeds has to be 1 or more, --periods more than {WARM_PERIODS}")
    seeds = list(range(1, given.seeds + 1))
    found = compare(seeds, given.periods)
    print(f"{'seed':>6} " + " ".join(f"{name:>22}" for name in found))
    for place, seed in enumerate(seeds):
        shown = (f"{one[place].right:>10.1%} {one[place].excess_mbps:>6.0f} Mb/s" for one in found.values())
        print(f"{seed:>6} " + " ".join(shown))
    gains = [one.right - other.right for one, other in zip(*found.values(), strict=True)]
    print(f"corrected less literal: {statistics.mean(gains):.1%} (least {min(gains):.1%}, greatest {max(gains):.1%})")
    if given.result is not None:
        rows = {
            name: [{"seed": n, **asdict(one)} for n, one in zip(seeds, of_rule, strict=True)]
            for name, of_rule in found.items()
        }
        write_result(given.result, {"periods": given.periods, "spines": SPINES, **rows})


if __name__ == "__main__":
    main()
