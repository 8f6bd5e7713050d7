# SPDX-License-Identifier: Apache-2.0
"""row_memory

- Both ports work every cycle, to few rows and to all, the first and the last of each bank too: each word, exactly
  READ_CYCLES later, is the last one that was written before the cycle of its read. A Python list is the judge.
- Each parameter check fires.
"""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from bench import runner
from bench.stream import parameters


@cocotb.test()
async def every_word_is_the_last_one_written(dut):
    p = parameters()
    rows, bits = p["ROWS"], p["ROW_BITS"]
    bank = min(p["BANK_ROWS"], rows)
    Clock(dut.clk, 5, "ns", impl="gpi").start()
    held: list[int | None] = [None] * rows
    first = random.sample(range(rows), rows)  # all of it once, so that every word is known
    hot = [0, rows - 1, bank - 1, bank % rows, random.randrange(rows)]
    expected: list[int | None] = [None] * p["READ_CYCLES"]
    seen = collided = 0
    for cycle in range(rows + 4000):
        write = bool(first) or random.random() < 0.7
        at = first.pop() if first else random.choice([*hot, random.randrange(rows)])
        word = random.getrandbits(bits)
        asked = random.choice([*hot, at, random.randrange(rows)])
        dut.write.value, dut.write_row.value, dut.write_word.value = write, at, word
        dut.read_row.value = asked
        expected.append(held[asked])
        collided += write and asked == at and held[asked] is not None
        if write:
            held[at] = word
        await RisingEdge(dut.clk)
        right = expected.pop(0)
        if right is not None:
            assert int(dut.read_word.value) == right, cycle
            seen += 1
    assert seen > 3900 and collided > 300


@pytest.mark.parametrize(
    "given",
    [
        {"ROWS": 2, "ROW_BITS": 1},
        {"ROWS": 50, "ROW_BITS": 90},
        {"ROWS": 65, "ROW_BITS": 5},
        {"ROWS": 21, "ROW_BITS": 12, "READ_CYCLES": 3, "BANK_ROWS": 8},
        {"ROWS": 16, "ROW_BITS": 12, "READ_CYCLES": 3, "BANK_ROWS": 8},
        {"ROWS": 8193, "ROW_BITS": 40},
    ],
    ids=str,
)
def test_row_memory(given):
    runner.run("row_memory", given, packed=False)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"ROWS": 1}, "ROWS must be from 2 to 65536"),
        ({"ROWS": 65537}, "ROWS must be from 2 to 65536"),
        ({"ROW_BITS": 0}, "ROW_BITS must be 1 or more"),
        ({"READ_CYCLES": 0}, "READ_CYCLES must be from 1 to 3"),
        ({"READ_CYCLES": 4}, "READ_CYCLES must be from 1 to 3"),
        ({"READ_CYCLES": 3, "BANK_ROWS": 24}, "BANK_ROWS must be a power of two, 2 or more"),
        ({"READ_CYCLES": 3, "BANK_ROWS": 1}, "BANK_ROWS must be a power of two, 2 or more"),
        ({"READ_CYCLES": 3, "ROWS": 16, "BANK_ROWS": 16}, "BANK_ROWS must be less than ROWS"),
    ],
    ids=str,
)
def test_row_memory_refuses(given, sentence):
    runner.refuses("row_memory", given, sentence)
