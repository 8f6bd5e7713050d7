# SPDX-License-Identifier: Apache-2.0
"""output_queue

Each packet begins with its source and a number, so that the output alone says what left.

- Random packets of random sources, fitting or not, whatever the sink does, the port going down and up: what leaves is
  whole, unchanged and in order, and in = left + discarded + dropped for each reason, packet by packet.
- As long as the queue is not filling nothing is dropped; a packet longer than it is dropped, the next one passes.
- A full queue with one source: full, and what was taken leaves.
- The shares of sources in lockstep under overload are equal within 5 %.
- A port that goes down: what waits is discarded at once, what begins is dropped, the packet that leaves ends; what
  waited is discarded also if the port comes up again before its turn. Afterwards all is as before.
- A reset leaves a working queue. Each parameter check fires.
"""

import random

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from rtl.axis_traffic.traffic import Mood, finish, pauses, set_mood, stall, started
from rtl.switch_traffic.pulses import Pulses, every, frame, numbered, payload, payloads

DROPS = ("full", "share", "down")
PULSES = ("status_taken", "status_left", "status_discarded", *(f"status_dropped_{reason}" for reason in DROPS))


class Queue:
    def __init__(self, bench):
        self.bench, self.dut = bench, bench.dut
        self.source, self.sink = bench.source["s_axis"], bench.sink["m_axis"]
        self.pulses = Pulses(bench, PULSES)
        self.sent = []
        self.number = 0

    def send(self, length, source=0):
        self.number += 1
        data = numbered(source, self.number, length)
        form = self.source.format
        beats = frame(form, data)
        place, width = form.fields["source"]
        self.source.send([one & ~(((1 << width) - 1) << place) | source << place for one in beats])
        self.sent.append(data)

    def up(self, value):
        self.dut.port_up.value = int(bool(value))

    @property
    def depth(self):
        return int(self.dut.status_depth_words.value)

    async def settle(self, cycles=200_000):
        await self.source.wait_idle(cycles)
        for _ in range(cycles):
            await self.bench.cycles(10)
            if self.depth == 0:
                break
        await self.bench.cycles(5)

    def counts(self):
        return {name.removeprefix("status_"): self.pulses.of(name) for name in PULSES}

    def check(self):
        """What left, in order; every packet accounted for once."""
        came = payloads(self.sink.format, self.sink.beats)
        self.sink.beats.clear()
        wanted = iter(self.sent)
        assert all(data in wanted for data in came), "a packet that was not sent, or out of order"
        counts = self.counts()
        assert counts["left"] == len(came)
        assert counts["taken"] == counts["left"] + counts["discarded"]
        assert len(self.sent) == counts["taken"] + sum(counts[f"dropped_{reason}"] for reason in DROPS), counts
        for count in self.pulses.count.values():
            count.clear()
        self.sent = []
        return came, counts


async def begin(dut, mood=Mood.flowing):
    dut.port_up.value = 1
    bench = await started(dut, mood)
    return bench, Queue(bench)


def sizes():
    p = parameters()
    return p["DEPTH_WORDS"], p["FREE_WORDS"], p["DATA_BYTES"], p["N_SOURCES"]


def some_length(beats):
    return random.randint(5, max(5, beats * parameters()["DATA_BYTES"]))


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def every_packet_leaves_or_is_counted(dut, mood):
    bench, queue = await begin(dut, mood)
    depth, _, _, count = sizes()
    queue.sink.pause = pauses(0.6)
    for _ in range(250):
        most = random.choice((1, 2, 6, 12, min(depth, 60), min(depth + 2, 80)))
        queue.send(some_length(most), random.randrange(count))
    turn = 0
    while queue.source.queue:
        await bench.cycles(random.randint(20, 100))
        turn += 1
        queue.up(turn % 4)
    await bench.cycles(20)
    queue.up(1)
    await queue.settle()
    came, counts = queue.check()
    assert came and counts["dropped_down"]
    await finish(bench)


@cocotb.test()
async def what_fits_is_taken_and_what_cannot_is_dropped(dut):
    bench, queue = await begin(dut)
    depth, free, lane, _ = sizes()
    queue.sink.pause = stall()
    words = 0
    while words + 2 <= free - 2:
        queue.send(2 * lane)
        words += 2
        await queue.source.wait_idle()
        await bench.cycles(4)
        assert queue.depth == words
    count = words // 2
    queue.sink.pause = None
    await queue.settle()
    assert len(queue.check()[0]) == count
    if depth < 200:
        queue.send((depth + 1) * lane)
        queue.send(depth * lane)
        await queue.settle()
        came, counts = queue.check()
        assert [len(data) for data in came] == [depth * lane]
        assert counts["dropped_full"] == 1
    await finish(bench)


@cocotb.test()
async def one_source_alone_fills_it_and_loses_what_is_too_much(dut):
    bench, queue = await begin(dut)
    depth, free, lane, _ = sizes()
    queue.sink.pause = stall()
    for _ in range(depth + 10):
        queue.send(lane)
    await queue.source.wait_idle()
    await bench.cycles(5)
    assert free <= queue.depth <= depth
    taken = queue.pulses.of("status_taken")
    assert taken == queue.depth
    queue.sink.pause = None
    await queue.settle()
    came, counts = queue.check()
    assert len(came) == taken == depth + 10 - counts["dropped_full"] - counts["dropped_share"]
    await finish(bench)


@cocotb.test()
async def overload_is_shared(dut):
    bench, queue = await begin(dut)
    depth, free, lane, count = sizes()
    if count < 3 or depth < 100:
        return
    active = min(4, count)
    pace = 2 * active  # a beat leaves every so many cycles: each source alone asks for twice that
    queue.sink.pause = every(pace, 1)
    words = [6, 6, 2, 3]
    turn = [(source, words[source]) for source in range(active) for _ in range(6 // words[source])]
    cycles = 60 * depth if depth < 500 else 40 * depth
    for _ in range(cycles // (6 * active)):
        for source, size in turn:
            queue.send(size * lane, source)
    await queue.source.wait_idle(2 * cycles)
    bytes_of = [0] * active
    whole = queue.sink.beats
    form = queue.sink.format
    packets, packet = [], []
    for one in whole:
        packet.append(one)
        if form.field(one, "last"):
            packets.append(packet)
            packet = []
    for one in packets[len(packets) // 4 :]:
        data = payload(form, one)
        bytes_of[data[0]] += len(data)
    assert max(bytes_of) - min(bytes_of) <= 0.05 * max(bytes_of), bytes_of
    queue.sink.pause = None
    await queue.settle()
    _, counts = queue.check()
    assert counts["dropped_share"] > 0
    await finish(bench)


@cocotb.test()
async def a_port_that_goes_down_leaves_nothing_behind(dut):
    bench, queue = await begin(dut)
    depth, free, lane, _ = sizes()
    for stuck in (False, True):
        for back_at_once in (False, True):
            queue.sink.pause = stall()
            waiting = max(1, (free - 4) // 3)
            queue.send(4 * lane)
            for _ in range(waiting - 1):
                queue.send(3 * lane)
            await queue.source.wait_idle()
            await bench.cycles(10)
            queue.sink.pause = None
            while not queue.sink.beats:
                await bench.cycles(1)
            if stuck:
                queue.sink.pause = stall()
                await bench.cycles(2)
            queue.up(0)
            await bench.cycles(1 if back_at_once else 3)
            if not back_at_once:
                queue.send(3 * lane)
                await queue.source.wait_idle()
                await bench.cycles(4 + (0 if stuck else 4 * waiting))
                assert queue.depth == 0 or stuck
            queue.up(1)
            await bench.cycles(3)
            queue.send(2 * lane)
            await queue.source.wait_idle()
            queue.sink.pause = None
            await queue.settle()
            came, counts = queue.check()
            assert counts["dropped_down"] == int(not back_at_once)
            assert counts["discarded"] >= waiting - 2, "what waited has left"
            assert [len(came[0]), len(came[-1])] == [4 * lane, 2 * lane]
            assert len(came) <= 3
    await finish(bench)


@cocotb.test()
async def after_a_reset_nothing_old_comes_out(dut):
    bench, queue = await begin(dut, Mood.idle_and_backpressure)
    depth, _, lane, count = sizes()
    for pause in range(8):
        for _ in range(10):
            queue.send(some_length(6), random.randrange(count))
        await bench.cycles(5 + 5 * pause)
        queue.up(pause % 3 != 1)
        await bench.cycles(3)
        await bench.reset()
        queue.up(1)
        queue.sent = []
        for counter in queue.pulses.count.values():
            counter.clear()
        for _ in range(2):
            queue.send(some_length(3))
        await queue.settle()
        assert len(queue.check()[0]) == 2
    set_mood(bench, Mood.flowing)
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [
        {
            "DEPTH_WORDS": 40,
            "FREE_WORDS": 20,
            "CREDIT_WORDS": 4,
            "N_SOURCES": 2,
            "DATA_BYTES": 8,
            "USER_BITS": 3,
        },
        {"DEPTH_WORDS": 150, "FREE_WORDS": 80, "CREDIT_WORDS": 8, "N_SOURCES": 4, "DATA_BYTES": 16, "USER_BITS": 1},
        {},
    ],
    ids=str,
)
def test_output_queue(parameters):
    runner.run("output_queue", parameters)


def test_output_queue_refuses():
    few = {"DEPTH_WORDS": 2, "FREE_WORDS": 1, "CREDIT_WORDS": 1}
    runner.refuses("output_queue", few, "DEPTH_WORDS must be 3 or more")
