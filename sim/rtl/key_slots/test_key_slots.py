# SPDX-License-Identifier: Apache-2.0
"""key_slots

- What is taken leaves once, in order, exactly LATENCY_CYCLES later; nothing else leaves.
- A slot comes round every CYCLES_PER_KEY cycles, in the cycle in which phase is 0; phase counts through the cycles.
- Nothing is taken in reset, and a reset forgets what is under way.
- Latencies shorter than a slot, of a whole number of slots and one cycle to either side. Each parameter check fires.

That no order of events breaks this is proved by key_slots.sby.
"""

import random

import cocotb
import pytest

from bench import runner
from bench.stream import StreamBench, parameters


def gaps():
    while True:
        yield random.random() < 0.4


@cocotb.test()
@cocotb.parametrize(pushed=[True, False])
async def what_is_taken_leaves_exactly_in_time(dut, pushed):
    bench = StreamBench(dut)
    await bench.start()
    every, latency = parameters()["CYCLES_PER_KEY"], parameters()["LATENCY_CYCLES"]
    source, sink = bench.source["s"], bench.sink["m"]
    source.pause = None if pushed else gaps()
    due = []  # cycle and word of what has to leave
    arrived = []
    phases = []
    cycle = 0

    def step():
        nonlocal cycle
        cycle += 1
        valid, ready = int(dut.s_beat.value) >> side_bits, int(dut.s_ready.value)
        if valid and ready:
            due.append((cycle + latency, int(dut.s_beat.value) & ((1 << side_bits) - 1)))
        if int(dut.m_beat.value) >> side_bits:
            arrived.append((cycle, int(dut.m_beat.value) & ((1 << side_bits) - 1)))
        phases.append((int(dut.phase.value), ready))

    side_bits = parameters()["SIDE_BITS"]
    bench.on_cycle(step)
    words = [random.getrandbits(side_bits) for _ in range(150)]
    source.send(words)
    assert await sink.wait_for(len(words), 1000 * every + 10 * latency) == words
    await bench.cycles(latency + 3 * every)
    bench.check()
    assert arrived == due
    first = phases.index((0, 1))
    assert first <= every + 1
    assert phases[first:] == [(n % every, int(n % every == 0)) for n in range(len(phases) - first)]


@cocotb.test()
async def a_reset_forgets_what_is_under_way(dut):
    bench = StreamBench(dut)
    await bench.start()
    every, latency = parameters()["CYCLES_PER_KEY"], parameters()["LATENCY_CYCLES"]
    for cycles in range(1, latency + 2 * every, 1 + latency // 20):
        bench.source["s"].send([0] * (latency + 10))
        await bench.cycles(cycles)
        dut.rst.value = 1  # with a word still offered
        await bench.cycles(2)
        assert not int(dut.s_ready.value)
        await bench.reset(every + 1)
        await bench.cycles(latency + 2 * every)
        bench.check()
        bench.source["s"].send([1])
        assert await bench.sink["m"].wait_for(1, latency + 3 * every) == [1]


@pytest.mark.parametrize(
    "parameters",
    [(4, 13, 9), (4, 12, 1), (4, 14, 3), (1, 2, 9), (1, 30, 2), (7, 6, 4), (128, 203, 9)],
    ids=str,
)
def test_key_slots(parameters):
    runner.run("key_slots", dict(zip(("CYCLES_PER_KEY", "LATENCY_CYCLES", "SIDE_BITS"), parameters, strict=True)))


@pytest.mark.parametrize("value", [-1, 0, 129])
def test_cycles_per_key_is_checked(value):
    runner.refuses("key_slots", {"CYCLES_PER_KEY": value}, "CYCLES_PER_KEY must be from 1 to 128")


def test_latency_cycles_is_checked():
    runner.refuses("key_slots", {"LATENCY_CYCLES": 1}, "LATENCY_CYCLES must be 2 or more")


def test_side_bits_is_checked():
    runner.refuses("key_slots", {"SIDE_BITS": 0}, "SIDE_BITS must be 1 or more")
