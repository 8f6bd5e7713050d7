# SPDX-License-Identifier: Apache-2.0
"""The whole parser: its states at all their offsets, in order, and the choice among the ways through.

    explore: from `start`, which (state, offset) nodes there are; their values do not matter yet
    order:   a node behind all that lead to it; a loop that takes nothing from the packet has no order, and is refused
    build:   each node once; its predicate is the OR of the edges that lead to it, its variables chosen by them

A way through is taken whatever the packet's length; what is missing reads as zero. Each end of a way knows how many
bits it needs: the packet is too short where one end is reached and the window holds less.

A variable at the end is chosen among the ways to accept. Instead of the ends' own predicates it takes the earliest
nodes through which just the wanted ways go (`Ways.cover`): a field of TCP is chosen by the offset of TCP, whatever
follows it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from p4sume.hardware import graph as g
from p4sume.hardware.lowering.context import Frame
from p4sume.hardware.lowering.layout import LENGTH, VALID
from p4sume.hardware.lowering.parsing import MAX_WINDOW_BYTES, Cursor, Parsing, Rejected, Stop
from p4sume.hardware.lowering.state import Cell, State, merge_many, name_of
from p4sume.hardware.passes.folder import Folder

MAX_NODES = 4096
PLAIN_REJECT = "reject"
TOO_SHORT = "PacketTooShort"
NO_PORT = "no_port"

UNKNOWN = -1


@dataclass(frozen=True)
class Key:
    """What tells nodes apart: state, offset, bits needed so far, next elements of stacks, and which headers are valid
    (with the lengths of their varbits), so that behind a node it is known what stands where."""

    stop: Hashable
    offset: int
    needed: int
    indices: frozenset[tuple[Cell, int]]
    headers: frozenset[tuple[Cell, int, int]]  # cell, width, number

    def fits(self, other: Key) -> bool:
        """Whether a node explored as `self` is the one that is built as `other`, of which more may be known."""
        if (self.stop, self.offset, self.needed, self.indices) != (
            other.stop,
            other.offset,
            other.needed,
            other.indices,
        ):
            return False
        mine, yours = ({cell: number for cell, _, number in k.headers} for k in (self, other))
        return all(mine.get(c, 0) in (UNKNOWN, yours.get(c, 0)) for c in {**mine, **yours})


@dataclass(frozen=True)
class Explored:
    """The nodes, each behind those that lead to it, with what follows; and the bytes that the parser may look at."""

    following: dict[Key, list[Key]]
    window_bytes: int


@dataclass(frozen=True, eq=False)
class Passage:
    """A node as the ways see it: `through` are those that may come by, `arrivals` the edges that lead to it, each with
    the number of the node it comes from."""

    path: g.Value
    through: int
    arrivals: tuple[tuple[int, g.Value], ...]


@dataclass(frozen=True, eq=False)
class End:
    """Where a way ends: in which node, and under which predicate."""

    node: int
    path: g.Value


@dataclass(frozen=True, eq=False)
class Ways:
    """The ways through the parser. A way is a bit of a mask: first those to accept, then those to errors."""

    nodes: tuple[Passage, ...]  # in order
    ends: tuple[End, ...]

    def cover(self, wanted: int, relevant: int) -> list[g.Value]:
        """Predicates of which one holds if a way of `wanted` is taken, and none on another of the `relevant`.

        They are where the ways come in among the nodes from which only wanted ways go on.
        """
        inside = [0 != n.through & relevant == n.through & relevant & wanted for n in self.nodes]
        found: list[g.Value] = []
        for node, here in zip(self.nodes, inside, strict=True):
            if here:
                entering = [path for source, path in node.arrivals if not inside[source]]
                found.extend([node.path] if len(entering) == len(node.arrivals) else entering)
        found.extend(e.path for way, e in enumerate(self.ends) if wanted >> way & 1 and not inside[e.node])
        return found


@dataclass(eq=False)
class Parsed:
    """What the parser gives. `facts`: for each way to accept, the values that are constants on it."""

    accepted: g.Value
    state: State
    strip_bytes: g.Value
    reason: g.Value  # why it was not accepted
    facts: list[dict[g.Value, int]]


class Unroll(Parsing):
    # ---- exploring

    def explore(self, frame: Frame) -> Explored:
        """In a graph that is thrown away, with variables of which nothing is known."""
        make, guard = self.make, self.guard
        self.make = Folder(g.Graph("exploration"))
        self.guard = self.make.one
        self.window = self.make.input("window", 8 * MAX_WINDOW_BYTES)
        self.opaque = {}
        try:
            return self._explore(frame)
        finally:
            self.make, self.guard, self.opaque = make, guard, None

    def _explore(self, frame: Frame) -> Explored:
        start = self.first_stop(frame)
        declared = State(self.make.one)
        self.declare(self.parser_of(frame).locals, frame, declared)
        first = self._key(start, Cursor(self.make.one, declared.values))
        todo = [(first, start)]
        following: dict[Key, list[Key]] = {first: []}
        stops: dict[Key, Stop] = {}
        needed = 0
        while todo:
            key, stop = todo.pop()
            stops[key] = stop
            step = self.execute(stop, self._fresh(key))
            ends = [c.needed for c in (*step.accepted, *(c for _, c in step.edges))]
            needed = max([needed, *ends, *(r.needed for r in step.rejected)])
            for next_stop, at in step.edges:
                next_key = self._key(next_stop, at)
                if next_key not in following:
                    following[next_key] = []
                    todo.append((next_key, next_stop))
                if next_key not in following[key]:
                    following[key].append(next_key)
            if len(following) > MAX_NODES:
                raise self.refuse(
                    "parser-too-large",
                    stop.state,
                    f"the parser has more than {MAX_NODES} combinations of state, offset and valid headers",
                    "bound its loops and sizes",
                )
        sorter = TopologicalSorter(dict.fromkeys(following, ()))
        for key, nexts in following.items():
            for next_key in nexts:
                sorter.add(next_key, key)
        try:
            order = tuple(sorter.static_order())
        except CycleError as problem:
            raise self.refuse(
                "endless-loop",
                stops[problem.args[1][0]].state.name,
                f"state '{stops[problem.args[1][0]].state.name.text}' may come back to itself without taking "
                "anything from the packet",
                "extract or advance in each turn of a loop",
            ) from None
        return Explored({key: following[key] for key in order}, max(1, (needed + 7) // 8))

    def _key(self, stop: Stop, cursor: Cursor) -> Key:
        headers: set[tuple[Cell, int, int]] = set()
        for cell, value in cursor.values.items():
            if cell[-1] in (VALID, LENGTH):
                known = self.make.known(value)
                if known != 0:
                    headers.add((cell, value.width, UNKNOWN if known is None else known))
        indices = frozenset(cursor.indices.items())
        return Key(stop.key, cursor.offset, cursor.needed, indices, frozenset(headers))

    def _fresh(self, key: Key) -> Cursor:
        """A cursor of which nothing is known but what the key says."""
        values: dict[Cell, g.Value] = {}
        for cell, width, number in key.headers:
            unknown = number == UNKNOWN
            values[cell] = self.make.input(name_of(cell), width) if unknown else self.make.constant(width, number)
        return Cursor(self.make.one, values, {}, key.offset, key.needed, dict(key.indices))

    # ---- building

    def build(self, frame: Frame, explored: Explored, start: State, window: g.Value, length: g.Value) -> Parsed:
        self.window = window
        arriving: dict[Key, list[tuple[Stop, Cursor]]] = {}
        first = next(iter(explored.following))
        arriving[first] = [(self.first_stop(frame), Cursor(self.make.one, dict(start.values)))]
        predicates: list[g.Value] = []
        edges: dict[Key, list[tuple[int, g.Value]]] = {}
        accepted: list[tuple[int, Cursor]] = []
        rejected: list[tuple[int, Rejected]] = []
        numbers: dict[Key, int] = {}
        for key, nexts in explored.following.items():
            if key not in arriving:
                continue
            cursor = self._arrive(key, arriving[key])
            number = numbers[key] = len(predicates)
            predicates.append(cursor.path)
            step = self.execute(arriving[key][0][0], cursor)
            accepted.extend((number, c) for c in step.accepted)
            rejected.extend((number, r) for r in step.rejected)
            for stop, at in step.edges:
                built = self._key(stop, at)
                next_key = next(k for k in nexts if k.fits(built))
                arriving.setdefault(next_key, []).append((stop, at))
                edges.setdefault(next_key, []).append((number, at.path))
        ends: list[tuple[int, Cursor | Rejected]] = [*accepted, *rejected]
        arrivals = [tuple(edges.get(key, ())) for key in numbers]
        ways = _ways(predicates, arrivals, [End(number, end.path) for number, end in ends])
        needed = [end.needed for _, end in ends]
        return self._choose(ways, [c for _, c in accepted], [r.code for _, r in rejected], needed, length)

    def _arrive(self, key: Key, arrivals: Sequence[tuple[Stop, Cursor]]) -> Cursor:
        make = self.make
        cursors = [c for _, c in arrivals]
        for cursor in cursors:
            cursor.forget({})
        make.span = arrivals[0][0].state.span
        make.name = f"{arrivals[0][0].state.name.text}_at_{key.offset}"
        path = make.or_(*(c.path for c in cursors))
        merged = merge_many(make, [(c.path, c) for c in cursors], path, self.unwritten)
        one = cursors[0]
        return Cursor(path, merged.values, {}, one.offset, one.needed, dict(one.indices))

    def _choose(
        self,
        ways: Ways,
        accepted: Sequence[Cursor],
        rejected: Sequence[g.Value | None],
        needed: Sequence[int],
        length: g.Value,
    ) -> Parsed:
        make = self.make
        good = (1 << len(accepted)) - 1
        make.name = "parser.accept"
        reached = make.or_(*ways.cover(good, (1 << len(needed)) - 1)) if accepted else make.zero
        make.name = "parser.too_short"
        short = self._too_short(ways, needed, length)
        make.name = "parser.accept"
        accept = make.and_(reached, make.not_(short))
        facts = [self._facts(ways, way) for way in range(len(accepted))]
        state = State(make.one)
        widths = {cell: v.width for c in accepted for cell, v in c.values.items()}
        for cell, width in widths.items():
            make.name = name_of(cell)
            state.values[cell] = self._chosen(
                ways, [c.values.get(cell) or make.zeros(width) for c in accepted], width, facts
            )
        make.name = "strip_length"
        sizes = [(c.offset + 7) // 8 for c in accepted]
        width = max(1, max(sizes, default=0).bit_length())
        strip = self._chosen(ways, [make.constant(width, size) for size in sizes], width, facts)
        return Parsed(accept, state, strip, self._reason(ways, len(accepted), short, rejected), facts)

    def _chosen(self, ways: Ways, values: Sequence[g.Value], width: int, facts: list[dict[g.Value, int]]) -> g.Value:
        """The value of the way taken, if it leads to accept."""
        make = self.make
        relevant = (1 << len(values)) - 1
        groups: dict[g.Value, int] = {}
        for way, value in enumerate(values):
            groups[value] = groups.get(value, 0) | 1 << way
        if len(groups) <= 1:
            return values[0] if values else make.zeros(width)
        covers = sorted(
            ((ways.cover(mask, relevant), value) for value, mask in groups.items()), key=lambda c: len(c[0])
        )
        if len(covers) == 2:
            found = make.mux(make.or_(*covers[0][0]), covers[0][1], covers[1][1])
        else:
            found = make.select([(make.or_(*cover), value) for cover, value in covers], width)
        known = [make.known(v) for v in values]
        if all(k is not None for k in known) and make.known(found) is None:
            for fact, number in zip(facts, known, strict=False):
                fact[found] = number or 0
        return found

    def _facts(self, ways: Ways, way: int) -> dict[g.Value, int]:
        """What holds on a way: all that its end needs; no node that does not lead there."""
        make = self.make
        found = dict.fromkeys(make.literals("and", ways.ends[way].path), 1)
        found.update((n.path, 0) for n in ways.nodes if not n.through >> way & 1 and make.known(n.path) is None)
        for value, number in list(found.items()):
            opposite = make.complement(value)
            if opposite is not None:
                found[opposite] = 1 - number
        return found

    def _too_short(self, ways: Ways, needed: Sequence[int], length: g.Value) -> g.Value:
        make = self.make
        groups: dict[int, int] = {}
        for way, bits in enumerate(needed):
            size = (bits + 7) // 8
            groups[size] = groups.get(size, 0) | 1 << way
        every = (1 << len(needed)) - 1
        return make.or_(
            make.zero,
            *(
                make.and_(make.or_(*ways.cover(mask, every)), make.below(length, size))
                for size, mask in sorted(groups.items())
            ),
        )

    def _reason(self, ways: Ways, first: int, short: g.Value, rejected: Sequence[g.Value | None]) -> g.Value:
        """The error, by its number; short comes before what would have been found behind the packet's end."""
        make = self.make
        width = self.reason_bits
        make.name = "parser.error"
        plain = make.constant(width, self.reasons.index(PLAIN_REJECT))
        groups: dict[g.Value, int] = {}
        for way, code in enumerate(rejected, first):
            value = plain if code is None else make.extend(code, width)
            groups[value] = groups.get(value, 0) | 1 << way
        every = (1 << first + len(rejected)) - (1 << first)
        cases = [(make.or_(*ways.cover(mask, every)), value) for value, mask in groups.items()]
        for number in (make.known(value) for path, value in cases if make.known(path) != 0):
            self.possible_drops |= set(self.reasons[1:]) if number is None else {self.reasons[number]}
        if make.known(short) != 0:
            self.possible_drops.add(TOO_SHORT)
        found = make.select(cases, width)
        too_short = make.extend(self.error_code(TOO_SHORT), width)
        return make.mux(short, too_short, found)

    @property
    def reasons(self) -> tuple[str, ...]:
        """What `drop_reason` says, by number."""
        return ("none", *self.layouts.errors[1:], PLAIN_REJECT, NO_PORT)

    @property
    def reason_bits(self) -> int:
        return (len(self.reasons) - 1).bit_length()


def _ways(
    predicates: Sequence[g.Value], arrivals: Sequence[tuple[tuple[int, g.Value], ...]], ends: Sequence[End]
) -> Ways:
    through = [0] * len(predicates)
    for way, end in enumerate(ends):
        through[end.node] |= 1 << way
    for number in reversed(range(len(predicates))):
        for source, _ in arrivals[number]:
            through[source] |= through[number]
    nodes = tuple(Passage(*each) for each in zip(predicates, through, arrivals, strict=True))
    return Ways(nodes, tuple(ends))
