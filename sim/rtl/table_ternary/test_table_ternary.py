# SPDX-License-Identifier: Apache-2.0
"""table_ternary

- Random SET (of rows that are free and of rows that are in use), DELETE and CLEAR under a lookup every cycle: each
  answer is the one of the rows before or after the command in flight, and versions never go back. The judge tries the
  rows one after the other. Masks are such that several rows fit a key; keys are chosen near the rows' keys.
- A row that is written again with what it holds, and rows beside it, never miss.
- Rows move as the control plane moves them, copy first, and a key that they fit is never missed.
- The lowest row wins, over all pairs of rows.
- Each bit of the key and of the mask counts, in the first row and in the last.
- READ gives every row; an index past them and operations of other tables are BAD_REQUEST; DELETE of a free row is
  NOT_FOUND and changes nothing. status_entries counts.
- A result comes exactly LATENCY_CYCLES after its lookup, for lookups with gaps too.
- A reset, in the middle of a command and of lookups, empties the table at once; no earlier lookup is answered.
- Each parameter check fires.
"""

import itertools
import random

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from p4sume.control import sizes
from rtl.table_traffic.traffic import (
    BAD_REQUEST,
    CLEAR,
    DELETE,
    MISS,
    NODE,
    NOT_FOUND,
    OK,
    READ,
    SET,
    SWAP,
    TableBench,
)

Rows = dict[int, tuple[int, int, int]]  # number: key, mask, value


def finder(rows: Rows):
    """The rule: the first row that agrees in the bits of its mask."""
    ordered = [rows[number] for number in sorted(rows)]

    def find(asked: int):
        for key, mask, value in ordered:
            if (asked ^ key) & mask == 0:
                return value
        return MISS

    return find


class Ternary:
    def __init__(self, table: TableBench) -> None:
        self.table = table
        self.rows: Rows = {}

    async def set(self, index: int, key: int, mask: int, value: int) -> None:
        self.rows = {**self.rows, index: (key, mask, value)}
        status = await self.table.command(SET, finder(self.rows), index=index, key=key, mask=mask, value=value)
        assert (status["code"], status["entries"]) == (OK, len(self.rows))

    async def delete(self, index: int) -> None:
        code = OK if index in self.rows else NOT_FOUND
        self.rows = {number: row for number, row in self.rows.items() if number != index}
        status = await self.table.command(DELETE, finder(self.rows), index=index)
        assert (status["code"], status["entries"]) == (code, len(self.rows))

    async def clear(self) -> None:
        self.rows = {}
        status = await self.table.command(CLEAR, finder({}))
        assert (status["code"], status["entries"]) == (OK, 0)

    async def check_all(self) -> None:
        for index in range(parameters()["ENTRIES"]):
            status = await self.table.command(READ, index=index)
            assert (status["code"], status["occupied"]) == (OK, index in self.rows)
            if index in self.rows:
                assert (status["key"], status["mask"], status["value"]) == self.rows[index]


def a_key() -> int:
    return random.getrandbits(parameters()["KEY_BITS"])


def a_mask() -> int:
    bits = parameters()["KEY_BITS"]
    every = (1 << bits) - 1
    kind = random.random()
    if kind < 0.3:
        return every
    if kind < 0.6:
        return every << random.randint(0, bits) & every
    return random.getrandbits(bits) & random.getrandbits(bits)


def a_value() -> int:
    return random.getrandbits(parameters()["VALUE_BITS"])


async def started(dut) -> tuple[TableBench, Ternary]:
    table = TableBench(dut)
    await table.start()
    return table, Ternary(table)


@cocotb.test()
async def lookups_see_the_rows_before_or_after_each_command(dut):
    table, ternary = await started(dut)
    entries, bits = parameters()["ENTRIES"], parameters()["KEY_BITS"]
    pool = [a_key() for _ in range(6)]
    hot = [0]

    def near() -> int:
        key = random.choice(hot) if random.random() < 0.6 else random.choice(pool)
        return key ^ 1 << random.randrange(bits) if random.random() < 0.3 else key

    table.pick = near
    some = random.sample(range(entries), min(entries, 14))
    for number in itertools.count():
        if number >= 45 and len(table.asked) >= 5000:
            break
        index = random.choice(some)
        hot[:] = [ternary.rows[index][0] if index in ternary.rows else random.choice(pool)]
        if number == 25:
            await ternary.clear()
        elif random.random() < 0.3:
            await ternary.delete(index)
        else:
            await ternary.set(index, random.choice(pool), a_mask(), a_value())
    assert await table.judge() >= 5000
    await ternary.check_all()
    table.end()


@cocotb.test()
async def a_row_written_again_is_never_missed(dut):
    table, ternary = await started(dut)
    entries, bits = parameters()["ENTRIES"], parameters()["KEY_BITS"]
    every = (1 << bits) - 1
    last = entries - 1
    chosen = list({0, 1 % entries, max(last - 1, 0), last, random.randrange(entries)})
    for index in chosen:
        await ternary.set(index, a_key(), every, a_value())
    table.pick = lambda: random.choice(list(ternary.rows.values()))[0]
    for index in chosen:
        key, mask, value = ternary.rows[index]
        await ternary.set(index, key, mask, value)
        await ternary.set(index, key, mask, a_value())
        await ternary.set(index, key, mask & ~1, a_value())
        await ternary.set(index, a_key(), mask, a_value())
    await table.judge()
    await ternary.check_all()
    table.end()


@cocotb.test()
async def a_key_is_not_missed_while_its_row_moves(dut):
    table, ternary = await started(dut)
    entries = parameters()["ENTRIES"]
    key, value = a_key(), a_value()
    table.pick = lambda: key
    places = [random.randrange(entries) for _ in range(10)]
    await ternary.set(places[0], key, (1 << parameters()["KEY_BITS"]) - 1, value)
    for old, new in zip(places, places[1:], strict=False):
        if old != new:
            await ternary.set(new, *ternary.rows[old])
            await ternary.delete(old)
    assert len(ternary.rows) == 1
    await table.judge()
    table.end()


@cocotb.test()
async def the_lowest_row_wins(dut):
    table, ternary = await started(dut)
    entries = parameters()["ENTRIES"]
    key = a_key()
    for index in sorted(random.sample(range(entries), min(entries, 12)), reverse=True):
        await ternary.set(index, key, 0, a_value())
        table.ask(key, a_key())
    for index in sorted(ternary.rows):
        await ternary.delete(index)
        table.ask(key, a_key())
    await table.judge()
    table.end()


@cocotb.test()
async def each_bit_counts(dut):
    table, ternary = await started(dut)
    bits = parameters()["KEY_BITS"]
    every = (1 << bits) - 1
    for index in {0, parameters()["ENTRIES"] - 1}:
        await ternary.clear()
        key = a_key()
        for mask in (every, every ^ 1, every ^ 1 << bits - 1, random.getrandbits(bits), 0):
            await ternary.set(index, key, mask, a_value())
            table.ask(key, *(key ^ 1 << i for i in range(bits)))
            await table.judge()
    table.end()


@cocotb.test()
async def what_the_table_does_not_have_is_refused(dut):
    table, ternary = await started(dut)
    entries = parameters()["ENTRIES"]
    await ternary.set(entries - 1, 5 % 2 ** parameters()["KEY_BITS"], 0, 1)
    table.pick = a_key
    for op in (SET, DELETE, READ):
        for index in (entries, entries + 1, 1 << 10, (1 << 20) - 1):
            assert (await table.command(op, index=index))["code"] == BAD_REQUEST
    for op in (NODE, SWAP, 6, 7):
        assert (await table.command(op, index=0))["code"] == BAD_REQUEST
    await table.judge()
    await ternary.check_all()
    await ternary.delete(entries - 1)
    await ternary.delete(entries - 1)
    await table.judge()
    table.end()


@cocotb.test()
async def a_result_comes_after_exactly_the_latency(dut):
    p = parameters()
    assert p["LATENCY_CYCLES"] == sizes.ternary_latency(p["ENTRIES"])
    table, ternary = await started(dut)
    await ternary.set(0, 0, 1, a_value())
    table.lookup.pause = iter(lambda: random.random() < 0.5, None)
    taken: list[int] = []
    before = table.lookup.sent

    def step():
        nonlocal before
        if table.lookup.sent != before:
            taken.append(table.cycle)
        before = table.lookup.sent

    table.bench.on_cycle(step)
    table.result.arrivals = arrivals = []
    table.ask(*(a_key() for _ in range(200)))
    await table.judge()
    assert arrivals == [cycle + parameters()["LATENCY_CYCLES"] for cycle in taken]
    table.end()


@cocotb.test()
async def a_reset_empties_the_table_at_once(dut):
    table, ternary = await started(dut)
    entries = parameters()["ENTRIES"]
    key = a_key()
    table.pick = lambda: key
    for pause in (1, 2, 9, 60, 150, 205, 215):
        index = random.randrange(entries)
        await ternary.set(index, key, 0, a_value())
        table.control.send([table.control.format.pack(op=SET, key=key, mask=0, value=0, index=index)])
        await table.bench.cycles(pause)
        await table.reset()
        ternary.rows = {}
        assert dut.control_ready.value
        await table.bench.cycles(300)
        assert not table.status.beats
        await ternary.check_all()
        await table.judge()
        table.pick = lambda: key
        assert table.entries() == 0
    await table.judge()
    table.end()


@pytest.mark.parametrize(
    "parameters",
    [
        {"KEY_BITS": 3, "VALUE_BITS": 1, "ENTRIES": 1},
        {"KEY_BITS": 31, "VALUE_BITS": 9, "ENTRIES": 7},
        {"KEY_BITS": 185, "VALUE_BITS": 70, "ENTRIES": 13},
        {"KEY_BITS": 30, "VALUE_BITS": 16, "ENTRIES": 70},
        {},
    ],
    ids=str,
)
def test_table_ternary(parameters):
    runner.run("table_ternary", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"KEY_BITS": 0}, "KEY_BITS must be from 1 to 512"),
        ({"KEY_BITS": 513}, "KEY_BITS must be from 1 to 512"),
        ({"VALUE_BITS": 0}, "VALUE_BITS must be 1 or more"),
        ({"ENTRIES": 0}, "ENTRIES must be from 1 to 512"),
        ({"ENTRIES": 513}, "ENTRIES must be from 1 to 512"),
        ({"LATENCY_CYCLES": 4}, "LATENCY_CYCLES must be 5"),
        ({"LATENCY_CYCLES": 6}, "LATENCY_CYCLES must be 5"),
        ({"LATENCY_CYCLES": 6, "ENTRIES": 65}, "LATENCY_CYCLES must be 7"),
    ],
    ids=str,
)
def test_table_ternary_refuses(parameters, sentence):
    runner.refuses("table_ternary", parameters, sentence)
