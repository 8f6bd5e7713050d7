# SPDX-License-Identifier: Apache-2.0
"""Which values of some small expressions can occur together.

For each way through the parser the bits that it decides are constants (`facts`); what they do not decide (the action
that a table chose, a comparison) is tried both ways. The result is never too small: combinations that cannot occur may
be in it, none that can is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from p4sume.hardware import graph as g
from p4sume.hardware.evaluate import operate
from p4sume.hardware.passes.folder import Folder

World = tuple[int, ...]
MAX_WORLDS = 1024
MAX_TRIES = 20_000


class TooManyWorldsError(Exception):
    """The combinations are too many to be listed."""


class _UndecidedError(Exception):
    """Something has to be assumed of `atom` first."""

    def __init__(self, atom: g.Value) -> None:
        super().__init__(atom.name)
        self.atom = atom


class Worlds:
    def __init__(self, make: Folder, facts: Sequence[Mapping[g.Value, int]]) -> None:
        self.make = make
        self.facts = facts
        self._tries = 0

    def of(self, values: Sequence[g.Value]) -> set[World]:
        """The combinations of `values`. A value of more than one bit has to follow from the ways, or from choices."""
        found: set[World] = set()
        self._tries = 0
        for way in range(len(self.facts)):
            todo: list[dict[g.Value, int]] = [{}]
            while todo:
                assumed = todo.pop()
                self._tries += 1
                if len(found) > MAX_WORLDS or self._tries > MAX_TRIES:
                    raise TooManyWorldsError
                try:
                    cache: dict[g.Value, int] = {}
                    found.add(tuple(self._number(v, way, assumed, cache) for v in values))
                except _UndecidedError as problem:
                    if problem.atom.width > 1:
                        raise TooManyWorldsError from None
                    todo.append({**assumed, problem.atom: 0})
                    todo.append({**assumed, problem.atom: 1})
        return found

    def _number(self, value: g.Value, way: int, assumed: Mapping[g.Value, int], cache: dict[g.Value, int]) -> int:
        found = cache.get(value)
        if found is None:
            found = cache[value] = self._compute(value, way, assumed, cache)
        return found

    def _compute(self, value: g.Value, way: int, assumed: Mapping[g.Value, int], cache: dict[g.Value, int]) -> int:
        known = self.make.known(value)
        if known is not None:
            return known
        if value in assumed:
            return assumed[value]
        fact = self.facts[way].get(value)
        if fact is not None:
            return fact
        node = self.make.node(value)
        if isinstance(node, g.Mux):
            arm = node.chosen if self._number(node.condition, way, assumed, cache) else node.other
            return self._number(arm, way, assumed, cache)
        if isinstance(node, g.Select):
            for predicate, case in node.cases:
                if self._number(predicate, way, assumed, cache):
                    return self._number(case, way, assumed, cache)
            return 0
        if isinstance(node, g.Operate):
            return self._operate(node, way, assumed, cache)
        raise _UndecidedError(value)

    def _operate(self, node: g.Operate, way: int, assumed: Mapping[g.Value, int], cache: dict[g.Value, int]) -> int:
        value = node.result
        if node.operator in g.VARIADIC and value.width == 1:
            return self._junction(node, way, assumed, cache)
        if node.operator == "eq":
            return self._equality(node, way, assumed, cache)
        if value.width == 1:
            try:
                taken = [self._number(v, way, assumed, cache) for v in node.taken]
            except _UndecidedError as problem:
                raise _UndecidedError(problem.atom if problem.atom.width == 1 else value) from None
            return operate(node.operator, taken, [v.width for v in node.taken])
        raise _UndecidedError(value)

    def _junction(self, node: g.Operate, way: int, assumed: Mapping[g.Value, int], cache: dict[g.Value, int]) -> int:
        absorbing = 0 if node.operator == "and" else 1
        undecided: _UndecidedError | None = None
        for taken in node.taken:
            try:
                if self._number(taken, way, assumed, cache) == absorbing:
                    return absorbing
            except _UndecidedError as problem:
                undecided = undecided or problem
        if undecided is not None:
            raise undecided
        return 1 - absorbing

    def _equality(self, node: g.Operate, way: int, assumed: Mapping[g.Value, int], cache: dict[g.Value, int]) -> int:
        left, right = node.taken
        for other, holds in assumed.items():
            if holds and self._excludes(self.make.node(other), node):
                return 0
        try:
            return int(self._number(left, way, assumed, cache) == self._number(right, way, assumed, cache))
        except _UndecidedError as problem:
            raise _UndecidedError(problem.atom if problem.atom.width == 1 else node.result) from None

    def _excludes(self, first: g.Node, second: g.Operate) -> bool:
        """x == 1 and x == 2 cannot both be."""
        if not isinstance(first, g.Operate) or first.operator != "eq":
            return False
        mine = {v for v in first.taken if self.make.known(v) is None}
        yours = {v for v in second.taken if self.make.known(v) is None}
        return len(mine) == 1 and mine == yours and first is not second
