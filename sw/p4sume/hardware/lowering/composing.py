# SPDX-License-Identifier: Apache-2.0
"""The outgoing header: every emitted header at the places where it can stand.

Which headers can be valid together is known (`worlds`): each such world says, for every bit of the output, which bit of
which header stands there. The output is cut where that changes, and each piece is chosen among its few sources by
predicates made of as few validity bits as tell the worlds apart:

    bytes 14..17: vlan.valid -> vlan;   ~vlan.valid & ipv4.valid -> ipv4[0:4];   ~vlan.valid & ~ipv4.valid & … -> …
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from p4sume.hardware import graph as g
from p4sume.hardware.lowering.worlds import World, Worlds
from p4sume.hardware.passes.folder import Folder


@dataclass(frozen=True, eq=False)
class Emission:
    """One header that the deparser emits, `when` it is valid and control comes there. `bits` are its fields at their
    largest; a varbit of `room` bits stands `after` so many bits, and `length` says how many of them count."""

    name: str
    when: g.Value
    bits: g.Value
    length: g.Value | None = None
    after: int = 0
    room: int = 0

    def size(self, length: int) -> int:
        return self.bits.width - self.room + length


@dataclass(frozen=True, eq=False)
class Header:
    """What leaves in front of the payload, zeros behind its last bit. `bits` is None if nothing is ever emitted."""

    bits: g.Value | None
    length_bytes: g.Value
    most_bytes: int
    growth: frozenset[int]  # bytes that a packet has more than before


Source = tuple[int, int, int]  # emission, its varbit's length if what follows it depends on that, bits from its start
Feature = tuple[g.Value, Callable[[World], bool]]


class Composer:
    """`worlds` hold, for each emission, whether it is there, and what its varbit's length is (zero if it has none)."""

    def __init__(self, make: Folder, emissions: Sequence[Emission], strip: g.Value, worlds: Worlds) -> None:
        self.make = make
        self.emissions = emissions
        asked = [strip]
        for emission in emissions:
            asked.append(emission.when)
            asked.append(emission.length if emission.length is not None else make.zero)
        found = worlds.of(asked)
        self.worlds = sorted({w[1:] for w in found})
        self.growth = frozenset(self._bytes(w[1:]) - w[0] for w in found)
        self.features = self._features()
        self._separated: dict[tuple[int, ...], dict[int, g.Value]] = {}

    def _features(self) -> list[Feature]:
        """The bits by which worlds can be told apart."""
        make = self.make
        found: list[Feature] = []
        for index, emission in enumerate(self.emissions):
            if len({w[2 * index] for w in self.worlds}) > 1:
                found.append((emission.when, lambda w, i=2 * index: w[i] != 0))  # type: ignore[misc]
            lengths = sorted({w[2 * index + 1] for w in self.worlds})
            if emission.length is not None and len(lengths) > 1:
                for length in lengths:
                    here = make.equals(emission.length, length)
                    found.append((here, lambda w, i=2 * index + 1, n=length: w[i] == n))  # type: ignore[misc]
        return found

    def compose(self) -> Header:
        make = self.make
        sizes = [self._bytes(w) for w in self.worlds]
        most = max(sizes, default=0)
        width = max(1, most.bit_length())
        make.name = "header_length"
        lengths = self._chosen([make.constant(width, size) for size in sizes], width)
        if most == 0:
            return Header(None, lengths, 0, self.growth)
        layouts = [self._sources(w) for w in self.worlds]
        cuts = sorted({0, 8 * most, *(at for layout in layouts for at in layout)})
        pieces: list[g.Value] = []
        for low, high in zip(cuts, cuts[1:], strict=False):
            make.name = f"header_{low // 8}"
            values = [self._piece(self._at(layout, low), high - low) for layout in layouts]
            pieces.append(self._chosen(values, high - low))
        make.name = "header"
        return Header(make.concat(*pieces), lengths, most, self.growth)

    def _bytes(self, world: World) -> int:
        """All that is emitted, the last byte filled up."""
        there = zip(self.emissions, world[::2], world[1::2], strict=True)
        return (sum(e.size(length) for e, emitted, length in there if emitted) + 7) // 8

    def _sources(self, world: World) -> dict[int, Source | None]:
        """Where in the output a new source begins."""
        found: dict[int, Source | None] = {}
        at = 0
        for index, (emission, there, length) in enumerate(zip(self.emissions, world[::2], world[1::2], strict=True)):
            if not there:
                continue
            found[at] = (index, 0, 0)
            if emission.length is not None:
                found[at + emission.after] = (index, 0, emission.after)
                rest = emission.after + emission.room
                if rest < emission.bits.width:
                    found[at + emission.after + length] = (index, length, rest)
            at += emission.size(length)
        found[at] = None
        return found

    def _at(self, layout: Mapping[int, Source | None], bit: int) -> Source | None:
        begin = max(at for at in layout if at <= bit)
        source = layout[begin]
        if source is None:
            return None
        return (source[0], source[1], source[2] + bit - begin)

    def _piece(self, source: Source | None, width: int) -> g.Value:
        if source is None:
            return self.make.zeros(width)
        bits = self.emissions[source[0]].bits
        high = bits.width - 1 - source[2]
        return self.make.slice(bits, high, high - width + 1)

    # ---- choosing by world

    def _chosen(self, values: Sequence[g.Value], width: int) -> g.Value:
        """The value of the world that the packet is in."""
        make = self.make
        kinds = {value: number for number, value in enumerate(dict.fromkeys(values))}
        if len(kinds) <= 1:
            return values[0] if values else make.zeros(width)
        predicates = self._separate(tuple(kinds[v] for v in values))
        return make.select([(predicates[number], value) for value, number in kinds.items()], width)

    def _separate(self, kinds: tuple[int, ...]) -> dict[int, g.Value]:
        """For a kind given to each world, predicates that say which kind the packet's world has."""
        found = self._separated.get(kinds)
        if found is None:
            terms: dict[int, list[g.Value]] = {}
            rows = {tuple(test(w) for _, test in self.features): k for w, k in zip(self.worlds, kinds, strict=True)}
            self._split(list(rows.items()), [], terms)
            found = self._separated[kinds] = {kind: self.make.or_(*these) for kind, these in terms.items()}
        return found

    def _split(
        self, rows: list[tuple[tuple[bool, ...], int]], literals: list[g.Value], terms: dict[int, list[g.Value]]
    ) -> None:
        make = self.make
        kinds = {kind for _, kind in rows}
        if len(kinds) == 1:
            terms.setdefault(kinds.pop(), []).append(make.and_(*literals) if literals else make.one)
            return
        best = min(range(len(self.features)), key=lambda f: self._mixed(rows, f))
        value = self.features[best][0]
        for holds in (True, False):
            part = [row for row in rows if row[0][best] == holds]
            if part:
                self._split(part, [*literals, value if holds else make.not_(value)], terms)

    def _mixed(self, rows: Sequence[tuple[tuple[bool, ...], int]], feature: int) -> tuple[int, int]:
        """How badly a bit tells the kinds apart; a bit that splits nothing is worst."""
        sides: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for row, kind in rows:
            side = sides[row[feature]]
            side[kind] = side.get(kind, 0) + 1
        if not sides[0] or not sides[1]:
            return (1 << 30, feature)
        return (sum((len(s) - 1) * sum(s.values()) for s in sides), feature)
