# SPDX-License-Identifier: Apache-2.0
"""pipeline_flow

The test plays the pipeline: each packet that starts brings a random result, in order, some cycles later.

- Each result comes out of m_plan and of m_header, in order and unchanged, whatever the reader of either does.
- status_packets is, in every cycle, the number of packets that started and whose header has not left.
- With stalled outputs exactly RESULT_WORDS packets start, and all results are kept; no path leads from ready to ready.
- m_plan shows a result in the cycle in which it comes, m_header exactly as many cycles later as its header says.
- A packet starts every cycle when the words cover the latency.
- A reset throws away what is inside.
- A result that nobody started stops the simulation. Each parameter check fires.
"""

import os
import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import ReadOnly, Timer

from bench import runner
from bench.stream import parameters
from rtl.axis_traffic.traffic import Mood, finish, stall, started

LEAST_CYCLES = 2  # from a start to its result, as this bench can play it


class Pipeline:
    """Gives a random result for every packet that starts, `latency` cycles later."""

    def __init__(self, bench, latency=LEAST_CYCLES):
        self.bench = bench
        self.start, self.results = bench.source["s_start"], bench.source["result"]
        self.plan, self.header = bench.sink["m_plan"], bench.sink["m_header"]
        self.plan.arrivals, self.header.arrivals = [], []
        self.latency = latency
        self.due: deque[tuple[int, int]] = deque()
        self.cycle = 0
        self.starts: list[int] = []
        self.came: list[int] = []  # cycles in which results come
        self.made: list[dict[str, int]] = []
        self.before = self.start.sent
        self.left = 0
        bench.on_cycle(self.step)

    def step(self):
        self.cycle += 1
        level = int(self.bench.dut.status_packets.value)
        assert level == self.left, f"{level} packets are said to be inside, {self.left} are"
        if self.start.sent != self.before:
            self.before = self.start.sent
            self.starts.append(self.cycle)
            form = self.results.format
            fields = {name: random.getrandbits(width) for name, (_, width) in form.fields.items()}
            self.made.append(fields)
            self.due.append((self.cycle + self.latency, form.pack(**fields)))
        if self.due and self.due[0][0] - 1 <= self.cycle + 1:
            self.came.append(self.due[0][0])
            self.results.send([self.due.popleft()[1]])
        self.left = len(self.starts) - len(self.header.arrivals)

    def stop(self):
        self.bench._steps.remove(self.step)

    def judge_plans(self, plans):
        names = ("header_length", "strip_length", "drop")
        assert [self.plan.format.unpack(p) for p in plans] == [
            {n: m[n] for n in names} for m in self.made[: len(plans)]
        ]

    def judge_headers(self, headers):
        renamed = {"data": "header", "length": "header_length", "drop": "drop", "user": "user"}
        wanted = [{n: m[o] for n, o in renamed.items()} for m in self.made[: len(headers)]]
        assert [self.header.format.unpack(h) for h in headers] == wanted

    async def judge(self, count):
        self.judge_plans(await self.plan.wait_for(count, 50_000))
        self.judge_headers(await self.header.wait_for(count, 50_000))


def header_latency() -> int:
    """Cycles: distributed RAM up to 64 words, block RAM above."""
    return 2 if parameters()["RESULT_WORDS"] <= 64 else 3


@cocotb.test()
@cocotb.parametrize(mood=list(Mood), latency=[LEAST_CYCLES, 9])
async def each_result_comes_out_of_both_outputs(dut, mood, latency):
    bench = await started(dut, mood)
    pipeline = Pipeline(bench, latency)
    pipeline.start.send([0] * 300)
    pipeline.results.pause = None
    await pipeline.judge(300)
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(slow=["m_plan", "m_header"])
async def one_slow_output_loses_nothing(dut, slow):
    bench = await started(dut)
    pipeline = Pipeline(bench)
    bench.sink[slow].pause = (random.random() < 0.9 for _ in iter(int, 1))
    pipeline.start.send([0] * 150)
    await pipeline.judge(150)
    await finish(bench)


@cocotb.test()
async def as_many_packets_start_as_have_room(dut):
    bench = await started(dut)
    words = parameters()["RESULT_WORDS"]
    pipeline = Pipeline(bench, 5)
    for turn in range(3):
        pipeline.header.pause = stall()
        pipeline.plan.pause = stall() if turn else None
        pipeline.start.send([0] * (words + 3))
        await bench.cycles(words + 30)
        assert len(pipeline.starts) - (words + 3) * turn == words
        assert not dut.s_start_ready.value
        dut.m_header_ready.value = dut.m_plan_ready.value = 1
        await ReadOnly()
        assert not dut.s_start_ready.value, "a path from ready to ready"
        await Timer(1, "ns")
        dut.m_header_ready.value = 0
        dut.m_plan_ready.value = int(not turn)
        pipeline.header.pause = pipeline.plan.pause = None
        await bench.cycles(2 * words + 60)
    await pipeline.judge(3 * (words + 3))
    await finish(bench)


@cocotb.test()
async def a_packet_starts_every_cycle(dut):
    bench = await started(dut)
    words = parameters()["RESULT_WORDS"]
    latency = words - header_latency() - 1
    pipeline = Pipeline(bench, max(latency, LEAST_CYCLES))
    pipeline.start.send([0] * 4 * words)
    await pipeline.judge(4 * words)
    if latency >= LEAST_CYCLES:
        assert pipeline.starts == list(range(pipeline.starts[0], pipeline.starts[0] + 4 * words))
    offset = pipeline.plan.arrivals[0] - pipeline.came[0]
    assert [a - offset for a in pipeline.plan.arrivals] == pipeline.came
    assert [a - offset - header_latency() for a in pipeline.header.arrivals] == pipeline.came
    dut_shows_plan_at_once = pipeline.cycle - bench.sink["m_plan"].cycle
    assert offset == -dut_shows_plan_at_once
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def after_a_reset_nothing_old_comes_out(dut, mood):
    bench = await started(dut, mood)
    for pause in range(12):
        pipeline = Pipeline(bench)
        pipeline.results.pause = None
        pipeline.start.send([0] * 60)
        await bench.cycles(5 + 3 * pause)
        pipeline.results.clear()  # the reset empties the pipeline too
        await bench.reset()
        pipeline.stop()
        assert not dut.status_packets.value
        pipeline = Pipeline(bench)
        pipeline.start.send([0] * 5)
        await pipeline.judge(5)
        pipeline.stop()
        await bench.cycles(5)
    await finish(bench)


@cocotb.test(skip="BREAK_PROMISE" not in os.environ)
async def a_result_that_nobody_started_stops_the_simulation(dut):
    bench = await started(dut)
    pipeline = Pipeline(bench)
    pipeline.start.send([0] * 3)
    await pipeline.judge(3)
    pipeline.results.send([0])
    await bench.cycles(20)


SMALL = {"RESULT_WORDS": 8, "USER_BITS": 3, "WINDOW_BYTES": 5, "MAX_HEADER_BYTES": 3}


@pytest.mark.parametrize(
    "parameters",
    [
        SMALL,
        {"RESULT_WORDS": 2, "USER_BITS": 1, "WINDOW_BYTES": 1, "MAX_HEADER_BYTES": 1},
        {"RESULT_WORDS": 128, "USER_BITS": 7, "WINDOW_BYTES": 9, "MAX_HEADER_BYTES": 8},
        {},
    ],
    ids=str,
)
def test_pipeline_flow(parameters):
    runner.run("pipeline_flow", parameters)


def test_pipeline_flow_watches_the_pipeline():
    with pytest.raises(AssertionError, match="a_result_was_started"):
        runner.run("pipeline_flow", SMALL, only="a_result_that_nobody", settings={"BREAK_PROMISE": "1"})


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"RESULT_WORDS": 1}, "RESULT_WORDS must be a power of two, 2 or more"),
        ({"RESULT_WORDS": 24}, "RESULT_WORDS must be a power of two, 2 or more"),
        ({"USER_BITS": 0}, "USER_BITS must be 1 or more"),
        ({"WINDOW_BYTES": 0}, "WINDOW_BYTES must be 1 or more"),
        ({"MAX_HEADER_BYTES": 0}, "MAX_HEADER_BYTES must be 1 or more"),
    ],
    ids=str,
)
def test_pipeline_flow_refuses(parameters, sentence):
    runner.refuses("pipeline_flow", parameters, sentence)
