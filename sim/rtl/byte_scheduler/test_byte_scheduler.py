# SPDX-License-Identifier: Apache-2.0
"""byte_scheduler

The test holds the packets of all ports and lets beats pass as the module chooses; it judges by the numbers alone.

- While two ports always wait, what they have got differs, between any two moments, by less than a quantum and what one
  visit may take; so does nobody's share of a long time. Each port has packets of its own size, from one beat up.
- No port that waits sees more than one visit of each other port pass before its turn.
- While the ports that wait have packets behind, a beat passes every cycle; a single port keeps the whole rate.
- A port that was away gets no more than its turn when it comes back.
- Random comings and goings: a waiting port is always served in the end, packets stay whole.
- Each parameter check fires.
"""

import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from bench import runner
from bench.stream import CLOCK_NS, parameters


class Ports:
    """Packets that wait, as lengths in bytes; each is served beat by beat."""

    def __init__(self, dut):
        self.dut = dut
        self.count = parameters()["N_PORTS"]
        self.lane = parameters()["DATA_BYTES"]
        self.waiting = [deque() for _ in range(self.count)]
        self.left = [0] * self.count  # bytes of the packet that is passing; 0: the next one begins
        self.served = [0] * self.count
        self.order = []  # (port, bytes) of each packet, in the order in which they begin
        self.passed = 0
        self.length_bits = 16

    async def start(self):
        for name in ("request", "more", "length", "pass", "last"):
            self.handle(name).value = 0
        Clock(self.dut.clk, CLOCK_NS, "ns", impl="gpi").start()
        await self.reset()

    def handle(self, name):
        return getattr(self.dut, name)

    async def reset(self):
        self.handle("pass").value = 0
        self.dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def step(self, ready=True):
        """One cycle, in which the chosen port's beat passes if there is one and the output is ready."""
        chosen = int(self.dut.chosen.value)
        assert chosen < self.count
        assert bool(self.dut.first.value) == (not any(self.left)), "first is wrong"
        request = [bool(q) for q in self.waiting]
        for port, queue in enumerate(self.waiting):
            assert not (self.left[port] and port != chosen), "the choice moved inside a packet"
            del queue, port
        go = ready and request[chosen]
        self.handle("request").value = sum(r << i for i, r in enumerate(request))
        self.handle("more").value = sum((len(q) > 1) << i for i, q in enumerate(self.waiting))
        self.handle("length").value = sum((q[0] if q else 0) << (16 * i) for i, q in enumerate(self.waiting))
        last = False
        if go:
            if not self.left[chosen]:
                self.left[chosen] = self.waiting[chosen][0]
                self.order.append((chosen, self.left[chosen]))
            self.left[chosen] = max(0, self.left[chosen] - self.lane)
            last = not self.left[chosen]
            if last:
                self.served[chosen] += self.waiting[chosen].popleft()
            self.passed += 1
        self.handle("pass").value = int(go)
        self.handle("last").value = int(last)
        await FallingEdge(self.dut.clk)

    def fill(self, port, lengths, depth=3):
        while len(self.waiting[port]) < depth:
            self.waiting[port].append(random.choice(lengths))


def limits():
    p = parameters()
    return p["QUANTUM_BYTES"], p["MAX_PACKET_BYTES"], p["DATA_BYTES"]


def a_visit():
    quantum, longest, lane = limits()
    return quantum + longest + lane


def sizes(count):
    """For each port the lengths of its packets."""
    _, longest, lane = limits()
    kinds = [[1, lane], [longest], [min(2 * lane, longest)], [1, longest], list(range(1, longest + 1, 7))]
    return [kinds[i % len(kinds)] for i in range(count)]


@cocotb.test()
async def ports_that_always_wait_get_the_same(dut):
    ports = Ports(dut)
    await ports.start()
    kinds = sizes(ports.count)
    moments = []
    for _ in range(4000):
        for port, lengths in enumerate(kinds):
            ports.fill(port, lengths)
        await ports.step(random.random() < 0.9)
        moments.append(list(ports.served))
    for a in range(ports.count):
        for b in range(a):
            gaps = [served[a] - served[b] for served in moments]
            assert max(gaps) - min(gaps) <= 2 * a_visit(), f"ports {a} and {b}"
    if ports.count == 1:
        return
    seen = {}
    for port, length in ports.order:
        for other in range(ports.count):
            if other != port:
                seen[other, port] = seen.get((other, port), 0) + length
        for other in range(ports.count):
            seen[port, other] = 0
        assert max(seen.values()) <= a_visit(), "a waiting port saw more than one visit of another"


@cocotb.test()
async def no_cycle_is_lost_while_packets_wait(dut):
    ports = Ports(dut)
    await ports.start()
    _, longest, lane = limits()
    busy = set(range(ports.count))
    for active in (busy, set(list(busy)[:2]), {ports.count - 1}):
        for length in (1, 2 * lane if 2 * lane <= longest else lane, longest):
            for queue in ports.waiting:
                while queue:
                    await ports.step()
            for _ in range(3):
                await ports.step()
            for port in active:
                ports.fill(port, [length])
            await ports.step()
            await ports.step()
            before = ports.passed
            for _ in range(200):
                for port in active:
                    ports.fill(port, [length])
                await ports.step()
            assert ports.passed - before == 200, f"{active}, {length} bytes"


@cocotb.test()
async def who_comes_back_has_no_old_credit(dut):
    ports = Ports(dut)
    if parameters()["N_PORTS"] < 2:
        return
    await ports.start()
    for _ in range(20):
        for _ in range(random.randint(100, 300)):
            ports.fill(0, [limits()[1]])
            if random.random() < 0.05 and not ports.waiting[1]:
                ports.waiting[1].append(1)
            await ports.step()
        before = list(ports.served)
        while ports.served[0] == before[0] or ports.served[1] == before[1]:
            ports.fill(0, [limits()[1]])
            ports.fill(1, [limits()[1]])
            await ports.step()
            assert ports.served[1] - before[1] <= a_visit()
            assert ports.served[0] - before[0] <= a_visit()


@cocotb.test()
async def comings_and_goings_starve_nobody(dut):
    ports = Ports(dut)
    await ports.start()
    kinds = sizes(ports.count)
    sent = [0] * ports.count
    for cycle in range(4000):
        if cycle in (700, 1500):
            await ports.reset()
            ports.left = [0] * ports.count
        for port, lengths in enumerate(kinds):
            if random.random() < 0.2 / ports.count:
                for _ in range(random.randint(1, 4)):
                    ports.waiting[port].append(random.choice(lengths))
                    sent[port] += ports.waiting[port][-1]
        await ports.step(random.random() < 0.8)
    while any(ports.waiting):
        await ports.step()
    assert ports.served == sent


@pytest.mark.parametrize(
    "parameters",
    [
        {"N_PORTS": 1, "DATA_BYTES": 8, "MAX_PACKET_BYTES": 64, "QUANTUM_BYTES": 72},
        {"N_PORTS": 3, "DATA_BYTES": 4, "MAX_PACKET_BYTES": 31, "QUANTUM_BYTES": 35},
        {"N_PORTS": 6, "DATA_BYTES": 32, "MAX_PACKET_BYTES": 200, "QUANTUM_BYTES": 512},
        {},
    ],
    ids=str,
)
def test_byte_scheduler(parameters):
    runner.run("byte_scheduler", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"N_PORTS": 0}, "N_PORTS must be 1 to 64"),
        ({"N_PORTS": 65}, "N_PORTS must be 1 to 64"),
        ({"DATA_BYTES": 0}, "DATA_BYTES must be 1 or more"),
        ({"MAX_PACKET_BYTES": 0}, "MAX_PACKET_BYTES must be 1 or more"),
        ({"QUANTUM_BYTES": 1631}, "QUANTUM_BYTES must be MAX_PACKET_BYTES and a beat, or more"),
        ({"QUANTUM_BYTES": 65536}, "QUANTUM_BYTES must be .* below 65536"),
    ],
    ids=str,
)
def test_byte_scheduler_refuses(parameters, sentence):
    runner.refuses("byte_scheduler", parameters, sentence)
