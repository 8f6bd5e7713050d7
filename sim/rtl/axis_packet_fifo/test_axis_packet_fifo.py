# SPDX-License-Identifier: Apache-2.0
"""axis_packet_fifo

`Room` is the rule of the header, in beats and packets: what is inside, which packet is dropped and why. It stands
beside the module in every test and is asked every cycle: status_depth_words, both pulses, each delivered packet.

- Random packets, good and bad, fitting and too long, whatever source and sink do: in = out + bad + not fitting, in
  order, each one whole and unchanged.
- A packet does not leave before its last beat is in, and then with exactly the header's latency.
- A beat in and a beat out every cycle, also with packets of one beat.
- A packet of DEPTH_WORDS beats fits, one of a beat more is dropped and counted; the next one passes.
- A bad packet gives its room back at once; tbad before the last beat means nothing.
- DROP_WHEN_FULL: the input never stalls, exactly what fits is kept. Otherwise nothing that can fit is lost, and a
  packet that cannot does not block.
- A reset throws away what is inside; what comes after it is whole.
- Each parameter check fires.
"""

import random

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from rtl.axis_traffic.traffic import (
    Mood,
    finish,
    flag,
    joined,
    packet,
    packet_of_beats,
    split,
    stall,
    started,
    watch,
)


class Room:
    """What the FIFO holds and drops, from the rule alone."""

    def __init__(self, bench):
        self.source, self.sink = bench.source["s_axis"], bench.sink["m_axis"]
        self.status = bench.dut
        self.depth = parameters()["DEPTH_WORDS"]
        self.delivered: list[int] = []  # beats that have to come out
        self.bad = self.full = 0
        self.pulses = (0, 0)
        self.complete = 0  # beats of whole packets
        self.coming: list[int] | None = []  # the packet that comes in; None: it is being dropped
        self.taken = 0
        self.sent: list[int] = []  # beats under way in the source, oldest first
        self.before = self.source.sent
        self.sink.arrivals = []
        bench.on_cycle(self.step)

    def send(self, packets):
        self.source.send(joined(packets))
        self.sent += joined(packets)

    def plain(self, one):
        """A beat as the output shows it."""
        fields = self.source.format.unpack(one)
        del fields["bad"]
        return self.sink.format.pack(**fields)

    @property
    def inside(self):
        return self.complete + len(self.coming or [])

    def step(self):
        level = int(self.status.status_depth_words.value)
        assert level == self.inside, f"{level} words are said to be inside, {self.inside} are"
        pulses = (int(self.status.status_dropped_bad.value), int(self.status.status_dropped_full.value))
        assert pulses == self.pulses, f"(bad, full) pulses are {pulses}, not {self.pulses}"
        left = len(self.sink.arrivals) - self.taken
        self.taken += left
        self.pulses = (0, 0)
        if self.source.sent != self.before:
            self.before = self.source.sent
            self.accept(self.sent.pop(0))
        self.complete -= left

    def accept(self, one):
        last, bad = self.source.format.field(one, "last"), self.source.format.field(one, "bad")
        if self.coming is not None and self.inside == self.depth:
            self.coming = None
        if self.coming is None:
            self.full += last
            self.pulses = (0, last)
        elif last and bad:
            self.bad += 1
            self.pulses = (1, 0)
        else:
            self.coming.append(self.plain(one))
            if last:
                self.delivered += self.coming
                self.complete += len(self.coming)
        if last:
            self.coming = []

    async def settle(self, bench):
        """Waits until all that was sent has gone in and all that has to come out is out; takes and compares it."""
        await self.source.wait_idle(100_000)
        while len(self.sink.beats) < len(self.delivered):
            had = len(self.sink.beats)
            await bench.cycles(100)
            assert len(self.sink.beats) > had, f"{had} of {len(self.delivered)} beats came out"
        await bench.cycles(20)
        beats, self.sink.beats = self.sink.beats, []
        assert beats == self.delivered
        self.delivered = []
        return beats


async def begin(dut, mood=Mood.flowing):
    bench = await started(dut, mood)
    return bench, Room(bench), bench.source["s_axis"], bench.sink["m_axis"]


def latency() -> int:
    """Cycles: distributed RAM up to 64 beats, block RAM above."""
    return 2 if parameters()["DEPTH_WORDS"] <= 64 else 3


def packets_of(form, beats, bad=0):
    return [packet_of_beats(form, count, bad=bad) for count in beats]


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def what_goes_in_comes_out_or_is_counted(dut, mood):
    bench, room, source, sink = await begin(dut, mood)
    depth = room.depth
    counts = [random.choice((1, 1, 2, depth // 2 or 1, depth - 1 or 1, depth, depth + 1, 2 * depth)) for _ in range(90)]
    counts = [min(count, 80) for count in counts]
    packets = [packet_of_beats(source.format, count, bad=int(random.random() < 0.3)) for count in counts]
    room.send(packets)
    out = split(sink.format, await room.settle(bench))
    assert len(packets) == len(out) + room.bad + room.full
    good = [[room.plain(one) for one in p] for p in packets if not source.format.field(p[-1], "bad")]
    left = iter(good)
    assert all(p in left for p in out), "a packet came out that did not go in, or out of order"
    if not flag("DROP_WHEN_FULL"):
        assert out == [p for p in good if len(p) <= depth]
        assert room.full == sum(count > depth for count in counts)
    assert room.bad and out
    await finish(bench)


@cocotb.test()
async def a_packet_leaves_once_it_is_complete(dut):
    bench, room, source, sink = await begin(dut)
    accepted, arrived = watch(bench)
    for count in range(2, min(room.depth, 20) + 1):
        [one] = packets_of(source.format, [count])
        room.send([one[:-1]])
        await bench.cycles(count + 20)
        assert not sink.beats
        assert room.inside == count - 1
        room.send([one[-1:]])
        await room.settle(bench)
        assert arrived[-count:] == [accepted[-1] + latency() + i for i in range(count)]
    room.send(packets_of(source.format, [1]))
    await room.settle(bench)
    assert arrived[-1] == accepted[-1] + latency()
    await finish(bench)


@cocotb.test()
async def a_beat_passes_every_cycle(dut):
    bench, room, source, sink = await begin(dut)
    if room.depth < 3:
        return
    accepted, arrived = watch(bench)
    room.send(packets_of(source.format, [1] * (3 * room.depth)))
    await room.settle(bench)
    assert accepted == list(range(accepted[0], accepted[0] + 3 * room.depth))
    assert arrived == [cycle + latency() for cycle in accepted]
    assert room.bad == room.full == 0
    if room.depth >= 16:
        longer = [4] * room.depth
        accepted.clear()
        arrived.clear()
        room.taken = 0
        room.send(packets_of(source.format, longer))
        await room.settle(bench)
        assert accepted == list(range(accepted[0], accepted[0] + sum(longer)))
        assert arrived == [cycle + latency() + 3 for cycle in accepted]
    await finish(bench)


@cocotb.test()
async def a_packet_as_long_as_the_memory_fits_and_a_longer_one_is_dropped_and_counted(dut):
    bench, room, source, sink = await begin(dut)
    depth = room.depth
    for bad in (0, 1):
        for length in (depth, depth + 1, depth + 2, 3 * depth):
            before = (room.bad, room.full)
            long = packets_of(source.format, [length], bad)
            room.send(long)
            out = await room.settle(bench)
            fits = length <= depth
            assert len(out) == (length if fits and not bad else 0)
            assert (room.bad - before[0], room.full - before[1]) == (int(fits and bad), int(not fits))
            room.send(packets_of(source.format, [1]))
            assert len(await room.settle(bench)) == 1
    await finish(bench)


@cocotb.test()
async def a_bad_packet_gives_its_room_back_at_once(dut):
    bench, room, source, sink = await begin(dut)
    if room.depth < 3:
        return
    sink.pause = stall()
    room.send(packets_of(source.format, [1]))
    for _ in range(5):
        room.send(packets_of(source.format, [room.depth - 1], bad=1))
    room.send(packets_of(source.format, [room.depth - 1]))
    await source.wait_idle(10_000)
    await bench.cycles(3)
    assert (room.bad, room.full, room.inside) == (5, 0, room.depth)
    sink.pause = None
    assert len(await room.settle(bench)) == room.depth
    await finish(bench)


@cocotb.test()
async def a_full_memory_drops_or_waits_as_told(dut):
    bench, room, source, sink = await begin(dut)
    depth = room.depth
    accepted, _ = watch(bench)
    for _ in range(3):
        accepted.clear()
        before = (source.sent, room.full)
        sink.pause = stall()
        packets = packets_of(source.format, [1] * depth + [1, depth + 2, 1, 2])
        room.send(packets)
        if flag("DROP_WHEN_FULL"):
            await source.wait_idle(10_000)
            await bench.cycles(3)
            assert accepted == list(range(accepted[0], accepted[0] + len(joined(packets))))
            assert (room.full - before[1], room.inside) == (4, depth)
            sink.pause = None
            assert len(await room.settle(bench)) == depth
        else:
            await bench.cycles(2 * depth + 10)
            assert (source.sent - before[0], room.full - before[1], room.inside) == (depth, 0, depth)
            sink.pause = None
            await room.settle(bench)
            assert room.full - before[1] == (1 if depth > 1 else 2)
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def after_a_reset_nothing_old_comes_out(dut, mood):
    bench, _, source, sink = await begin(dut, mood)
    bench._steps.pop()
    depth = parameters()["DEPTH_WORDS"]
    for pause in range(12):
        source.send(joined(packets_of(source.format, [2, 1, depth + 5, 1, 30])))
        await bench.cycles(5 + 2 * pause)
        await bench.reset()
        assert int(dut.status_depth_words.value) == 0
        await bench.cycles(1)
        assert not dut.status_dropped_bad.value and not dut.status_dropped_full.value
        room = Room(bench)
        room.send([packet(source.format, 1, bad=0), *packets_of(source.format, [min(depth, 9)])])
        await room.settle(bench)
        bench._steps.pop()
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [
        {"DEPTH_WORDS": 5, "DROP_WHEN_FULL": 1, "DATA_BYTES": 2, "USER_BITS": 3},
        {"DEPTH_WORDS": 4, "DROP_WHEN_FULL": 0, "DATA_BYTES": 1, "USER_BITS": 1},
        {"DEPTH_WORDS": 1, "DROP_WHEN_FULL": 0, "DATA_BYTES": 5, "USER_BITS": 2},
        {"DEPTH_WORDS": 1, "DROP_WHEN_FULL": 1, "DATA_BYTES": 1, "USER_BITS": 1},
        {"DEPTH_WORDS": 65, "DROP_WHEN_FULL": 0, "DATA_BYTES": 1, "USER_BITS": 1},
        {},
    ],
    ids=str,
)
def test_axis_packet_fifo(parameters):
    runner.run("axis_packet_fifo", parameters)


@pytest.mark.parametrize("parameter", ["DEPTH_WORDS", "DATA_BYTES", "USER_BITS"])
def test_axis_packet_fifo_refuses(parameter):
    runner.refuses("axis_packet_fifo", {parameter: 0}, f"{parameter} must be 1 or more")
