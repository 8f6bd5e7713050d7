# SPDX-License-Identifier: Apache-2.0
"""extern_reg_praw

- Random requests every cycle and with gaps, to so few registers that every distance to the last request of the same
  register occurs; all operations and relations, unknown codes too; values at the limits, so that sums wrap and
  saturate. Each result, exactly LATENCY_CYCLES after its request, is held against Python's arithmetic, one request
  after the other.
- The same with commands in between: reads, writes and clears stand between two requests and are always answered in
  time, also when no access to the memory can be saved.
- After a reset, amid requests and commands and with anything in the memory, registers read as zero while they are
  cleared, and are zero afterwards.
- Each parameter check fires.
"""

import cocotb
import pytest

from bench import runner
from rtl.extern_traffic import registers
from rtl.extern_traffic.registers import PRAW


@cocotb.test()
async def requests_are_done_one_after_the_other(dut):
    await registers.one_after_the_other(dut, PRAW)


@cocotb.test()
async def commands_come_between_requests(dut):
    await registers.commands_come_between(dut, PRAW)


@cocotb.test()
async def a_packet_every_cycle_starves_no_command(dut):
    await registers.a_packet_every_cycle_starves_no_command(dut, PRAW)


@cocotb.test()
async def clear_clears_each_register_once(dut):
    await registers.clear_clears_each_register_once(dut, PRAW)


@cocotb.test()
async def registers_are_zero_after_a_reset(dut):
    await registers.registers_are_zero_after_a_reset(dut, PRAW)


@pytest.mark.parametrize(
    "parameters",
    [
        {"INDEX_BITS": 3, "VALUE_BITS": 1, "LATENCY_CYCLES": 7},
        {"INDEX_BITS": 4, "VALUE_BITS": 64, "DISTRIBUTED_WORDS": 8},
    ],
    ids=str,
)
def test_extern_reg_praw(parameters):
    runner.run("extern_reg_praw", parameters, packed=False)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"INDEX_BITS": 0}, "INDEX_BITS must be from 1 to 16"),
        ({"INDEX_BITS": 17}, "INDEX_BITS must be from 1 to 16"),
        ({"VALUE_BITS": 0}, "VALUE_BITS must be 1 or more"),
        ({"DISTRIBUTED_WORDS": 0}, "DISTRIBUTED_WORDS must be 1 or more"),
        ({"INDEX_BITS": 6, "LATENCY_CYCLES": 2}, "LATENCY_CYCLES must be 3 or more"),
        ({"INDEX_BITS": 7, "LATENCY_CYCLES": 3}, "LATENCY_CYCLES must be 4 or more"),
    ],
    ids=str,
)
def test_extern_reg_praw_refuses(parameters, sentence):
    runner.refuses("extern_reg_praw", parameters, sentence)
