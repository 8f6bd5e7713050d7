# SPDX-License-Identifier: Apache-2.0
"""table_lpm

- Random prefixes come and go, one or several at once, and values change, by the commands of p4sume.control.lpm and
  under a lookup every cycle: each answer is the one before or after the SWAP, CLEAR or SET in flight, and versions
  never go back. The judge tries all prefixes. Keys are those at and around the edges of what changes.
- Writing a tree that is not in use changes no answer.
- The worst set of prefixes, of which no two share an edge, as many as the table holds.
- One prefix of each length; the prefix of no bits; keys at both ends.
- READ gives the values; indices past them, slots and nodes that are not there, and operations of other tables are
  BAD_REQUEST and change nothing. status_entries is what SWAP said.
- A result comes exactly LATENCY_CYCLES after its lookup, for lookups with gaps too.
- A reset in the middle of commands and lookups: misses until both trees, filled before, are swept, and no answer to
  an earlier lookup; then an empty table.
- Each parameter check fires.
"""

import itertools
import random

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from p4sume.control import LpmTable, Op, sizes
from p4sume.control.lpm import node_index
from p4sume.control.sizes import lpm_leaves, lpm_levels, lpm_nodes
from rtl.table_traffic.traffic import BAD_REQUEST, DELETE, MISS, NODE, OK, READ, SET, SWAP, TableBench

Content = dict[tuple[int, int], int]


def finder(content: Content):
    """The rule: of the prefixes that the key begins with the longest."""
    bits = parameters()["KEY_BITS"]
    ordered = sorted(((length, prefix >> bits - length, value) for (prefix, length), value in content.items()))
    ordered.reverse()
    known: dict[int, int | None] = {}

    def find(key: int):
        if key not in known:
            covering = (value for length, start, value in ordered if key >> bits - length == start)
            known[key] = next(covering, MISS)
        return known[key]

    return find


def edges(prefixes) -> list[int]:
    bits = parameters()["KEY_BITS"]
    keys = {0, (1 << bits) - 1}
    for key, length in prefixes:
        end = key + (1 << bits - length)
        keys |= {key - 1, key, key + 1, end - 1, end}
    return [key for key in keys if 0 <= key < 1 << bits]


class Lpm:
    def __init__(self, table: TableBench) -> None:
        p = parameters()
        self.table = table
        self.software = LpmTable(p["KEY_BITS"], p["VALUE_BITS"], p["ENTRIES"])
        self.content: Content = {}

    async def carry_out(self, commands, content: Content) -> None:
        """The last command is the one that lookups see."""
        for command in commands[:-1]:
            status = await self.table.command(
                command.op, key=command.key, value=command.value, index=command.index, target=command.target
            )
            assert status["code"] == OK
        last = commands[-1]
        assert last.op in (Op.SWAP, Op.SET, Op.CLEAR)
        status = await self.table.command(last.op, finder(content), value=last.value, index=last.index)
        self.content = content
        assert (status["code"], status["entries"]) == (OK, len(content))

    async def change(self, coming: Content, leaving=()) -> None:
        commands = self.software.change([(k, n, v) for (k, n), v in coming.items()], leaving)
        kept = {prefix: value for prefix, value in self.content.items() if prefix not in leaving}
        await self.carry_out(commands, kept | coming)

    async def modify(self, prefix: tuple[int, int], value: int) -> None:
        await self.carry_out(self.software.modify(*prefix, value), {**self.content, prefix: value})

    async def clear(self) -> None:
        await self.carry_out(self.software.clear(), {})


def a_value() -> int:
    return random.getrandbits(parameters()["VALUE_BITS"])


def a_prefix(near=()) -> tuple[int, int]:
    bits = parameters()["KEY_BITS"]
    length = random.choice([random.randint(0, bits), bits, bits - 8, bits // 2])
    key = random.getrandbits(bits)
    if near and random.random() < 0.6:
        key = random.choice(sorted(near))[0] ^ random.getrandbits(8)
    return key >> bits - length << bits - length, length


async def started(dut) -> tuple[TableBench, Lpm]:
    table = TableBench(dut)
    await table.start()
    return table, Lpm(table)


@cocotb.test()
async def lookups_see_the_table_before_or_after_each_command(dut):
    table, lpm = await started(dut)
    entries = parameters()["ENTRIES"]
    hot = [0]
    table.pick = lambda: random.choice(hot)
    for number in itertools.count():
        if number >= 40 and len(table.asked) >= 1000:
            break
        room = entries - len(lpm.content)
        leaving = random.sample(sorted(lpm.content), min(len(lpm.content), random.choice([0, 1, 3])))
        coming = {}
        for _ in range(min(room, random.choice([0, 1, 1, 8]) if number else 40)):
            prefix = a_prefix(lpm.content)
            if prefix not in lpm.content:
                coming[prefix] = a_value()
        some = random.sample(sorted(lpm.content), min(len(lpm.content), 3))
        hot[:] = edges([*coming, *leaving, *some])
        if number == 20:
            await lpm.clear()
        elif number % 4 == 3 and lpm.content:
            chosen = random.choice(sorted(lpm.content))
            hot[:] = edges([chosen])
            await lpm.modify(chosen, a_value())
        else:
            await lpm.change(coming, leaving)
    assert await table.judge() >= 1000
    table.ask(*edges(lpm.content))
    await table.judge()
    table.end()


@cocotb.test()
async def the_worst_set_of_prefixes_is_found(dut):
    table, lpm = await started(dut)
    entries, bits = parameters()["ENTRIES"], parameters()["KEY_BITS"]
    step = (1 << bits) // (entries + 1)
    worst = {(i * step + step // 2 | 1, bits): a_value() for i in range(entries)}
    table.pick = lambda: random.choice(sorted(worst)[:5])[0]
    await lpm.change(worst)
    assert len(lpm.content) == entries
    chosen = random.sample(sorted(worst), min(entries, 150))
    table.ask(*edges([*chosen, min(worst), max(worst)]))
    await table.judge()
    table.end()


@cocotb.test()
async def one_prefix_of_each_length(dut):
    table, lpm = await started(dut)
    entries, bits = parameters()["ENTRIES"], parameters()["KEY_BITS"]
    key = random.getrandbits(bits)
    lengths = random.sample(range(bits + 1), min(entries, bits + 1))
    for length in lengths:
        table.pick = lambda: random.choice([key, key ^ 1 << random.randrange(bits)])
        await lpm.change({(key >> bits - length << bits - length, length): a_value()})
    table.ask(*edges(lpm.content), *(key ^ 1 << i for i in range(bits)))
    await table.judge()
    for length in sorted(lengths, reverse=True):
        await lpm.change({}, [(key >> bits - length << bits - length, length)])
        table.ask(key, key ^ 1)
    await table.judge()
    table.end()


@cocotb.test()
async def what_the_table_does_not_have_is_refused(dut):
    table, lpm = await started(dut)
    entries, bits = parameters()["ENTRIES"], parameters()["KEY_BITS"]
    await lpm.change({(0, 0): a_value()})
    table.pick = lambda: random.getrandbits(bits)
    [command] = lpm.software.modify(0, 0, a_value())
    await lpm.carry_out([command], {(0, 0): command.value})
    assert (await table.command(READ, index=command.index))["value"] == command.value
    others = random.sample([i for i in range(entries) if i != command.index], min(entries - 1, 5))
    for index in others:
        value = a_value()
        assert (await table.command(SET, index=index, value=value))["code"] == OK
        status = await table.command(READ, index=index)
        assert (status["code"], status["value"]) == (OK, value)
    for op in (SET, READ):
        for index in (entries, entries + 1, (1 << 20) - 1):
            assert (await table.command(op, index=index))["code"] == BAD_REQUEST
    for op in (DELETE, 6, 7):
        assert (await table.command(op, index=0))["code"] == BAD_REQUEST

    levels = lpm_levels(entries)
    shapes = [(0, 1, lpm_nodes(entries, 1) - 1)]
    shapes += [(level, lpm_nodes(entries, level), 16 if level == levels else 15) for level in range(1, levels + 1)]
    wrong = [(level, slots, 0) for level, _, slots in shapes] + [(level, 0, nodes) for level, nodes, _ in shapes]
    wrong += [(level, 31, 0) for level in range(levels)] + [(level, 30, 0) for level in range(levels + 1)]
    wrong += [(level, 0, 0) for level in range(levels + 1, 4)]
    for place in wrong:
        status = await table.command(NODE, index=node_index(*place), key=0, target=0xFFFF)
        assert status["code"] == BAD_REQUEST, place
    assert (await table.command(NODE, index=1 << 19 | node_index(0, 0, 0)))["code"] == BAD_REQUEST
    assert (await table.command(NODE, index=node_index(levels, 31, lpm_leaves(entries) - 1)))["code"] == OK
    await table.judge()
    table.end()


@cocotb.test()
async def a_result_comes_after_exactly_the_latency(dut):
    p = parameters()
    assert p["LATENCY_CYCLES"] == sizes.lpm_latency(p["KEY_BITS"], p["ENTRIES"])
    table, lpm = await started(dut)
    bits = parameters()["KEY_BITS"]
    await lpm.change({(0, 1): a_value()})
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
    table.ask(*(random.getrandbits(bits) for _ in range(200)))
    await table.judge()
    assert arrivals == [cycle + parameters()["LATENCY_CYCLES"] for cycle in taken]
    table.end()


@cocotb.test()
async def after_a_reset_the_table_is_empty(dut):
    table = TableBench(dut)
    await table.bench.start()
    leaves = lpm_leaves(parameters()["ENTRIES"])
    for pause in (0, 1, 3, 6, 20):
        table.pick = lambda: 0
        swept = 0
        while not dut.control_ready.value:
            await table.bench.cycles(1)
            swept += 1
        assert 2 * leaves <= swept <= 2 * leaves + 24
        await table.judge()
        table.pick = lambda: 0
        lpm = Lpm(table)
        await lpm.change({(0, 0): a_value()})
        await lpm.change({}, [(0, 0)])
        await lpm.change({(0, 0): a_value()})  # both trees have held it
        beat = table.control.format.pack(op=SWAP, key=0, value=0, index=7, target=0)
        table.control.send([beat])
        await table.bench.cycles(pause)
        await table.reset()
        assert not table.status.beats
    await table.until_ready()
    assert table.entries() == 0
    table.pick = lambda: 0
    await table.command(SWAP, lambda key: MISS, index=0)
    await table.command(SWAP, lambda key: MISS, index=0)
    await table.judge()
    table.end()


@pytest.mark.parametrize(
    "parameters",
    [
        {"KEY_BITS": 8, "VALUE_BITS": 3, "ENTRIES": 1},
        {"KEY_BITS": 16, "VALUE_BITS": 40, "ENTRIES": 130},
        {"KEY_BITS": 128, "VALUE_BITS": 17, "ENTRIES": 60},
        {"KEY_BITS": 47, "VALUE_BITS": 32, "ENTRIES": 2200},
        {},
    ],
    ids=str,
)
def test_table_lpm(parameters):
    runner.run("table_lpm", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"KEY_BITS": 7}, "KEY_BITS must be from 8 to 128"),
        ({"KEY_BITS": 129}, "KEY_BITS must be from 8 to 128"),
        ({"VALUE_BITS": 0}, "VALUE_BITS must be 1 or more"),
        ({"ENTRIES": 0}, "ENTRIES must be from 1 to 16384"),
        ({"ENTRIES": 16385}, "ENTRIES must be from 1 to 16384"),
        ({"LATENCY_CYCLES": 11}, "LATENCY_CYCLES must be 12"),
        ({"LATENCY_CYCLES": 13}, "LATENCY_CYCLES must be 12"),
        ({"LATENCY_CYCLES": 17, "ENTRIES": 16384, "KEY_BITS": 128}, "LATENCY_CYCLES must be 16"),
        ({"LATENCY_CYCLES": 17, "ENTRIES": 16384}, "LATENCY_CYCLES must be 16"),
    ],
    ids=str,
)
def test_table_lpm_refuses(parameters, sentence):
    runner.refuses("table_lpm", parameters, sentence)
