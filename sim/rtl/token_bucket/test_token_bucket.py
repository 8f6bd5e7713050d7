# SPDX-License-Identifier: Apache-2.0
"""token_bucket

The judge is a line in time: bytes that may have passed after so many cycles.

- Who passes packets of random lengths whenever it may gets the rate exactly: never more than burst and rate allow and
  one packet, never less than the rate but for one packet. Rates from a 256th of a byte a cycle up, changed on the way.
- After a pause a burst passes at once, and not more than it and a packet.
- A rate of zero lets nothing pass; after a reset the bucket is empty.
- Each parameter check fires.
"""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from bench import runner
from bench.stream import CLOCK_NS, parameters

FRACTION = 256


class User:
    def __init__(self, dut):
        self.dut = dut
        self.passed = 0

    async def start(self, rate, burst):
        self.dut.charge.value = 0
        self.dut.charge_bytes.value = 0
        self.dut.cfg_rate.value = rate
        self.dut.cfg_burst.value = burst
        Clock(self.dut.clk, CLOCK_NS, "ns", impl="gpi").start()
        await self.reset()

    async def reset(self):
        self.dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def run(self, cycles, lengths):
        """Passes a packet in each cycle in which it may, and counts its bytes."""
        for _ in range(cycles):
            length = random.choice(lengths)
            go = bool(self.dut.may_pass.value) and length > 0
            self.dut.charge.value = int(go)
            self.dut.charge_bytes.value = length
            self.passed += length * go
            await FallingEdge(self.dut.clk)


def longest_burst():
    return 2 ** parameters()["BURST_BITS"] - 1


@cocotb.test()
async def what_passes_is_the_rate(dut):
    user = User(dut)
    await user.start(0, 0)
    for rate, lengths in ((1, [1, 2]), (300, [60, 1500]), (FRACTION * 32, [60, 64, 1518]), (65535, [65535, 300])):
        burst = min(longest_burst(), random.choice((2 * rate // FRACTION + 1, 5000)))
        dut.cfg_rate.value = rate
        dut.cfg_burst.value = burst
        await user.reset()
        user.passed = 0
        cycles = 3000
        await user.run(cycles, lengths)
        earned = rate * cycles / FRACTION
        assert user.passed <= earned + burst + 2 * rate / FRACTION + max(lengths)
        if burst < 2 * rate / FRACTION:
            continue
        assert user.passed >= earned - rate / FRACTION - max(lengths), f"{user.passed} of {earned}"


@cocotb.test()
async def after_a_pause_a_burst_passes(dut):
    user = User(dut)
    burst = min(longest_burst(), 4000)
    await user.start(FRACTION, burst)
    await user.run(2 * burst + 100, [0])
    cycles = 100
    user.passed = 0
    await user.run(cycles, [50])
    allowed = min(burst + cycles, cycles * 50)
    assert allowed - 50 <= user.passed <= burst + 2 + cycles + 50


@cocotb.test()
async def a_rate_of_zero_and_an_empty_bucket_let_nothing_pass(dut):
    user = User(dut)
    await user.start(0, longest_burst())
    await user.run(200, [10])
    assert user.passed == 0
    dut.cfg_rate.value = FRACTION
    await user.run(1000, [0])
    dut.cfg_rate.value = 0
    await FallingEdge(dut.clk)
    await user.run(200, [10])
    assert user.passed == 0
    await user.reset()
    dut.cfg_rate.value = 1
    await user.run(100, [300])
    assert user.passed == 300


@pytest.mark.parametrize("parameters", [{"BURST_BITS": 1}, {"BURST_BITS": 16}, {"BURST_BITS": 24}], ids=str)
def test_token_bucket(parameters):
    runner.run("token_bucket", parameters)


@pytest.mark.parametrize("value", [0, 25])
def test_token_bucket_refuses(value):
    runner.refuses("token_bucket", {"BURST_BITS": value}, "BURST_BITS must be 1 to 24")
