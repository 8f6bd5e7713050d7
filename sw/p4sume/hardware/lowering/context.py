# SPDX-License-Identifier: Apache-2.0
"""What every room of the lowering stands on: the graph being made, the variables, and where in the program it is."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from p4sume.diagnostics import Diagnostics
from p4sume.hardware import graph as g
from p4sume.hardware.lowering.layout import LENGTH, VALID, Layouts, Path
from p4sume.hardware.lowering.refusal import CannotBuildError
from p4sume.hardware.lowering.state import Bundle, Cell, State, name_of
from p4sume.hardware.passes.folder import Folder
from p4sume.semantics import types as t
from p4sume.semantics.checked import CallTarget, Checked, Symbol
from p4sume.source import Span
from p4sume.syntax import ast


@dataclass(frozen=True)
class Spot:
    """Where a variable or a part of one lies. `when`: None, or the predicate under which an index points here.
    `header`: the header around it; `union`: the header_union around that, with the names of its members."""

    cell: Cell
    when: g.Value | None = None
    header: Cell | None = None
    union: tuple[Cell, tuple[str, ...]] | None = None


@dataclass(frozen=True)
class Place:
    """What can be read and assigned: one spot, or one of several by a run-time index."""

    type: t.Type
    spots: tuple[Spot, ...]

    @property
    def cell(self) -> Cell:
        return self.spots[0].cell

    @property
    def name(self) -> str:
        return name_of(self.cell)


@dataclass(frozen=True, eq=False)
class Instance:
    """An instance of a parser, control or extern. `path` is its name for the control plane."""

    path: str
    type: t.Type
    target: CallTarget
    frame: Frame | None


@dataclass(frozen=True)
class Packet:
    """What a packet_in or packet_out parameter is bound to: the packet. There is one."""


@dataclass(frozen=True, eq=False)
class Given:
    """What a constructor's parameter stands for that is a value: an expression where the instance was made."""

    expression: ast.Expression
    frame: Frame


Binding = Place | Instance | Packet | Given


@dataclass(eq=False)
class Frame:
    """One inlined body: of a parser, control, action or function. `owner`: where its free names are found; `scope`:
    what stands before the names of its variables, if not its path."""

    path: str
    owner: Frame | None = None
    block: ast.Declaration | None = None
    bindings: dict[ast.Node, Binding] = field(default_factory=dict)
    types: dict[t.Variable, t.Type] = field(default_factory=dict)
    roots: list[str] = field(default_factory=list)
    scope: str | None = None
    returns: list[State] = field(default_factory=list)

    def find(self, node: ast.Node | None) -> Binding | None:
        frame: Frame | None = self
        while frame is not None and node is not None:
            found = frame.bindings.get(node)
            if found is not None:
                return found
            frame = frame.owner
        return None


class Context:
    """Holds the state of one run of the lowering."""

    def __init__(self, checked: Checked, diagnostics: Diagnostics, make: Folder) -> None:
        self.checked = checked
        self.diagnostics = diagnostics
        self.make = make
        self.layouts = Layouts(checked)
        self.frame = Frame("")
        self.guard = make.one  # whether the packet enters the body that is being executed
        self.opaque: dict[Cell, g.Value] | None = None  # set while the parser is explored: cells are unknown
        self.exits: list[State] = []  # where `exit` was executed
        self.tables: dict[str, g.Table] = {}  # looked up so far, by path
        self.possible_drops: set[str] = set()  # reasons for which the parser may drop a packet
        self.fixed_tables: dict[str, g.Table] = {}  # that are logic: const entries, or no key
        self.calls_at: dict[str, int] = {}  # how many call sites each extern has in each control, by path
        self.engines: dict[str, int] = {}  # how many call sites each extern function has so far
        self.call_sites: set[tuple[str, ast.Call]] = set()  # calls of externs so far, with the path of their frame
        self.in_parser = False
        self.conditional = 0  # how many expressions around this one are evaluated on some packets only
        self.sub_frames: dict[Hashable, Frame] = {}  # of sub-parsers, by the place of their call
        self._roots: set[str] = set()

    # ---- messages

    def refuse(self, id_: str, where: ast.Node | Span, message: str, hint: str = "") -> CannotBuildError:
        return CannotBuildError(id_, where, message, hint)

    def warn(self, id_: str, where: ast.Node, message: str, hint: str = "") -> None:
        self.diagnostics.warning(id_, where.span, message, hint)

    # ---- types

    def actual(self, type_: t.Type) -> t.Type:
        """A type with the type arguments of the calls around it filled in."""
        frame: Frame | None = self.frame
        while frame is not None:
            if frame.types:
                type_ = t.substitute(type_, frame.types)
            frame = frame.owner
        return t.resolve(type_)

    def type_of(self, node: ast.Expression) -> t.Type:
        return self.actual(self.checked.type_of(node))

    def width_of(self, type_: t.Type, where: ast.Node) -> int:
        width = self.layouts.scalar_width(type_)
        if width is None or width == 0:
            self.layouts.leaves(type_, where)
            raise self.refuse("no-bits", where, f"a value of type {type_.show()} has no form in hardware here")
        return width

    # ---- variables

    def variable(self, node: ast.Declaration, type_: t.Type, frame: Frame | None = None) -> Place:
        """The cells of a declaration in a frame, the current one if none is given. A parser state that is executed
        for several offsets has one set of them."""
        frame = frame or self.frame
        known = frame.bindings.get(node)
        if isinstance(known, Place):
            return known
        scope = frame.path if frame.scope is None else frame.scope
        root = f"{scope}.{node.name.text}" if scope else node.name.text
        name, count = root, 1
        while name in self._roots:
            count += 1
            name = f"{root}_{count}"
        self._roots.add(name)
        frame.roots.append(name)
        place = Place(type_, (Spot((name,)),))
        frame.bindings[node] = place
        return place

    def leave(self, frame: Frame, *states: State) -> None:
        """The frame's variables are out of scope."""
        for state in states:
            state.drop(frame.roots)
        self._roots.difference_update(frame.roots)

    def symbol(self, node: ast.PathExpression) -> Symbol:
        return self.checked.symbols[node]

    @contextmanager
    def inside(self, frame: Frame, state: State) -> Iterator[None]:
        """Execute the body of another frame: `state.path` starts anew, and is joined again afterwards."""
        outer_frame, outer_guard, outer_path = self.frame, self.guard, state.path
        self.frame, self.guard = frame, self.make.and_(outer_guard, outer_path)
        state.path = self.make.one
        try:
            yield
        finally:
            self.frame, self.guard = outer_frame, outer_guard
            state.path = self.make.and_(outer_path, state.path)

    # ---- cells

    def get(self, state: State, cell: Cell, width: int) -> g.Value:
        return state.values.get(cell) or self.unwritten(cell, width)

    def unwritten(self, cell: Cell, width: int) -> g.Value:
        """What a cell holds that was never written."""
        if self.opaque is None or cell[-1] in (VALID, LENGTH):
            return self.make.zeros(width)
        unknown = self.opaque.get(cell)
        if unknown is None:
            unknown = self.opaque[cell] = self.make.input(name_of(cell), width)
        return unknown

    def read(self, state: State, place: Place, where: ast.Node | Span) -> Bundle:
        found: Bundle = {}
        for leaf in self.layouts.leaves(place.type, where):
            values = [(s.when, self.get(state, (*s.cell, *leaf.path), leaf.width)) for s in place.spots]
            if values and values[0][0] is None:
                found[leaf.path] = values[0][1]
            else:
                self.make.name = name_of((*place.cell, *leaf.path)) if values else "t"
                found[leaf.path] = self.make.select([(w, v) for w, v in values if w is not None], leaf.width)
        return found

    def write(self, state: State, place: Place, bundle: Bundle, where: ast.Node | Span) -> None:
        for leaf in self.layouts.leaves(place.type, where):
            for spot in place.spots:
                self.set(state, spot, leaf.path, bundle[leaf.path])

    def set(self, state: State, spot: Spot, path: Path, value: g.Value) -> None:
        """Assign one leaf."""
        cell = (*spot.cell, *path)
        make = self.make
        make.name = name_of(cell)
        if spot.header is not None:
            valid = self.get(state, (*spot.header, VALID), 1)
            value = make.mux(valid, value, make.zeros(value.width))
        if path == (VALID,) and spot.union is not None:
            made_valid = value if spot.when is None else make.and_(spot.when, value)
            self._leave_union(state, spot, made_valid)
            make.name = name_of(cell)
        if spot.when is not None:
            value = make.mux(spot.when, value, self.get(state, cell, value.width))
        state.values[cell] = value
        state.assumed.pop(cell, None)

    def _leave_union(self, state: State, spot: Spot, made_valid: g.Value) -> None:
        """A member of a union becomes valid: the others become invalid, and their fields zero."""
        assert spot.union is not None
        union, members = spot.union
        others = {m for m in members if (*union, m) != spot.cell}
        depth = len(union)
        for cell, value in list(state.values.items()):
            if cell[:depth] == union and len(cell) > depth and cell[depth] in others:
                self.make.name = name_of(cell)
                state.values[cell] = self.make.mux(made_valid, self.make.zeros(value.width), value)
                state.assumed.pop(cell, None)

    # ---- parts of places

    def member(self, place: Place, name: str) -> Place:
        type_ = t.strip_new(place.type)
        assert isinstance(type_, t.Aggregate)
        members = tuple(type_.fields())
        spots = []
        for spot in place.spots:
            cell = (*spot.cell, name)
            if type_.kind == "header":
                spots.append(Spot(cell, spot.when, spot.cell))
            elif type_.kind == "header_union":
                spots.append(Spot(cell, spot.when, None, (spot.cell, members)))
            else:
                spots.append(Spot(cell, spot.when, spot.header))
        return Place(self.actual(type_.fields()[name]), tuple(spots))

    def element(self, place: Place, index: int) -> Place:
        type_ = t.strip_new(place.type)
        inner = type_.items[index] if isinstance(type_, t.Tuple) else type_.element  # type: ignore[attr-defined]
        spots = tuple(Spot((*s.cell, index), s.when, s.header) for s in place.spots)
        return Place(self.actual(inner), spots)

    def element_at(self, place: Place, index: g.Value) -> Place:
        """The element that a run-time index points at; none if it points outside."""
        type_ = t.strip_new(place.type)
        assert isinstance(type_, t.Stack)
        make = self.make
        spots: list[Spot] = []
        for number in range(type_.size):
            if number >> index.width:
                break
            here = make.equals(index, number)
            for spot in place.spots:
                when = here if spot.when is None else make.and_(spot.when, here)
                spots.append(Spot((*spot.cell, number), when, spot.header))
        return Place(self.actual(type_.element), tuple(spots))

    # ---- bundles

    def blank(self, type_: t.Type, where: ast.Node | Span) -> Bundle:
        return {leaf.path: self.make.zeros(leaf.width) for leaf in self.layouts.leaves(type_, where)}

    def pack(self, bundle: Bundle, type_: t.Type, where: ast.Node | Span) -> g.Value:
        """All leaves side by side, the first uppermost, without validity."""
        return self.make.concat(*(bundle[leaf.path] for leaf in self.layouts.fields(type_, where)))

    def unpack(self, bits: g.Value, type_: t.Type, where: ast.Node | Span, root: Cell = ()) -> Bundle:
        """The leaves of a value from its bits; headers in it are valid, varbits have no length."""
        found: Bundle = {}
        low = bits.width
        outer = self.make.name
        for leaf in self.layouts.leaves(type_, where):
            self.make.name = name_of((*root, *leaf.path)) if root else outer
            if leaf.path[-1:] == (VALID,):
                found[leaf.path] = self.make.one
            elif leaf.path[-1:] == (LENGTH,):
                found[leaf.path] = self.make.zeros(leaf.width)
            else:
                low -= leaf.width
                found[leaf.path] = self.make.slice(bits, low + leaf.width - 1, low)
        return found


def inner(bundle: Bundle, first: str | int) -> Bundle:
    """The part of a bundle below one member or index."""
    return {path[1:]: value for path, value in bundle.items() if path[:1] == (first,)}


def outer(bundle: Bundle, first: str | int) -> Bundle:
    return {(first, *path): value for path, value in bundle.items()}
