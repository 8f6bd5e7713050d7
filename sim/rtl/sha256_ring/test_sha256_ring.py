# SPDX-License-Identifier: Apache-2.0
"""sha256_ring

- The words of every key are those of hashlib, less the initial value that token_core adds: all zeros, all ones, every
  single bit, random keys.
- They are there exactly as many cycles after the key as the list below says and DELAY_CYCLES more, one key in every
  slot. What is offered in other cycles has no effect.
- Rings of every form: a line, one unit, some units, with and without rounds behind the ring, with turns longer than
  their units by none, one and more cycles.
- Each parameter check fires.
"""

import hashlib
import random

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from rtl.token_core.rings import judge, special_keys, words_less

INITIAL = {0: 0x6A09E667, 6: 0x1F83D9AB, 7: 0x5BE0CD19}  # FIPS 180-4, 5.3.3

# Cycles from a key to its words, by the cycles per key.
LATENCY = {80: 201, 4: 139, 16: 151, 10: 163, 7: 136, 13: 136, 64: 199, 1: 136}


def wanted(key: int) -> tuple[int, ...]:
    return words_less(hashlib.sha256(key.to_bytes(8, "big")).digest(), INITIAL)


@cocotb.test()
async def every_key_has_its_words_in_time(dut):
    every = parameters()["CYCLES_PER_KEY"]
    keys = special_keys() + [random.getrandbits(64) for _ in range(300)]
    await judge(dut, every, LATENCY[every] + parameters()["DELAY_CYCLES"], keys, wanted)


@pytest.mark.parametrize("parameters", [(80, 0), (13, 80), (16, 3), (64, 1), (10, 0), (7, 2), (4, 5), (1, 7)], ids=str)
def test_sha256_ring(parameters):
    runner.run("sha256_ring", dict(zip(("CYCLES_PER_KEY", "DELAY_CYCLES"), parameters, strict=True)))


@pytest.mark.parametrize("value", [-1, 0, 81])
def test_cycles_per_key_is_checked(value):
    runner.refuses("sha256_ring", {"CYCLES_PER_KEY": value}, "CYCLES_PER_KEY must be from 1 to 80")


def test_delay_cycles_is_checked():
    runner.refuses("sha256_ring", {"DELAY_CYCLES": -1}, "DELAY_CYCLES must be 0 or more")
