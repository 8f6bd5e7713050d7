# SPDX-License-Identifier: Apache-2.0
"""packet_memory

- Packets of every length around a beat come out as they went in, whatever source and sink do.
- A beat in and a beat out every cycle; the latency is exactly the header's for distributed and for block RAM.
- It holds exactly DEPTH_WORDS beats and takes none more; no path leads from ready to ready.
- A reset throws away what is inside; what comes after it is whole.
- Each parameter check fires.
"""

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from rtl.axis_traffic.traffic import (
    Mood,
    finish,
    joined,
    lengths,
    packet,
    packet_of_beats,
    ready_leads_to_ready,
    stall,
    started,
    watch,
)


def latency() -> int:
    """Cycles: distributed RAM up to 64 beats, block RAM above."""
    return 2 if parameters()["DEPTH_WORDS"] <= 64 else 3


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def packets_come_out_as_they_went_in(dut, mood):
    bench = await started(dut, mood)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    beats = joined([packet(source.format, length) for length in lengths(source.format, 150)])
    source.send(beats)
    assert await sink.wait_for(len(beats), 30_000) == beats
    await finish(bench)


@cocotb.test()
async def a_beat_passes_every_cycle(dut):
    bench = await started(dut)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    accepted, arrived = watch(bench)
    beats = joined([packet_of_beats(source.format, 1 + i % 3) for i in range(parameters()["DEPTH_WORDS"])])
    source.send(beats)
    assert await sink.wait_for(len(beats), 10_000) == beats
    assert arrived == [cycle + latency() for cycle in accepted]
    if parameters()["DEPTH_WORDS"] >= 4:
        assert accepted == list(range(accepted[0], accepted[0] + len(beats)))
    await finish(bench)


@cocotb.test()
async def it_holds_as_many_beats_as_it_says(dut):
    bench = await started(dut)
    depth = parameters()["DEPTH_WORDS"]
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    for _ in range(3):
        before = source.sent
        sink.pause = stall()
        beats = packet_of_beats(source.format, depth + 3)
        source.send(beats)
        await bench.cycles(depth + 10)
        assert source.sent - before == depth
        assert not await ready_leads_to_ready(dut)
        sink.pause = None
        assert await sink.wait_for(len(beats), 10_000) == beats
        await bench.cycles(5)
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def after_a_reset_nothing_old_comes_out(dut, mood):
    bench = await started(dut, mood)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    for pause in range(8):
        source.send(packet_of_beats(source.format, 30))
        await bench.cycles(5 + pause)
        await bench.reset()
        beats = packet_of_beats(source.format, 9)
        source.send(beats)
        assert await sink.wait_for(len(beats), 10_000) == beats
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [
        {"DEPTH_WORDS": 4, "DATA_BYTES": 5},
        {"DEPTH_WORDS": 2, "DATA_BYTES": 1},
        {"DEPTH_WORDS": 128, "DATA_BYTES": 2},
        {},
    ],
    ids=str,
)
def test_packet_memory(parameters):
    runner.run("packet_memory", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"DEPTH_WORDS": 1}, "DEPTH_WORDS must be a power of two, 2 or more"),
        ({"DEPTH_WORDS": 24}, "DEPTH_WORDS must be a power of two, 2 or more"),
        ({"DATA_BYTES": 0}, "DATA_BYTES must be 1 or more"),
    ],
    ids=str,
)
def test_packet_memory_refuses(parameters, sentence):
    runner.refuses("packet_memory", parameters, sentence)
