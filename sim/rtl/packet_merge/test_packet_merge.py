# SPDX-License-Identifier: Apache-2.0
"""packet_merge

The judge is a line of Python on bytes (pipeline_traffic): header[:header_length] + packet[strip_length:], or nothing.

- Every pair of lengths with packets of every length up to two beats behind the window, in small builds; random ones
  in large builds; with drops between them, whatever the four streams do. Bytes, tuser on every beat, counters.
- A stream of equal packets takes exactly max(beats in, beats out) cycles a packet, for every way in which lengths and
  lanes can meet, dropped packets included; a mixed one takes no more than the sum of these and the filling.
- The latency is the header's, cycle by cycle, for every such way.
- A stalled output stops the input and loses nothing; no path leads from ready to ready.
- A reset throws away what is inside; what comes after it is whole.
- A shift that was promised not to occur and lengths out of range stop the simulation. Each parameter check fires.
"""

import os
import random

import cocotb
import pytest

from bench import runner
from bench.packets.beats import to_beats
from rtl.axis_traffic.traffic import (
    Mood,
    finish,
    ready_leads_to_ready,
    stall,
    started,
    watch,
)
from rtl.pipeline_traffic.cases import Case, beats_of, beats_out, case, compare, lanes, longest, pairs, some_cases


class Merge:
    """The four streams and the two counters."""

    def __init__(self, bench):
        self.bench = bench
        self.plan, self.header, self.beats = (bench.source[n] for n in ("s_plan", "s_header", "s_axis"))
        self.sink = bench.sink["m_axis"]
        self.sent: list[Case] = []
        self.dropped = self.empty = 0
        bench.on_cycle(self.count)

    def count(self):
        self.dropped += int(self.bench.dut.status_dropped.value)
        self.empty += int(self.bench.dut.status_empty.value)

    def send(self, cases):
        self.sent += cases
        self.plan.send(
            self.plan.format.pack(header_length=c.length, strip_length=c.strip, drop=int(c.drop)) for c in cases
        )
        self.header.send(
            self.header.format.pack(
                data=int.from_bytes(c.header, "big"), length=c.length, drop=int(c.drop), user=c.user
            )
            for c in cases
        )
        for c in cases:
            self.beats.send(to_beats(c.packet, lanes(), format=self.beats.format, unused=random.randrange(256)))

    async def judge(self, cycles=60_000):
        """Waits for all results, and compares them with what was sent."""
        beats = await self.sink.wait_for(beats_out(self.sent), cycles)
        gone = sum(not c.result for c in self.sent)
        for _ in range(cycles):
            if self.dropped + self.empty >= gone:
                break
            await self.bench.cycles(1)
        await self.bench.cycles(3)
        compare(self.sink.format, beats, self.sent)
        assert self.dropped == sum(c.drop for c in self.sent)
        assert self.empty == sum(not c.drop and not c.result for c in self.sent)
        self.sent, self.dropped, self.empty = [], 0, 0


async def begin(dut, mood=Mood.flowing):
    bench = await started(dut, mood)
    return bench, Merge(bench)


def exhaustive():
    return lanes() <= 4


def sorts():
    """Packets of every kind: each case is (packet, header, strip); all in small builds, else a sample."""
    every = [(n, h, s) for h, s in pairs() for n in range(1, longest() + 1)]
    if exhaustive():
        return every
    return random.sample(every, min(600, len(every)))


@cocotb.test()
async def every_header_meets_every_packet(dut):
    bench, merge = await begin(dut)
    merge.send([case(*sort) for sort in sorts()])
    await merge.judge()
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def packets_and_drops_leave_in_order_whatever_the_streams_do(dut, mood):
    bench, merge = await begin(dut, mood)
    for drops in (0, 0.2, 0.9):
        merge.send(some_cases(150, drops))
        await merge.judge()
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(slow=["s_plan", "s_header", "s_axis", "m_axis"])
async def one_slow_stream_holds_the_others(dut, slow):
    bench, merge = await begin(dut)
    everything = {**bench.source, **bench.sink}
    everything[slow].pause = (random.random() < 0.8 for _ in iter(int, 1))
    merge.send(some_cases(120))
    await merge.judge()
    everything[slow].pause = None
    await finish(bench)


@cocotb.test()
async def equal_packets_take_as_many_cycles_as_beats(dut):
    bench, merge = await begin(dut)
    accepted, _ = watch(bench)
    chosen = random.sample(sorts(), min(250 if exhaustive() else 100, len(sorts())))
    chosen += [(n, 0, 0) for n in (1, lanes(), lanes() + 1, 2 * lanes(), 2 * lanes() + 1) if (0, 0) in pairs()]
    warm, count = 10, 8
    wrong = []
    for packet, length, strip in chosen:
        for drop in (False, True):
            accepted.clear()
            one = case(packet, length, strip, drop)
            merge.send([one] * (warm + count))
            await merge.judge()
            into, out = one.beats
            ends = accepted[into - 1 :: into]
            taken = ends[-1] - ends[-1 - count]
            if taken != count * max(into, out):
                wrong.append(f"{packet, length, strip, drop}: {taken} for {count} x {into, out}")
    assert not wrong, f"{len(wrong)} of {2 * len(chosen)}: {wrong[:12]}"
    await finish(bench)


@cocotb.test()
async def mixed_packets_take_no_longer_than_each_alone(dut):
    bench, merge = await begin(dut)
    accepted, _ = watch(bench)
    for _ in range(10):
        accepted.clear()
        cases = some_cases(100)
        merge.send(cases)
        await merge.judge()
        bound = sum(max(c.beats) for c in cases)
        spread = max(min(c.beats) for c in cases)
        taken = accepted[-1] - accepted[0] + 1
        assert taken <= bound + spread, f"{taken} cycles, {bound} + {spread} allowed"
    await finish(bench)


def wait_of(c):
    """Cycles from a plan to the first beat that leaves, as the header of the module has it."""
    lane = lanes()
    whole, rest = divmod(c.length, lane)
    skipped, first = divmod(c.strip, lane)
    if whole > 1 or (whole == 1 and rest):
        return 2
    have = beats_of(len(c.packet))
    if len(c.packet) <= c.strip:
        return 2 + have  # the last beat of the packet tells that nothing is left
    two = not whole and rest < first and have > skipped + 1
    return 3 + skipped + two


@cocotb.test()
async def the_first_beat_leaves_as_soon_as_said(dut):
    bench, merge = await begin(dut)
    _, arrived = watch(bench)
    for packet, length, strip in random.sample(sorts(), min(400, len(sorts()))):
        one = case(packet, length, strip)
        if not one.result:
            continue
        merge.sent.append(one)
        merge.beats.send(to_beats(one.packet, lanes(), format=merge.beats.format))
        await bench.cycles(8)
        plan = {"header_length": one.length, "strip_length": one.strip, "drop": 0}
        merge.plan.send([merge.plan.format.pack(**plan)])
        await bench.cycles(1)
        begun = merge.sink.cycle + 1  # the cycle in which the plan is there
        data = int.from_bytes(one.header, "big")
        merge.header.send([merge.header.format.pack(data=data, length=one.length, drop=0, user=one.user)])
        arrived.clear()
        await merge.judge()
        assert arrived[0] - begun == wait_of(one), f"{packet, length, strip}: {arrived[0] - begun} cycles"
        assert arrived == sorted(set(arrived))
    await finish(bench)


@cocotb.test()
async def a_stalled_output_stops_the_input_and_loses_nothing(dut):
    bench, merge = await begin(dut)
    for _ in range(3):
        merge.sink.pause = stall()
        merge.send([case(300, *random.choice(pairs())) for _ in range(40)])
        await bench.cycles(400)
        sent = merge.beats.sent
        await bench.cycles(3_000)
        assert merge.beats.sent == sent
        assert not await ready_leads_to_ready(dut)
        merge.sink.pause = None
        await merge.judge()
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def after_a_reset_nothing_old_comes_out(dut, mood):
    bench, merge = await begin(dut, mood)
    for pause in range(25):
        merge.send(some_cases(30))
        await bench.cycles(3 + 2 * pause)
        await bench.reset()
        assert not dut.status_dropped.value and not dut.status_empty.value
        merge.sent, merge.dropped, merge.empty = [], 0, 0
        merge.send(some_cases(6))
        await merge.judge()
    await finish(bench)


@cocotb.test(skip="BREAK_PROMISE" not in os.environ)
async def a_broken_promise_stops_the_simulation(dut):
    bench, merge = await begin(dut)
    length, strip = map(int, os.environ["BREAK_PROMISE"].split())
    merge.send([case(20, 2, 0), case(20, length, strip, drop=True)])
    await merge.judge()  # lengths mean nothing with the drop flag
    merge.sent.clear()
    merge.send([case(20, length, strip)])
    await bench.cycles(50)


THREE_SHIFTS = 1 << 0 | 1 << 12 | 1 << 20


@pytest.mark.parametrize(
    "parameters",
    [
        {"DATA_BYTES": 4, "USER_BITS": 3, "WINDOW_BYTES": 11, "MAX_HEADER_BYTES": 12},
        {"DATA_BYTES": 8, "USER_BITS": 2, "WINDOW_BYTES": 26, "MAX_HEADER_BYTES": 29, "SHIFTS": 0b1001_1101},
        {"DATA_BYTES": 8, "USER_BITS": 2, "WINDOW_BYTES": 9, "MAX_HEADER_BYTES": 1, "SHIFTS": 0b0010_0000},
        {"DATA_BYTES": 2, "USER_BITS": 1, "WINDOW_BYTES": 1, "MAX_HEADER_BYTES": 5, "SHIFTS": 0b11},
        {"DATA_BYTES": 4, "USER_BITS": 8, "WINDOW_BYTES": 8, "MAX_HEADER_BYTES": 5, "SHIFTS": 0b0101},
        {"SHIFTS": THREE_SHIFTS},
        {},
    ],
    ids=str,
)
def test_packet_merge(parameters):
    runner.run("packet_merge", parameters)


@pytest.mark.parametrize(
    ("lengths", "check"),
    [("1 0", "a_shift_is_promised"), ("2 12", "a_strip_is_in_range"), ("6 8", "a_header_is_in_range")],
)
def test_packet_merge_watches_its_promises(lengths, check):
    small = {"DATA_BYTES": 4, "USER_BITS": 8, "WINDOW_BYTES": 8, "MAX_HEADER_BYTES": 5, "SHIFTS": 0b0101}
    with pytest.raises(AssertionError, match=check):
        runner.run("packet_merge", small, only="a_broken_promise", settings={"BREAK_PROMISE": lengths})


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"DATA_BYTES": 1}, "DATA_BYTES must be a power of two, 2 or more"),
        ({"DATA_BYTES": 12}, "DATA_BYTES must be a power of two, 2 or more"),
        ({"USER_BITS": 0}, "USER_BITS must be 1 or more"),
        ({"WINDOW_BYTES": 0}, "WINDOW_BYTES must be 1 or more"),
        ({"MAX_HEADER_BYTES": 0}, "MAX_HEADER_BYTES must be 1 or more"),
        ({"SHIFTS": 0}, "SHIFTS must have a bit"),
    ],
    ids=str,
)
def test_packet_merge_refuses(parameters, sentence):
    runner.refuses("packet_merge", parameters, sentence)
