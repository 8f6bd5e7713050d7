# SPDX-License-Identifier: Apache-2.0
"""axil_crossing

With clocks of the SUME both ways round, equal, nearly equal and far apart:

- Random writes and reads, alone and at once, end where they were sent, with the answers that they get there: data,
  strobes, errors; whatever pauses either side makes.
- Each access is carried out once.
- A reset of the asking side's clock while an access is under way: what comes after it is answered rightly.
- A reset of the other side's: the access is carried out again, and answered.
- Each parameter check fires.
"""

import itertools
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Combine, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiLiteSlave, AxiResp, Region

from bench import runner
from bench.stream import parameters

CLOCKS = {
    "sume": (10, 5),
    "sume_back": (5, 10),
    "equal": (5, 5),
    "near": (5, 5.002),
    "fast": (2, 14.2),
    "slow": (14.2, 2),
}
every_clock = cocotb.parametrize(clocks=list(CLOCKS))
ERROR_EVERY = 5  # one of so many words answers with an error


class Words(Region):
    """A memory that counts the accesses to each word."""

    def __init__(self, size, word_bytes):
        super().__init__(size)
        self.word_bytes = word_bytes
        self.bytes = bytearray(size)
        self.writes = {}
        self.reads = {}

    def _refuse(self, address):
        if address // self.word_bytes % ERROR_EVERY == ERROR_EVERY - 1:
            raise ValueError("an error, as the test wants it")

    async def _read(self, address, length, **_):
        self.reads[address] = self.reads.get(address, 0) + 1
        self._refuse(address)
        return bytes(self.bytes[address : address + length])

    async def _write(self, address, data, **_):
        self.writes[address] = self.writes.get(address, 0) + 1
        self._refuse(address)
        self.bytes[address : address + len(data)] = data


class Sides:
    def __init__(self, dut, clocks):
        self.dut = dut
        self.periods = CLOCKS[clocks]
        self.word = int(parameters()["DATA_BITS"]) // 8
        self.size = 1 << int(parameters()["ADDRESS_BITS"])

    async def start(self, pauses=False):
        dut = self.dut
        for clock, period in zip((dut.s_clk, dut.m_clk), self.periods, strict=True):
            cocotb.start_soon(Clock(clock, int(period * 1000), "ps").start())
        dut.s_rst.value = dut.m_rst.value = 1
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.s_clk, dut.s_rst)
        self.words = Words(self.size, self.word)
        slave = AxiLiteSlave(AxiLiteBus.from_prefix(dut, "m_axil"), dut.m_clk, dut.m_rst, target=self.words)
        for side in (self.master, slave):
            for half in (side.write_if, side.read_if):
                half.log.setLevel("ERROR")
                if pauses:
                    for name in ("aw_channel", "w_channel", "b_channel", "ar_channel", "r_channel"):
                        channel = getattr(half, name, None)
                        if channel is not None:
                            channel.set_pause_generator(itertools.cycle(random.choices([0, 1], k=13) + [0]))
        await self.settle()
        dut.s_rst.value = dut.m_rst.value = 0
        await self.settle()

    async def settle(self):
        await ClockCycles(self.dut.s_clk, 12)
        await ClockCycles(self.dut.m_clk, 12)

    def address(self):
        return random.randrange(self.size // self.word) * self.word


@cocotb.test()
@every_clock
@cocotb.parametrize(pauses=[False, True])
async def writes_and_reads_end_where_they_were_sent(dut, clocks, pauses):
    sides = Sides(dut, clocks)
    await sides.start(pauses)
    expected = bytearray(sides.size)
    writes, reads = {}, {}
    for _ in range(60):
        place, length = sides.address(), random.randint(1, sides.word)
        fails = place // sides.word % ERROR_EVERY == ERROR_EVERY - 1
        data = random.randbytes(length)
        answer = await with_timeout(sides.master.write(place, data), 20, "us")
        assert answer.resp == (AxiResp.SLVERR if fails else AxiResp.OKAY)
        writes[place] = writes.get(place, 0) + 1
        if not fails:
            expected[place : place + length] = data
        place = sides.address()
        fails = place // sides.word % ERROR_EVERY == ERROR_EVERY - 1
        answer = await with_timeout(sides.master.read(place, sides.word), 20, "us")
        reads[place] = reads.get(place, 0) + 1
        assert answer.resp == (AxiResp.SLVERR if fails else AxiResp.OKAY)
        if not fails:
            assert answer.data == expected[place : place + sides.word]
    assert sides.words.bytes == expected
    assert (sides.words.writes, sides.words.reads) == (writes, reads)


@cocotb.test()
@every_clock
async def reads_and_writes_that_wait_together_take_turns(dut, clocks):
    sides = Sides(dut, clocks)
    await sides.start()
    order = []

    async def many(what):
        for _ in range(8):
            await what()
            order.append(what)

    async def read():
        await sides.master.read(0, 4)

    async def write():
        await sides.master.write(0, b"abcd")

    tasks = [cocotb.start_soon(many(what)) for what in (read, write)]
    await with_timeout(Combine(*tasks), 100, "us")
    assert all(order[:n].count(read) <= order[:n].count(write) + 2 for n in range(14))
    assert all(order[:n].count(write) <= order[:n].count(read) + 2 for n in range(14))


@cocotb.test()
@every_clock
async def after_a_reset_of_the_side_that_asks_nothing_old_is_answered(dut, clocks):
    sides = Sides(dut, clocks)
    await sides.start(pauses=True)
    for cycles in range(1, 16):
        sides.words.bytes[0:4] = cycles.to_bytes(4, "little")
        lost = cocotb.start_soon(sides.master.read(0, 4))
        await ClockCycles(dut.s_clk, cycles)
        dut.s_rst.value = 1
        await sides.settle()
        dut.s_rst.value = 0
        await sides.settle()
        lost.cancel()
        sides.words.bytes[sides.word : sides.word + 4] = (1000 + cycles).to_bytes(4, "little")
        answer = await with_timeout(sides.master.read(sides.word, 4), 20, "us")
        assert int.from_bytes(answer.data, "little") == 1000 + cycles


@cocotb.test()
@every_clock
async def after_a_reset_of_the_other_side_the_access_is_carried_out_again(dut, clocks):
    sides = Sides(dut, clocks)
    await sides.start(pauses=True)
    for cycles in range(1, 10):
        sides.words.bytes[0:4] = cycles.to_bytes(4, "little")
        asked = cocotb.start_soon(sides.master.read(0, 4))
        await ClockCycles(dut.m_clk, cycles)
        dut.m_rst.value = 1
        await ClockCycles(dut.m_clk, 6)
        await ClockCycles(dut.s_clk, 6)
        dut.m_rst.value = 0
        answer = await with_timeout(asked, 20, "us")
        assert int.from_bytes(answer.data, "little") == cycles
        await sides.settle()


@pytest.mark.parametrize("sizes", [{}, {"ADDRESS_BITS": 9, "DATA_BITS": 64}], ids=str)
def test_axil_crossing(sizes):
    runner.run("axil_crossing", sizes, packed=False)


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [({"ADDRESS_BITS": 0}, "ADDRESS_BITS must be"), ({"DATA_BITS": 16}, "DATA_BITS must be")],
    ids=str,
)
def test_checks(sizes, sentence):
    runner.refuses("axil_crossing", sizes, sentence)
