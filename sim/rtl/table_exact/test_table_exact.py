# SPDX-License-Identifier: Apache-2.0
"""table_exact

- Random SET (new keys and other values), DELETE and CLEAR under a lookup every cycle: each answer is the one of the
  dict before or after the command in flight, and versions never go back. The lookups ask for what changes, for what
  stands and for what is not there.
- The same on a table that is so full, with keys that share so few rows, that long paths of keys have to step.
- ENTRIES keys go in, random ones and sequences; one more is FULL and nothing is lost; a value can still be replaced,
  a deleted key makes room. At full size, 65 536 keys, in a test of its own.
- More keys than rows that all have the same rows: FULL, nothing is lost, and the others are served.
- READ over all rows gives each entry once; an index past them and operations of other tables are BAD_REQUEST.
- DELETE of a key that is not there is NOT_FOUND and changes nothing. status_entries counts.
- A result comes exactly LATENCY_CYCLES after its lookup, for lookups with gaps too.
- After a reset, in the middle of commands and lookups, whatever the RAM holds: misses, no results of earlier
  lookups, no command taken, until the sweep has ended; then an empty table.
- Each parameter check fires.
"""

import itertools
import random
from collections import defaultdict

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from bench import runner
from bench.stream import parameters
from p4sume.control import sizes
from rtl.table_traffic.hash import Hash
from rtl.table_traffic.traffic import (
    BAD_REQUEST,
    CLEAR,
    DELETE,
    FULL,
    NODE,
    NOT_FOUND,
    OK,
    READ,
    SET,
    SWAP,
    TableBench,
)


def shape() -> tuple[int, int]:
    """Ways and rows of each, as README.md says."""
    entries = parameters()["ENTRIES"]
    if entries <= 128:
        return 3, 16 if entries <= 16 else 32 if entries <= 32 else 64
    rows = 1024
    while entries > 4.25 * rows:
        rows *= 2
    return (3 if entries <= 2.25 * rows else 4 if entries <= 3.4 * rows else 5), rows


def a_key() -> int:
    return random.getrandbits(parameters()["KEY_BITS"])


def a_value() -> int:
    return random.getrandbits(parameters()["VALUE_BITS"])


def keys(count: int) -> list[int]:
    bits = parameters()["KEY_BITS"]
    if bits <= 16:
        return random.sample(range(1 << bits), count)
    found: set[int] = set()
    while len(found) < count:
        found.add(a_key())
    return sorted(found, key=lambda key: hash((key, 1)))


class Exact:
    """The table by its rule, a dict, and the commands that change both."""

    def __init__(self, table: TableBench) -> None:
        self.table = table
        self.content: dict[int, int] = {}

    async def set(self, key: int, value: int, code: int = OK) -> None:
        if code == OK:
            self.content = {**self.content, key: value}
        status = await self.table.command(SET, self.content.get, key=key, value=value)
        assert (status["code"], status["entries"]) == (code, len(self.content))

    async def delete(self, key: int) -> None:
        code = OK if key in self.content else NOT_FOUND
        self.content = {k: v for k, v in self.content.items() if k != key}
        status = await self.table.command(DELETE, self.content.get, key=key)
        assert (status["code"], status["entries"]) == (code, len(self.content))

    async def clear(self) -> None:
        self.content = {}
        status = await self.table.command(CLEAR, self.content.get)
        assert (status["code"], status["entries"]) == (OK, 0)

    async def dump(self) -> dict[int, int]:
        ways, rows = shape()
        found: dict[int, int] = {}
        count = 0
        for index in range(ways * rows):
            status = await self.table.command(READ, index=index)
            assert status["code"] == OK
            if status["occupied"]:
                found[status["key"]] = status["value"]
                count += 1
        assert count == len(found), "an entry stands twice"
        return found

    async def look_at_all(self) -> None:
        self.table.ask(*self.content)
        await self.table.judge()


async def started(dut) -> tuple[TableBench, Exact]:
    table = TableBench(dut)
    await table.start()
    return table, Exact(table)


def colliding(count: int, share: float) -> list[int]:
    """Keys whose rows all stand in the first `share` of each way."""
    p = parameters()
    ways, rows = shape()
    rule = Hash(p["KEY_BITS"], ways, rows.bit_length() - 1, p["HASH_SEED"])
    found: set[int] = set()
    while len(found) < count:
        key = a_key()
        if all(place < share * rows for place in rule.places(key)):
            found.add(key)
    return sorted(found, key=lambda key: hash((key, 1)))


@cocotb.test()
async def lookups_see_the_table_before_or_after_each_command(dut):
    table, exact = await started(dut)
    pool = keys(min(2 * parameters()["ENTRIES"], 60))
    hot = [pool[0]]
    table.pick = lambda: random.choice(hot) if random.random() < 0.5 else random.choice(pool)
    for number in itertools.count():
        if number >= 250 and len(table.asked) >= 3000:
            break
        key = random.choice(pool)
        hot[:] = [key, random.choice(list(exact.content) or pool)]
        if random.random() < 0.01 or number == 100:
            await exact.clear()
        elif random.random() < 0.4:
            await exact.delete(key)
        elif key in exact.content or len(exact.content) < parameters()["ENTRIES"]:
            await exact.set(key, a_value())
        else:
            await exact.set(key, a_value(), FULL)
    assert await table.judge() >= 3000
    assert await exact.dump() == exact.content
    table.end()


@cocotb.test()
async def keys_that_step_aside_are_never_missed(dut):
    """The keys share 1.15 times as many rows as they are."""
    ways, rows = shape()
    count = parameters()["ENTRIES"]
    table, exact = await started(dut)
    hot: list[int] = []
    table.pick = lambda: random.choice(hot or [0])
    for key in colliding(count, 1.15 * count / (ways * rows)):
        hot.append(key)
        status = await table.command(SET, {**exact.content, key: 1}.get, key=key, value=1)
        assert status["code"] in (OK, FULL)
        if status["code"] == OK:
            exact.content = {**exact.content, key: 1}
        else:
            table.versions[-1] = exact.content.get
    assert len(exact.content) >= 0.9 * count
    await table.judge()
    assert await exact.dump() == exact.content
    for key in list(exact.content)[::2]:
        await exact.delete(key)
    await exact.look_at_all()
    table.end()


@cocotb.test()
@cocotb.parametrize(sequence=[False, True])
async def a_full_table_refuses_and_loses_nothing(dut, sequence):
    table, exact = await started(dut)
    entries, bits = parameters()["ENTRIES"], parameters()["KEY_BITS"]
    first = random.randrange(1 << bits)
    chosen = [first + i & (1 << bits) - 1 for i in range(entries + 3)] if sequence else keys(entries + 3)
    inside, outside = chosen[:entries], chosen[entries:]
    for key in inside:
        exact.content[key] = a_value()
        status = await table.command(SET, key=key, value=exact.content[key])
        assert (status["code"], status["entries"]) == (OK, len(exact.content))
    table.versions = [exact.content.get]
    table.pick = lambda: random.choice(chosen)
    for key in outside:
        await exact.set(key, a_value(), FULL)
    await exact.set(inside[0], a_value())
    await exact.delete(outside[0])
    await exact.delete(inside[-1])
    await exact.set(outside[0], a_value())
    await exact.set(outside[1], a_value(), FULL)
    await exact.look_at_all()
    if entries <= 128:
        assert await exact.dump() == exact.content
    table.end()


@cocotb.test()
async def keys_that_share_all_their_rows_fill_only_these(dut):
    """Of keys with the same row in each way no more than there are ways go in, then FULL, then all is as before."""
    p = parameters()
    ways, rows = shape()
    rule = Hash(p["KEY_BITS"], ways, rows.bit_length() - 1, p["HASH_SEED"])
    groups = defaultdict(set)
    while all(len(group) < ways + 2 for group in groups.values()):
        key = a_key()
        groups[rule.places(key)].add(key)
    group = sorted(max(groups.values(), key=len))
    table, exact = await started(dut)
    table.pick = lambda: random.choice(group)
    for number, key in enumerate(group):
        await exact.set(key, a_value(), OK if number < ways else FULL)
    await exact.set(group[0], a_value())
    await exact.delete(group[1])
    await exact.set(group[-1], a_value())
    await exact.set(group[1], a_value(), FULL)
    await table.judge()
    assert await exact.dump() == exact.content
    table.end()


@cocotb.test()
async def what_the_table_does_not_have_is_refused(dut):
    table, exact = await started(dut)
    ways, rows = shape()
    key = a_key()
    await exact.set(key, a_value())
    table.pick = lambda: key
    for index in (ways * rows, ways * rows + 1, (1 << 20) - 1):
        assert (await table.command(READ, index=index))["code"] == BAD_REQUEST
    for op in (NODE, SWAP, 6, 7):
        assert (await table.command(op, index=0, key=key))["code"] == BAD_REQUEST
    status = await table.command(READ, index=ways * rows - 1)
    assert status["code"] == OK
    await exact.delete(key ^ 1)
    await table.judge()
    table.end()


@cocotb.test()
async def a_result_comes_after_exactly_the_latency(dut):
    p = parameters()
    assert p["LATENCY_CYCLES"] == sizes.exact_latency(p["KEY_BITS"], p["ENTRIES"])
    table, exact = await started(dut)
    some = keys(6)
    for key in some[:3]:
        await exact.set(key, a_value())
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
    table.ask(*(random.choice(some) for _ in range(200)))
    await table.judge()
    # `sent` counts a beat in the cycle in which it stands at the port.
    assert arrivals == [cycle + parameters()["LATENCY_CYCLES"] for cycle in taken]
    table.end()


@cocotb.test()
async def after_a_reset_the_table_is_empty(dut):
    ways, rows = shape()
    table = TableBench(dut)
    await table.bench.start()
    exact = Exact(table)
    some = keys(min(parameters()["ENTRIES"], 12))
    table.pick = lambda: random.choice(some)
    for pause in (0, 3, 11, 25, 40):
        swept = 0
        while not dut.control_ready.value:
            await table.bench.cycles(1)
            swept += 1
        assert rows - 8 <= swept <= rows + 8
        assert table.entries() == 0
        await table.judge()
        table.pick = lambda: random.choice(some)
        for key in some:
            await exact.set(key, a_value())
        table.control.send([table.control.format.pack(op=SET, key=some[0], value=0, index=0)])
        await table.bench.cycles(pause)
        await table.reset()
        assert not table.status.beats
        exact.content = {}
    await table.until_ready()
    if rows <= 64:
        assert await exact.dump() == {}
    await table.judge()
    table.end()


async def give(dut, form, **fields: int) -> None:
    """A command without the bench, which would wake up every cycle."""
    values = dict.fromkeys(form.fields, 0)
    if not dut.control_ready.value:
        await RisingEdge(dut.control_ready)
    dut.control_beat.value = form.pack(**{**values, **fields}) | 1 << sum(w for _, w in form.fields.values())
    await FallingEdge(dut.control_ready)
    dut.control_beat.value = 0


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def full_size_takes_every_entry(dut):
    table, exact = await started(dut)
    table.bench._in_reset = True  # the bench sleeps while the table is filled
    first = random.getrandbits(parameters()["KEY_BITS"] - 17) << 17
    chosen = [first + i for i in range(parameters()["ENTRIES"])]
    for key in chosen:
        exact.content[key] = a_value()
        await give(dut, table.control.format, op=SET, key=key, value=exact.content[key])
    await table.until_ready()
    assert table.entries() == len(chosen)
    table.bench._in_reset = False
    table.versions = [exact.content.get]
    await exact.set(first - 1, 1, FULL)
    await exact.look_at_all()
    table.end()


# Keys that fall on few rows are found in small tables only; the search for a path is the same in all.
CROWDED = "keys_that_step|keys_that_share"


@pytest.mark.parametrize(
    ("parameters", "left_out"),
    [
        ({"KEY_BITS": 14, "VALUE_BITS": 8, "ENTRIES": 16, "HASH_SEED": 7}, ""),
        ({"KEY_BITS": 70, "VALUE_BITS": 40, "ENTRIES": 128, "HASH_SEED": -3}, "keys_that_share"),
        ({"KEY_BITS": 384, "VALUE_BITS": 256, "ENTRIES": 33}, CROWDED),
        ({"KEY_BITS": 20, "VALUE_BITS": 1, "ENTRIES": 129}, CROWDED),
        ({}, CROWDED),
    ],
    ids=str,
)
def test_table_exact(parameters, left_out):
    others = "|".join(filter(None, ["full_size", left_out]))
    runner.run("table_exact", parameters, only=f"^(?!.*({others}))")


@pytest.mark.parametrize("entries", [2304, 3481, 4352])
def test_table_exact_has_the_rows_it_says(entries):
    """The largest tables of three, four and five ways of 1 024 rows."""
    runner.run("table_exact", {"ENTRIES": entries, "KEY_BITS": 16}, only="does_not_have")


def test_table_exact_at_full_size():
    runner.run("table_exact", {"ENTRIES": 65536}, only="full_size")


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"KEY_BITS": 0}, "KEY_BITS must be from 1 to 512"),
        ({"KEY_BITS": 513}, "KEY_BITS must be from 1 to 512"),
        ({"VALUE_BITS": 0}, "VALUE_BITS must be 1 or more"),
        ({"ENTRIES": 0}, "ENTRIES must be from 1 to 65536"),
        ({"ENTRIES": 65537}, "ENTRIES must be from 1 to 65536"),
        ({"LATENCY_CYCLES": 5}, "LATENCY_CYCLES must be 6"),
        ({"LATENCY_CYCLES": 7}, "LATENCY_CYCLES must be 6"),
        ({"LATENCY_CYCLES": 5, "ENTRIES": 128, "KEY_BITS": 65}, "LATENCY_CYCLES must be 6"),
        ({"LATENCY_CYCLES": 6, "KEY_BITS": 65}, "LATENCY_CYCLES must be 7"),
    ],
    ids=str,
)
def test_table_exact_refuses(parameters, sentence):
    runner.refuses("table_exact", parameters, sentence)
