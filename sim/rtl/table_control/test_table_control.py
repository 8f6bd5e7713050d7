# SPDX-License-Identifier: Apache-2.0
"""The window of a table, between registers and table.

Plan: the test plays both sides. Registers: an operation is written (window_command, and the operation a cycle later).
Table: takes the command when it likes, answers when it likes. Tried: every operation and every answer; a slow table; a
command while one is under way (not taken); a table that is not ready after reset (busy, the
command waits); the default value before and
after DEFAULT, which the table never sees; reset in the middle of a command.
"""

from __future__ import annotations

import random

import cocotb
import pytest

from bench import runner
from bench.stream import BeatFormat, Sink, Source, StreamBench, parameters

SET, DELETE, READ, CLEAR, NODE, SWAP, DEFAULT = range(7)
OUTCOMES = range(4)


class Window:
    """The registers' side."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.key_bits, self.value_bits = parameters()["KEY_BITS"], parameters()["VALUE_BITS"]
        self.bench = StreamBench(dut, streams=["control", "status"])
        self.control: Sink = self.bench.sink["control"]
        self.status: Source = self.bench.source["status"]
        self.answer_format: BeatFormat = self.status.format

    async def start(self) -> None:
        for name in ("command", "operation", "index", "key", "mask", "value"):
            getattr(self.dut, f"window_{name}").value = 0
        await self.bench.start()
        await self.bench.cycles(3)

    async def write(self, operation: int, key: int, mask: int, value: int, index: int) -> None:
        """As PeakRDL does it: the pulse is there in the cycle before the register changes."""
        self.dut.window_key.value = key
        self.dut.window_mask.value = mask
        self.dut.window_value.value = value
        self.dut.window_index.value = index
        self.dut.window_command.value = 1
        await self.bench.cycles(1)
        self.dut.window_command.value = 0
        self.dut.window_operation.value = operation
        await self.bench.cycles(1)

    def busy(self) -> int:
        return int(self.dut.window_busy.value)


@cocotb.test()
async def every_operation_reaches_the_table_and_its_answer_the_window(dut):
    rng = random.Random(cocotb.RANDOM_SEED)
    window = Window(dut)
    await window.start()
    for operation in [SET, DELETE, READ, CLEAR, NODE, SWAP] * 5:
        key, mask = rng.getrandbits(window.key_bits), rng.getrandbits(parameters()["MASK_BITS"])
        value, index = rng.getrandbits(window.value_bits), rng.getrandbits(20)
        window.control.pause = (rng.random() < 0.7 for _ in iter(int, 1))
        await window.write(operation, key, mask, value, index)
        assert window.busy()
        [taken] = await window.control.wait_for(1, 200)
        wanted = {"op": operation, "key": key, "mask": mask, "value": value, "index": index}
        assert window.control.format.unpack(taken) == wanted
        window.control.pause = None
        await window.bench.cycles(rng.randrange(1, 30))
        assert window.busy()
        answer = {
            "code": rng.choice(OUTCOMES),
            "occupied": rng.getrandbits(1),
            "key": rng.getrandbits(window.key_bits),
            "mask": rng.getrandbits(parameters()["MASK_BITS"]),
            "value": rng.getrandbits(window.value_bits),
        }
        window.status.send([window.answer_format.pack(**answer)])
        await window.bench.cycles(4)
        assert not window.busy()
        assert int(dut.window_outcome.value) == answer["code"]
        assert int(dut.window_found.value) == answer["occupied"]
        assert int(dut.window_found_key.value) == answer["key"]
        assert int(dut.window_found_mask.value) == answer["mask"]
        assert int(dut.window_found_value.value) == answer["value"]
    window.bench.check()


@cocotb.test()
async def a_command_while_one_is_under_way_is_not_taken(dut):
    window = Window(dut)
    await window.start()
    await window.write(SET, 1, 0, 1, 0)
    await window.control.wait_for(1, 50)
    await window.write(DELETE, 1, 0, 1, 0)
    await window.bench.cycles(20)
    assert window.busy()
    window.status.send([window.answer_format.pack(code=0)])
    await window.bench.cycles(20)
    assert not window.busy()
    window.bench.check()


@cocotb.test()
async def the_default_is_changed_here_and_the_table_is_not_asked(dut):
    window = Window(dut)
    await window.start()
    assert int(dut.default_value.value) == parameters()["DEFAULT_VALUE"]
    other = (1 << window.value_bits) - 1 ^ parameters()["DEFAULT_VALUE"]
    await window.write(DEFAULT, 0, 0, other, 0)
    await window.bench.cycles(3)
    assert int(dut.default_value.value) == other
    assert int(dut.window_outcome.value) == 0
    assert not window.busy()
    await window.bench.reset()
    await window.bench.cycles(2)
    assert int(dut.default_value.value) == parameters()["DEFAULT_VALUE"]
    window.bench.check()


@cocotb.test()
async def a_table_that_clears_itself_is_busy_and_gets_its_command_then(dut):
    window = Window(dut)
    await window.start()
    window.control.pause = (True for _ in iter(int, 1))
    await window.bench.cycles(3)
    assert window.busy()
    await window.write(SET, 1, 0, 1, 0)
    await window.bench.cycles(10)
    assert window.busy()
    assert not window.control.beats
    window.control.pause = None
    await window.control.wait_for(1, 20)
    window.status.send([window.answer_format.pack(code=0)])
    await window.bench.cycles(5)
    assert not window.busy()
    window.bench.check()


@cocotb.test()
async def reset_forgets_a_command(dut):
    window = Window(dut)
    await window.start()
    await window.write(SET, 1, 0, 1, 0)
    await window.control.wait_for(1, 50)
    await window.bench.reset()
    await window.bench.cycles(5)
    assert not window.busy()
    await window.write(READ, 0, 0, 0, 7)
    [taken] = await window.control.wait_for(1, 50)
    assert window.control.format.field(taken, "index") == 7
    window.bench.check()


@pytest.mark.parametrize(
    "parameters",
    [{"KEY_BITS": 48, "VALUE_BITS": 40, "DEFAULT_VALUE": 5}, {"KEY_BITS": 9, "MASK_BITS": 16, "VALUE_BITS": 1}],
    ids=str,
)
def test_table_control(parameters: dict[str, int]) -> None:
    runner.run("table_control", parameters)


@pytest.mark.parametrize(("name", "value"), [("KEY_BITS", 0), ("MASK_BITS", 0), ("VALUE_BITS", 0)])
def test_bad_parameters_are_refused(name: str, value: int) -> None:
    runner.refuses("table_control", {name: value}, f"{name} must be 1 or more")
