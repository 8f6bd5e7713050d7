# SPDX-License-Identifier: Apache-2.0
"""pipeline_shell

The test plays the generated pipeline: it reads each window and gives, LATENCY_CYCLES later, the verdict that was drawn
for the packet. The judge is a line of Python on bytes: header[:header_length] + packet[strip_length:], or nothing.

- Random packets with random verdicts, drops between them, whatever source and sink do: windows, bytes, tuser, counters.
- The latency of an idle shell is exactly the header's for every verdict.
- The input never waits for packets that leave no longer than they came: of one beat, of two, long, mixed; but with
  SPACING_CYCLES 2 for packets of one beat, a cycle each. Windows are so far apart whatever source and sink do.
- status_packets is never more than RESULT_WORDS. An output that stalls for thousands of cycles stops the input and
  loses nothing; no path leads from ready to ready.
- Packets of 9000 bytes, and some longer than the memory, pass with and without stalls.
- A reset throws away what is inside; what comes after it is whole.
- A result that comes a cycle late stops the simulation. Each parameter check fires.
"""

import os
import random
from collections import deque

import cocotb
import pytest

from bench import runner
from bench.packets.beats import to_beats
from bench.stream import parameters
from rtl.axis_traffic.traffic import Mood, finish, ready_leads_to_ready, set_mood, stall, started, watch
from rtl.pipeline_traffic.cases import beats_of, beats_out, case, compare, lanes, longest, pairs, shifts, some_cases

SHELL_CYCLES = 3  # what the shell adds to the beats of the window and the cycles of the pipeline


def latency() -> int:
    return parameters()["LATENCY_CYCLES"]


def window_beats():
    return beats_of(parameters()["WINDOW_BYTES"])


class Shell:
    """The streams, the pipeline and the counters."""

    def __init__(self, bench, late=0):
        self.bench = bench
        self.source, self.results = bench.source["s_axis"], bench.source["result"]
        self.sink, self.windows = bench.sink["m_axis"], bench.sink["window"]
        self.results.pause = None
        self.late = late
        self.due: deque[tuple[int, int]] = deque()
        self.cycle = 0
        self.sent = []
        self.seen = self.dropped = self.empty = self.most = 0
        self.window_cycle = -parameters()["SPACING_CYCLES"]
        # After the sinks and before the sources, so that a result can follow its window by one cycle.
        bench._steps.insert(len(bench.sink), self.step)

    def stop(self):
        self.bench._steps.remove(self.step)

    def step(self):
        self.cycle += 1
        self.dropped += int(self.bench.dut.status_dropped.value)
        self.empty += int(self.bench.dut.status_empty.value)
        self.most = max(self.most, int(self.bench.dut.status_packets.value))
        for window in self.windows.beats:
            c = self.sent[self.seen]
            self.seen += 1
            assert self.cycle - self.window_cycle >= parameters()["SPACING_CYCLES"], "two windows too near"
            self.window_cycle = self.cycle
            size = parameters()["WINDOW_BYTES"]
            assert self.windows.format.unpack(window) == {
                "data": int.from_bytes(c.packet[:size].ljust(size, b"\0"), "big"),
                "length": min(len(c.packet), size),
                "ended": int(len(c.packet) <= size),
                "user": self.user_of(c),
            }
            result = self.results.format.pack(
                header=int.from_bytes(c.header, "big"),
                header_length=c.length,
                strip_length=c.strip,
                drop=int(c.drop),
                user=c.user,
            )
            self.due.append((self.cycle + latency() - 1 + self.late, result))
        self.windows.beats.clear()
        if self.due and self.due[0][0] == self.cycle:
            self.results.send([self.due.popleft()[1]])

    @staticmethod
    def user_of(c):
        """The tuser a packet comes with: any function of it."""
        return (len(c.packet) * 0x9E3779B1 ^ c.strip) & ((1 << parameters()["USER_BITS"]) - 1)

    def send(self, cases):
        self.sent += cases
        for c in cases:
            form = self.source.format
            beats = to_beats(c.packet, lanes(), self.user_of(c), format=form, unused=random.randrange(256))
            noise = form.pack(user=(1 << parameters()["USER_BITS"]) - 1)
            self.source.send(beats[:1])
            self.source.send(beat ^ noise for beat in beats[1:])

    async def judge(self, cycles=150_000):
        """Waits for all results, and compares them with what was sent."""
        beats = await self.sink.wait_for(beats_out(self.sent), cycles)
        gone = sum(not c.result for c in self.sent)
        for _ in range(cycles):
            if self.dropped + self.empty >= gone and not int(self.bench.dut.status_packets.value):
                break
            await self.bench.cycles(1)
        await self.bench.cycles(3)
        compare(self.sink.format, beats, self.sent)
        assert self.dropped == sum(c.drop for c in self.sent)
        assert self.empty == sum(not c.drop and not c.result for c in self.sent)
        assert self.seen == len(self.sent)
        assert self.most <= parameters()["RESULT_WORDS"]
        assert not int(self.bench.dut.status_packets.value)
        self.sent, self.seen, self.dropped, self.empty = [], 0, 0, 0


async def begin(dut, mood=Mood.flowing, late=0):
    bench = await started(dut, mood)
    return bench, Shell(bench, late)


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def packets_leave_as_the_pipeline_wants_them(dut, mood):
    bench, shell = await begin(dut, mood)
    for drops in (0, 0.2, 0.9):
        shell.send(some_cases(100, drops))
        await shell.judge()
    await finish(bench)


@cocotb.test()
async def the_first_beat_leaves_as_soon_as_said(dut):
    bench, shell = await begin(dut)
    accepted, arrived = watch(bench)
    choice = pairs()
    for _ in range(150):
        c = case(random.randint(1, longest()), *random.choice(choice))
        if not c.result:
            continue
        accepted.clear()
        arrived.clear()
        shell.send([c])
        await shell.judge()
        offset = arrived[0] - accepted[0]
        window = min(beats_of(len(c.packet)), window_beats())
        wanted = window + latency() + max(SHELL_CYCLES, plan_cycles(c))
        assert offset == wanted, f"{len(c.packet), c.length, c.strip}: {offset} cycles, not {wanted}"
        assert len(set(arrived)) == len(arrived)
    await finish(bench)


def plan_cycles(c):
    """Cycles of packet_merge from a plan to the first beat, by its header."""
    whole, rest = divmod(c.length, lanes())
    skipped, first = divmod(c.strip, lanes())
    if whole > 1 or (whole == 1 and rest):
        return 2
    if len(c.packet) <= c.strip:
        return 2 + beats_of(len(c.packet))
    return 3 + skipped + (not whole and rest < first and beats_of(len(c.packet)) > skipped + 1)


def fitting_rate():
    """Whether the results cover the latency of packets of one beat in a row, by the header of pipeline_flow."""
    return parameters()["RESULT_WORDS"] >= latency() + SHELL_CYCLES + 1


def waits_for(cases):
    """The cycles that the input waits for the distance of windows, where it waits for nothing else."""
    waits, near = 0, False  # the window before was made by the beat just before
    for count in (c.beats[0] for c in cases):
        only_beat = min(count, window_beats()) == 1
        waits += near and only_beat
        near = count == min(count, window_beats()) and parameters()["SPACING_CYCLES"] > 1
    return waits


@cocotb.test()
@cocotb.parametrize(beats=[1, 2, 3, 20, None])
async def the_input_never_waits_for_packets_that_do_not_grow(dut, beats):
    if not fitting_rate() or not shifts() & 1:
        return
    bench, shell = await begin(dut)
    accepted, arrived = watch(bench)
    limits = parameters()
    most = min(limits["WINDOW_BYTES"], limits["MAX_HEADER_BYTES"])
    cases = []
    for _ in range(150):
        count = beats or random.choice((1, 1, 2, 3, 7))
        packet = random.randint((count - 1) * lanes() + 1, count * lanes())
        length = random.randint(0, min(most, packet))
        cases.append(case(packet, length, length))
    if beats == 1:
        cases = [case(len(c.packet), 0, 0) for c in cases]
    shell.send(cases)
    await shell.judge()
    if limits["PACKET_WORDS"] >= 2 * (latency() + window_beats() + 10):
        waited = accepted[-1] - accepted[0] + 1 - len(accepted)
        assert waited == waits_for(cases)
        assert arrived[-1] - accepted[-1] <= latency() + window_beats() + 10
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(packet=[1, 150, 1500])
async def an_output_that_stalls_for_thousands_of_cycles_stops_the_input(dut, packet):
    bench, shell = await begin(dut)
    limits = parameters()
    for _ in range(2):
        shell.sink.pause = stall()
        count = {1: 2 * limits["RESULT_WORDS"] + 40, 150: limits["RESULT_WORDS"] + 10, 1500: 20}[packet]
        shell.send([case(packet, *random.choice(pairs())) for _ in range(count)])
        await bench.cycles(limits["PACKET_WORDS"] + 400)
        sent = shell.source.sent
        await bench.cycles(4_000)
        assert shell.source.sent == sent
        assert not await ready_leads_to_ready(dut)
        shell.sink.pause = None
        await shell.judge()
    await finish(bench)


@cocotb.test()
async def as_many_packets_enter_as_results_have_room(dut):
    bench, shell = await begin(dut)
    limits = parameters()
    fitting = [(h, s) for h, s in pairs() if h]
    shell.sink.pause = stall()
    shell.send([case(1, *random.choice(fitting)) for _ in range(limits["RESULT_WORDS"] + 20)])
    await bench.cycles(6 * limits["RESULT_WORDS"] + 10 * latency() + 60)
    inside = int(dut.status_packets.value)
    assert inside == min(limits["RESULT_WORDS"], inside)
    if limits["PACKET_WORDS"] > limits["RESULT_WORDS"]:
        assert inside == limits["RESULT_WORDS"]
    shell.sink.pause = None
    await shell.judge()
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(mood=[Mood.flowing, Mood.backpressure, Mood.idle])
async def packets_longer_than_the_memory_pass(dut, mood):
    bench, shell = await begin(dut, mood)
    memory = parameters()["PACKET_WORDS"] * lanes()
    for length in (9_000, memory - 1, memory, memory + 1, 3 * memory + 5):
        head, strip = random.choice(pairs())
        shell.send(
            [case(min(length, 60_000), head, strip), case(1, head, strip), case(length % 60_000, head, strip, True)]
        )
    await shell.judge()
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def after_a_reset_nothing_old_comes_out(dut, mood):
    bench = await started(dut, mood)
    for pause in range(15):
        shell = Shell(bench)
        shell.send(some_cases(30))
        await bench.cycles(5 + 5 * pause)
        await bench.reset()
        shell.stop()
        assert not dut.status_packets.value and not dut.status_dropped.value and not dut.status_empty.value
        shell = Shell(bench)
        shell.send(some_cases(6))
        await shell.judge()
        shell.stop()
    await finish(bench)


@cocotb.test(skip="BREAK_PROMISE" not in os.environ)
async def a_late_result_stops_the_simulation(dut):
    bench, shell = await begin(dut, late=1)
    set_mood(bench, Mood.flowing)
    shell.send(some_cases(3))
    await bench.cycles(100)


SMALL = {
    "DATA_BYTES": 4,
    "USER_BITS": 9,
    "RESULT_USER_BITS": 5,
    "WINDOW_BYTES": 14,
    "MAX_HEADER_BYTES": 13,
    "LATENCY_CYCLES": 5,
    "PACKET_WORDS": 64,
    "RESULT_WORDS": 16,
}


@pytest.mark.parametrize(
    "parameters",
    [
        SMALL,
        {**SMALL, "LATENCY_CYCLES": 1, "PACKET_WORDS": 4, "RESULT_WORDS": 2, "SHIFTS": 0b0011},
        {**SMALL, "DATA_BYTES": 8, "WINDOW_BYTES": 8, "MAX_HEADER_BYTES": 20, "PACKET_WORDS": 128, "RESULT_WORDS": 64},
        {**SMALL, "SPACING_CYCLES": 2},
        {"SHIFTS": 1 << 0 | 1 << 12 | 1 << 20, "LATENCY_CYCLES": 28},
        {},
    ],
    ids=str,
)
def test_pipeline_shell(parameters):
    runner.run("pipeline_shell", parameters)


def test_pipeline_shell_watches_the_pipeline():
    with pytest.raises(AssertionError, match="a_result_is_on_time"):
        runner.run("pipeline_shell", SMALL, only="a_late_result", settings={"BREAK_PROMISE": "1"})


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"LATENCY_CYCLES": 0}, "LATENCY_CYCLES must be 1 or more"),
        ({"PACKET_WORDS": 2}, "PACKET_WORDS must hold a window"),
    ],
    ids=str,
)
def test_pipeline_shell_refuses(parameters, sentence):
    runner.refuses("pipeline_shell", parameters, sentence)
