# SPDX-License-Identifier: Apache-2.0
"""Random flow graphs, and random packets for them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from p4sume.hardware import graph as g

WIDTHS = (1, 1, 1, 2, 3, 4, 5, 8, 13, 16, 33, 48, 70)
TABLE = g.Table(
    "t",
    (g.KeyField("k", 8, "exact"),),
    (g.ActionLayout("a", 1, (("x", 7),)), g.ActionLayout("b", 2, ())),
    16,
    "b",
    0,
    False,
)
EXTERN = g.Extern("f_lrc", "lrc", "f_lrc_0", 1, 0, (("data", 16, 0),), (("result", 5),))


class RandomGraph:
    """Builds plain nodes, without any folding, some of them with constant operands."""

    def __init__(self, seed: int, size: int = 60) -> None:
        self.rng = random.Random(seed)
        self.graph = g.Graph(f"random_{seed}")
        self.values: list[g.Value] = []
        for number in range(4):
            width = self.rng.choice(WIDTHS)
            self._add(g.Input(None, (g.Value(width, f"in{number}"),), f"in{number}"))
        for number in range(size):
            self._node(number)
        for number, value in enumerate(self.rng.sample(self.values, min(6, len(self.values)))):
            self.graph.outputs[f"out{number}"] = value

    def inputs(self, rng: random.Random) -> dict[str, int]:
        found: dict[str, int] = {}
        for node in self.graph.nodes:
            if isinstance(node, g.Input):
                bits = rng.getrandbits(node.result.width)
                if rng.random() < 0.3:
                    bits &= rng.getrandbits(node.result.width) & 7
                found[node.port] = bits
        return found

    def _add(self, node: g.Node) -> g.Value:
        self.graph.nodes.append(node)
        self.values.extend(node.results)
        return node.results[0]

    def _new(self, width: int) -> tuple[g.Value, ...]:
        return (g.Value(width, "v"),)

    def _any(self, width: int | None = None) -> g.Value:
        """Some value, made to fit the width."""
        if self.rng.random() < 0.15:
            made = width or self.rng.choice(WIDTHS)
            bits = self.rng.choice((0, 1, (1 << made) - 1, self.rng.getrandbits(made)))
            return self._add(g.Constant(None, self._new(made), bits & (1 << made) - 1))
        value = self.rng.choice(self.values[-25:])
        if width is None or value.width == width:
            return value
        if value.width > width:
            low = self.rng.randint(0, value.width - width)
            return self._add(g.Slice(None, self._new(width), value, low + width - 1, low))
        zeros = self._add(g.Constant(None, self._new(width - value.width), 0))
        return self._add(g.Concat(None, self._new(width), (zeros, value)))

    def _one_hot(self, count: int) -> Sequence[g.Value]:
        """Predicates of which one holds at most: a value equal to one number or another."""
        of = self._any(4)
        found = []
        for number in self.rng.sample(range(16), count):
            constant = self._add(g.Constant(None, self._new(4), number))
            found.append(self._add(g.Operate(None, self._new(1), "eq", (of, constant))))
        return found

    def _node(self, number: int) -> None:
        rng = self.rng
        width = rng.choice(WIDTHS)
        match rng.choice(
            ("operate", "operate", "operate", "operate", "mux", "select", "slice", "concat", "lookup", "invoke")
        ):
            case "operate":
                self._operate(width)
            case "mux":
                self._add(g.Mux(None, self._new(width), self._any(1), self._any(width), self._any(width)))
            case "select":
                predicates = self._one_hot(rng.randint(0, 9))
                cases = tuple((p, self._any(width)) for p in predicates)
                self._add(g.Select(None, self._new(width), cases))
            case "slice":
                of = self._any()
                low = rng.randint(0, of.width - 1)
                high = rng.randint(low, of.width - 1)
                self._add(g.Slice(None, self._new(high - low + 1), of, high, low))
            case "concat":
                parts = tuple(self._any() for _ in range(rng.randint(1, 3)))
                self._add(g.Concat(None, self._new(sum(p.width for p in parts)), parts))
            case "lookup" if rng.random() < 0.2:
                results = (g.Value(1, "hit"), g.Value(TABLE.value_bits, "value"))
                self._add(g.Lookup(None, results, TABLE, self._any(8), self._any(1)))
            case "invoke" if rng.random() < 0.2:
                self._add(g.Invoke(None, self._new(5), EXTERN, (self._any(16),), self._any(1)))

    def _operate(self, width: int) -> None:
        rng = self.rng
        operator = rng.choice(sorted(g.OPERATORS) + ["and", "or", "not", "and", "or"])
        if operator in g.UNARY:
            taken: tuple[g.Value, ...] = (self._any(width),)
        elif operator in g.VARIADIC:
            width = rng.choice((1, 1, width))
            taken = tuple(self._any(width) for _ in range(rng.choice((2, 2, 3, 5, 14))))
        elif operator in g.SHIFTS:
            taken = (self._any(width), self._any(rng.choice((3, 4, 8))))
        else:
            taken = (self._any(width), self._any(width))
        made = 1 if operator in g.ONE_BIT else taken[0].width
        self._add(g.Operate(None, self._new(made), operator, taken))


def lookup(table: g.Table, key: int) -> tuple[bool, int]:
    return bool(key & 1), (1 << table.data_bits | key >> 1) if key & 1 else 2 << table.data_bits


def invoke(extern: g.Extern, arguments: Sequence[int]) -> Sequence[int]:
    return [arguments[0] % 31]
