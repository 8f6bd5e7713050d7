# SPDX-License-Identifier: Apache-2.0
"""delay_line

- `out` is `in` as it was CYCLES enabled cycles ago, whether every cycle is enabled, some or none.
- A reset clears what stands at the end and nothing else.
- Lines of no, one and many cycles. Each parameter check fires.
"""

import random

import cocotb
import pytest

from bench import runner
from bench.stream import StreamBench, parameters


@cocotb.test()
@cocotb.parametrize(enabled=[1.0, 0.5, 0.1])
async def a_word_comes_out_after_so_many_enabled_cycles(dut, enabled):
    dut.enable.value = 0
    getattr(dut, "in").value = 0
    bench = StreamBench(dut)
    await bench.start()
    cycles, bits = parameters()["CYCLES"], parameters()["BITS"]
    line = [None] * cycles  # what stands in it, None for what was there before the test
    compared = 0

    def step():
        nonlocal compared
        word, enable = int(getattr(dut, "in").value), int(dut.enable.value)
        want = line[-1] if cycles else word
        if want is not None:
            assert int(dut.out.value) == want
            compared += 1
        if enable and cycles:
            line[:] = [word, *line[:-1]]
        if int(dut.rst.value) and cycles:
            line[-1] = 0
        getattr(dut, "in").value = random.getrandbits(bits)
        dut.enable.value = int(random.random() < enabled)

    bench.on_cycle(step)
    await bench.cycles(60 + int(3 * cycles / enabled))
    dut.rst.value = 1
    await bench.cycles(1)
    dut.rst.value = 0
    await bench.cycles(20 + int(3 * cycles / enabled))
    assert compared > 40


@pytest.mark.parametrize("parameters", [(8, 1), (32, 0), (1, 2), (32, 40)], ids=str)
def test_delay_line(parameters):
    runner.run("delay_line", dict(zip(("BITS", "CYCLES"), parameters, strict=True)))


def test_bits_are_checked():
    runner.refuses("delay_line", {"BITS": 0}, "BITS must be 1 or more")


def test_cycles_are_checked():
    runner.refuses("delay_line", {"CYCLES": -1}, "CYCLES must be 0 or more")
