# SPDX-License-Identifier: Apache-2.0
"""port_up

- The result is what was up LATENCY_CYCLES ago and not taken out, in every cycle, whatever input_valid says.
- Each parameter check fires.
"""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from bench import runner
from bench.stream import CLOCK_NS, parameters


@cocotb.test()
async def what_is_up_and_not_taken_out_is_told(dut):
    p = parameters()
    Clock(dut.clk, CLOCK_NS, "ns", impl="gpi").start()
    dut.rst.value = 0
    expected = []
    for _ in range(600):
        up, down = random.getrandbits(p["PORTS"]), random.getrandbits(p["PORTS"])
        dut.ports_up.value, dut.cfg_down.value, dut.input_valid.value = up, down, random.getrandbits(1)
        expected.append(up & ~down)
        await FallingEdge(dut.clk)
        if len(expected) > p["LATENCY_CYCLES"]:
            assert int(dut.up_result.value) == expected[-p["LATENCY_CYCLES"]]


@pytest.mark.parametrize("parameters", [{}, {"PORTS": 1, "LATENCY_CYCLES": 3}, {"PORTS": 32}], ids=str)
def test_port_up(parameters):
    runner.run("port_up", parameters, packed=False)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"PORTS": 0}, "PORTS must be 1 to 32"),
        ({"PORTS": 33}, "PORTS must be 1 to 32"),
        ({"LATENCY_CYCLES": 0}, "LATENCY_CYCLES must be 1 or more"),
    ],
    ids=str,
)
def test_port_up_refuses(parameters, sentence):
    runner.refuses("port_up", parameters, sentence)
