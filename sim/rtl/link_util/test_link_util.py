# SPDX-License-Identifier: Apache-2.0
"""link_util

The judges are link_rules, which goes through docs/hula.md cycle by cycle, and the C++ twin.

- Random reports, in every cycle and with pauses of many tau, of the lengths of Ethernet and of the longest that can be
  told, under random settings that change at any time, with resets: what is told to a request in every cycle is what
  rules and twin say, for every port.
- The same with light traffic, shown so large that the last bits of the average, and how it is rounded, decide.
- A wire that was busy shows zero from tau on, for the shortest tau and for the longest, longer than any counter counts.
- Each parameter check fires.

What the rules are worth, against HULA's formula in real numbers, is asked of the twin: test_link_util_error.
"""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

from bench import runner
from bench.stream import CLOCK_NS, parameters
from rtl.link_util.link_rules import Rules, visit_cycles
from rtl.link_util.link_twin import Twin

LENGTHS = (1, 60, 64, 100, 508, 1500, 1514, 9000, 65535)
SCALES = (1040, 2601, 10404, 104038)  # of 100, 40, 10 and 1 Gbit/s


class Switch:
    def __init__(self, dut):
        self.dut = dut
        given = parameters()
        self.ports, self.latency = given["PORTS"], given["LATENCY_CYCLES"]
        self.longest = given["MAX_TAU_LOG2"]
        self.overhead = given["OVERHEAD_BYTES"]
        self.rules = Rules(self.ports, self.overhead, self.longest)
        self.twin = Twin(self.ports, self.overhead, self.longest)
        self.told = []  # what requests are told, the last LATENCY_CYCLES of them
        self.requests = 0
        self.settings = (16, [0] * self.ports)
        self.sends({})

    def sends(self, sent):
        self.dut.tx_valid.value = sum(1 << port for port in sent)
        noise = random.getrandbits(16 * self.ports)
        for port, count in sent.items():
            noise = noise & ~(0xFFFF << 16 * port) | count << 16 * port
        self.dut.tx_bytes.value = noise

    def configure(self, tau_log2, scales):
        self.settings = (tau_log2, list(scales))
        self.dut.cfg_tau_log2.value = tau_log2
        self.dut.cfg_scale.value = sum(one << 17 * port for port, one in enumerate(scales))
        self.twin.configure(tau_log2, scales, self.rules.cycle)

    async def start(self):
        self.dut.input_valid.value = 0
        Clock(self.dut.clk, CLOCK_NS, "ns", impl="gpi").start()
        await self.reset()

    async def reset(self):
        """What is sent meanwhile counts for nothing. It lasts until nothing from before it is under way."""
        self.dut.rst.value = 1
        for _ in range(self.latency + random.randint(2, 5)):
            self.sends(dict.fromkeys(range(self.ports), 1500))
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self.rules.reset()
        self.twin.reset()
        self.told = [[0] * self.ports] * self.latency
        self.configure(*self.settings)

    async def step(self, sent):
        """A cycle, in which these bytes by port are reported; checks what it shows."""
        self.sends(sent)
        self.dut.input_valid.value = random.getrandbits(1)
        cycle = self.rules.cycle
        for port, count in sent.items():
            self.twin.sent(port, count, cycle)
        told = self.rules.step(sent, *self.settings)
        assert list(self.twin.utilisations(cycle)) == told, f"the twin, cycle {cycle}"
        self.told.append(told)
        await FallingEdge(self.dut.clk)
        # The edge that ends the cycle is over: what stands there now belongs to the next one.
        if self.latency > 1 or len(self.told) > self.latency:
            assert self.shown() == self.told[-self.latency], f"cycle {cycle}"
        self.told = self.told[-self.latency :]
        self.requests += self.ports

    def shown(self):
        return list(int(self.dut.utilisations_result.value).to_bytes(self.ports, "little"))

    def random_settings(self):
        return random.choice((0, 9, 31, *range(10, self.longest + 1))), [
            random.choice((*SCALES, 0, 2**17 - 1, random.getrandbits(17))) for _ in range(self.ports)
        ]


@cocotb.test()
async def what_is_told_is_what_the_rules_say(dut):
    switch = Switch(dut)
    await switch.start()
    left = int(os.environ.get("CYCLES", "12000"))
    while left > 0:
        switch.configure(*switch.random_settings())
        if random.random() < 0.1:
            await switch.reset()
        length = random.choice((1, 15, 16, 40, 300, 1000, 3000))
        share = random.choice((0, 0.003, 0.05, 0.5, 1))
        lengths = random.choice((LENGTHS, LENGTHS[:5], LENGTHS[-1:]))
        nervous = random.random() < 0.2
        for _ in range(length):
            if nervous and random.random() < 0.3:
                switch.configure(*switch.random_settings())
            ports = (port for port in range(switch.ports) if random.random() < share)
            await switch.step({port: random.choice(lengths) for port in ports})
        left -= length
    print(f"{switch.requests} utilisations agreed")


@cocotb.test()
async def every_bit_of_the_average_counts(dut):
    """Light traffic that the greatest scale shows large: some 500 to a byte a cycle."""
    switch = Switch(dut)
    await switch.start()
    switch.configure(10, [2**17 - 1] * switch.ports)
    shown = set()
    share = 0.25 / (switch.overhead + 2)
    for _ in range(40_000 // switch.ports + 3000):
        ports = (port for port in range(switch.ports) if random.random() < share)
        await switch.step({port: random.randint(1, 3) for port in ports})
        shown.update(switch.told[-1])
    assert len(shown) > 40


@cocotb.test()
@cocotb.parametrize(longest=[False, True])
async def an_idle_wire_is_zero_for_ever(dut, longest):
    switch = Switch(dut)
    await switch.start()
    tau_log2 = switch.longest if longest else 10
    tau = 2**tau_log2
    switch.configure(tau_log2, [2**17 - 1] * switch.ports)
    for _ in range(200):
        await switch.step(dict.fromkeys(range(switch.ports), 65535))
    switch.sends({})
    await Timer(CLOCK_NS * (tau // 2), "ns")
    await FallingEdge(dut.clk)
    assert 0 not in switch.shown()
    await Timer(CLOCK_NS * (tau // 2 + 2 * visit_cycles(switch.ports)), "ns")
    step = tau // 64 + 1
    for _ in range(3 * 64):
        await FallingEdge(dut.clk)
        assert switch.shown() == [0] * switch.ports
        await Timer(CLOCK_NS * step, "ns")


PARAMETERS = [
    {},
    {"PORTS": 1, "MAX_TAU_LOG2": 10, "OVERHEAD_BYTES": 0},
    {"PORTS": 17, "MAX_TAU_LOG2": 12, "LATENCY_CYCLES": 3, "OVERHEAD_BYTES": 63},
    {"PORTS": 32, "MAX_TAU_LOG2": 16, "LATENCY_CYCLES": 2},
]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_link_util(parameters):
    runner.run("link_util", parameters, packed=False)


@pytest.mark.soak
@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_link_util_for_long(parameters):
    only = "what_is_told_is_what_the_rules_say"
    runner.run("link_util", parameters, packed=False, only=only, settings={"CYCLES": "300000"})


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"PORTS": 0}, "PORTS must be 1 to 32"),
        ({"PORTS": 33}, "PORTS must be 1 to 32"),
        ({"OVERHEAD_BYTES": -1}, "OVERHEAD_BYTES must be 0 to 63"),
        ({"OVERHEAD_BYTES": 64}, "OVERHEAD_BYTES must be 0 to 63"),
        ({"MAX_TAU_LOG2": 9}, "MAX_TAU_LOG2 must be 10 to 20"),
        ({"MAX_TAU_LOG2": 21}, "MAX_TAU_LOG2 must be 10 to 20"),
        ({"LATENCY_CYCLES": 0}, "LATENCY_CYCLES must be 1 or more"),
    ],
    ids=str,
)
def test_link_util_refuses(parameters, sentence):
    runner.refuses("link_util", parameters, sentence)
