# SPDX-License-Identifier: Apache-2.0
"""Longest-prefix tables: keeps the search tree of table_lpm.

Prefixes cut the keys into ranges; in each range one prefix, or none, is the longest that covers it.

    prefixes of 4 bits  0*->A  01*->B      ranges  0000: A   0100: B   1000: none

The ranges stand in order in the leaves, at most 17 in each. A leaf that is full gives to its neighbours: the smallest
window of leaves around it that has room is spread evenly. The nodes above hold, for each leaf, the first key of the
first range at or behind it; so a leaf without ranges is passed by.

The hardware has two trees. A change is written into the one that lookups do not use, together with what the change
before it wrote into the other; then they change places. So every change, of however many prefixes, is seen at once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from p4sume.control.commands import (
    Command,
    DuplicateError,
    FullError,
    NotFoundError,
    Op,
    PrefixError,
    check_width,
)
from p4sume.control.sizes import LPM_LEAF_SLOTS, lpm_leaves, lpm_levels

LEAF_RANGES = LPM_LEAF_SLOTS + 1
FIRST_SLOT = 31
OCCUPIED = 1 << 15
HIT = 1 << 14
CHILDREN = 16
BULK_SHARE = 8  # a change of more than this part of the table is laid out anew


@dataclass(frozen=True)
class Prefix:
    key: int
    length: int


@dataclass(frozen=True)
class Range:
    start: int
    length: int  # of the prefix that covers it; -1 if none does
    index: int  # where that prefix's value is


Slot = tuple[int, int]  # key and target of a slot, as they are written
EMPTY: Slot = (0, 0)


def node_index(level: int, slot: int, node: int) -> int:
    """control_index of OP_NODE: lpm_index_t of table_pkg."""
    return level << 17 | slot << 12 | node


class LpmTable:
    def __init__(self, key_bits: int, value_bits: int, entries: int) -> None:
        self.key_bits, self.value_bits, self.entries = key_bits, value_bits, entries
        self._leaf_count = lpm_leaves(entries)
        self._levels = lpm_levels(entries)
        self._reset()

    def _reset(self) -> None:
        count = self._leaf_count
        self._content: dict[Prefix, tuple[int, int]] = {}  # to the value's index and the value
        self._free = list(range(self.entries))
        self._bounds: Counter[int] = Counter()  # how many prefixes begin here, or end before here
        self._lengths: Counter[int] = Counter()
        self._leaves: list[list[Range]] = [[] for _ in range(count)]
        self._leaves[0] = [Range(0, -1, 0)]
        # First key of the first range at or behind each leaf; None if there is none.
        self._first: list[int | None] = [0] + [None] * (count - 1)
        # What the hardware holds: two trees, in each the slots of every leaf and the boundary before each.
        self._written: list[list[list[Slot]]] = [[[] for _ in range(count)] for _ in range(2)]
        self._boundary: list[list[Slot]] = [[EMPTY] * count for _ in range(2)]
        self._stale: list[set[int]] = [set(), set()]  # leaves of each tree that are not as they should be
        self._unused = 1  # the tree that lookups do not use

    # ---- what a driver asks for ----

    def add(self, key: int, length: int, value: int) -> list[Command]:
        return self.change(add=[(key, length, value)])

    def delete(self, key: int, length: int) -> list[Command]:
        return self.change(delete=[(key, length)])

    def modify(self, key: int, length: int, value: int) -> list[Command]:
        prefix = self._checked(key, length)
        check_width("value", value, self.value_bits)
        if prefix not in self._content:
            raise NotFoundError(f"prefix {self._name(prefix)} is not in the table")
        index, _ = self._content[prefix]
        self._content[prefix] = (index, value)
        return [Command(Op.SET, value=value, index=index)]

    def change(self, add: Sequence[tuple[int, int, int]] = (), delete: Sequence[tuple[int, int]] = ()) -> list[Command]:
        """Deletes and adds prefixes, all seen at once. The places of those deleted are free for the next change."""
        leaving = [self._checked(key, length) for key, length in delete]
        for prefix, times in Counter(leaving).items():
            if prefix not in self._content or times > 1:
                raise NotFoundError(f"prefix {self._name(prefix)} is not in the table")
        coming = [(self._checked(key, length), value) for key, length, value in add]
        for prefix, times in Counter(prefix for prefix, _ in coming).items():
            if times > 1 or (prefix in self._content and prefix not in leaving):
                raise DuplicateError(f"prefix {self._name(prefix)} is in the table already")
        for _, value in coming:
            check_width("value", value, self.value_bits)
        if len(coming) > len(self._free):
            raise FullError(f"{len(coming)} prefixes come, {len(self._free)} of {self.entries} places are free")

        anew = (len(leaving) + len(coming)) * BULK_SHARE > len(self._content) + CHILDREN
        freed = [self._leave(prefix, anew) for prefix in leaving]
        commands = [self._come(prefix, value, anew) for prefix, value in coming]
        if anew:
            self._spread(0, self._leaf_count, list(self._ranges()))
        commands += self._write_tree()
        for index in freed:
            heappush(self._free, index)
        return commands

    def clear(self) -> list[Command]:
        self._reset()
        return [Command(Op.CLEAR)]

    def dump(self) -> list[tuple[int, int, int]]:
        """(key, length, value) of each prefix, by key, shorter ones first."""
        return sorted((prefix.key, prefix.length, value) for prefix, (_, value) in self._content.items())

    # ---- prefixes ----

    def _checked(self, key: int, length: int) -> Prefix:
        check_width("prefix", key, self.key_bits)
        if not 0 <= length <= self.key_bits:
            raise PrefixError(f"a prefix length of {length} is not from 0 to {self.key_bits}")
        if key & (1 << self.key_bits - length) - 1:
            raise PrefixError(f"prefix {key:#x}/{length} has bits set behind its length")
        return Prefix(key, length)

    def _name(self, prefix: Prefix) -> str:
        return f"{prefix.key:#x}/{prefix.length}"

    def _end(self, prefix: Prefix) -> int:
        """The first key behind the prefix; beyond all keys for those that reach the last one."""
        return prefix.key + (1 << self.key_bits - prefix.length)

    def _edges(self, prefix: Prefix) -> list[int]:
        """Where ranges begin because of the prefix; the range at 0 is always there."""
        return [key for key in (prefix.key, self._end(prefix)) if 0 < key < 1 << self.key_bits]

    def _come(self, prefix: Prefix, value: int, anew: bool) -> Command:
        index = heappop(self._free)
        self._content[prefix] = (index, value)
        self._lengths[prefix.length] += 1
        for edge in self._edges(prefix):
            self._bounds[edge] += 1
            if self._bounds[edge] == 1 and not anew:
                self._insert(edge)
        if not anew:
            self._cover(prefix, lambda old: old.length < prefix.length, prefix.length, index)
        return Command(Op.SET, value=value, index=index)

    def _leave(self, prefix: Prefix, anew: bool) -> int:
        index, _ = self._content.pop(prefix)
        self._lengths[prefix.length] -= 1
        if not anew:
            length, parent = self._longest_above(prefix)
            self._cover(prefix, lambda old: old.length == prefix.length, length, parent)
        for edge in self._edges(prefix):
            self._bounds[edge] -= 1
            if not self._bounds[edge]:
                del self._bounds[edge]
                if not anew:
                    self._remove(edge)
        return index

    def _longest_above(self, prefix: Prefix) -> tuple[int, int]:
        """Length and index of the longest prefix that covers `prefix` and is shorter."""
        for length in range(prefix.length - 1, -1, -1):
            if self._lengths[length]:
                shift = self.key_bits - length
                above = self._content.get(Prefix(prefix.key >> shift << shift, length))
                if above is not None:
                    return length, above[0]
        return -1, 0

    def _ranges(self) -> Iterator[Range]:
        """All ranges, from the prefixes alone."""
        stack: list[tuple[int, int, int]] = []  # end, length and index of the prefixes that are open
        edges = sorted({0, *self._bounds})
        opening = sorted((prefix.key, prefix.length, index) for prefix, (index, _) in self._content.items())
        opening.reverse()
        for edge in edges:
            while stack and stack[-1][0] <= edge:
                stack.pop()
            while opening and opening[-1][0] == edge:
                key, length, index = opening.pop()
                stack.append((self._end(Prefix(key, length)), length, index))
            yield Range(edge, *stack[-1][1:]) if stack else Range(edge, -1, 0)

    # ---- leaves ----

    def _touch(self, leaf: int) -> None:
        for stale in self._stale:
            stale.add(leaf)

    def _leaf_of(self, key: int) -> int:
        """The leaf whose ranges the key is among."""
        low, high = 0, self._leaf_count
        while high - low > 1:
            middle = (low + high) // 2
            first = self._first[middle]
            if first is not None and first <= key:
                low = middle
            else:
                high = middle
        return low

    def _insert(self, edge: int) -> None:
        """Cuts the range that `edge` is in."""
        number = self._leaf_of(edge)
        leaf = self._leaves[number]
        place = bisect_right(leaf, edge, key=lambda one: one.start)
        old = leaf[place - 1]
        leaf.insert(place, Range(edge, old.length, old.index))
        if len(leaf) <= LEAF_RANGES:
            self._touch(number)
            return
        size = 1
        while True:
            size *= 2
            begin = number // size * size
            end = min(begin + size, self._leaf_count)
            ranges = [one for leaf in self._leaves[begin:end] for one in leaf]
            room = (end - begin) * LEAF_RANGES
            if len(ranges) * 10 <= room * 9 or size >= self._leaf_count:
                self._spread(begin, end, ranges)
                return

    def _remove(self, edge: int) -> None:
        """Joins the range that begins at `edge` to the one before it."""
        number = self._leaf_of(edge)
        leaf = self._leaves[number]
        place = bisect_right(leaf, edge, key=lambda one: one.start) - 1
        assert leaf[place].start == edge
        del leaf[place]
        self._touch(number)
        if place == 0:
            self._refresh_first(number, number + 1)

    def _cover(self, prefix: Prefix, which: Callable[[Range], bool], length: int, index: int) -> None:
        """Gives the ranges in `prefix` for which `which` holds to another prefix."""
        end = self._end(prefix)
        for number in range(self._leaf_of(prefix.key), self._leaf_count):
            leaf = self._leaves[number]
            if leaf and leaf[0].start >= end:
                return
            changed = False
            for place, old in enumerate(leaf):
                if prefix.key <= old.start < end and which(old):
                    leaf[place] = Range(old.start, length, index)
                    changed = True
            if changed:
                self._touch(number)

    def _spread(self, begin: int, end: int, ranges: list[Range]) -> None:
        """Shares ranges out evenly among leaves."""
        count = end - begin
        for i in range(count):
            leaf = ranges[i * len(ranges) // count : (i + 1) * len(ranges) // count]
            if leaf != self._leaves[begin + i]:
                self._leaves[begin + i] = leaf
            self._touch(begin + i)
        self._refresh_first(begin, end)

    def _refresh_first(self, begin: int, end: int) -> None:
        """The first keys of these leaves, and of those without ranges in front of them."""
        following = self._first[end] if end < self._leaf_count else None
        number = end - 1
        while number >= begin or (number >= 0 and not self._leaves[number]):
            if self._leaves[number]:
                following = self._leaves[number][0].start
            if self._first[number] != following:
                self._first[number] = following
                self._touch(number)
            number -= 1

    # ---- the hardware's trees ----

    def _target(self, one: Range) -> int:
        return HIT | one.index if one.length >= 0 else 0

    def _write_tree(self) -> list[Command]:
        """Brings the tree that is not in use up to date, and puts it to use."""
        tree = self._unused
        commands = []
        for number in sorted(self._stale[tree]):
            leaf = self._leaves[number]
            right: list[Slot] = [(0, self._target(leaf[0]))] if leaf else [EMPTY]
            right += [(one.start, OCCUPIED | self._target(one)) for one in leaf[1:]]
            right += [EMPTY] * (LEAF_RANGES - len(right))
            written = self._written[tree][number] or [EMPTY] * LEAF_RANGES
            for slot, (new, old) in enumerate(zip(right, written, strict=True)):
                if new != old:
                    place = FIRST_SLOT if slot == 0 else slot - 1
                    commands.append(self._node(self._levels, place, number, new))
            self._written[tree][number] = right
            first = self._first[number]
            boundary = (first, OCCUPIED) if first is not None else EMPTY
            if number and boundary != self._boundary[tree][number]:
                commands.append(self._separator(number, boundary))
                self._boundary[tree][number] = boundary
        self._stale[tree].clear()
        self._unused = 1 - tree
        for number in range(0, self._leaf_count, CHILDREN ** (self._levels - 1)):  # SWAP leaves both one root
            self._boundary[1 - tree][number] = self._boundary[tree][number]
        return [*commands, Command(Op.SWAP, index=len(self._content))]

    def _separator(self, leaf: int, boundary: Slot) -> Command:
        """The slot above that separates `leaf` from the one before it."""
        level, number = self._levels, leaf
        while level > 1 and number % CHILDREN == 0:
            level, number = level - 1, number // CHILDREN
        if level == 1:
            return self._node(0, number - 1, 0, boundary)
        return self._node(level - 1, number % CHILDREN - 1, number // CHILDREN, boundary)

    def _node(self, level: int, slot: int, node: int, content: Slot) -> Command:
        key, target = content
        return Command(Op.NODE, key=key, target=target, index=node_index(level, slot, node))
