# SPDX-License-Identifier: Apache-2.0
"""table_memory

- Whatever is written and read, at the same addresses in the same cycles too, both ports give the word that stood
  there before that cycle, exactly READ_CYCLES later; a Python list is the judge.
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

# By depth: distributed RAM up to 64 words, block RAM above.
READ_CYCLES = {16: 1, 64: 1, 128: 2, 1024: 2, 8192: 2, 65536: 2}


@cocotb.test()
async def both_ports_read_what_stood_there(dut):
    depth, bits = parameters()["DEPTH_WORDS"], parameters()["WORD_BITS"]
    Clock(dut.clk, 5, "ns").start()
    words = [None] * depth
    expected = deque([(None, None)] * READ_CYCLES[depth])
    hot = random.sample(range(depth), 5)
    writes = deque(random.sample(range(depth), min(depth, 2000)))  # many places, then where it hurts
    collisions = 0
    compared = 0
    for _ in range(6000):
        b_address = writes.popleft() if writes else random.choice(hot)
        a_address = b_address if random.random() < 0.3 else random.choice([*hot, random.randrange(depth)])
        write = bool(writes) or random.random() < 0.5
        word = random.getrandbits(bits)
        dut.a_address.value = a_address
        dut.b_address.value = b_address
        dut.b_write.value = write
        dut.b_write_word.value = word
        expected.append((words[a_address], words[b_address]))
        collisions += write and a_address == b_address
        if write:
            words[b_address] = word
        await RisingEdge(dut.clk)
        a_right, b_right = expected.popleft()
        if a_right is not None:
            assert int(dut.a_word.value) == a_right
            compared += 1
        if b_right is not None:
            assert int(dut.b_word.value) == b_right
    assert collisions > 100 and compared > 1000


@pytest.mark.parametrize(
    "parameters",
    [
        {"DEPTH_WORDS": 16, "WORD_BITS": 7},
        {"DEPTH_WORDS": 128, "WORD_BITS": 1},
        {"DEPTH_WORDS": 64, "WORD_BITS": 40},
        {"DEPTH_WORDS": 8192, "WORD_BITS": 10},
        {"DEPTH_WORDS": 65536, "WORD_BITS": 3},
        {},
    ],
    ids=str,
)
def test_table_memory(parameters):
    runner.run("table_memory", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"DEPTH_WORDS": 1}, "DEPTH_WORDS must be a power of two, 2 or more"),
        ({"DEPTH_WORDS": 24}, "DEPTH_WORDS must be a power of two, 2 or more"),
        ({"WORD_BITS": 0}, "WORD_BITS must be 1 or more"),
    ],
    ids=str,
)
def test_table_memory_refuses(parameters, sentence):
    runner.refuses("table_memory", parameters, sentence)
