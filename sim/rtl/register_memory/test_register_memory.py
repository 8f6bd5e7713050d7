# SPDX-License-Identifier: Apache-2.0
"""register_memory

- Packets read and write every cycle while the control plane writes and reads: each word, exactly READ_CYCLES later, is
  the last one written before the cycle of its read, by whom ever; a Python list is the judge. Left out, as the module
  says: a read in the cycle of a write to its index, and the index of a control write while it goes on. Control writes
  are broken off too, by a packet's write to their index.
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
    words, reads, bits = 2 ** p["INDEX_BITS"], p["READS"], p["INDEX_BITS"]
    block = words > p["DISTRIBUTED_WORDS"]
    delay = 2 if block else 1
    steps = reads + 1 if block else 1
    Clock(dut.clk, 5, "ns").start()
    dut.rst.value = 1
    dut.write.value = dut.control_write.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    held: list[int | None] = [None] * words
    first = random.sample(range(words), words)  # all of it once, so that every word is known
    hot = random.sample(range(words), min(words, 4))
    expected: dict[int, list[int | None]] = {}
    step = steps  # of the control write that goes on
    left_out, control_at, control_value = -1, 0, 0
    seen = broken_off = written = 0
    for cycle in range(words + 4000):
        write = bool(first) or random.random() < 0.9
        at = first.pop() if first else random.choice([*hot, random.randrange(words)])
        value = random.getrandbits(p["VALUE_BITS"])
        if step >= steps and random.random() < 0.5:
            control_at, control_value = (
                random.choice([*hot, random.randrange(words)]),
                random.getrandbits(p["VALUE_BITS"]),
            )
            if random.random() < 0.5:
                step, left_out = 0, control_at
        control_write = step < steps
        if control_write and write and at == control_at:
            broken_off += 1
            control_write, step = False, steps
        asked = [random.choice([*hot, random.randrange(words)]) for _ in range(reads)]
        dut.read_index.value = sum(index << i * bits for i, index in enumerate(asked))
        dut.write.value, dut.write_index.value, dut.write_word.value = write, at, value
        dut.control_write.value, dut.control_index.value = control_write, control_at
        dut.control_write_word.value = control_value

        # A word whose index is written in this cycle, or by the control write that goes on, is not known.
        unknown = {left_out} | ({at} if write else set())
        expected[cycle] = [None if index in unknown else held[index] for index in [*asked, control_at]]
        if write:
            held[at] = value
        if control_write:
            step += 1
            written += step == steps
            if step == steps:
                held[control_at] = control_value
        if step >= steps:
            left_out = -1
        await RisingEdge(dut.clk)
        rights = expected.pop(cycle - delay, [None] * (reads + 1))
        found = int(dut.read_word.value)
        mask = (1 << p["VALUE_BITS"]) - 1
        shown = [found >> i * p["VALUE_BITS"] & mask for i in range(reads)] + [int(dut.control_word.value)]
        for right, word in zip(rights, shown, strict=True):
            if right is not None:
                assert word == right, (cycle, rights, shown)
                seen += 1
    assert seen > 3000 and written > 200
    assert broken_off > 10 or steps == 1


@pytest.mark.parametrize(
    "parameters",
    [
        {"INDEX_BITS": 4, "VALUE_BITS": 9, "READS": 3, "DISTRIBUTED_WORDS": 15},
        {"INDEX_BITS": 6, "VALUE_BITS": 5, "READS": 3},
        {"INDEX_BITS": 3, "VALUE_BITS": 1, "READS": 1},
        {"INDEX_BITS": 7},
    ],
    ids=str,
)
def test_register_memory(parameters):
    runner.run("register_memory", parameters, packed=False)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"INDEX_BITS": 0}, "INDEX_BITS must be from 1 to 16"),
        ({"INDEX_BITS": 17}, "INDEX_BITS must be from 1 to 16"),
        ({"VALUE_BITS": 0}, "VALUE_BITS must be 1 or more"),
        ({"READS": 2}, "READS must be 1 or 3"),
        ({"DISTRIBUTED_WORDS": 0}, "DISTRIBUTED_WORDS must be 1 or more"),
    ],
    ids=str,
)
def test_register_memory_refuses(parameters, sentence):
    runner.refuses("register_memory", parameters, sentence)
