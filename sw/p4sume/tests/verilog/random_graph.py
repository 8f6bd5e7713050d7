# SPDX-License-Identifier: Apache-2.0
"""Random flow graphs: every kind of node, every operator, widths from 1 to 140, tables and externs of any latency."""

from __future__ import annotations

import random

from p4sume.hardware import graph as g

WIDTHS = (1, 1, 1, 2, 7, 8, 16, 31, 32, 48, 64, 65, 128, 140)


class RandomGraph:
    """`RandomGraph(rng).make(nodes)`; `blocks` are the engines' answers: a table or extern is a function of its
    inputs, so that the test's Verilog and Python agree without a state."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._graph = g.Graph("random")
        self._values: list[g.Value] = []
        self._predicates: list[g.Value] = []
        self._named = 0

    def make(self, nodes: int) -> g.Graph:
        rng = self._rng
        for port, width in (("window", 256), ("window_length", 9), ("pkt_len", 16), ("src_port", 8)):
            self._add(g.Input(None, (g.Value(width, port),), port))
        makers = [self._constant, self._slice, self._concat, self._operate, self._operate, self._mux, self._select]
        for _ in range(nodes):
            rng.choice(makers)()
            if rng.random() < 0.02:
                self._lookup()
            if rng.random() < 0.02:
                self._invoke()
        for number in range(6):
            self._graph.outputs[f"out_{number}"] = rng.choice(self._values)
        g.verify(self._graph)
        return self._graph

    def _add(self, node: g.Node) -> None:
        self._graph.nodes.append(node)
        for value in node.results:
            self._values.append(value)
            if value.width == 1:
                self._predicates.append(value)

    def _value(self, width: int) -> g.Value:
        """A new result; half of them have a name of the program's."""
        self._named += 1
        return g.Value(width, self._rng.choice(["", "", "hdr.x", "if", f"meta.f_{self._named}"]))

    def _some(self) -> g.Value:
        recent = self._values[-12:]
        return self._rng.choice(recent if self._rng.random() < 0.6 else self._values)

    def _of_width(self, width: int) -> g.Value:
        """An existing value of this width, or one cut or padded to it."""
        fitting = [v for v in self._values if v.width == width]
        if fitting and self._rng.random() < 0.8:
            return self._rng.choice(fitting)
        source = self._some()
        made = self._value(width)
        if source.width == width:
            return source
        if source.width > width:
            low = self._rng.randrange(source.width - width + 1)
            self._add(g.Slice(None, (made,), source, low + width - 1, low))
        else:
            padding = self._value(width - source.width)
            self._add(g.Constant(None, (padding,), self._rng.getrandbits(padding.width)))
            self._add(g.Concat(None, (made,), (padding, source)))
        return made

    def _constant(self) -> None:
        width = self._rng.choice(WIDTHS)
        self._add(g.Constant(None, (self._value(width),), self._rng.getrandbits(width)))

    def _slice(self) -> None:
        of = self._some()
        low = self._rng.randrange(of.width)
        high = self._rng.randrange(low, of.width)
        self._add(g.Slice(None, (self._value(high - low + 1),), of, high, low))

    def _concat(self) -> None:
        parts = tuple(self._some() for _ in range(self._rng.randrange(1, 4)))
        if sum(p.width for p in parts) <= 300:
            self._add(g.Concat(None, (self._value(sum(p.width for p in parts)),), parts))

    def _operate(self) -> None:
        operator = self._rng.choice(sorted(g.OPERATORS))
        first = self._some()
        if operator in g.BINARY | g.COMPARISONS | g.SHIFTS and operator != "xor":
            first = self._of_width(self._rng.choice([w for w in WIDTHS if w <= (12 if operator == "mul" else 32)]))
        if operator in g.UNARY:
            taken: tuple[g.Value, ...] = (first,)
        elif operator in g.VARIADIC:
            taken = tuple(self._of_width(first.width) for _ in range(self._rng.randrange(2, 6)))
        elif operator in g.SHIFTS:
            taken = (first, self._of_width(self._rng.choice([1, 2, 7, 8])))
        else:
            taken = (first, self._of_width(first.width))
        width = 1 if operator in g.ONE_BIT else taken[0].width
        if operator == "eq" and taken[0].width > 60:
            return
        self._add(g.Operate(None, (self._value(width),), operator, taken))

    def _predicate(self) -> g.Value:
        return self._rng.choice(self._predicates) if self._predicates else self._of_width(1)

    def _mux(self) -> None:
        chosen = self._some()
        self._add(g.Mux(None, (self._value(chosen.width),), self._predicate(), chosen, self._of_width(chosen.width)))

    def _select(self) -> None:
        """Predicates that exclude each other: a value against different constants."""
        of = self._of_width(2)
        cases = []
        width = self._rng.choice(WIDTHS)
        for constant in self._rng.sample(range(4), self._rng.randrange(1, 4)):
            wanted, is_it = self._value(2), self._value(1)
            self._add(g.Constant(None, (wanted,), constant))
            self._add(g.Operate(None, (is_it,), "eq", (of, wanted)))
            cases.append((is_it, self._of_width(width)))
        self._add(g.Select(None, (self._value(width),), tuple(cases)))

    def _lookup(self) -> None:
        key = self._some()
        number = sum(isinstance(n, g.Lookup) for n in self._graph.nodes)
        action = g.ActionLayout("act", 1, (("data", 24),))
        fields = (g.KeyField("k", key.width, "exact"),)
        table = g.Table(f"table_{number}", fields, (action,), 64, "act", 5, False)
        results = (g.Value(1, ""), g.Value(table.value_bits, ""))
        self._add(g.Lookup(None, results, table, key, self._predicate()))

    def _invoke(self) -> None:
        first, second = self._some(), self._some()
        number = sum(isinstance(n, g.Invoke) for n in self._graph.nodes)
        latency = self._rng.randrange(1, 6)
        late = self._rng.randrange(latency)
        parameters = (("a", first.width, 0), ("b", second.width, late))
        extern = g.Extern("some_engine", "engine", f"engine_{number}", latency, 0, parameters, (("c", 16),))
        self._add(g.Invoke(None, (g.Value(16, ""),), extern, (first, second), self._predicate()))
