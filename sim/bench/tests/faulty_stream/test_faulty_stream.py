# SPDX-License-Identifier: Apache-2.0
"""The bench on a module that keeps the stream contract, and on seven that break it.

Plan: the same traffic (idle in front, stalls behind) passes on the good module and fails on each faulty one, with the
sentence that names the fault.
"""

from __future__ import annotations

import random
from pathlib import Path

import cocotb
import pytest

from bench import runner
from bench.stream import BeatFormat, StreamBench, parameters

FAULTS = {
    1: "valid fell before ready",
    2: "beat changed before ready",
    3: "0 of .* beats came",
    4: "keep 0x7 in a beat that is not the last",
    5: "keep 0x5 in a last beat",
    6: "the last packet has no end",
    7: "beats came in",
}
SOURCE = Path(__file__).with_name("faulty_stream.sv")


def packets(form: BeatFormat, rng: random.Random, count: int) -> list[int]:
    beats = []
    for _ in range(count):
        length = rng.randrange(1, 5)
        beats += [form.pack(data=rng.getrandbits(32), keep=0xF, last=0) for _ in range(length - 1)]
        beats.append(form.pack(data=rng.getrandbits(32), keep=rng.choice([1, 3, 7, 15]), last=1))
    return beats


def some(rng: random.Random):
    while True:
        yield rng.random() < 0.4


@cocotb.test()
async def traffic_with_idle_and_stalls_passes_unchanged(dut):
    rng = random.Random(cocotb.RANDOM_SEED)
    bench = StreamBench(dut)
    await bench.start()
    bench.source["s_axis"].pause = some(rng)
    sink = bench.sink["m_axis"]
    sink.pause = some(rng)
    beats = packets(sink.format, rng, 30)
    bench.source["s_axis"].send(beats)
    got = await sink.wait_for(len(beats), 2000)
    bench.check()
    if parameters()["FAULT"] == 0:
        assert got == beats


@cocotb.test()
async def valid_comes_without_ready(dut):
    bench = StreamBench(dut)
    await bench.start()
    sink = bench.sink["m_axis"]
    sink.after_valid = True
    beats = packets(sink.format, random.Random(1), 10)
    bench.source["s_axis"].send(beats)
    await sink.wait_for(len(beats), 500)
    bench.check()


@cocotb.test()
async def a_beat_too_many_is_noticed(dut):
    bench = StreamBench(dut)
    await bench.start()
    sink = bench.sink["m_axis"]
    beats = packets(sink.format, random.Random(2), 4)
    bench.source["s_axis"].send(beats)
    await bench.cycles(50)
    with pytest.raises(AssertionError, match="beats too many"):
        bench.check()
    await sink.wait_for(len(beats))
    bench.check()


def test_the_good_module_passes() -> None:
    runner.run("faulty_stream", {}, sources=[SOURCE])


@pytest.mark.parametrize(("fault", "sentence"), FAULTS.items())
def test_each_fault_is_noticed(fault: int, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        runner.run("faulty_stream", {"FAULT": fault}, sources=[SOURCE])
