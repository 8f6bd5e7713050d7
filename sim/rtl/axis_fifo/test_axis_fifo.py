# SPDX-License-Identifier: Apache-2.0
"""axis_fifo

- Packets of every length around a beat come out as they went in, whatever source and sink do.
- status_depth_words is, in every cycle of those tests, the number of beats inside.
- A beat in and a beat out every cycle; the latency is exactly the header's for distributed and for block RAM.
- It holds exactly DEPTH_WORDS beats, says so, and takes none more; no path leads from ready to ready.
- A reset throws away what is inside; what comes after it is whole.
- Each parameter check fires.
"""

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from rtl.axis_traffic.traffic import (
    Mood,
    beat,
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


def watch_level(bench):
    """Compares status_depth_words with what has gone in and come out, once a cycle."""
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    sink.arrivals = sink.arrivals if sink.arrivals is not None else []
    already = source.sent - len(sink.arrivals)
    inside = 0
    levels = set()

    def step():
        nonlocal inside
        level = int(bench.dut.status_depth_words.value)
        assert level == inside, f"{level} words are said to be inside, {inside} are"
        levels.add(level)
        inside = source.sent - len(sink.arrivals) - already

    bench.on_cycle(step)
    return levels


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def packets_come_out_as_they_went_in(dut, mood):
    bench = await started(dut, mood)
    levels = watch_level(bench)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    beats = joined([packet(source.format, length) for length in lengths(source.format, 150)])
    source.send(beats)
    assert await sink.wait_for(len(beats), 30_000) == beats
    await finish(bench)
    assert 0 in levels and len(levels) > 1


@cocotb.test()
async def a_beat_passes_every_cycle(dut):
    bench = await started(dut)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    accepted, arrived = watch(bench)
    beats = [beat(source.format) for _ in range(3 * parameters()["DEPTH_WORDS"])]
    source.send(beats)
    assert await sink.wait_for(len(beats), 10_000) == beats
    assert arrived == [cycle + latency() for cycle in accepted]
    if parameters()["DEPTH_WORDS"] >= 3:
        assert accepted == list(range(accepted[0], accepted[0] + len(beats)))
    await finish(bench)


@cocotb.test()
async def it_holds_as_many_beats_as_it_says(dut):
    bench = await started(dut)
    levels = watch_level(bench)
    depth = parameters()["DEPTH_WORDS"]
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    for _ in range(3):
        before = source.sent
        sink.pause = stall()
        beats = packet_of_beats(source.format, depth + 3)
        source.send(beats)
        await bench.cycles(depth + 10)
        assert source.sent - before == depth
        assert int(dut.status_depth_words.value) == depth
        assert not await ready_leads_to_ready(dut)
        sink.pause = None
        assert await sink.wait_for(len(beats), 10_000) == beats
        await bench.cycles(5)
    assert levels == set(range(depth + 1))
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
        assert int(dut.status_depth_words.value) == 0
        beats = packet_of_beats(source.format, 9)
        source.send(beats)
        assert await sink.wait_for(len(beats), 10_000) == beats
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [
        {"DEPTH_WORDS": 5, "DATA_BYTES": 5, "USER_BITS": 3},
        {"DEPTH_WORDS": 4, "DATA_BYTES": 1, "USER_BITS": 1},
        {"DEPTH_WORDS": 1, "DATA_BYTES": 2, "USER_BITS": 2},
        {"DEPTH_WORDS": 65, "DATA_BYTES": 3, "USER_BITS": 1},
        {"DEPTH_WORDS": 2, "DATA_BYTES": 1, "USER_BITS": 9},
        {},
    ],
    ids=str,
)
def test_axis_fifo(parameters):
    runner.run("axis_fifo", parameters)


@pytest.mark.parametrize("parameter", ["DEPTH_WORDS", "DATA_BYTES", "USER_BITS"])
def test_axis_fifo_refuses(parameter):
    runner.refuses("axis_fifo", {parameter: 0}, f"{parameter} must be 1 or more")
