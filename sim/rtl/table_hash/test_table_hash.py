# SPDX-License-Identifier: Apache-2.0
"""table_hash

- A key every cycle gives, HASH_CYCLES later, the places that the rule in Python gives: random keys, and keys that
  differ in one bit.
- Keys that are alike are spread as random ones are: for sequences, prefixes and pairs the number of places that are
  hit in each way, and in any two ways together, is within six standard deviations of what chance gives.
- Another seed gives other places.
- Each parameter check fires.
"""

import random
from collections import deque
from itertools import combinations
from math import exp, sqrt

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from bench import runner
from bench.stream import parameters
from rtl.table_traffic.hash import Hash

HASH_CYCLES = 2


@cocotb.test()
async def places_are_what_the_rule_gives(dut):
    p = parameters()
    rule = Hash(p["KEY_BITS"], p["WAYS"], p["PLACE_BITS"], p["SEED"])
    Clock(dut.clk, 5, "ns").start()
    base = random.getrandbits(p["KEY_BITS"])
    keys = [0, *(1 << i for i in range(p["KEY_BITS"])), *(base ^ 1 << i for i in range(p["KEY_BITS"]))]
    keys += [random.getrandbits(p["KEY_BITS"]) for _ in range(300)]
    expected = deque([None] * HASH_CYCLES)
    for key in [*keys, *[0] * HASH_CYCLES]:
        dut.key.value = key
        expected.append(rule.places(key))
        await RisingEdge(dut.clk)
        if (right := expected.popleft()) is not None:
            word = int(dut.places.value)
            mask = (1 << p["PLACE_BITS"]) - 1
            assert right == tuple(word >> way * p["PLACE_BITS"] & mask for way in range(p["WAYS"]))


@pytest.mark.parametrize(
    "parameters",
    [
        {"KEY_BITS": 1, "WAYS": 1, "PLACE_BITS": 1},
        {"KEY_BITS": 20, "WAYS": 4, "PLACE_BITS": 16, "SEED": 0},
        {"KEY_BITS": 296, "WAYS": 5, "PLACE_BITS": 14, "SEED": -1},
        {"KEY_BITS": 512, "WAYS": 8, "PLACE_BITS": 9, "SEED": 12345},
        {},
    ],
    ids=str,
)
def test_table_hash(parameters):
    runner.run("table_hash", parameters)


def alike(kind: str, count: int) -> list[int]:
    """Keys of 64 bits such as tables hold."""
    if kind == "sequence":
        return [0x0A00_0000_0000 + i for i in range(count)]
    if kind == "sequence far up":
        return [i << 40 for i in range(count)]
    if kind == "pairs of addresses":
        return [0x0A01_0000_0A02_0000 | (i % 64) << 32 | i // 64 for i in range(count)]
    return [0x2001_0DB8 << 32 | random.Random(i).getrandbits(24) << 4 for i in range(count)]


@pytest.mark.parametrize("kind", ["sequence", "sequence far up", "pairs of addresses", "one prefix"])
def test_like_keys_are_spread_as_by_chance(kind):
    rule = Hash(64, 3, 10, 0x6A09E667)
    keys = set(alike(kind, 4096))
    places = [rule.places(key) for key in keys]

    def hit_by_chance(balls: int, bins: int) -> tuple[float, float]:
        missed = exp(-balls / bins)
        return bins * (1 - missed), sqrt(bins * missed * (1 - missed * (1 + balls / bins)))

    for way in range(3):
        mean, deviation = hit_by_chance(len(keys), 1024)
        assert abs(len({p[way] for p in places}) - mean) < 6 * deviation + 1
    for one, other in combinations(range(3), 2):
        mean, deviation = hit_by_chance(len(keys), 1024 * 1024)
        assert abs(len({(p[one], p[other]) for p in places}) - mean) < 6 * deviation + 1


def test_another_seed_gives_other_places():
    one, other = Hash(48, 3, 10, 1), Hash(48, 3, 10, 2)
    assert sum(one.places(key) == other.places(key) for key in range(1000)) == 0


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"KEY_BITS": 0}, "KEY_BITS must be from 1 to 512"),
        ({"KEY_BITS": 513}, "KEY_BITS must be from 1 to 512"),
        ({"WAYS": 0}, "WAYS must be from 1 to 8"),
        ({"WAYS": 9}, "WAYS must be from 1 to 8"),
        ({"PLACE_BITS": 0}, "PLACE_BITS must be from 1 to 16"),
        ({"PLACE_BITS": 17}, "PLACE_BITS must be from 1 to 16"),
    ],
    ids=str,
)
def test_table_hash_refuses(parameters, sentence):
    runner.refuses("table_hash", parameters, sentence)
