# SPDX-License-Identifier: Apache-2.0
"""axis_downsizer

The rule: the bytes of a packet, cut anew into beats of the output's width; tuser from the wide beat that holds a narrow
beat's bytes.

- Packets of every length up to three wide beats, then random ones, whatever source and sink do.
- A narrow beat leaves every cycle, across wide beats too; the first one cycle after its wide one.
- A reset throws away what is inside.
- Each parameter check fires.
"""

import random

import cocotb
import pytest

from bench import runner
from rtl.axis_traffic.traffic import (
    Mood,
    contents,
    finish,
    joined,
    lanes,
    packet,
    recut,
    started,
    watch,
)


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def bytes_are_spread_over_narrow_beats(dut, mood):
    bench = await started(dut, mood)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    wide, narrow = lanes(source.format), lanes(sink.format)
    sizes = [*range(1, 3 * wide + 1), *(random.randint(1, 9 * wide) for _ in range(60))]
    packets = [packet(source.format, size) for size in sizes]
    source.send(joined(packets))
    expected = joined([recut(source.format, p, narrow) for p in packets])
    assert contents(sink.format, await sink.wait_for(len(expected), 50_000)) == expected
    await finish(bench)


@cocotb.test()
async def a_narrow_beat_leaves_every_cycle(dut):
    bench = await started(dut)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    accepted, arrived = watch(bench)
    wide, narrow = lanes(source.format), lanes(sink.format)
    packets = [packet(source.format, size) for size in [1, wide, 1, 3 * wide - 1, 5 * wide, 2 * wide + 1]]
    source.send(joined(packets))
    expected = joined([recut(source.format, p, narrow) for p in packets])
    assert contents(sink.format, await sink.wait_for(len(expected), 5_000)) == expected
    assert arrived == list(range(accepted[0] + 1, accepted[0] + 1 + len(expected)))
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def after_a_reset_nothing_old_comes_out(dut, mood):
    bench = await started(dut, mood)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    wide, narrow = lanes(source.format), lanes(sink.format)
    for pause in range(10):
        source.send(packet(source.format, 10 * wide))
        await bench.cycles(5 + pause)
        await bench.reset()
        one = packet(source.format, 2 * wide + 1)
        source.send(one)
        expected = recut(source.format, one, narrow)
        assert contents(sink.format, await sink.wait_for(len(expected), 5_000)) == expected
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [
        {"S_DATA_BYTES": 6, "M_DATA_BYTES": 2, "USER_BITS": 5},
        {"S_DATA_BYTES": 2, "M_DATA_BYTES": 1, "USER_BITS": 1},
        {"S_DATA_BYTES": 8, "M_DATA_BYTES": 1, "USER_BITS": 9},
        {},
    ],
    ids=str,
)
def test_axis_downsizer(parameters):
    runner.run("axis_downsizer", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"M_DATA_BYTES": 0}, "M_DATA_BYTES must be 1 or more"),
        ({"M_DATA_BYTES": 5}, "S_DATA_BYTES must be a multiple of M_DATA_BYTES, twice or more"),
        ({"M_DATA_BYTES": 32}, "S_DATA_BYTES must be a multiple of M_DATA_BYTES, twice or more"),
        ({"S_DATA_BYTES": 0}, "S_DATA_BYTES must be a multiple of M_DATA_BYTES, twice or more"),
        ({"USER_BITS": 0}, "USER_BITS must be 1 or more"),
    ],
    ids=str,
)
def test_axis_downsizer_refuses(parameters, sentence):
    runner.refuses("axis_downsizer", parameters, sentence)
