# SPDX-License-Identifier: Apache-2.0
"""extern_lrc

- Random data, single bits and all ones: the result, exactly LATENCY_CYCLES later, is the exclusive or of the words of
  Python's integer, for data of whole words, of a part of a word more, and shorter than a word; with input_valid or not.
- Each parameter check fires.
"""

import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from bench import runner
from bench.stream import parameters


def check(data: int, bits: int) -> int:
    found = 0
    while data:
        found ^= data % (1 << bits)
        data >>= bits
    return found


@cocotb.test()
async def the_words_are_joined_by_exclusive_or(dut):
    p = parameters()
    Clock(dut.clk, 5, "ns").start()
    dut.rst.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    data = [1 << i for i in range(p["DATA_BITS"])] + [0, (1 << p["DATA_BITS"]) - 1]
    data += [random.getrandbits(p["DATA_BITS"]) for _ in range(300)]
    expected = deque([None] * p["LATENCY_CYCLES"])
    for word in [*data, *([0] * p["LATENCY_CYCLES"])]:
        dut.data.value = word
        dut.input_valid.value = random.randrange(2)
        expected.append(check(word, p["RESULT_BITS"]))
        await RisingEdge(dut.clk)
        right = expected.popleft()
        if right is not None:
            assert int(dut.result_result.value) == right


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"DATA_BITS": 333, "RESULT_BITS": 12, "LATENCY_CYCLES": 5},
        {"DATA_BITS": 7, "RESULT_BITS": 20, "LATENCY_CYCLES": 2},
        {"DATA_BITS": 104, "RESULT_BITS": 1},
        {"DATA_BITS": 1},
    ],
    ids=str,
)
def test_extern_lrc(parameters):
    runner.run("extern_lrc", parameters, packed=False)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"DATA_BITS": 0}, "DATA_BITS must be 1 or more"),
        ({"RESULT_BITS": 0}, "RESULT_BITS must be 1 or more"),
        ({"LATENCY_CYCLES": 0}, "LATENCY_CYCLES must be 1 or more"),
    ],
    ids=str,
)
def test_extern_lrc_refuses(parameters, sentence):
    runner.refuses("extern_lrc", parameters, sentence)
