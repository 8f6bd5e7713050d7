# SPDX-License-Identifier: Apache-2.0
"""axis_async_fifo

Everything runs with the pairs of clocks in `CLOCKS`: the two of the SUME both ways round, equal, nearly equal, far
apart.

- Packets of every length around a beat come out as they went in, tbad too, whatever source and sink do.
- The slower clock's full rate; the header's latency as a bound.
- Stalled, it holds what the header says, and the input waits.
- s_rst while the output runs on: whole packets come out, then at most one that is cut, closed and marked bad, then
  only what was sent after the reset. The output keeps the stream contract all the time, stalled or not.
- m_rst while the input runs on: only whole packets come out, unchanged, in order; what is sent later all arrives.
- A side that is reset again while its last reset is still under way: no packet is torn, what is sent later arrives.
- Each parameter check fires.
"""

import random

import cocotb
import pytest

from bench import runner
from bench.stream import StreamBench, parameters
from rtl.axis_traffic.traffic import (
    Mood,
    beat,
    joined,
    lengths,
    packet,
    packet_of_beats,
    set_mood,
    split,
    stall,
    wait_packets,
)

CLOCKS = {
    "sume_rx": (6.4, 5),
    "sume_tx": (5, 6.4),
    "equal": (5, 5),
    "near": (5, 5.002),
    "near_back": (5.002, 5),
    "fast_in": (2, 14.2),
    "fast_out": (14.2, 2),
}
every_clock = cocotb.parametrize(clocks=list(CLOCKS))


class Sides:
    """The two benches, one a clock."""

    def __init__(self, dut, clocks, mood=Mood.flowing):
        self.into = StreamBench(dut, clock="s_clk", reset="s_rst", streams=["s_axis"])
        self.out = StreamBench(dut, clock="m_clk", reset="m_rst", streams=["m_axis"])
        self.source, self.sink = self.into.source["s_axis"], self.out.sink["m_axis"]
        self.form = self.source.format
        self.periods = CLOCKS[clocks]
        self.mood = mood

    async def start(self):
        first, second = random.sample([(self.into, self.periods[0]), (self.out, self.periods[1])], 2)
        await first[0].start(first[1])
        await second[0].start(second[1])
        await self.settle()
        self.set_mood(self.mood)

    def set_mood(self, mood):
        set_mood(self.into, mood)
        set_mood(self.out, mood)

    async def settle(self):
        """Long enough for a reset to reach the other side and come back."""
        await self.into.cycles(12)
        await self.out.cycles(12)

    async def finish(self):
        self.set_mood(Mood.flowing)
        await self.source.wait_idle(10_000)
        await self.settle()
        await self.out.cycles(parameters()["DEPTH_WORDS"] + 10)
        self.out.check()


def good_packets(form, count):
    return [packet_of_beats(form, random.randint(1, 6), bad=0) for _ in range(count)]


@cocotb.test()
@every_clock
@cocotb.parametrize(mood=list(Mood))
async def packets_come_out_as_they_went_in(dut, clocks, mood):
    sides = Sides(dut, clocks, mood)
    await sides.start()
    beats = joined([packet(sides.form, length) for length in lengths(sides.form, 60)])
    sides.source.send(beats)
    assert await sides.sink.wait_for(len(beats), 50_000) == beats
    await sides.finish()


@cocotb.test()
@every_clock
async def the_slower_clock_rules_the_rate(dut, clocks):
    sides = Sides(dut, clocks)
    await sides.start()
    if parameters()["DEPTH_WORDS"] < 16:
        return
    count = 300
    sides.sink.arrivals = []
    beats = [beat(sides.form) for _ in range(count)]
    began_in, began_out = sides.into.cycle, sides.out.cycle
    sides.source.send(beats)
    await sides.source.wait_idle(50_000)
    took_in = sides.into.cycle - began_in
    assert await sides.sink.wait_for(count, 50_000) == beats
    took_out = sides.out.cycle - began_out
    slow_in, slow_out = (max(sides.periods) / period for period in sides.periods)
    assert took_in <= count * slow_in + 20
    assert took_out <= (count + 5) * slow_out + 20
    gaps = [b - a for a, b in zip(sides.sink.arrivals, sides.sink.arrivals[1:], strict=False)]
    if sides.periods[1] >= sides.periods[0]:
        assert set(gaps) == {1}, "a bubble at the output"
    await sides.finish()


@cocotb.test()
@every_clock
async def a_beat_arrives_within_the_latency(dut, clocks):
    sides = Sides(dut, clocks)
    await sides.start()
    now = cocotb.utils.get_sim_time
    read_cycles = 1 if parameters()["DEPTH_WORDS"] <= 64 else 2
    into, out = (1000 * period for period in sides.periods)  # ps
    seen = []
    for _ in range(30):
        await sides.into.cycles(random.randint(10, 20))
        one = beat(sides.form)
        sides.source.send([one])
        await sides.into.cycles(2)  # it is shown after one edge and taken at the next
        taken = now("ps")
        assert await sides.sink.wait_for(1, 1_000) == [one]
        seen.append((now("ps") - taken) / out)
        # The write pointer is there at once; two registers see it, the last one within a cycle of its being stable.
        assert 2 + read_cycles + 1 <= seen[-1] + 0.001
        assert now("ps") - taken <= into + (3 + read_cycles + 2) * out
    dut._log.info(f"latency {min(seen):.2f} to {max(seen):.2f} cycles of m_clk")
    await sides.finish()


@cocotb.test()
@every_clock
async def a_stalled_fifo_holds_what_it_says(dut, clocks):
    sides = Sides(dut, clocks)
    await sides.start()
    depth = parameters()["DEPTH_WORDS"]
    for _ in range(3):
        before = sides.source.sent
        sides.sink.pause = stall()
        beats = packet_of_beats(sides.form, depth + 8)
        sides.source.send(beats)
        await sides.into.cycles(depth + 20)
        await sides.settle()
        await sides.into.cycles(depth + 20)
        held = sides.source.sent - before
        assert held == depth + (2 if depth <= 64 else 3)
        sides.sink.pause = None
        assert await sides.sink.wait_for(len(beats), 10_000) == beats
    await sides.finish()


@cocotb.test()
@every_clock
@cocotb.parametrize(mood=[Mood.flowing, Mood.backpressure, Mood.idle_and_backpressure])
async def a_reset_of_the_input_closes_a_cut_packet_and_marks_it_bad(dut, clocks, mood):
    sides = Sides(dut, clocks, mood)
    await sides.start()
    form, cut = sides.form, 0
    for pause in range(12):
        old = good_packets(form, 15)
        sides.source.send(joined(old))
        await sides.into.cycles(5 + 3 * pause)
        await sides.into.reset(random.randint(1, 6))
        new = good_packets(form, 3)
        sides.source.send(joined(new))
        out = await wait_packets(sides.sink, 3, 10_000)
        while out[-3:] != new:
            out += await wait_packets(sides.sink, 1, 10_000)
        before = out[:-3]
        assert before == old[: len(before)] or before[:-1] == old[: len(before) - 1]
        if before and before != old[: len(before)]:
            cut += 1
            *head, close = before[-1]
            assert form.field(close, "bad") and form.field(close, "keep") == 1
            assert head and head == old[len(before) - 1][: len(head)]
            assert len(head) < len(old[len(before) - 1])
    assert cut or parameters()["DEPTH_WORDS"] > 64, "no reset hit a packet that was going out"
    await sides.finish()


@cocotb.test()
@every_clock
async def a_reset_of_the_input_while_the_output_is_stalled_waits_for_it(dut, clocks):
    sides = Sides(dut, clocks)
    await sides.start()
    sides.sink.pause = stall()
    old = packet_of_beats(sides.form, 5, bad=0)
    sides.source.send(old[:4])
    await sides.settle()
    sides.sink.pause = iter([False, *[True] * 100_000])
    await sides.settle()
    assert len(sides.sink.beats) == 1
    await sides.into.reset()
    sent = sides.source.sent
    new = packet_of_beats(sides.form, 3, bad=0)
    sides.source.send(new)
    for _ in range(5):
        await sides.settle()
    assert sides.source.sent == sent, "the input went on before the cut packet was closed"
    sides.sink.pause = None
    torn, whole = await wait_packets(sides.sink, 2, 10_000)
    assert torn[:-1] == old[: len(torn) - 1] and sides.form.field(torn[-1], "bad")
    assert whole == new
    await sides.finish()


@cocotb.test()
@every_clock
async def a_reset_of_an_idle_input_says_nothing(dut, clocks):
    sides = Sides(dut, clocks)
    await sides.start()
    for _ in range(4):
        beats = joined(good_packets(sides.form, 2))
        sides.source.send(beats)
        assert await sides.sink.wait_for(len(beats), 10_000) == beats
        await sides.into.reset(random.randint(1, 6))
        await sides.settle()
        assert not sides.sink.beats
    await sides.finish()


@cocotb.test()
@every_clock
@cocotb.parametrize(mood=[Mood.flowing, Mood.idle, Mood.idle_and_backpressure])
async def a_reset_of_the_output_loses_whole_packets_only(dut, clocks, mood):
    sides = Sides(dut, clocks, mood)
    await sides.start()
    form = sides.form
    lost = 0
    for pause in range(12):
        old = good_packets(form, 15)
        sides.source.send(joined(old))
        await sides.out.cycles(5 + 3 * pause)
        await sides.out.reset(random.randint(1, 6))
        await sides.source.wait_idle(10_000)
        await sides.settle()
        new = good_packets(form, 3)
        sides.source.send(joined(new))
        out = await wait_packets(sides.sink, 3, 10_000)
        while out[-3:] != new:
            out += await wait_packets(sides.sink, 1, 10_000)
        after = out[:-3]
        assert after == old[len(old) - len(after) :]
        lost += len(old) - len(after)
    assert lost
    await sides.finish()


@cocotb.test()
@every_clock
async def resets_of_both_sides_in_any_order_leave_nothing_behind(dut, clocks):
    sides = Sides(dut, clocks, Mood.idle_and_backpressure)
    await sides.start()
    for pause in range(12):
        sides.source.send(joined(good_packets(sides.form, 15)))
        await sides.into.cycles(5 + 2 * pause)
        first, second = random.sample([sides.into, sides.out], 2)
        resetting = cocotb.start_soon(first.reset(random.randint(1, 6)))
        await second.cycles(random.randint(0, 5))
        await second.reset(random.randint(1, 6))
        await resetting
        await sides.settle()
        packets = good_packets(sides.form, 3)
        # Beats of before the last of the two resets may still come; they do not come after that.
        split(sides.form, sides.sink.beats)
        sides.sink.beats.clear()
        sides.source.send(joined(packets))
        assert await wait_packets(sides.sink, 3, 10_000) == packets
    await sides.finish()


@cocotb.test()
@every_clock
@cocotb.parametrize(side=["into", "out"])
async def a_second_reset_right_after_the_first_tears_nothing(dut, clocks, side):
    sides = Sides(dut, clocks)
    await sides.start()
    form, resetting = sides.form, getattr(sides, side)
    for gap in range(16):
        old = good_packets(form, 12)
        sides.source.send(joined(old))
        await sides.into.cycles(6)
        await resetting.reset(1)
        await resetting.cycles(gap)
        old += good_packets(form, 6)
        sides.source.send(joined(old[-6:]))
        await resetting.reset(1)
        await sides.source.wait_idle(10_000)
        await sides.settle()
        new = good_packets(form, 3)
        sides.source.send(joined(new))
        out = await wait_packets(sides.sink, 3, 10_000)
        while out[-3:] != new:
            out += await wait_packets(sides.sink, 1, 10_000)
        assert all(p in old or form.field(p[-1], "bad") for p in out[:-3])
    await sides.finish()


@pytest.mark.parametrize(
    "parameters",
    [
        {"DEPTH_WORDS": 16, "DATA_BYTES": 2, "USER_BITS": 3},
        {"DEPTH_WORDS": 2, "DATA_BYTES": 1, "USER_BITS": 1},
        {"DEPTH_WORDS": 128, "DATA_BYTES": 1, "USER_BITS": 1},
        {},
    ],
    ids=str,
)
def test_axis_async_fifo(parameters):
    runner.run("axis_async_fifo", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"DEPTH_WORDS": 1}, "DEPTH_WORDS must be a power of two, 2 or more"),
        ({"DEPTH_WORDS": 24}, "DEPTH_WORDS must be a power of two, 2 or more"),
        ({"DATA_BYTES": 0}, "DATA_BYTES must be 1 or more"),
        ({"USER_BITS": 0}, "USER_BITS must be 1 or more"),
    ],
    ids=str,
)
def test_axis_async_fifo_refuses(parameters, sentence):
    runner.refuses("axis_async_fifo", parameters, sentence)
