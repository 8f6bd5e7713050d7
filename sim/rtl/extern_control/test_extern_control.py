# SPDX-License-Identifier: Apache-2.0
"""The window of a register extern, between registers and extern.

Plan: the test plays both sides. Tried: every operation and its answer, with a slow extern; a command while one is under
way (not taken); an extern that is not ready after reset (busy, the command waits); reset in the middle of a command.
"""

from __future__ import annotations

import random

import cocotb
import pytest

from bench import runner
from bench.stream import StreamBench, parameters

READ, WRITE, CLEAR = range(3)


async def start(dut) -> StreamBench:
    for name in ("command", "operation", "index", "value"):
        getattr(dut, f"window_{name}").value = 0
    bench = StreamBench(dut)
    await bench.start()
    await bench.cycles(3)
    return bench


async def write(bench: StreamBench, operation: int, index: int, value: int) -> None:
    """As PeakRDL does it: the pulse is there in the cycle before the register changes."""
    bench.dut.window_index.value = index
    bench.dut.window_value.value = value
    bench.dut.window_command.value = 1
    await bench.cycles(1)
    bench.dut.window_command.value = 0
    bench.dut.window_operation.value = operation
    await bench.cycles(1)


def answer(bench: StreamBench, value: int) -> None:
    status = bench.source["status"]
    status.send([status.format.pack(value=value)])


@cocotb.test()
async def every_operation_reaches_the_extern_and_its_answer_the_window(dut):
    rng = random.Random(cocotb.RANDOM_SEED)
    index_bits, value_bits = parameters()["INDEX_BITS"], parameters()["VALUE_BITS"]
    bench = await start(dut)
    control = bench.sink["control"]
    for operation in [READ, WRITE, CLEAR] * 8:
        index, value, found = rng.getrandbits(index_bits), rng.getrandbits(value_bits), rng.getrandbits(value_bits)
        control.pause = (rng.random() < 0.7 for _ in iter(int, 1))
        await write(bench, operation, index, value)
        assert int(dut.window_busy.value)
        [taken] = await control.wait_for(1, 200)
        assert control.format.unpack(taken) == {"op": operation, "index": index, "value": value}
        control.pause = None
        await bench.cycles(rng.randrange(1, 20))
        assert int(dut.window_busy.value)
        answer(bench, found)
        await bench.cycles(4)
        assert not int(dut.window_busy.value)
        assert int(dut.window_found_value.value) == found
    bench.check()


@cocotb.test()
async def a_command_while_one_is_under_way_is_not_taken(dut):
    bench = await start(dut)
    await write(bench, READ, 1, 0)
    await bench.sink["control"].wait_for(1, 50)
    await write(bench, WRITE, 0, 1)
    await bench.cycles(20)
    assert int(dut.window_busy.value)
    answer(bench, 0)
    await bench.cycles(20)
    assert not int(dut.window_busy.value)
    bench.check()


@cocotb.test()
async def an_extern_that_clears_itself_is_busy_and_gets_its_command_then(dut):
    bench = await start(dut)
    control = bench.sink["control"]
    control.pause = (True for _ in iter(int, 1))
    await bench.cycles(3)
    await write(bench, READ, 1, 0)
    await bench.cycles(10)
    assert int(dut.window_busy.value)
    assert not control.beats
    control.pause = None
    await control.wait_for(1, 20)
    answer(bench, 1)
    await bench.cycles(5)
    assert not int(dut.window_busy.value)
    bench.check()


@cocotb.test()
async def reset_forgets_a_command(dut):
    bench = await start(dut)
    await write(bench, READ, 1, 0)
    await bench.sink["control"].wait_for(1, 50)
    await bench.reset()
    await bench.cycles(5)
    assert not int(dut.window_busy.value)
    bench.check()


@pytest.mark.parametrize(
    "parameters", [{"INDEX_BITS": 4, "VALUE_BITS": 48}, {"INDEX_BITS": 1, "VALUE_BITS": 1}], ids=str
)
def test_extern_control(parameters: dict[str, int]) -> None:
    runner.run("extern_control", parameters)


@pytest.mark.parametrize("name", ["INDEX_BITS", "VALUE_BITS"])
def test_bad_parameters_are_refused(name: str) -> None:
    runner.refuses("extern_control", {name: 0}, f"{name} must be 1 or more")
