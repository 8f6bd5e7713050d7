# SPDX-License-Identifier: Apache-2.0
"""The values of all variables at one point of the program, and how two such states become one.

A variable is cells, one for each leaf of its type. A cell that was never written is zero: uninitialised variables,
out parameters and the fields of invalid headers are zero. Fields of an invalid header stay zero: what is written to
them is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from p4sume.hardware import graph as g
from p4sume.hardware.lowering.layout import VALID, Path
from p4sume.hardware.passes.folder import Folder

Cell = tuple[str | int, ...]  # the variable's own name, then the path of the leaf
Bundle = dict[Path, g.Value]  # a value of any type, by leaves; () for a type of one leaf
Default = Callable[[Cell, int], g.Value]  # what a cell holds that was never written


@dataclass(eq=False)
class State:
    """`path`: whether the packet comes here, once it has entered the body that is being executed.
    `assumed`: validity bits that are constants here because a condition says so: what they were, and the constant."""

    path: g.Value
    values: dict[Cell, g.Value] = field(default_factory=dict)
    assumed: dict[Cell, tuple[g.Value, g.Value]] = field(default_factory=dict)

    def fork(self) -> State:
        return State(self.path, dict(self.values), dict(self.assumed))

    def become(self, other: State) -> None:
        self.path, self.values, self.assumed = other.path, other.values, other.assumed

    def assume(self, make: Folder, condition: g.Value, truth: bool) -> None:
        """From here on the condition is `truth`: validity bits that follow from it become constants."""
        decided = dict.fromkeys(make.literals("and" if truth else "or", condition), truth)
        for literal, holds in list(decided.items()):
            opposite = make.complement(literal)
            if opposite is not None:
                decided[opposite] = not holds
        for cell, value in self.values.items():
            if cell[-1] == VALID and value in decided and make.known(value) is None:
                constant = make.constant(1, int(decided[value]))
                self.assumed[cell] = (value, constant)
                self.values[cell] = constant

    def forget(self, kept: dict[Cell, tuple[g.Value, g.Value]]) -> None:
        """Give back the validity bits that were only assumed, but for `kept`."""
        for cell, (before, constant) in self.assumed.items():
            if cell not in kept and self.values[cell] is constant:
                self.values[cell] = before
        self.assumed = dict(kept)

    def drop(self, roots: Iterable[str]) -> None:
        """Forget variables that are out of scope."""
        gone = set(roots)
        for cell in [c for c in self.values if c[0] in gone]:
            del self.values[cell]
            self.assumed.pop(cell, None)


def merge_two(make: Folder, condition: g.Value, then: State, other: State, path: g.Value, default: Default) -> State:
    """The state behind an `if`: each cell as in `then` where the condition holds."""
    merged = dict(then.values)
    for cell in {**then.values, **other.values}:
        first, second = then.values.get(cell), other.values.get(cell)
        if first is not second:
            first = first or default(cell, second.width if second else 0)
            second = second or default(cell, first.width)
            make.name = name_of(cell)
            merged[cell] = make.mux(condition, first, second)
    return State(path, merged)


def merge_many(make: Folder, arms: Sequence[tuple[g.Value, State]], path: g.Value, default: Default) -> State:
    """The state behind several arms, of which one is taken at most; where none is, it means nothing."""
    if len(arms) == 1:
        return State(path, dict(arms[0][1].values))
    widths = {cell: value.width for _, state in arms for cell, value in state.values.items()}
    merged: dict[Cell, g.Value] = {}
    for cell, width in widths.items():
        groups: dict[g.Value, list[g.Value]] = {}
        for predicate, state in arms:
            groups.setdefault(state.values.get(cell) or default(cell, width), []).append(predicate)
        make.name = name_of(cell)
        merged[cell] = choose(make, groups, width)
    return State(path, merged)


def choose(make: Folder, groups: dict[g.Value, list[g.Value]], width: int) -> g.Value:
    """The value one of whose predicates holds; one of all the predicates does."""
    cases = sorted(groups.items(), key=lambda case: len(case[1]))
    if len(cases) == 1:
        return cases[0][0]
    if len(cases) == 2:
        return make.mux(make.or_(*cases[0][1]), cases[0][0], cases[1][0])
    return make.select([(make.or_(*predicates), value) for value, predicates in cases], width)


def name_of(cell: Cell) -> str:
    """A cell as the program spells it."""
    text = str(cell[0])
    for part in cell[1:]:
        text += f"[{part}]" if isinstance(part, int) else "." + part.lstrip("$")
    return text
