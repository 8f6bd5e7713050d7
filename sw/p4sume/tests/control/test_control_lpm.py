# SPDX-License-Identifier: Apache-2.0
"""p4sume.control.lpm

- Random changes (single, several at once, all sizes of tables and keys) are carried out by a machine that does what
  hw/rtl/table/README.md says of NODE and SWAP; after each, keys at and around every edge find what trying all
  prefixes finds, and before the SWAP what they found before.
- Prefixes in each other, side by side, in sequence, down to the last key; a default route over a full table.
- A table takes the worst set of as many prefixes as it has entries; one more is refused and changes nothing.
- 10 000 prefixes in two seconds, one more in a hundred commands, on average.
- Every request that is wrong is refused with its error and changes nothing.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable

import pytest

from p4sume.control import (
    Command,
    DuplicateError,
    FullError,
    LpmTable,
    NotFoundError,
    Op,
    PrefixError,
    WidthError,
)
from p4sume.control.sizes import lpm_leaves, lpm_levels, lpm_nodes

Slots = dict[int, tuple[int, int]]


class Machine:
    """table_lpm by its description: two trees of nodes with slots."""

    def __init__(self, entries: int) -> None:
        self.entries = entries
        self.levels = lpm_levels(entries)
        self.clear()

    def clear(self) -> None:
        self.nodes: list[dict[tuple[int, int], Slots]] = [{}, {}]
        self.values: dict[int, int] = {}
        self.tree = 0
        self.count = 0

    def do(self, commands: Iterable[Command]) -> None:
        for c in commands:
            if c.op == Op.CLEAR:
                self.clear()
            elif c.op == Op.SET:
                assert c.index < self.entries
                self.values[c.index] = c.value
            elif c.op == Op.SWAP:
                self.tree ^= 1
                self.nodes[self.tree ^ 1][0, 0] = dict(self.nodes[self.tree].get((0, 0), {}))
                self.count = c.index
            else:
                assert c.op == Op.NODE
                level, slot, node = c.index >> 17, c.index >> 12 & 31, c.index & 0xFFF
                count = 1 if level == 0 else lpm_nodes(self.entries, level)
                slots = lpm_nodes(self.entries, 1) - 1 if level == 0 else 16 if level == self.levels else 15
                assert level <= self.levels and node < count
                assert slot < slots or (slot == 31 and level == self.levels)
                self.nodes[self.tree ^ 1].setdefault((level, node), {})[slot] = (c.key, c.target)

    def find(self, key: int) -> int | None:
        node, target = 0, 0
        for level in range(self.levels + 1):
            slots = self.nodes[self.tree].get((level, node), {})
            bounds = [slots.get(slot, (0, 0)) for slot in range(16)]
            used = [bound for bound in bounds if bound[1] >> 15]
            assert used == bounds[: len(used)] and [b[0] for b in used] == sorted(b[0] for b in used)
            rank = sum(bound[0] <= key for bound in used)
            if level == self.levels:
                target = bounds[rank - 1][1] if rank else slots.get(31, (0, 0))[1]
            node = node * 16 + rank if level else rank
        return self.values[target & 0x3FFF] if target >> 14 & 1 else None


def longest(content: dict[tuple[int, int], int], bits: int, key: int) -> int | None:
    covering = [(length, value) for (p, length), value in content.items() if key >> bits - length == p >> bits - length]
    return max(covering)[1] if covering else None


def edges(content: Iterable[tuple[int, int]], bits: int) -> list[int]:
    keys = {0, (1 << bits) - 1}
    for key, length in content:
        end = key + (1 << bits - length)
        keys |= {key - 1, key, key + 1, end - 1, end, end + 1}
    return [key for key in keys if 0 <= key < 1 << bits]


def a_prefix(bits: int, near: list[tuple[int, int]]) -> tuple[int, int]:
    length = random.choice([random.randint(0, bits), bits, max(bits - 8, 0)])
    key = random.choice(near)[0] ^ random.getrandbits(6) if near and random.random() < 0.5 else random.getrandbits(bits)
    return key >> bits - length << bits - length, length


@pytest.mark.parametrize(("bits", "entries"), [(8, 1), (8, 9), (8, 200), (16, 40), (32, 150), (128, 300)])
def test_every_key_finds_the_longest_prefix(bits: int, entries: int) -> None:
    random.seed(bits * entries)
    table, machine = LpmTable(bits, 32, entries), Machine(entries)
    content: dict[tuple[int, int], int] = {}
    for step in range(120):
        leaving = random.sample(sorted(content), min(len(content), random.choice([0, 0, 1, 1, 5])))
        wanted = random.choice([0, 1, 1, 2, 30]) if step % 3 else entries
        coming: dict[tuple[int, int], int] = {}
        for _ in range(min(wanted, entries - len(content))):
            prefix = a_prefix(bits, sorted(content))
            if prefix not in content:
                coming[prefix] = random.getrandbits(32)
        before = dict(content)
        commands = table.change([(k, n, v) for (k, n), v in coming.items()], leaving)
        content = {p: v for p, v in content.items() if p not in leaving} | coming
        machine.do(commands[:-1])
        some = edges(random.sample(sorted(before | content), min(len(before | content), 40)), bits)
        assert all(machine.find(key) == longest(before, bits, key) for key in some)
        machine.do(commands[-1:])
        assert all(machine.find(key) == longest(content, bits, key) for key in some)
        assert machine.count == len(content)
        assert table.dump() == sorted((k, n, v) for (k, n), v in content.items())
        if content and step % 5 == 0:
            key, length = random.choice(sorted(content))
            content[key, length] = random.getrandbits(32)
            [command] = table.modify(key, length, content[key, length])
            machine.do([command])
            assert all(machine.find(key) == longest(content, bits, key) for key in some)
        if step == 60:
            machine.do(table.clear())
            content = {}
    keys = edges(content, bits)
    assert all(machine.find(key) == longest(content, bits, key) for key in keys)


def test_one_by_one_in_sequence_and_away_again() -> None:
    table, machine, content = LpmTable(32, 32, 600), Machine(600), {}
    for i in range(600):
        prefix = (0x0A000000 + (i << 9), 24)
        content[prefix] = i
        machine.do(table.add(*prefix, i))
        for key in edges([prefix], 32):
            assert machine.find(key) == longest(content, 32, key)
    for prefix in list(content)[::-1][:580]:
        del content[prefix]
        machine.do(table.delete(*prefix))
    assert all(machine.find(key) == longest(content, 32, key) for key in edges(content, 32))


@pytest.mark.parametrize(("bits", "entries"), [(32, 16384), (128, 1024), (16, 255)])
def test_the_worst_set_fits_and_one_more_is_refused(bits: int, entries: int) -> None:
    """No two prefixes share an edge: twice as many ranges as prefixes, and one."""
    step = 1 << bits - (entries.bit_length() + 1)
    prefixes = [(i * step + (step >> 1) - 1, bits) for i in range(entries)]
    table, machine = LpmTable(bits, 32, entries), Machine(entries)
    machine.do(table.change([(key, length, i) for i, (key, length) in enumerate(prefixes)]))
    assert 2 * entries + 1 <= lpm_leaves(entries) * 17
    before = table.dump()
    with pytest.raises(FullError):
        table.add(0, 0, 1)
    assert table.dump() == before
    for i in random.Random(1).sample(range(entries), 200):
        assert machine.find(prefixes[i][0]) == i
        assert machine.find(prefixes[i][0] + 1) is None
    machine.do(table.delete(*prefixes[0]))
    machine.do(table.add(0, 0, 77))
    assert machine.find(prefixes[0][0]) == 77
    assert machine.find(prefixes[1][0]) == 1


def test_ten_thousand_prefixes_are_quick() -> None:
    random.seed(3)
    prefixes = sorted({(random.getrandbits(24) << 8, random.choice([24, 28, 32])) for _ in range(10_000)})
    table = LpmTable(32, 32, 16384)
    begun = time.process_time()
    commands = table.change([(key, length, 1) for key, length in prefixes])
    assert time.process_time() - begun < 2
    assert len(commands) < 4 * 2 * len(prefixes)
    machine = Machine(16384)
    machine.do(commands)
    content = dict.fromkeys(prefixes, 1)
    counts = []
    for _ in range(300):
        key, length = random.getrandbits(24) << 8, 24
        if (key, length) not in content:
            content[key, length] = 2
            commands = table.add(key, length, 2)
            counts.append(len(commands))
            machine.do(commands)
            assert machine.find(key) == longest(content, 32, key)
    assert sum(counts) / len(counts) < 100


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (lambda t: t.add(0x0A000001, 8, 0), PrefixError),
        (lambda t: t.add(0, 33, 0), PrefixError),
        (lambda t: t.add(0, -1, 0), PrefixError),
        (lambda t: t.add(1 << 32, 32, 0), WidthError),
        (lambda t: t.add(0, 32, 256), WidthError),
        (lambda t: t.add(0x0A000000, 8, 1), DuplicateError),
        (lambda t: t.change([(0, 1, 0), (0, 1, 0)]), DuplicateError),
        (lambda t: t.delete(0x0A000000, 9), NotFoundError),
        (lambda t: t.change(delete=[(0x0A000000, 8)] * 2), NotFoundError),
        (lambda t: t.modify(0x0B000000, 8, 1), NotFoundError),
        (lambda t: t.modify(0x0A000000, 8, 256), WidthError),
        (lambda t: t.change([(i << 8, 24, 0) for i in range(4)]), FullError),
    ],
)
def test_a_wrong_request_changes_nothing(request_, error) -> None:
    table, machine = LpmTable(32, 8, 4), Machine(4)
    machine.do(table.add(0x0A000000, 8, 5))
    with pytest.raises(error, match=r"\w+ \w+"):
        request_(table)
    assert table.dump() == [(0x0A000000, 8, 5)]
    machine.do(table.add(0x0A0A0000, 16, 6))
    assert [machine.find(key) for key in (0x0A000001, 0x0A0A0001, 0x0B000000)] == [5, 6, None]
