# SPDX-License-Identifier: Apache-2.0
"""axis_upsizer

The rule: the bytes of a packet, cut anew into beats of the output's width; tuser from the narrow beat that holds a wide
beat's first byte.

- Packets of every length up to three wide beats, then random ones, whatever source and sink do.
- A narrow beat is taken every cycle; a wide one comes one cycle after the narrow one that completes it.
- A reset throws away what is inside, half-filled beats too.
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
async def bytes_are_gathered_into_wide_beats(dut, mood):
    bench = await started(dut, mood)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    wide = lanes(sink.format)
    sizes = [*range(1, 3 * wide + 1), *(random.randint(1, 9 * wide) for _ in range(60))]
    packets = [packet(source.format, size) for size in sizes]
    source.send(joined(packets))
    expected = joined([recut(source.format, p, wide) for p in packets])
    assert contents(sink.format, await sink.wait_for(len(expected), 50_000)) == expected
    await finish(bench)


@cocotb.test()
async def a_narrow_beat_is_taken_every_cycle(dut):
    bench = await started(dut)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    accepted, arrived = watch(bench)
    wide = lanes(sink.format)
    packets = [packet(source.format, size) for size in [1, wide, 1, 3 * wide - 1, 5 * wide, 2 * wide + 1]]
    source.send(joined(packets))
    expected = joined([recut(source.format, p, wide) for p in packets])
    assert contents(sink.format, await sink.wait_for(len(expected), 5_000)) == expected
    assert accepted == list(range(accepted[0], accepted[0] + len(joined(packets))))
    ratio = wide // lanes(source.format)
    ends = [
        i for p in packets for i in [j + 1 == len(p) or j % ratio == ratio - 1 for j in range(len(p))]
    ]  # which narrow beats complete a wide one
    assert arrived == [cycle + 1 for cycle, end in zip(accepted, ends, strict=True) if end]
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def after_a_reset_nothing_old_comes_out(dut, mood):
    bench = await started(dut, mood)
    source, sink = bench.source["s_axis"], bench.sink["m_axis"]
    wide = lanes(sink.format)
    for pause in range(10):
        source.send(packet(source.format, 10 * wide))
        await bench.cycles(5 + pause)
        await bench.reset()
        one = packet(source.format, 2 * wide + 1)
        source.send(one)
        expected = recut(source.format, one, wide)
        assert contents(sink.format, await sink.wait_for(len(expected), 5_000)) == expected
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [
        {"S_DATA_BYTES": 2, "M_DATA_BYTES": 6, "USER_BITS": 5},
        {"S_DATA_BYTES": 1, "M_DATA_BYTES": 2, "USER_BITS": 1},
        {"S_DATA_BYTES": 1, "M_DATA_BYTES": 8, "USER_BITS": 9},
        {},
    ],
    ids=str,
)
def test_axis_upsizer(parameters):
    runner.run("axis_upsizer", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"S_DATA_BYTES": 0}, "S_DATA_BYTES must be 1 or more"),
        ({"S_DATA_BYTES": 5}, "M_DATA_BYTES must be a multiple of S_DATA_BYTES, twice or more"),
        ({"S_DATA_BYTES": 32}, "M_DATA_BYTES must be a multiple of S_DATA_BYTES, twice or more"),
        ({"M_DATA_BYTES": 0}, "M_DATA_BYTES must be a multiple of S_DATA_BYTES, twice or more"),
        ({"USER_BITS": 0}, "USER_BITS must be 1 or more"),
    ],
    ids=str,
)
def test_axis_upsizer_refuses(parameters, sentence):
    runner.refuses("axis_upsizer", parameters, sentence)
