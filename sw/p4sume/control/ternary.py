# SPDX-License-Identifier: Apache-2.0
"""Ternary and range tables: the hardware takes the first row that fits; this keeps rows in the order of priorities.

    rows   0 1 2 3 4 5          a new entry between b and c moves those up to the next free row, the last one first:
           a . b c d .          SET 5 d, SET 4 c, SET 3 new

Each SET replaces a row whose content stands in the row behind already, so no lookup sees a difference before the last.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from p4sume.control.commands import (
    Command,
    DuplicateError,
    FullError,
    NotFoundError,
    Op,
    WidthError,
    check_width,
)
from p4sume.control.ranges import Match


@dataclass(frozen=True)
class Entry:
    """Rows of one entry fit no key together, as those of a range do; the lowest priority wins."""

    matches: tuple[Match, ...]
    priority: int
    value: int


@dataclass(frozen=True)
class _Row:
    match: Match
    priority: int
    value: int


class TernaryTable:
    def __init__(self, key_bits: int, value_bits: int, entries: int) -> None:
        self.key_bits, self.value_bits, self.entries = key_bits, value_bits, entries
        self._rows: list[_Row | None] = [None] * entries
        self._content: dict[tuple[tuple[Match, ...], int], Entry] = {}

    def add(self, matches: Sequence[Match], priority: int, value: int) -> list[Command]:
        """An entry of one or more rows; several must be disjoint. Among equal priorities the older entry wins."""
        entry = Entry(self._checked(matches), priority, value)
        check_width("value", value, self.value_bits)
        name = (entry.matches, priority)
        if name in self._content:
            raise DuplicateError(f"an entry with this match and priority {priority} is in the table already")
        taken = {row.match for row in self._rows if row is not None and row.priority == priority}
        if taken & set(entry.matches):
            raise DuplicateError(f"a part of this match is in the table with priority {priority} already")
        free = self._rows.count(None)
        if free < len(entry.matches):
            raise FullError(f"the entry takes {len(entry.matches)} rows, {free} of {self.entries} are free")
        self._content[name] = entry
        return [command for match in entry.matches for command in self._insert(_Row(match, priority, value))]

    def modify(self, matches: Sequence[Match], priority: int, value: int) -> list[Command]:
        entry = self._find(matches, priority)
        check_width("value", value, self.value_bits)
        self._content[entry.matches, priority] = Entry(entry.matches, priority, value)
        return [self._put(self._place(match, priority), _Row(match, priority, value)) for match in entry.matches]

    def delete(self, matches: Sequence[Match], priority: int) -> list[Command]:
        entry = self._find(matches, priority)
        del self._content[entry.matches, priority]
        places = [self._place(match, priority) for match in entry.matches]
        for place in places:
            self._rows[place] = None
        return [Command(Op.DELETE, index=place) for place in places]

    def clear(self) -> list[Command]:
        self._rows = [None] * self.entries
        self._content.clear()
        return [Command(Op.CLEAR)]

    def dump(self) -> list[Entry]:
        """The entries, by priority."""
        return sorted(self._content.values(), key=lambda entry: entry.priority)

    def _checked(self, matches: Sequence[Match]) -> tuple[Match, ...]:
        if not matches:
            raise WidthError("an entry matches at least one key")
        for key, mask in matches:
            check_width("key", key, self.key_bits)
            check_width("mask", mask, self.key_bits)
        return tuple((key & mask, mask) for key, mask in matches)

    def _find(self, matches: Sequence[Match], priority: int) -> Entry:
        name = (self._checked(matches), priority)
        if name not in self._content:
            raise NotFoundError(f"no entry with this match and priority {priority} is in the table")
        return self._content[name]

    def _place(self, match: Match, priority: int) -> int:
        return next(
            place
            for place, row in enumerate(self._rows)
            if row is not None and row.match == match and row.priority == priority
        )

    def _put(self, place: int, row: _Row) -> Command:
        self._rows[place] = row
        key, mask = row.match
        return Command(Op.SET, key=key, mask=mask, value=row.value, index=place)

    def _insert(self, new: _Row) -> list[Command]:
        """Between the last row that is before `new` and the first behind it, half way if there is room."""
        used = [(place, row.priority) for place, row in enumerate(self._rows) if row is not None]
        at = bisect_right([priority for _, priority in used], new.priority)
        before = used[at - 1][0] if at else -1
        behind = used[at][0] if at < len(used) else self.entries
        if behind - before > 1:
            return [self._put((before + behind) // 2, new)]
        free = [place for place, row in enumerate(self._rows) if row is None]
        split = bisect_left(free, behind)
        above = free[split] if split < len(free) else None
        below = free[split - 1] if split else None
        if below is None or (above is not None and above - behind <= before - below):
            assert above is not None, "a free row was counted"
            moves = [(place, place + 1) for place in range(above - 1, behind - 1, -1)]
            last = behind
        else:
            moves = [(place, place - 1) for place in range(below + 1, before + 1)]
            last = before
        commands = []
        for source, target in moves:
            row = self._rows[source]
            assert row is not None, "only the row at the end of the moves is free"
            commands.append(self._put(target, row))
        return [*commands, self._put(last, new)]
