# SPDX-License-Identifier: Apache-2.0
"""extern_timestamp

- The result is the number of cycles from the reset to the request, LATENCY_CYCLES ago, modulo the result's width:
  through the wrap, whatever input_valid and valid say, and from zero again after another reset.
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
async def the_result_is_the_time_of_the_request(dut):
    p = parameters()
    Clock(dut.clk, 5, "ns").start()
    for length in (700, 40):
        dut.rst.value = 1
        for _ in range(random.randrange(1, 5)):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        for cycle in range(length):
            dut.input_valid.value = random.randrange(2)
            dut.valid.value = random.randrange(2)
            await RisingEdge(dut.clk)
            if cycle >= p["LATENCY_CYCLES"]:
                assert int(dut.result_result.value) == (cycle - p["LATENCY_CYCLES"]) % (1 << p["RESULT_BITS"])


@pytest.mark.parametrize(
    "parameters",
    [
        {"RESULT_BITS": 8, "LATENCY_CYCLES": 3},
        {"RESULT_BITS": 1},
        {"RESULT_BITS": 64},
        {"RESULT_BITS": 100},
    ],
    ids=str,
)
def test_extern_timestamp(parameters):
    runner.run("extern_timestamp", parameters, packed=False)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"RESULT_BITS": 0}, "RESULT_BITS must be 1 or more"),
        ({"LATENCY_CYCLES": 0}, "LATENCY_CYCLES must be 1 or more"),
    ],
    ids=str,
)
def test_extern_timestamp_refuses(parameters, sentence):
    runner.refuses("extern_timestamp", parameters, sentence)
