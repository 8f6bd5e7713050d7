# SPDX-License-Identifier: Apache-2.0
"""input_queue

- Random packets, good, bad and too long, whatever source and sink do: what is neither comes out whole, unchanged, in
  order, with its length on every beat; every packet raises exactly one of the four pulses, and status_taken tells its
  length.
- Lengths around MAX_PACKET_BYTES: exactly that passes; a byte more, a beat more and many beats more are too long. Bad
  comes before long.
- A packet leaves with the header's latency after its last beat; packets of one beat pass every cycle.
- With the output stalled exactly what fits is kept (drop), or the input waits and nothing is lost.
- status_more is up just when a second packet has come in.
- A reset throws away what is inside; what comes after it is whole.
- Each parameter check fires.
"""

import random

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from rtl.axis_traffic.traffic import Mood, finish, flag, joined, set_mood, split, stall, started, watch
from rtl.switch_traffic.pulses import Pulses, frame, payload

DROPS = ("status_dropped_bad", "status_dropped_long", "status_dropped_full")


async def begin(dut, mood=Mood.flowing):
    bench = await started(dut, mood)
    pulses = Pulses(bench, ("status_taken", *DROPS))
    taken = []

    def note():
        if dut.status_taken.value:
            taken.append(int(dut.status_taken_bytes.value))

    bench.on_cycle(note)
    return bench, pulses, taken, bench.source["s_axis"], bench.sink["m_axis"]


def fits(length):
    return length <= parameters()["MAX_PACKET_BYTES"]


def check_out(sink, beats, wanted):
    packets = split(sink.format, beats)
    assert [payload(sink.format, p) for p in packets] == wanted
    for packet, data in zip(packets, wanted, strict=True):
        assert {sink.format.field(one, "length") for one in packet} == {len(data)}


async def drained(bench, sink, count):
    beats = await sink.wait_for(count, 100_000) if count else []
    await bench.cycles(20)
    return beats


def beats_of(lengths):
    return sum(-(-length // parameters()["DATA_BYTES"]) for length in lengths)


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def a_packet_comes_out_with_its_length_or_is_counted(dut, mood):
    bench, pulses, taken, source, sink = await begin(dut, mood)
    limit, lane = parameters()["MAX_PACKET_BYTES"], parameters()["DATA_BYTES"]
    longest = (parameters()["DEPTH_WORDS"] // 2) * lane  # so that two of them always fit
    wanted, bad, long = [], 0, 0
    for _ in range(150):
        edge = random.choice((1, lane, lane + 1, limit - 1, limit, limit + 1, limit + lane, limit + 3 * lane))
        length = random.choice((edge, random.randint(1, limit + lane)))
        length = max(1, min(length, longest))
        data, is_bad = random.randbytes(length), random.random() < 0.2
        source.send(frame(source.format, data, bad=int(is_bad)))
        bad += is_bad
        long += not is_bad and not fits(length)
        if not is_bad and fits(length):
            wanted.append(data)
        if flag("DROP_WHEN_FULL"):
            await source.wait_idle()
            while len(sink.beats) < beats_of(map(len, wanted)):
                await bench.cycles(1)
    await source.wait_idle()
    check_out(sink, await drained(bench, sink, beats_of(map(len, wanted))), wanted)
    counts = [pulses.of(name) for name in ("status_taken", *DROPS)]
    assert counts == [len(wanted), bad, long, 0]
    assert taken == [len(data) for data in wanted]
    assert bad and (long or longest <= limit)
    await finish(bench)


@cocotb.test()
async def exactly_the_longest_packet_passes(dut):
    bench, pulses, _, source, sink = await begin(dut)
    limit, lane, depth = (parameters()[n] for n in ("MAX_PACKET_BYTES", "DATA_BYTES", "DEPTH_WORDS"))
    for extra in (0, 1, lane - 1, lane, lane + 1, 5 * lane):
        if limit + extra > depth * lane:
            continue
        for bad in (0, 1):
            before = {name: pulses.of(name) for name in pulses.count}
            data = random.randbytes(limit + extra)
            source.send(frame(source.format, data, bad=bad))
            await source.wait_idle()
            wanted = [data] if not bad and not extra else []
            check_out(sink, await drained(bench, sink, beats_of(map(len, wanted))), wanted)
            rose = [name for name in pulses.count if pulses.of(name) != before[name]]
            assert rose == ["status_dropped_bad" if bad else "status_dropped_long" if extra else "status_taken"]
    await finish(bench)


@cocotb.test()
async def it_leaves_on_time_and_short_ones_every_cycle(dut):
    bench, _, _, source, sink = await begin(dut)
    accepted, arrived = watch(bench)
    latency = (2 if parameters()["DEPTH_WORDS"] <= 64 else 3) + 1
    data = [random.randbytes(1) for _ in range(200)]
    source.send(joined([frame(source.format, one, bad=0) for one in data]))
    check_out(sink, await drained(bench, sink, 200), data)
    assert accepted == list(range(accepted[0], accepted[0] + 200))
    assert arrived == [cycle + latency for cycle in accepted]
    await finish(bench)


@cocotb.test()
async def when_full_it_keeps_what_fits_or_waits(dut):
    bench, pulses, _, source, sink = await begin(dut)
    depth, lane = parameters()["DEPTH_WORDS"], parameters()["DATA_BYTES"]
    sink.pause = stall()
    data = [random.randbytes(lane) for _ in range(depth + 5)]
    source.send(joined([frame(source.format, one, bad=0) for one in data]))
    await bench.cycles(2 * depth + 20)
    if flag("DROP_WHEN_FULL"):
        assert (pulses.of("status_taken"), pulses.of("status_dropped_full")) == (depth, 5)
        data = data[:depth]
    else:
        assert (pulses.of("status_taken"), pulses.of("status_dropped_full")) == (depth, 0)
    sink.pause = None
    check_out(sink, await drained(bench, sink, len(data)), data)
    await finish(bench)


@cocotb.test()
async def more_says_that_a_second_packet_is_there(dut):
    bench, _, _, source, sink = await begin(dut)
    sink.pause = stall()
    for inside in range(1, 4):
        source.send(frame(source.format, random.randbytes(1), bad=0))
        await bench.cycles(10)
        assert int(dut.status_more.value) == (inside > 1)
    for inside in (2, 1, 0):
        sink.pause = None
        await sink.wait_for(1)
        sink.pause = stall()
        await bench.cycles(3)
        assert int(dut.status_more.value) == (inside - len(sink.beats) > 1)
    await finish(bench)


@cocotb.test()
async def after_a_reset_nothing_old_comes_out(dut):
    bench, pulses, _, source, sink = await begin(dut, Mood.idle_and_backpressure)
    limit = parameters()["MAX_PACKET_BYTES"]
    for pause in range(10):
        source.send(
            joined([frame(source.format, random.randbytes(random.randint(1, limit + 9)), bad=0) for _ in "abc"])
        )
        await bench.cycles(5 + 3 * pause)
        await bench.reset()
        for count in pulses.count.values():
            count.clear()
        data = [random.randbytes(random.randint(1, limit)) for _ in range(2)]
        source.send(joined([frame(source.format, one, bad=0) for one in data]))
        check_out(sink, await drained(bench, sink, beats_of(map(len, data))), data)
        assert [pulses.of(name) for name in ("status_taken", *DROPS)] == [2, 0, 0, 0]
    set_mood(bench, Mood.flowing)
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [
        {"DEPTH_WORDS": 40, "MAX_PACKET_BYTES": 50, "DROP_WHEN_FULL": 1, "DATA_BYTES": 4, "USER_BITS": 1},
        {"DEPTH_WORDS": 80, "MAX_PACKET_BYTES": 64, "DROP_WHEN_FULL": 0, "DATA_BYTES": 8, "USER_BITS": 3},
        {"DEPTH_WORDS": 20, "MAX_PACKET_BYTES": 2, "DROP_WHEN_FULL": 0, "DATA_BYTES": 2, "USER_BITS": 3},
        {},
    ],
    ids=str,
)
def test_input_queue(parameters):
    runner.run("input_queue", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"DEPTH_WORDS": 2, "MAX_PACKET_BYTES": 60}, "DEPTH_WORDS must be 3 or more"),
        ({"MAX_PACKET_BYTES": 0}, "MAX_PACKET_BYTES must be 1 to DEPTH_WORDS beats"),
        ({"MAX_PACKET_BYTES": 512 * 32 + 1}, "MAX_PACKET_BYTES must be 1 to DEPTH_WORDS beats"),
        ({"MAX_PACKET_BYTES": 65536, "DEPTH_WORDS": 4096}, "MAX_PACKET_BYTES must be .* below 65536"),
    ],
    ids=str,
)
def test_input_queue_refuses(parameters, sentence):
    runner.refuses("input_queue", parameters, sentence)
