# SPDX-License-Identifier: Apache-2.0
"""register_sum

- Random summands and summands at the limits, whose carries run from end to end and stop at every place, with every
  setting of the rest, against Python's integers.
- What takes the sum's place in the register and in the result.
- The parameter check fires.
"""

import random

import cocotb
import pytest
from cocotb.triggers import Timer

from bench import runner
from bench.stream import parameters


@cocotb.test()
async def the_sum_is_that_of_integers(dut):
    bits = parameters()["VALUE_BITS"]
    top = (1 << bits) - 1
    runs = [(top >> i << i, 1 << i) for i in range(bits)] + [((1 << i) - 1, 1) for i in range(bits)]
    edges = [v & top for v in (0, 1, 2, top, top - 1, 1 << bits - 1)]
    pairs = runs + [(a, b) for a in edges for b in edges]
    pairs += [(random.getrandbits(bits), random.getrandbits(bits)) for _ in range(300)]
    for old, summand in pairs:
        for _ in range(5):
            carry, limit_high, limit_low, replaces, hides = (random.randrange(2) for _ in range(5))
            replacement = random.getrandbits(bits) * replaces
            disguise = random.getrandbits(bits) * hides
            dut.old.value, dut.summand.value, dut.carry.value = old, summand, carry
            dut.limit_high.value, dut.limit_low.value = limit_high, limit_low
            dut.replaces.value, dut.replacement.value = replaces, replacement
            dut.hides.value, dut.disguise.value = hides, disguise
            await Timer(1, "ns")
            total = old + summand + carry
            right = 0 if limit_low and total <= top else top if limit_high and total > top else total & top
            assert int(dut.stored.value) == (replacement if replaces else right), (old, summand, carry)
            assert int(dut.shown.value) == (disguise if hides else right), (old, summand, carry)


@pytest.mark.parametrize(
    "parameters", [{}, {"VALUE_BITS": 1}, {"VALUE_BITS": 14}, {"VALUE_BITS": 15}, {"VALUE_BITS": 128}], ids=str
)
def test_register_sum(parameters):
    runner.run("register_sum", parameters, packed=False)


def test_register_sum_refuses():
    runner.refuses("register_sum", {"VALUE_BITS": 0}, "VALUE_BITS must be 1 or more")
