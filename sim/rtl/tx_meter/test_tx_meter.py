# SPDX-License-Identifier: Apache-2.0
"""tx_meter

- Random packets on all wires, beats that stall included: one report for each packet, in order, with its bytes, in the
  cycle after its last beat has left; none for a beat that waits.
- The longest length that can be told, and longer packets.
- A reset in the middle of a packet: the next packet's report is its own.
- Each parameter check fires.
"""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from bench import runner
from bench.stream import CLOCK_NS, parameters

MOST = 65535


class Wires:
    def __init__(self, dut):
        self.dut = dut
        self.ports, self.lane = parameters()["N_PORTS"], parameters()["DATA_BYTES"]
        self.left = [0] * self.ports  # bytes of the packet that leaves
        self.length = [0] * self.ports
        self.due = {}  # what has to be reported in this cycle
        self.reports = 0

    async def start(self):
        for name in ("wire_tkeep", "wire_tlast", "wire_tvalid", "wire_tready"):
            getattr(self.dut, name).value = 0
        Clock(self.dut.clk, CLOCK_NS, "ns", impl="gpi").start()
        await self.reset()

    async def reset(self):
        self.dut.wire_tvalid.value = 0
        self.dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self.left = [0] * self.ports
        self.due = {}

    async def step(self, new_length, ready=0.7):
        """A cycle; `new_length` gives the bytes of a packet that begins, or 0."""
        keep = last = valid = readies = 0
        due = {}
        for port in range(self.ports):
            if not self.left[port]:
                self.length[port] = self.left[port] = new_length(port)
            if not self.left[port]:
                continue
            now = min(self.left[port], self.lane)
            ends = self.left[port] <= self.lane
            passes = random.random() < ready
            keep |= ((1 << now) - 1) << port * self.lane
            last |= ends << port
            valid |= 1 << port
            readies |= passes << port
            if passes:
                self.left[port] -= now
                if ends:
                    due[port] = min(self.length[port], MOST)
        self.dut.wire_tkeep.value = keep
        self.dut.wire_tlast.value = last
        self.dut.wire_tvalid.value = valid
        self.dut.wire_tready.value = readies
        await FallingEdge(self.dut.clk)
        got_valid, got_bytes = int(self.dut.tx_valid.value), int(self.dut.tx_bytes.value)
        got = {p: got_bytes >> 16 * p & 0xFFFF for p in range(self.ports) if got_valid >> p & 1}
        assert got == due
        self.reports += len(got)


@cocotb.test()
async def each_packet_is_reported_once(dut):
    wires = Wires(dut)
    await wires.start()

    def some(port):
        edge = random.choice((1, wires.lane - 1, wires.lane, wires.lane + 1, 60, 1514))
        return random.choice((0, 0, edge, random.randint(1, 6 * wires.lane)))

    for _ in range(4000):
        await wires.step(some)
    assert wires.reports > 100


@cocotb.test()
async def long_packets_are_told_as_far_as_there_is_room(dut):
    wires = Wires(dut)
    await wires.start()
    for length in (MOST - wires.lane, MOST, MOST + 1, MOST + wires.lane, 3 * MOST, 5):
        todo = [length] * wires.ports
        while any(todo) or any(wires.left):

            def once(port, todo=todo):
                length, todo[port] = todo[port], 0
                return length

            await wires.step(once, ready=1)
    assert wires.reports == 6 * wires.ports


@cocotb.test()
async def a_reset_ends_what_was_counted(dut):
    wires = Wires(dut)
    await wires.start()
    for _ in range(10):
        for _ in range(random.randint(1, 9)):
            await wires.step(lambda port: 40 * wires.lane)
        await wires.reset()
        for _ in range(30):
            await wires.step(lambda port: random.randint(1, 3 * wires.lane))


@pytest.mark.parametrize("parameters", [{"N_PORTS": 1, "DATA_BYTES": 16}, {}], ids=str)
def test_tx_meter(parameters):
    runner.run("tx_meter", parameters, packed=False)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"N_PORTS": 0}, "N_PORTS must be 1 to 32"),
        ({"N_PORTS": 33}, "N_PORTS must be 1 to 32"),
        ({"DATA_BYTES": 1}, "DATA_BYTES must be a power of two, 2 to 256"),
        ({"DATA_BYTES": 24}, "DATA_BYTES must be a power of two, 2 to 256"),
    ],
    ids=str,
)
def test_tx_meter_refuses(parameters, sentence):
    runner.refuses("tx_meter", parameters, sentence)
