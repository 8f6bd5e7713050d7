# SPDX-License-Identifier: Apache-2.0
"""What an expression or body may do besides giving a value: change something, leave the packet's processing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from p4sume.semantics.checked import Checked
from p4sume.syntax import ast

_PURE = frozenset("isValid minSizeInBits minSizeInBytes maxSizeInBits maxSizeInBytes".split())


def children(node: ast.Node) -> Iterator[ast.Node]:
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, ast.Node):
            yield value
        elif isinstance(value, tuple):
            yield from (v for v in value if isinstance(v, ast.Node))


def walk(node: ast.Node) -> Iterator[ast.Node]:
    yield node
    for child in children(node):
        yield from walk(child)


class Effects:
    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        self._effects: dict[ast.Expression, bool] = {}
        self._exits: dict[ast.Node, bool] = {}

    def has_effects(self, node: ast.Expression) -> bool:
        """Evaluating it takes statements: a call, or `.next` and `.last`, which may be a parser error."""
        found = self._effects.get(node)
        if found is None:
            found = self._find_effects(node)
            self._effects[node] = found
        return found

    def _find_effects(self, node: ast.Expression) -> bool:
        if node in self._checked.constants:
            return False
        for part in walk(node):
            if isinstance(part, ast.Call):
                target = self._checked.calls.get(part)
                if target is None or target.kind != "built_in" or target.name not in _PURE:
                    return True
            elif isinstance(part, ast.Member) and part.name.text in ("next", "last"):
                return True
        return False

    def may_exit(self, node: ast.Node) -> bool:
        """The body of an action or control, or the actions of a table, can execute `exit`."""
        found = self._exits.get(node)
        if found is None:
            self._exits[node] = False
            found = any(self._exit_in(part) for part in self._executed(node))
            self._exits[node] = found
        return found

    def _executed(self, node: ast.Node) -> Iterator[ast.Node]:
        match node:
            case ast.Control(body=body) | ast.Action(body=body):
                return walk(body)
            case ast.Table(properties=properties):
                return (a for p in properties if isinstance(p, ast.ActionList) for a in p.actions)
        return iter(())

    def _exit_in(self, part: ast.Node) -> bool:
        match part:
            case ast.Exit():
                return True
            case ast.Call():
                target = self._checked.calls.get(part)
                return target is not None and target.node is not None and self.may_exit(target.node)
            case ast.ActionRef(path=path):
                symbol = self._checked.symbols.get(path)
                return symbol is not None and symbol.node is not None and self.may_exit(symbol.node)
        return False
