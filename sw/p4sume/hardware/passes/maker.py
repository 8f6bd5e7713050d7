# SPDX-License-Identifier: Apache-2.0
"""Makes the nodes of a graph, each once.

Two nodes of one kind with the same operands are one node; lookups, externs and inputs are never shared. `name` and
`span` go to the nodes made while they are set; a shared node keeps those of its first making.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from p4sume.hardware import graph as g
from p4sume.source import Span

Case = tuple[g.Value, g.Value]
_NodeOf = Callable[[g.Value], g.Node]


class Maker:
    """Plain construction with sharing. `Folder` adds what can be computed now."""

    def __init__(self, graph: g.Graph) -> None:
        self.graph = graph
        self.name = "t"
        self.span: Span | None = None
        self._shared: dict[tuple[object, ...], g.Value] = {}
        self._nodes: dict[g.Value, g.Node] = {}
        self._serials: dict[g.Value, int] = {}

    # ---- what is known of a value

    def node(self, value: g.Value) -> g.Node:
        """The node that makes the value."""
        return self._nodes[value]

    def serial(self, value: g.Value) -> int:
        """The place of the value in the order of making."""
        return self._serials[value]

    def known(self, value: g.Value) -> int | None:
        """The number that the value is, if it is a constant."""
        node = self._nodes[value]
        return node.value if isinstance(node, g.Constant) else None

    # ---- construction

    def constant(self, width: int, value: int) -> g.Value:
        key = ("constant", width, value)
        return self._shared.get(key) or self._make(
            key, width, lambda out: g.Constant(None, (out,), value), name=f"{width}w{value:#x}"
        )

    @property
    def one(self) -> g.Value:
        return self.constant(1, 1)

    @property
    def zero(self) -> g.Value:
        return self.constant(1, 0)

    def zeros(self, width: int) -> g.Value:
        return self.constant(width, 0)

    def input(self, port: str, width: int) -> g.Value:
        return self._append(g.Input(self.span, (g.Value(width, port),), port))

    def slice(self, of: g.Value, high: int, low: int) -> g.Value:
        key = ("slice", of, high, low)
        return self._shared.get(key) or self._make(
            key, high - low + 1, lambda out: g.Slice(self.span, (out,), of, high, low)
        )

    def concat(self, *parts: g.Value) -> g.Value:
        if len(parts) == 1:
            return parts[0]
        key = ("concat", *parts)
        width = sum(p.width for p in parts)
        return self._shared.get(key) or self._make(key, width, lambda out: g.Concat(self.span, (out,), parts))

    def operate(self, operator: str, *taken: g.Value) -> g.Value:
        if operator in g.VARIADIC:
            if len(taken) == 1:
                return taken[0]
            taken = tuple(sorted(taken, key=self.serial))
        elif operator in ("add", "mul", "xor", "eq") and self.serial(taken[0]) > self.serial(taken[1]):
            taken = (taken[1], taken[0])
        key = (operator, *taken)
        width = 1 if operator in g.ONE_BIT else taken[0].width
        return self._shared.get(key) or self._make(
            key, width, lambda out: g.Operate(self.span, (out,), operator, taken)
        )

    def mux(self, condition: g.Value, chosen: g.Value, other: g.Value) -> g.Value:
        key = ("mux", condition, chosen, other)
        return self._shared.get(key) or self._make(
            key, chosen.width, lambda out: g.Mux(self.span, (out,), condition, chosen, other)
        )

    def select(self, cases: Sequence[Case], width: int) -> g.Value:
        """The value whose predicate holds; the predicates exclude each other."""
        ordered = tuple(sorted(cases, key=lambda c: (self.serial(c[0]), self.serial(c[1]))))
        key = ("select", width, *ordered)
        return self._shared.get(key) or self._make(key, width, lambda out: g.Select(self.span, (out,), ordered))

    def lookup(self, table: g.Table, key: g.Value, enable: g.Value) -> tuple[g.Value, g.Value]:
        hit = g.Value(1, f"{table.name}.hit")
        value = g.Value(table.value_bits, f"{table.name}.value")
        self._enter(g.Lookup(table.span, (hit, value), table, key, enable))
        return hit, value

    def invoke(self, extern: g.Extern, arguments: Sequence[g.Value], enable: g.Value) -> tuple[g.Value, ...]:
        results = tuple(g.Value(width, f"{extern.instance}.{name}") for name, width in extern.outputs)
        self._enter(g.Invoke(extern.span, results, extern, tuple(arguments), enable))
        return results

    # ---- short forms

    def not_(self, value: g.Value) -> g.Value:
        return self.operate("not", value)

    def and_(self, *taken: g.Value) -> g.Value:
        return self.operate("and", *taken)

    def or_(self, *taken: g.Value) -> g.Value:
        return self.operate("or", *taken)

    def eq(self, left: g.Value, right: g.Value) -> g.Value:
        return self.operate("eq", left, right)

    def equals(self, value: g.Value, number: int) -> g.Value:
        return self.operate("eq", value, self.constant(value.width, number))

    def below(self, value: g.Value, number: int) -> g.Value:
        """value < number, unsigned; the number may be one more than the value can hold."""
        if number >> value.width:
            return self.one
        return self.operate("ult", value, self.constant(value.width, number))

    def extend(self, value: g.Value, width: int) -> g.Value:
        """Zeros before the value."""
        return value if value.width == width else self.concat(self.zeros(width - value.width), value)

    # ---- entering nodes

    def _make(self, key: tuple[object, ...], width: int, node: _NodeOf, name: str | None = None) -> g.Value:
        value = g.Value(width, name or self.name)
        self._enter(node(value))
        self._shared[key] = value
        return value

    def _append(self, node: g.Node) -> g.Value:
        self._enter(node)
        return node.result

    def _enter(self, node: g.Node) -> None:
        self.graph.nodes.append(node)
        for value in node.results:
            self._nodes[value] = node
            self._serials[value] = len(self._serials)
