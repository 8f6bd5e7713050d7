# SPDX-License-Identifier: Apache-2.0
"""register_engine

- Random requests every cycle and with gaps, to so few registers that every distance to the last request of the same
  register occurs, with one register and with three for each request; all operations and relations, unknown codes too;
  values at the limits, so that sums wrap and saturate. Each result, exactly LATENCY_CYCLES after its request, is held
  against Python's arithmetic, one request after the other.
- The same with commands in between: reads, writes and clears stand between two requests and are always answered in
  time, also when no access to the memory can be saved, and when requests write the register of the command.
- After a reset, amid requests and commands and with anything in the memory, registers read as zero while they are
  cleared, and are zero afterwards.
- Each parameter check fires.
"""

import json
import os

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from rtl.extern_traffic import registers


def kind() -> registers.Kind:
    p = parameters()
    # A bit, which parameters() does not list among the integers.
    after = json.loads(os.environ["BENCH_PARAMETERS"])["RESULT_AFTER"].endswith("1")
    return registers.engine_kind(p["READS"], p["INDEX_BITS"], after)


@cocotb.test()
async def requests_are_done_one_after_the_other(dut):
    await registers.one_after_the_other(dut, kind())


@cocotb.test()
async def commands_come_between_requests(dut):
    await registers.commands_come_between(dut, kind())


@cocotb.test()
async def a_packet_every_cycle_starves_no_command(dut):
    await registers.a_packet_every_cycle_starves_no_command(dut, kind())


@cocotb.test()
async def clear_clears_each_register_once(dut):
    await registers.clear_clears_each_register_once(dut, kind())


@cocotb.test()
async def registers_are_zero_after_a_reset(dut):
    await registers.registers_are_zero_after_a_reset(dut, kind())


@pytest.mark.parametrize(
    "parameters",
    [
        {"INDEX_BITS": 4, "VALUE_BITS": 8, "READS": 3, "DISTRIBUTED_WORDS": 8},
        {"INDEX_BITS": 2, "VALUE_BITS": 20, "READS": 3, "RESULT_AFTER": 1, "LATENCY_CYCLES": 5},
        {"INDEX_BITS": 7, "VALUE_BITS": 48, "READS": 1},
        {"INDEX_BITS": 3, "VALUE_BITS": 1, "READS": 1},
    ],
    ids=str,
)
def test_register_engine(parameters):
    runner.run("register_engine", parameters, packed=False)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"READS": 2}, "READS must be 1 or 3"),
        ({"INDEX_BITS": 6, "LATENCY_CYCLES": 2}, "LATENCY_CYCLES must be 3 or more"),
        ({"INDEX_BITS": 7, "LATENCY_CYCLES": 3}, "LATENCY_CYCLES must be 4 or more"),
    ],
    ids=str,
)
def test_register_engine_refuses(parameters, sentence):
    runner.refuses("register_engine", parameters, sentence)
