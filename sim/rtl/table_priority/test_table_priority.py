# SPDX-License-Identifier: Apache-2.0
"""table_priority

- Every single bit, every pair of neighbours, all bits from each bit on, none, and random words, one a cycle: the
  lowest bit that is set, by Python's arithmetic, after one cycle for each octal digit of an index.
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

CYCLES = {1: 1, 6: 1, 8: 1, 9: 2, 32: 2, 64: 2, 65: 3, 512: 3}


@cocotb.test()
async def the_lowest_set_bit_is_found(dut):
    width = parameters()["WIDTH"]
    Clock(dut.clk, 5, "ns").start()
    every = (1 << width) - 1
    words = [0, *(1 << i for i in range(width)), *(3 << i & every for i in range(width))]
    words += [every << i & every for i in range(width)]
    words += [random.getrandbits(width) & random.getrandbits(width) for _ in range(200)]
    words += [1 << random.randrange(width) | 1 << random.randrange(width) for _ in range(500)]
    random.shuffle(words)
    expected = deque([None] * CYCLES[width])
    for word in [*words, *[0] * CYCLES[width]]:
        dut.request.value = word
        expected.append(word)
        await RisingEdge(dut.clk)
        if (asked := expected.popleft()) is not None:
            assert int(dut.any.value) == (asked != 0)
            if asked:
                assert int(dut.index.value) == (asked & -asked).bit_length() - 1


@pytest.mark.parametrize("width", sorted(CYCLES))
def test_table_priority(width):
    runner.run("table_priority", {"WIDTH": width})


@pytest.mark.parametrize("width", [0, 513])
def test_table_priority_refuses(width):
    runner.refuses("table_priority", {"WIDTH": width}, "WIDTH must be from 1 to 512")
