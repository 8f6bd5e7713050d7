# SPDX-License-Identifier: Apache-2.0
"""Runs a flow graph on one packet, in Python: what passes are tried on. Slow; the model is what packets run on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from p4sume.hardware import graph as g

LookupAnswer = Callable[[g.Table, int], tuple[bool, int]]
ExternAnswer = Callable[[g.Extern, Sequence[int]], Sequence[int]]


def evaluate(
    graph: g.Graph,
    inputs: Mapping[str, int],
    lookup: LookupAnswer | None = None,
    invoke: ExternAnswer | None = None,
) -> dict[str, int]:
    """The outputs for these inputs. `lookup` gives hit and value for a key; the default is to miss."""
    found: dict[g.Value, int] = {}
    for node in graph.nodes:
        taken = [found[v] for v in node.operands()]
        for value, result in zip(node.results, _results(node, taken, inputs, lookup, invoke), strict=True):
            if result < 0 or result >> value.width:
                raise g.BrokenGraphError(f"{value.name} is {result:#x}, which is more than {value.width} bits")
            found[value] = result
    return {port: found[value] for port, value in graph.outputs.items()}


def _results(
    node: g.Node,
    taken: list[int],
    inputs: Mapping[str, int],
    lookup: LookupAnswer | None,
    invoke: ExternAnswer | None,
) -> Sequence[int]:
    if isinstance(node, g.Input):
        return [inputs[node.port]]
    if isinstance(node, g.Constant):
        return [node.value]
    if isinstance(node, g.Slice):
        return [taken[0] >> node.low & _ones(node.high - node.low + 1)]
    if isinstance(node, g.Concat):
        joined = 0
        for part, bits in zip(node.parts, taken, strict=True):
            joined = joined << part.width | bits
        return [joined]
    if isinstance(node, g.Mux):
        return [taken[1] if taken[0] else taken[2]]
    if isinstance(node, g.Select):
        chosen = [bits for predicate, bits in zip(taken[::2], taken[1::2], strict=True) if predicate]
        if len(chosen) > 1:
            raise g.BrokenGraphError(f"{len(chosen)} cases of {node.result.name} hold at once")
        return chosen or [0]
    if isinstance(node, g.Lookup):
        hit, value = lookup(node.table, taken[0]) if lookup and taken[1] else (False, default_value(node.table))
        return [int(hit), value]
    if isinstance(node, g.Invoke):
        if invoke and taken[-1]:
            return invoke(node.extern, taken[:-1])
        return [0 for _ in node.results]
    assert isinstance(node, g.Operate)
    return [operate(node.operator, taken, [v.width for v in node.taken])]


def default_value(table: g.Table) -> int:
    """What a lookup gives on a miss: the default action's code and data, laid out as in an entry."""
    [action] = [a for a in table.actions if a.name == table.default_action]
    unused = table.data_bits - action.data_bits
    return action.code << table.data_bits | table.default_data << unused


def operate(operator: str, taken: Sequence[int], widths: Sequence[int]) -> int:
    """The result of an operator on unsigned readings of its operands."""
    width = widths[0]
    ones = _ones(width)
    first = taken[0]
    second = taken[1] if len(taken) > 1 else 0
    if operator in g.VARIADIC:
        result = first
        for bits in taken[1:]:
            result = result & bits if operator == "and" else result | bits
        return result
    results: dict[str, Callable[[], int]] = {
        "not": lambda: ~first & ones,
        "any": lambda: int(first != 0),
        "all": lambda: int(first == ones),
        "parity": lambda: first.bit_count() & 1,
        "add": lambda: first + second & ones,
        "sub": lambda: first - second & ones,
        "mul": lambda: first * second & ones,
        "xor": lambda: first ^ second,
        "shl": lambda: (first << second & ones) if second < width else 0,
        "lshr": lambda: first >> second if second < width else 0,
        "ashr": lambda: _signed(first, width) >> min(second, width) & ones,
        "eq": lambda: int(first == second),
        "ult": lambda: int(first < second),
        "ule": lambda: int(first <= second),
        "slt": lambda: int(_signed(first, width) < _signed(second, width)),
        "sle": lambda: int(_signed(first, width) <= _signed(second, width)),
    }
    return results[operator]()


def _ones(width: int) -> int:
    return (1 << width) - 1


def _signed(bits: int, width: int) -> int:
    return bits - (1 << width) if bits >> (width - 1) else bits
