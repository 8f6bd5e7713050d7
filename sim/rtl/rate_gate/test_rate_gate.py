# SPDX-License-Identifier: Apache-2.0
"""rate_gate

- Packets pass whole and unchanged, whatever source and sink do and whatever the rate; the stream contract holds
  although the rate changes at any time, to zero as well.
- Under load the bytes that pass are the rate's, within a burst and a packet; an unlimited rate passes a beat a cycle.
- Each parameter check fires.
"""

import random

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from rtl.axis_traffic.traffic import Mood, finish, joined, lengths, packet, started

UNLIMITED = 65535


async def begin(dut, mood=Mood.flowing, rate=UNLIMITED, burst=2000):
    dut.cfg_rate.value = rate
    dut.cfg_burst.value = burst
    bench = await started(dut, mood)
    return bench, bench.source["s_axis"], bench.sink["m_axis"]


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def packets_pass_whole_whatever_the_rate(dut, mood):
    bench, source, sink = await begin(dut, mood)
    beats = joined([packet(source.format, n) for n in lengths(source.format, 150)])
    source.send(beats)
    while len(sink.beats) < len(beats):
        dut.cfg_rate.value = random.choice((0, 100, 3000, UNLIMITED))
        await bench.cycles(random.randint(1, 40))
        dut.cfg_rate.value = UNLIMITED
        await bench.cycles(2)
    assert await sink.wait_for(len(beats)) == beats
    await finish(bench)


@cocotb.test()
async def what_passes_is_the_rate(dut):
    lane = parameters()["DATA_BYTES"]
    longest = 6 * lane
    for rate in (20, 256, 128 * lane):
        bench, source, sink = await begin(dut, rate=rate, burst=longest)
        cycles = 5000
        sent = 0
        while sent < rate / 256 * cycles * 1.2 + 3 * longest:
            length = random.randint(1, longest)
            source.send(packet(source.format, length))
            sent += length
        await bench.cycles(cycles)
        passed = sum(sink.format.field(one, "keep").bit_count() for one in sink.beats)
        earned = rate / 256 * cycles
        assert earned - longest - rate / 128 <= passed <= earned + 2 * longest + rate / 128, f"{passed}, not {earned}"
        source.clear()
        await bench.reset()


@cocotb.test()
async def without_a_limit_a_beat_passes_every_cycle(dut):
    bench, source, sink = await begin(dut, burst=20000)
    await bench.cycles(100)
    beats = joined([packet(source.format, parameters()["DATA_BYTES"]) for _ in range(300)])
    sink.arrivals = []
    source.send(beats)
    assert await sink.wait_for(300) == beats
    assert sink.arrivals == list(range(sink.arrivals[0], sink.arrivals[0] + 300))
    await finish(bench)


@pytest.mark.parametrize("parameters", [{"DATA_BYTES": 4, "USER_BITS": 1}, {}], ids=str)
def test_rate_gate(parameters):
    runner.run("rate_gate", parameters)


@pytest.mark.parametrize("value", [1, 24, 512])
def test_rate_gate_refuses(value):
    runner.refuses("rate_gate", {"DATA_BYTES": value}, "DATA_BYTES must be a power of two, 2 to 256")
