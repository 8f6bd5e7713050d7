# SPDX-License-Identifier: Apache-2.0
"""p4sume.control.exact, ternary, ranges and sizes

- Exact: what is in is what a dict would hold; wrong requests are refused with their error and change nothing.
- Ternary: random entries come, change and go; a machine that holds rows by number carries the commands out one at a
  time, and after each of them every key finds what it found before the request or what it shall find after it, and
  once the latter never again the former. Rows that are moved are never missed. Full to the last row.
- Ranges: all ranges of 5 bits, exactly covered, each key once, by at most 2w-2 prefixes; fields are joined.
- Sizes are those of README.md for the sizes in the issue; that they are those of the RTL its modules check.
"""

from __future__ import annotations

import random

import pytest

from p4sume.control import (
    Command,
    DuplicateError,
    ExactTable,
    FullError,
    NotFoundError,
    Op,
    TernaryTable,
    WidthError,
    sizes,
)
from p4sume.control.ranges import joined, prefixes


def test_exact_keeps_what_a_dict_keeps() -> None:
    table = ExactTable(8, 4, 3)
    assert table.add(1, 2) == [Command(Op.SET, key=1, value=2)]
    assert table.modify(1, 3) == [Command(Op.SET, key=1, value=3)]
    table.add(0, 4)
    table.add(255, 15)
    assert table.dump() == [(0, 4), (1, 3), (255, 15)]
    assert table.delete(0) == [Command(Op.DELETE, key=0)]
    table.add(7, 0)
    table.withdraw(7)
    assert table.dump() == [(1, 3), (255, 15)]
    assert table.clear() == [Command(Op.CLEAR)]
    assert table.dump() == []


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (lambda t: t.add(1, 0), DuplicateError),
        (lambda t: t.add(9, 0), FullError),
        (lambda t: t.add(256, 0), WidthError),
        (lambda t: t.add(-1, 0), WidthError),
        (lambda t: t.modify(1, 16), WidthError),
        (lambda t: t.modify(3, 0), NotFoundError),
        (lambda t: t.delete(3), NotFoundError),
        (lambda t: t.delete(300), WidthError),
        (lambda t: t.withdraw(3), NotFoundError),
    ],
)
def test_exact_refuses(request_, error) -> None:
    table = ExactTable(8, 4, 2)
    table.add(1, 2)
    table.add(2, 3)
    with pytest.raises(error):
        request_(table)
    assert table.dump() == [(1, 2), (2, 3)]


class Rows:
    """table_ternary by its description."""

    def __init__(self, entries: int) -> None:
        self.rows: list[tuple[int, int, int] | None] = [None] * entries

    def do(self, c: Command) -> None:
        if c.op == Op.CLEAR:
            self.rows = [None] * len(self.rows)
        elif c.op == Op.DELETE:
            assert self.rows[c.index] is not None
            self.rows[c.index] = None
        else:
            assert c.op == Op.SET
            self.rows[c.index] = (c.key, c.mask, c.value)

    def find(self, key: int) -> int | None:
        return next((r[2] for r in self.rows if r is not None and (r[0] ^ key) & r[1] == 0), None)


Content = list[tuple[tuple[tuple[int, int], ...], int, int]]  # matches, priority, value; the older first


def right(content: Content, key: int) -> int | None:
    fitting = [(p, i, v) for i, (ms, p, v) in enumerate(content) if any((k ^ key) & m == 0 for k, m in ms)]
    return min(fitting)[2] if fitting else None


@pytest.mark.parametrize(("entries", "seed"), [(1, 1), (5, 2), (12, 3), (12, 4), (40, 5)])
def test_rows_stay_in_order_while_lookups_watch(entries: int, seed: int) -> None:
    random.seed(seed)
    table, rows = TernaryTable(6, 16, entries), Rows(entries)
    content: Content = []
    full = moved = 0
    for step in range(300):
        before = [rows.find(key) for key in range(64)]
        kind = random.random()
        if content and kind < 0.3:
            matches, priority, _ = content.pop(random.randrange(len(content)))
            commands = table.delete(matches, priority)
        elif content and kind < 0.4:
            place = random.randrange(len(content))
            matches, priority, _ = content[place]
            content[place] = (matches, priority, step)
            commands = table.modify(matches, priority, step)
        elif kind < 0.405:
            content = []
            commands = table.clear()
        else:
            low, high = sorted(random.choices(range(64), k=2))
            matches = tuple(prefixes(low, high, 6)) if random.random() < 0.5 else ((low & high, high),)
            priority = random.randint(0, 5)
            try:
                commands = table.add(matches, priority, step)
            except FullError:
                assert sum(len(ms) for ms, _, _ in content) + len(matches) > entries
                full += 1
                continue
            except DuplicateError:
                assert {m for ms, p, _ in content if p == priority for m in ms} & set(matches)
                continue
            content.append((matches, priority, step))
            moved += len(commands) > len(matches)
        after = [right(content, key) for key in range(64)]
        state = before
        for command in commands:
            rows.do(command)
            found = [rows.find(key) for key in range(64)]
            assert all(f == a or (f == s == b) for f, a, s, b in zip(found, after, state, before, strict=True))
            state = found
        assert state == after
        assert {(e.matches, e.priority, e.value) for e in table.dump()} == set(content)
    assert full and (moved or entries < 5)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (lambda t: t.add([(5, 7)], 1, 0), DuplicateError),
        (lambda t: t.add([(5, 7), (1, 7)], 1, 0), DuplicateError),
        (lambda t: t.add([(1, 7), (2, 7)], 1, 0), FullError),
        (lambda t: t.add([(16, 7)], 1, 0), WidthError),
        (lambda t: t.add([(1, 16)], 1, 0), WidthError),
        (lambda t: t.add([(1, 1)], 1, 4), WidthError),
        (lambda t: t.add([], 1, 0), WidthError),
        (lambda t: t.modify([(5, 7)], 2, 0), NotFoundError),
        (lambda t: t.modify([(5, 7)], 1, 4), WidthError),
        (lambda t: t.delete([(5, 3)], 1), NotFoundError),
    ],
)
def test_ternary_refuses(request_, error) -> None:
    table = TernaryTable(4, 2, 2)
    table.add([(13, 7)], 1, 3)
    with pytest.raises(error):
        request_(table)
    assert [(e.matches, e.priority, e.value) for e in table.dump()] == [(((5, 7),), 1, 3)]


@pytest.mark.parametrize("bits", [1, 5])
def test_every_range_is_covered_once(bits: int) -> None:
    for low in range(1 << bits):
        for high in range(low, 1 << bits):
            rows = prefixes(low, high, bits)
            assert len(rows) <= max(2 * bits - 2, 1)
            for key in range(1 << bits):
                assert sum((key ^ k) & m == 0 for k, m in rows) == (low <= key <= high)


def test_fields_are_joined_and_wrong_ranges_refused() -> None:
    assert joined([(2, [(1, 3)]), (3, prefixes(1, 6, 3))]) == [
        (0b01001, 0b11111),
        (0b01010, 0b11110),
        (0b01100, 0b11110),
        (0b01110, 0b11111),
    ]
    assert len(prefixes(1, 65534, 16)) == 30
    for low, high in ((2, 1), (0, 8), (-1, 3)):
        with pytest.raises(WidthError):
            prefixes(low, high, 3)


def test_sizes() -> None:
    assert (sizes.exact_ways(65536), sizes.exact_rows(65536), sizes.exact_latency(384, 65536)) == (5, 16384, 7)
    assert (sizes.exact_ways(1024), sizes.exact_rows(1024), sizes.exact_latency(48, 1024)) == (3, 1024, 6)
    assert (sizes.exact_ways(3000), sizes.exact_rows(128), sizes.exact_latency(8, 16)) == (4, 64, 5)
    assert [sizes.ternary_latency(n) for n in (1, 8, 9, 64, 65, 512)] == [4, 4, 5, 5, 7, 7]
    assert [sizes.lpm_latency(bits, 16384) for bits in (16, 32, 128)] == [12, 16, 16]
    assert all(sizes.lpm_latency(128, n) <= 16 for n in range(1, 16385))
