# SPDX-License-Identifier: Apache-2.0
"""The flow graph: a program as values and the nodes that make them, without branches and without time.

A node takes values that stand before it in the graph and makes new ones; nothing is assigned twice. Signed and
unsigned values are the same bits; the operator says how they are read. A predicate is a value of one bit. Nodes with a
state of their own (lookups, externs) carry a predicate that says whether the packet reaches them.

Bits: a value is a big-endian vector, as fields are on the wire; `Slice(high, low)` counts from the least significant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from p4sume.source import Span


@dataclass(frozen=True, eq=False)
class Value:
    """One result of one node. `name` is what the program calls it; several values may share a name."""

    width: int
    name: str


@dataclass(frozen=True, eq=False)
class Node:
    span: Span | None
    results: tuple[Value, ...]

    @property
    def result(self) -> Value:
        [only] = self.results
        return only

    def operands(self) -> tuple[Value, ...]:
        return ()


@dataclass(frozen=True, eq=False)
class Input(Node):
    """What the pipeline is given with each packet: a field of the window's word or of the metadata."""

    port: str


@dataclass(frozen=True, eq=False)
class Constant(Node):
    value: int


@dataclass(frozen=True, eq=False)
class Slice(Node):
    of: Value
    high: int
    low: int

    def operands(self) -> tuple[Value, ...]:
        return (self.of,)


@dataclass(frozen=True, eq=False)
class Concat(Node):
    """The first part is the most significant."""

    parts: tuple[Value, ...]

    def operands(self) -> tuple[Value, ...]:
        return self.parts


# Operators by how many operands they take, and whether the result has one bit.
UNARY = frozenset({"not", "any", "all", "parity"})
BINARY = frozenset({"add", "sub", "mul", "xor"})  # operands and result of one width
SHIFTS = frozenset({"shl", "lshr", "ashr"})  # the amount has any width; an amount of the width or more shifts all out
COMPARISONS = frozenset({"eq", "ult", "ule", "slt", "sle"})
VARIADIC = frozenset({"and", "or"})  # two or more operands of one width
ONE_BIT = COMPARISONS | {"any", "all", "parity"}
OPERATORS = UNARY | BINARY | SHIFTS | COMPARISONS | VARIADIC


@dataclass(frozen=True, eq=False)
class Operate(Node):
    operator: str
    taken: tuple[Value, ...]

    def operands(self) -> tuple[Value, ...]:
        return self.taken


@dataclass(frozen=True, eq=False)
class Mux(Node):
    condition: Value
    chosen: Value
    other: Value

    def operands(self) -> tuple[Value, ...]:
        return (self.condition, self.chosen, self.other)


@dataclass(frozen=True, eq=False)
class Select(Node):
    """The value whose predicate holds, zero if none does. That no two hold at once is a promise of the maker."""

    cases: tuple[tuple[Value, Value], ...]

    def operands(self) -> tuple[Value, ...]:
        return tuple(v for case in self.cases for v in case)


@dataclass(frozen=True)
class KeyField:
    name: str
    width: int
    match_kind: str  # exact, lpm, ternary, range, optional


@dataclass(frozen=True)
class ActionLayout:
    """Where an action's data lies in an entry's value: parameter name and its bits, most significant first."""

    name: str  # as the control plane calls it
    code: int
    parameters: tuple[tuple[str, int], ...]
    in_entries: bool = True  # the control plane may put it into entries
    as_default: bool = True  # and make it the default

    @property
    def data_bits(self) -> int:
        return sum(width for _, width in self.parameters)


@dataclass(frozen=True)
class Table:
    """What a lookup needs of a table's declaration. An entry's value is the action's code, then its data, which
    begins right behind the code; what a shorter action leaves is zero."""

    name: str  # the P4 path
    keys: tuple[KeyField, ...]
    actions: tuple[ActionLayout, ...]
    size: int
    default_action: str
    default_data: int
    default_is_const: bool
    span: Span | None = None

    @property
    def code_bits(self) -> int:
        return max(1, max((a.code for a in self.actions), default=0).bit_length())

    @property
    def data_bits(self) -> int:
        return max((a.data_bits for a in self.actions), default=0)

    @property
    def value_bits(self) -> int:
        return self.code_bits + self.data_bits

    @property
    def key_bits(self) -> int:
        return sum(k.width for k in self.keys)


@dataclass(frozen=True, eq=False)
class Lookup(Node):
    """results: hit (1 bit), then the entry's value, or the default action's on a miss."""

    table: Table
    key: Value
    enable: Value

    def operands(self) -> tuple[Value, ...]:
        return (self.key, self.enable)


@dataclass(frozen=True)
class Extern:
    """One call site of an extern function: an engine with a state of its own."""

    name: str  # as in the program
    kind: str
    instance: str  # unique, guessable
    latency: int
    control_address_bits: int
    parameters: tuple[tuple[str, int, int], ...]  # in parameters: name, width, late by n cycles
    outputs: tuple[tuple[str, int], ...]
    span: Span | None = None
    options: tuple[tuple[str, int], ...] = ()  # of the engine, as the program gives them


@dataclass(frozen=True, eq=False)
class Invoke(Node):
    """results: the extern's out parameters in the order of their declaration; zero where the packet does not reach."""

    extern: Extern
    arguments: tuple[Value, ...]
    enable: Value

    def operands(self) -> tuple[Value, ...]:
        return (*self.arguments, self.enable)


@dataclass
class Graph:
    """Nodes, each after the ones it takes values from. `outputs`: what the pipeline gives back, by port."""

    program: str
    nodes: list[Node] = field(default_factory=list)
    outputs: dict[str, Value] = field(default_factory=dict)
    window_bytes: int = 0
    header_bytes: int = 0

    def add(self, node: Node) -> Value:
        """Appends a node of one result and gives the result."""
        self.nodes.append(node)
        return node.result

    def makers(self) -> Mapping[Value, Node]:
        return {result: node for node in self.nodes for result in node.results}


class BrokenGraphError(Exception):
    """A pass has left the graph in a state that means nothing: a bug of the compiler."""


def verify(graph: Graph) -> None:
    """Raises unless every value is made before it is used, once, and all widths fit."""
    known: set[Value] = set()
    for number, node in enumerate(graph.nodes):
        for operand in node.operands():
            if operand not in known:
                raise BrokenGraphError(f"node {number} ({type(node).__name__}) takes {operand.name} before it is made")
        for sentence in _wrong_widths(node):
            raise BrokenGraphError(f"node {number} ({type(node).__name__} {_names(node)}): {sentence}")
        for made in node.results:
            if made in known:
                raise BrokenGraphError(f"{made.name} is made twice")
            if made.width < 1:
                raise BrokenGraphError(f"{made.name} has {made.width} bits")
            known.add(made)
    for port, value in graph.outputs.items():
        if value not in known:
            raise BrokenGraphError(f"output {port} is made nowhere")


def _names(node: Node) -> str:
    return ", ".join(v.name for v in node.results)


def _wrong_widths(node: Node) -> Iterator[str]:
    widths = [v.width for v in node.operands()]
    made = [v.width for v in node.results]
    if isinstance(node, Constant) and (node.value < 0 or node.value >> made[0]):
        yield f"{node.value} does not fit {made[0]} bits"
    elif isinstance(node, Slice) and not (
        0 <= node.low <= node.high < widths[0] and made == [node.high - node.low + 1]
    ):
        yield f"[{node.high}:{node.low}] of {widths[0]} bits into {made}"
    elif isinstance(node, Concat) and [sum(widths)] != made:
        yield f"parts have {sum(widths)} bits, result {made}"
    elif isinstance(node, Operate):
        yield from _wrong_operator(node, widths, made[0])
    elif isinstance(node, Mux) and not (widths[0] == 1 and widths[1] == widths[2] == made[0]):
        yield f"widths {widths} into {made}"
    elif isinstance(node, Select) and any(p.width != 1 or v.width != made[0] for p, v in node.cases):
        yield f"widths {widths} into {made}"
    elif isinstance(node, Lookup):
        if widths != [node.table.key_bits, 1] or made != [1, node.table.value_bits]:
            yield f"widths {widths} into {made}"
    elif isinstance(node, Invoke):
        wanted = [*(w for _, w, _ in node.extern.parameters), 1]
        if widths != wanted or made != [w for _, w in node.extern.outputs]:
            yield f"widths {widths} into {made}"


def _wrong_operator(node: Operate, widths: list[int], made: int) -> Iterator[str]:
    operator = node.operator
    count = len(widths)
    if operator not in OPERATORS:
        yield f"no operator {operator}"
    elif operator in UNARY and count != 1 or operator in VARIADIC and count < 2:
        yield f"{operator} of {count} operands"
    elif operator in BINARY | SHIFTS | COMPARISONS and count != 2:
        yield f"{operator} of {count} operands"
    elif made != (1 if operator in ONE_BIT else widths[0]):
        yield f"{operator} of {widths} into {made} bits"
    elif operator not in SHIFTS and len(set(widths)) != 1:
        yield f"{operator} of different widths {widths}"
