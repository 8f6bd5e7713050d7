# SPDX-License-Identifier: Apache-2.0
"""table_rank

- Random rising boundaries, some of them equal, any number of slots occupied: for keys at each boundary, one below and
  one above, keys that differ from it in one bit, and random keys, one a cycle with other boundaries each time, the
  rank is the number of boundaries that Python finds not above the key.
- One cycle for keys of up to 16 bits, two for wider ones.
- Each parameter check fires.
"""

import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from bench import runner
from bench.stream import parameters


@cocotb.test()
async def the_rank_is_how_many_boundaries_are_not_above(dut):
    bits, slots = parameters()["KEY_BITS"], parameters()["SLOTS"]
    cycles = 1 if bits <= 16 else 2
    Clock(dut.clk, 5, "ns").start()
    top = (1 << bits) - 1
    expected = deque([None] * cycles)
    for _ in range(1500):
        used = random.choice([0, slots, random.randint(0, slots)])
        base = random.getrandbits(bits)
        span = random.choice([min(2, bits), bits, bits])
        bounds = sorted(base & ~((1 << span) - 1) | random.getrandbits(span) for _ in range(used))
        near = random.choice(bounds) if bounds else base
        key = near + random.choice([-1, 0, 0, 1]) if random.random() < 0.5 else near ^ 1 << random.randrange(bits)
        key = random.getrandbits(bits) if random.random() < 0.2 else max(0, min(top, key))
        filled = bounds + [random.getrandbits(bits) for _ in range(slots - used)]
        dut.key.value = key
        dut.occupied.value = (1 << used) - 1
        dut.boundary.value = sum(bound << bits * slot for slot, bound in enumerate(filled))
        expected.append(sum(bound <= key for bound in bounds))
        await RisingEdge(dut.clk)
        if (right := expected.popleft()) is not None:
            assert int(dut.rank.value) == right


@pytest.mark.parametrize(
    "parameters",
    [
        {"KEY_BITS": 1, "SLOTS": 1},
        {"KEY_BITS": 16, "SLOTS": 16},
        {"KEY_BITS": 17, "SLOTS": 7},
        {"KEY_BITS": 128, "SLOTS": 15},
        {"KEY_BITS": 65, "SLOTS": 31},
        {},
    ],
    ids=str,
)
def test_table_rank(parameters):
    runner.run("table_rank", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"KEY_BITS": 0}, "KEY_BITS must be 1 or more"),
        ({"SLOTS": 0}, "SLOTS must be from 1 to 31"),
        ({"SLOTS": 32}, "SLOTS must be from 1 to 31"),
    ],
    ids=str,
)
def test_table_rank_refuses(parameters, sentence):
    runner.refuses("table_rank", parameters, sentence)
