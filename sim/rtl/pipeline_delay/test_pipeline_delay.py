# SPDX-License-Identifier: Apache-2.0
"""pipeline_delay

- Every word comes out CYCLES cycles later.
- A reset clears the last register, with RESET the whole line; without it, what the line holds comes out afterwards.
- Each parameter check fires.
"""

import json
import os
import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from bench import runner
from bench.stream import StreamBench, parameters


async def clocked(dut):
    bench = StreamBench(dut)
    getattr(dut, "in").value = 0
    await bench.start()
    return parameters()["BITS"], parameters()["CYCLES"]


async def pass_words(dut, words, rst=()):
    """Feeds a word a cycle, with reset in the cycles named; returns what `out` was in each cycle."""
    seen = []
    for number, word in enumerate(words):
        getattr(dut, "in").value = word
        dut.rst.value = int(number in rst)
        await RisingEdge(dut.clk)
        seen.append(int(dut.out.value))
    return seen


@cocotb.test()
async def each_word_comes_out_so_many_cycles_later(dut):
    bits, cycles = await clocked(dut)
    words = [random.getrandbits(bits) for _ in range(200 + cycles)]
    seen = await pass_words(dut, words)
    assert seen[cycles:] == words[:-cycles]


@cocotb.test()
async def a_reset_clears_what_it_says(dut):
    bits, cycles = await clocked(dut)
    cleared = {"1": True, "0": False}[bit_parameter("RESET")]
    ones = (1 << bits) - 1
    for _ in range(5):
        at = 2 * cycles
        seen = await pass_words(dut, [ones] * (4 * cycles + 2), rst={at})
        assert seen[cycles : at + 1] == [ones] * (cycles + 1)
        zeros = cycles if cleared else 1
        assert seen[at + 1 :] == [0] * zeros + [ones] * (len(seen) - at - 1 - zeros)


def bit_parameter(name):
    """A parameter of one bit, which the bench has as a sized literal."""
    return json.loads(os.environ["BENCH_PARAMETERS"])[name][-1]


@pytest.mark.parametrize(
    "parameters",
    [
        {"BITS": 1, "CYCLES": 1, "RESET": 0},
        {"BITS": 5, "CYCLES": 1, "RESET": 1},
        {"BITS": 3, "CYCLES": 2, "RESET": 0},
        {"BITS": 40, "CYCLES": 37, "RESET": 0},
        {"BITS": 1, "CYCLES": 6, "RESET": 1},
        {},
    ],
    ids=str,
)
def test_pipeline_delay(parameters):
    runner.run("pipeline_delay", parameters)


@pytest.mark.parametrize("parameter", ["BITS", "CYCLES"])
def test_pipeline_delay_refuses(parameter):
    runner.refuses("pipeline_delay", {parameter: 0}, f"{parameter} must be 1 or more")
