# SPDX-License-Identifier: Apache-2.0
"""entry_age

- Every pair of times, of which one is up to a range before the other, with every time-out that is allowed, of a narrow
  time; and, of a wide one, ages at and around the time-out, half and three quarters of the range: what a request finds,
  and what a visit drops. The judge reckons with ages, which do not wrap.
- Each parameter check fires. That no age ever wraps is what entry_age.sby proves.
"""

import random

import cocotb
import pytest
from cocotb.triggers import Timer

from bench import runner
from bench.stream import parameters


@cocotb.test()
async def the_age_decides(dut):
    bits = parameters()["TIME_BITS"]
    span = 1 << bits
    half, late = span // 2, span * 3 // 4
    if span <= 16:
        cases = [(made, age, timeout) for made in range(span) for age in range(span) for timeout in range(half)]
    else:
        cases = []
        for _ in range(4000):
            timeout = random.choice([0, 1, half - 1, random.randrange(half)])
            near = random.choice([0, timeout, half, late, span, random.randrange(span)])
            age = min(max(0, near + random.randint(-2, 2)), span - 1)
            cases.append((random.randrange(span), age, timeout))
    for made, age, timeout in cases:
        for valid in (0, 1):
            for visit in (0, 1):
                dut.valid.value = valid
                dut.visit.value = visit
                dut.made.value = made
                dut.seen.value = (made + age) % span
                dut.limit.value = (made + age - timeout) % span
                await Timer(1, "ns")
                assert int(dut.there.value) == (valid and age < (late if visit else half))
                if not visit:
                    assert int(dut.live.value) == (valid and age <= timeout)


@pytest.mark.parametrize("parameters", [{"TIME_BITS": 3}, {"TIME_BITS": 4}, {"TIME_BITS": 16}], ids=str)
def test_entry_age(parameters):
    runner.run("entry_age", parameters, packed=False)


def test_entry_age_refuses():
    runner.refuses("entry_age", {"TIME_BITS": 2}, "TIME_BITS must be 3 or more")
