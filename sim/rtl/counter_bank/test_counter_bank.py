# SPDX-License-Identifier: Apache-2.0
"""counter_bank

The judge is a list of Python integers that is given the same events.

- All counters grow in every cycle, by the largest amounts too: after it has gone quiet each holds exactly its sum.
- A reading while everything grows is a value that the counter had between the request and the answer, low and high word
  of one moment, also when the low word overflows meanwhile (with amounts of 32 bits).
- The high word is kept until another low word is read; asked alone it is the counter's own.
- Every request is answered in the header's time: addresses behind the counters, writing, right after a reset, during
  a clear. A write changes nothing.
- clear at any time: exactly what comes in its cycle and later counts. So does a reset, which begins with zero.
- Each parameter check fires.
"""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from bench import runner
from bench.stream import CLOCK_NS, parameters

LOW = 2**32


class Bank:
    """Drives every input once a cycle and holds what each counter must be."""

    def __init__(self, dut):
        self.dut = dut
        self.amounts, self.bits, self.pulses = (parameters()[n] for n in ("N_AMOUNTS", "AMOUNT_BITS", "N_PULSES"))
        self.count = self.amounts + self.pulses
        self.round = max(8, self.count)
        self.total = [0] * self.count
        self.busy = 1.0  # share of counters that grow in a cycle
        self.cycle = 0

    async def start(self):
        for name in ("amount", "pulse", "clear", "window_request", "window_write", "window_address"):
            getattr(self.dut, name).value = 0
        Clock(self.dut.clk, CLOCK_NS, "ns", impl="gpi").start()
        await self.reset()

    async def reset(self, cycles=4):
        self.dut.rst.value = 1
        for _ in range(cycles):
            await self.step()
        self.dut.rst.value = 0
        self.total = [0] * self.count

    async def step(self, clear=False):
        grow = [random.random() < self.busy for _ in range(self.count)]
        most = 2**self.bits - 1
        plus = [random.choice((most, random.randint(0, most))) * g for g in grow[: self.amounts]]
        plus += grow[self.amounts :]
        self.dut.amount.value = sum(p << i * self.bits for i, p in enumerate(plus[: self.amounts]))
        self.dut.pulse.value = sum(p << i for i, p in enumerate(plus[self.amounts :]))
        self.dut.clear.value = int(clear)
        if clear:
            self.total = [0] * self.count
        self.total = [t + p for t, p in zip(self.total, plus, strict=True)]
        self.cycle += 1
        await FallingEdge(self.dut.clk)

    async def ask(self, address, write=0):
        """A word, and all counters as they were at the request and at the answer."""
        dut = self.dut
        dut.window_request.value, dut.window_write.value, dut.window_address.value = 1, write, address
        before = list(self.total)
        await self.step()
        dut.window_request.value = 0
        waited = 1
        while not dut.window_done.value:
            await self.step()
            waited += 1
            assert waited <= self.round + 7, "no answer"
        word = int(dut.window_data.value)
        after = list(self.total)
        return word, before, after

    async def read(self, index):
        """The value, and between which values it has to be."""
        low, before, after = await self.ask(2 * index)
        for _ in range(random.choice((0, 1, self.round))):
            await self.step()
        high, _, _ = await self.ask(2 * index + 1)
        return high * LOW + low, before[index], after[index]


def words_of_window(bank):
    return 2 ** (2 * bank.count - 1).bit_length()


async def quiet(bank):
    bank.busy = 0
    for _ in range(bank.round + 8):
        await bank.step()


async def check_all(bank):
    await quiet(bank)
    for index in range(bank.count):
        value, low, high = await bank.read(index)
        assert low == high == value, f"counter {index} says {value}, not {low}"


@cocotb.test()
async def nothing_is_lost_when_all_grow_at_once(dut):
    bank = Bank(dut)
    await bank.start()
    for busy, cycles in ((1.0, 5 * bank.round + 3), (0.3, 300), (1.0, 1), (0, 10)):
        bank.busy = busy
        for _ in range(cycles):
            await bank.step()
    await check_all(bank)
    assert min(bank.total) > 0


@cocotb.test()
async def a_reading_is_of_one_moment(dut):
    bank = Bank(dut)
    await bank.start()
    carried = 0
    bank.busy = 1.0
    for _ in range(60):
        index = random.randrange(bank.count)
        value, low, high = await bank.read(index)
        assert low <= value <= high, f"counter {index}: {value} is not between {low} and {high}"
    if bank.bits == 32:
        for _ in range(300):
            value, low, high = await bank.read(random.randrange(bank.amounts))
            assert low <= value <= high
            carried += low // LOW != high // LOW
        assert carried, "no low word overflowed"


@cocotb.test()
async def the_high_word_is_its_own_counters(dut):
    bank = Bank(dut)
    await bank.start()
    for _ in range(200):
        await bank.step()
    await quiet(bank)
    for _ in range(20):
        a, b = random.randrange(bank.count), random.randrange(bank.count)
        low, _, _ = await bank.ask(2 * a)
        other, _, _ = await bank.ask(2 * b + 1)
        high, _, _ = await bank.ask(2 * a + 1)
        assert (low, high) == (bank.total[a] % LOW, bank.total[a] // LOW)
        assert other == bank.total[b] // LOW


@cocotb.test()
async def every_request_is_answered(dut):
    bank = Bank(dut)
    await bank.start()
    bank.busy = 0.5
    for address in (*range(2 * bank.count, words_of_window(bank)), 0, 1, 2 * bank.count - 1):
        word, _, _ = await bank.ask(address)
        assert address < 2 * bank.count or word == 0
        await bank.ask(address, write=1)
    for _ in range(5):
        await bank.reset(cycles=random.randint(1, 4))
        await bank.ask(random.randrange(2 * bank.count))
        dut.window_request.value, dut.window_address.value = 1, 0
        await bank.step()
        dut.window_request.value = 0
        await bank.step(clear=True)
        while not dut.window_done.value:
            await bank.step()
    await check_all(bank)


@cocotb.test()
async def clear_and_reset_are_one_instant(dut):
    bank = Bank(dut)
    await bank.start()
    for trial in range(12):
        bank.busy = 1.0
        for _ in range(random.randint(1, 2 * bank.round)):
            await bank.step()
        if trial % 3 == 2:
            await bank.reset(cycles=random.randint(1, 3))
        else:
            await bank.step(clear=True)
        for _ in range(random.randint(0, 5)):
            await bank.step()
        await check_all(bank)
    for _ in range(4):
        bank.busy = 1.0
        await bank.step(clear=True)
        value, low, high = await bank.read(random.randrange(bank.count))
        assert low <= value <= high


@pytest.mark.parametrize(
    "parameters",
    [
        {"N_AMOUNTS": 1, "AMOUNT_BITS": 1, "N_PULSES": 1},
        {"N_AMOUNTS": 5, "AMOUNT_BITS": 32, "N_PULSES": 4},
        {"N_AMOUNTS": 3, "AMOUNT_BITS": 16, "N_PULSES": 70},
        {},
    ],
    ids=str,
)
def test_counter_bank(parameters):
    runner.run("counter_bank", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"N_AMOUNTS": 0}, "N_AMOUNTS must be 1 or more"),
        ({"AMOUNT_BITS": 0}, "AMOUNT_BITS must be 1 to 32"),
        ({"AMOUNT_BITS": 33}, "AMOUNT_BITS must be 1 to 32"),
        ({"N_PULSES": 0}, "N_PULSES must be 1 or more"),
    ],
    ids=str,
)
def test_counter_bank_refuses(parameters, sentence):
    runner.refuses("counter_bank", parameters, sentence)
