# SPDX-License-Identifier: Apache-2.0
"""fair_admission

The test is the queue and the sources: packets arrive, are taken or not as the module says, and leave in their order, a
word every few cycles.

- Overload by sources that arrive in lockstep, always in the same order, with packets of other sizes each: all get the
  same words within 5 %. The same queue with tail drop gives one of them most (so the test would notice).
- A source that stays below its share loses nothing, in bursts too.
- Two sources share what a third does not use.
- Without overload nothing is refused, and below FREE_WORDS never.
- The queue never overflows where it has the room that the header asks for.
- Each parameter check fires.
"""

import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from bench import runner
from bench.stream import CLOCK_NS, parameters


class Queue:
    """A queue that asks the module; a packet is (source, words), a word arrives a cycle."""

    def __init__(self, dut, fair=True):
        self.dut = dut
        self.fair = fair  # else tail drop
        self.depth = parameters()["DEPTH_WORDS"]
        self.words = deque()
        self.coming = None  # (source, words, taken, charged) of the packet that comes in
        self.done = 0  # words of it that have come
        self.pending = None  # what will be reported as taken
        self.arrivals = deque()
        self.taken = [0] * parameters()["N_SOURCES"]
        self.refused = [0] * parameters()["N_SOURCES"]
        self.overflowed = 0
        self.highest = 0

    async def start(self):
        for name in ("source", "charged", "charged_source", "charged_words", "left", "level"):
            getattr(self.dut, name).value = 0
        Clock(self.dut.clk, CLOCK_NS, "ns", impl="gpi").start()
        self.dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def step(self, leaves):
        """One cycle: the inputs, the answer before the edge, what the edge does."""
        dut = self.dut
        report, self.pending = self.pending, None
        dut.charged.value = int(bool(report))
        if report:
            dut.charged_source.value, dut.charged_words.value = report
        left = bool(leaves and self.words)
        level = len(self.words) + (self.done if self.coming and self.coming[2] else 0)
        dut.left.value = int(left)
        dut.level.value = min(level, self.depth)
        begins = self.coming is None and self.arrivals
        if begins:
            source, words = self.arrivals.popleft()
            dut.source.value = source
            await ReadOnly()
            admit, charge = bool(dut.admit.value), bool(dut.charge.value)
            assert admit or level >= parameters()["FREE_WORDS"] or left, "refused although there is room for all"
            self.refused[source] += self.fair and not admit
            self.coming, self.done = (source, words, admit or not self.fair, charge and self.fair), 0
        await FallingEdge(dut.clk)
        if self.coming:
            source, words, taken, charged = self.coming
            self.done += 1
            if taken and len(self.words) + self.done > self.depth:
                self.overflowed += 1
                taken = False
                self.coming = (source, words, False, False)
            if self.done == words:
                if taken:
                    self.words.extend([source] * words)
                    self.taken[source] += words
                    self.pending = (source, words) if charged else None
                self.coming = None
        if left:
            self.words.popleft()
        self.highest = max(self.highest, len(self.words))


def in_lockstep(kinds, period):
    """Cycle by cycle the packets that arrive: every source sends all the time, in the same order."""
    due = [0.0] * len(kinds)
    cycle = 0
    while True:
        for source, (sizes, load) in enumerate(kinds):
            if load and due[source] <= cycle:
                words = random.choice(sizes)
                due[source] += words * period / load
                yield cycle, source, words
        cycle += 1


async def overload(dut, kinds, cycles, fair=True):
    """Each source has (sizes, load): load 1 would fill the way out alone. A word leaves every 5 cycles."""
    queue = Queue(dut, fair)
    await queue.start()
    pace = 5
    arrivals = in_lockstep(kinds, pace)
    upcoming = next(arrivals)
    half = None
    for cycle in range(cycles):
        while upcoming[0] <= cycle:
            queue.arrivals.append(upcoming[1:])
            upcoming = next(arrivals)
        if cycle == cycles // 4:
            half = list(queue.taken)
            queue.refused = [0] * len(queue.refused)
        await queue.step(cycle % pace == 0)
    return queue, [a - b for a, b in zip(queue.taken, half, strict=True)]


def sources():
    return parameters()["N_SOURCES"]


def largest():
    """Words of the largest packet: what the queue has room for."""
    p = parameters()
    return max(1, min(48, (p["DEPTH_WORDS"] - p["FREE_WORDS"]) // p["N_SOURCES"] - p["CREDIT_WORDS"]))


@cocotb.test()
async def sources_that_overload_get_the_same(dut):
    count = min(4, sources())
    if count < 2:
        return
    big = largest()
    for sizes in ([[big]] * count, [[2], [big], [2, big], [max(1, big // 2)]][:count]):
        kinds = [(s, 1.0) for s in sizes] + [([1], 0)] * (sources() - count)
        queue, got = await overload(dut, kinds, 40000)
        assert max(got[:count]) - min(got[:count]) <= 0.05 * max(got), got
        assert queue.overflowed == 0
        assert queue.highest <= parameters()["DEPTH_WORDS"]
        assert sum(got) >= 30000 / 5 - parameters()["DEPTH_WORDS"], "the way out was idle"
    unfair, got = await overload(dut, [([big], 1.0)] * count + [([1], 0)] * (sources() - count), 40000, fair=False)
    assert max(got) - min(got[:count]) > 0.1 * max(got), "tail drop would do as well: the test shows nothing"


@cocotb.test()
async def a_source_below_its_share_loses_nothing(dut):
    if sources() < 3:
        return
    big = largest()
    kinds = [([big], 1.0), ([1, 2, big], 0.2), ([big], 1.0)] + [([1], 0)] * (sources() - 3)
    queue, got = await overload(dut, kinds, 40000)
    assert queue.refused[1] == 0
    assert queue.refused[0] and queue.refused[2]
    assert abs(got[0] - got[2]) <= 0.02 * got[0]
    assert got[0] > 1.5 * got[1], "the rest is shared by the others"


@cocotb.test()
async def without_overload_nothing_is_refused(dut):
    count = sources()
    kinds = [([1, 2, largest()], 0.95 / count)] * count
    queue, _ = await overload(dut, kinds, 12000)
    assert queue.refused == [0] * count
    assert queue.overflowed == 0


@pytest.mark.parametrize(
    "parameters",
    [
        {"N_SOURCES": 3, "DEPTH_WORDS": 300, "FREE_WORDS": 100, "CREDIT_WORDS": 20},
        {"N_SOURCES": 1, "DEPTH_WORDS": 64, "FREE_WORDS": 30, "CREDIT_WORDS": 16},
        {},
    ],
    ids=str,
)
def test_fair_admission(parameters):
    runner.run("fair_admission", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"N_SOURCES": 0}, "N_SOURCES must be 1 to 64"),
        ({"N_SOURCES": 65}, "N_SOURCES must be 1 to 64"),
        ({"DEPTH_WORDS": 1, "FREE_WORDS": 0, "CREDIT_WORDS": 1}, "DEPTH_WORDS must be 2 or more"),
        ({"FREE_WORDS": -1}, "FREE_WORDS must be 0 to DEPTH_WORDS"),
        ({"FREE_WORDS": 2049}, "FREE_WORDS must be 0 to DEPTH_WORDS"),
        ({"CREDIT_WORDS": 0}, "CREDIT_WORDS must be 1 to DEPTH_WORDS"),
        ({"CREDIT_WORDS": 2049}, "CREDIT_WORDS must be 1 to DEPTH_WORDS"),
    ],
    ids=str,
)
def test_fair_admission_refuses(parameters, sentence):
    runner.refuses("fair_admission", parameters, sentence)
