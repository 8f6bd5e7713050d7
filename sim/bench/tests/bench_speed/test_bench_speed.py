# SPDX-License-Identifier: Apache-2.0
"""How many 256-bit beats a second the lean bench moves through a register slice, against cocotbext-axi.

Both in one run on one machine, because only the ratio means anything.
"""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiStreamBus, AxiStreamSink, AxiStreamSource

from bench import runner
from bench.stream import CLOCK_NS, StreamBench

BEATS = 4000
BYTES = 32
AT_LEAST = 10.0


def note(name: str, seconds: float) -> None:
    Path(os.environ["SPEED_NOTES"], name).write_text(json.dumps(BEATS / seconds))


@cocotb.test()
async def lean(dut):
    bench = StreamBench(dut)
    await bench.start()
    sink = bench.sink["m_axis"]
    rng = random.Random(1)
    beats = [sink.format.pack(data=rng.getrandbits(256), keep=2**32 - 1, last=i % 16 == 15) for i in range(BEATS)]
    begun = time.monotonic()
    bench.source["s_axis"].send(beats)
    assert await sink.wait_for(BEATS) == beats
    note("lean", time.monotonic() - begun)
    bench.check()


@cocotb.test()
async def cocotbext(dut):
    Clock(dut.clk, CLOCK_NS, "ns", impl="gpi").start()
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
    source.log.setLevel("WARNING")
    sink.log.setLevel("WARNING")
    dut.rst.value = 1
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    frames = [random.Random(i).randbytes(16 * BYTES) for i in range(BEATS // 16)]
    begun = time.monotonic()
    for frame in frames:
        await source.send(frame)
    for frame in frames:
        assert bytes((await sink.recv()).tdata) == frame
    note("cocotbext", time.monotonic() - begun)


def test_the_lean_bench_is_several_times_as_fast(tmp_path: Path) -> None:
    settings = {"SPEED_NOTES": str(tmp_path)}
    runner.run("axis_register", {}, only="lean$", settings=settings)
    runner.run("axis_register", {}, only="cocotbext$", settings=settings, packed=False)
    speed = {name: json.loads((tmp_path / name).read_text()) for name in ("lean", "cocotbext")}
    ratio = speed["lean"] / speed["cocotbext"]
    print(f"lean {speed['lean']:.0f}, cocotbext-axi {speed['cocotbext']:.0f} beats/s: {ratio:.1f} times")
    assert ratio >= AT_LEAST
