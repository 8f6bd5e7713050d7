# SPDX-License-Identifier: Apache-2.0
"""axis_register

- Packets of every length around a beat come out as they went in, whatever source and sink do.
- A beat every cycle, one cycle after it went in.
- Stalled, it holds two beats and no more, and no path leads from ready to ready.
- A reset throws away what is inside; what comes after it is whole.
- Each parameter check fires.
"""

import cocotb
import pytest

from bench import runner
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


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def packets_come_out_as_they_went_in(dut, mood):
    bench = await started(dut, mood)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    beats = joined([packet(source.format, length) for length in lengths(source.format, 60)])
    source.send(beats)
    assert await sink.wait_for(len(beats)) == beats
    await finish(bench)


@cocotb.test()
async def a_beat_passes_every_cycle_one_cycle_later(dut):
    bench = await started(dut)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    accepted, arrived = watch(bench)
    beats = [beat(source.format) for _ in range(100)]
    source.send(beats)
    assert await sink.wait_for(len(beats)) == beats
    assert accepted == list(range(accepted[0], accepted[0] + len(beats)))
    assert arrived == [cycle + 1 for cycle in accepted]
    await finish(bench)


@cocotb.test()
async def a_stalled_register_holds_two_beats(dut):
    bench = await started(dut)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    sink.pause = stall()
    beats = packet_of_beats(source.format, 5)
    source.send(beats)
    await bench.cycles(20)
    assert source.sent == 2
    sink.pause = None
    assert await sink.wait_for(len(beats)) == beats
    await finish(bench)


@cocotb.test()
async def ready_does_not_lead_to_ready(dut):
    bench = await started(dut)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    sink.pause = stall()
    beats = packet_of_beats(source.format, 5)
    source.send(beats)
    await bench.cycles(20)
    assert not await ready_leads_to_ready(dut)
    sink.pause = None
    assert await sink.wait_for(len(beats)) == beats
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
        beats = packet_of_beats(source.format, 4)
        source.send(beats)
        assert await sink.wait_for(len(beats)) == beats
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [{"DATA_BYTES": 5, "USER_BITS": 3}, {}, {"DATA_BYTES": 1, "USER_BITS": 1}],
    ids=str,
)
def test_axis_register(parameters):
    runner.run("axis_register", parameters)


@pytest.mark.parametrize("parameter", ["DATA_BYTES", "USER_BITS"])
def test_axis_register_refuses(parameter):
    runner.refuses("axis_register", {parameter: 0}, f"{parameter} must be 1 or more")
