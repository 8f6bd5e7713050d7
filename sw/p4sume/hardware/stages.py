# SPDX-License-Identifier: Apache-2.0
"""What a schedule is: where each node stands, when each value is there, and in which stages it is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from p4sume.hardware import graph as g


@dataclass(frozen=True, order=True)
class Place:
    """When a value is there: in `stage`, `after_ns` behind its beginning."""

    stage: int
    after_ns: float = 0.0


@dataclass
class Schedule:
    graph: g.Graph
    budget_ns: float
    stage_of: dict[g.Node, int] = field(default_factory=dict)  # where the node's logic stands
    ready: dict[g.Value, Place] = field(default_factory=dict)  # when each value can be used
    uses: dict[g.Value, set[int]] = field(default_factory=dict)  # the stages in which each value is used
    latency: int = 0  # cycles from the inputs to the outputs, which are registers


def is_lazy(node: g.Node) -> bool:
    """Written where it is used, in any stage."""
    return isinstance(node, g.Constant | g.Concat)


def is_engine(node: g.Node) -> bool:
    """Takes cycles, and its operands from registers."""
    return isinstance(node, g.Lookup | g.Invoke)


def lateness(node: g.Node) -> tuple[int, ...]:
    """For each operand the stages by which it may be later than the node."""
    if isinstance(node, g.Invoke):
        return (*(late for _, _, late in node.extern.parameters), 0)
    return (0,) * len(node.operands())


class Behind:
    """The values that are behind a value: itself, or what stands in it if it is written where it is used."""

    def __init__(self, graph: g.Graph) -> None:
        self._makers = graph.makers()

    def __call__(self, value: g.Value) -> Iterator[g.Value]:
        node = self._makers[value]
        if is_lazy(node):
            for operand in node.operands():
                yield from self(operand)
        else:
            yield value
