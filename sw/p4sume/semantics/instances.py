# SPDX-License-Identifier: Apache-2.0
"""The program as it runs: the tree of instances below the top-level ones, with the values they were made with.

    Switch(P(), C(4)) main;      ->      main: Switch
                                           p: P
                                           c: C, n = 4
                                             r: register, size = 4 * 16

Requires: a checked program without errors. Ensures: one Instance for each top-level instance, with its children;
a constructor argument that has no value known to this evaluation is None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from p4sume.semantics.checked import CallTarget, Checked, EnumValue, ListValue, StructValue, Value
from p4sume.semantics.types import Bits, Bool, Stack, Type, strip_new
from p4sume.semantics.values import EvaluationError, arithmetic, compare, shift, wrap
from p4sume.syntax import ast

Static: TypeAlias = "Value | Instance | tuple[Instance, ...] | None"
_LOGIC = ("&&", "||")
_EQUALITY = ("==", "!=")
_ORDER = ("<", ">", "<=", ">=")
_SHIFTS = ("<<", ">>")
MAX_ARRAY = 4096


@dataclass(eq=False)
class Instance:
    """An object of a package, parser, control or extern.

    `node` is the declaration that it is an instance of (for a factory, the extern function called);
    `arguments` its constructor's; `children` what it instantiates, by Instantiation, or by the Call of a
    constructor or of an `apply` on a type. An array of instances is a tuple.
    """

    name: str
    node: ast.Declaration | None
    type: Type
    parent: Instance | None
    arguments: dict[ast.Parameter, Static] = field(default_factory=dict)
    children: dict[ast.Node, Instance | tuple[Instance, ...]] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Names from the top, joined by dots."""
        return f"{self.parent.path}.{self.name}" if self.parent is not None else self.name


class Elaborator:
    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.top: dict[ast.Node, Instance | tuple[Instance, ...]] = {}

    def run(self) -> dict[ast.Node, Instance | tuple[Instance, ...]]:
        for node in self.checked.program.declarations:
            if isinstance(node, ast.Instantiation):
                self.top[node] = self._declared(node, None)
        return self.top

    def _declared(self, node: ast.Instantiation, parent: Instance | None) -> Instance | tuple[Instance, ...]:
        target = self.checked.instances[node]
        type_ = self.checked.declared_types[node]
        count = 1
        array = isinstance(type_, Stack)
        while isinstance(type_, Stack):
            count, type_ = count * type_.size, type_.element
        if not array:
            return self._make(node.name.text, target, type_, parent)
        names = (f"{node.name.text}[{i}]" for i in range(min(count, MAX_ARRAY)))
        return tuple(self._make(name, target, type_, parent) for name in names)

    def _make(self, name: str, target: CallTarget, type_: Type, parent: Instance | None) -> Instance:
        made = Instance(name, target.node, type_, parent)
        for parameter, argument in target.bindings:
            made.arguments[parameter] = None if argument is None else self._value(argument, parent, parameter.name.text)
        if isinstance(target.node, (ast.Parser, ast.Control)):
            for item in target.node.locals:
                if isinstance(item, ast.Instantiation):
                    made.children[item] = self._declared(item, made)
            bodies: tuple[ast.Node, ...] = (
                target.node.states if isinstance(target.node, ast.Parser) else (*target.node.locals, target.node.body)
            )
            for body in bodies:
                self._applied(body, made)
        return made

    def _applied(self, node: ast.Node, owner: Instance) -> None:
        """Instances that statements make: `T.apply(…)`, and constructor calls."""
        todo = [node]
        while todo:
            current = todo.pop()
            target = self.checked.calls.get(current) if isinstance(current, ast.Call) else None
            if target is not None and target.kind == "apply" and target.receiver is None and target.node is not None:
                type_ = self.checked.symbols[target.node].type
                owner.children[current] = self._make(target.name, _without_arguments(target), type_, owner)
            elif target is not None and target.kind == "constructor":
                assert isinstance(current, ast.Call)
                owner.children[current] = self._make(target.name, target, self.checked.types[current], owner)
            if not isinstance(current, ast.Instantiation):
                todo.extend(reversed(list(ast.children(current))))

    # ---- values of constructor arguments

    def _value(self, node: ast.Expression, owner: Instance | None, name: str) -> Static:
        """The value of an expression inside `owner`, whose constructor parameters are known."""
        constant = self.checked.constants.get(node)
        if constant is not None:
            return constant
        match node:
            case ast.PathExpression():
                return self._path(node, owner)
            case ast.Call():
                target = self.checked.calls.get(node)
                if target is not None and target.kind in ("constructor", "function"):
                    return self._make(name, target, self.checked.types[node], owner)
                return None
            case ast.Index(base=base, index=index):
                array, position = self._value(base, owner, name), self._value(index, owner, name)
                if isinstance(array, tuple) and isinstance(position, int) and position < len(array):
                    return array[position]
                return None
        try:
            return self._operation(node, owner, name)
        except EvaluationError:
            return None

    def _path(self, node: ast.PathExpression, owner: Instance | None) -> Static:
        symbol = self.checked.symbols[node]
        found = symbol.node
        scope = owner
        while scope is not None:
            if isinstance(found, ast.Parameter) and found in scope.arguments:
                return scope.arguments[found]
            if found in scope.children:
                return scope.children[found]
            scope = scope.parent
        return self.top.get(found) if found is not None else None

    def _operation(self, node: ast.Expression, owner: Instance | None, name: str) -> Static:
        type_ = self.checked.type_of(node)
        match node:
            case ast.Binary(operator=operator):
                left, right = self._value(node.left, owner, name), self._value(node.right, owner, name)
                return self._binary(operator, node, left, right)
            case ast.Unary(operator=operator):
                operand = self._value(node.operand, owner, name)
                if isinstance(operand, bool):
                    return not operand
                if isinstance(operand, int):
                    return wrap({"-": -operand, "+": operand, "~": ~operand}[operator], type_)
            case ast.Cast():
                return self._cast(strip_new(type_), self._value(node.operand, owner, name))
            case ast.Ternary():
                condition = self._value(node.condition, owner, name)
                if isinstance(condition, bool):
                    return self._value(node.chosen if condition else node.other, owner, name)
            case ast.Slice():
                base = self._value(node.base, owner, name)
                low = self._value(node.low, owner, name)
                if isinstance(base, int) and isinstance(low, int):
                    return wrap(base >> low, type_)
            case ast.ListExpression():
                items = [self._value(i, owner, name) for i in node.items]
                if all(_plain(i) for i in items):
                    return ListValue(tuple(items))  # type: ignore[arg-type]
            case ast.StructExpression():
                fields = [(f.name.text, self._value(f.value, owner, name)) for f in node.fields]
                if all(_plain(v) for _, v in fields):
                    return StructValue(tuple(fields))  # type: ignore[arg-type]
            case ast.Member():
                base = self._value(node.base, owner, name)
                if isinstance(base, StructValue):
                    return dict(base.fields).get(node.name.text)
        return None

    def _binary(self, operator: str, node: ast.Binary, left: Static, right: Static) -> Static:
        type_ = self.checked.types[node]
        if operator in _EQUALITY and _plain(left) and _plain(right):
            return (left == right) == (operator == "==")
        if operator in _LOGIC and isinstance(left, bool) and isinstance(right, bool):
            return (left and right) if operator == "&&" else (left or right)
        if operator == "++" and isinstance(left, str) and isinstance(right, str):
            return left + right
        if not isinstance(left, int) or not isinstance(right, int):
            return None
        operand = self.checked.type_of(node.left)
        if isinstance(operand, Bits):
            left = wrap(left, operand)
        if operator in _ORDER:
            return compare(operator, left, right)
        if operator in _SHIFTS:
            return shift(operator, left, right, type_)
        if operator == "++":
            low = self.checked.type_of(node.right)
            assert isinstance(low, Bits)
            return wrap(left << low.width | right & ((1 << low.width) - 1), type_)
        return arithmetic(operator, left, right, type_)

    def _cast(self, type_: Type, value: Static) -> Static:
        if isinstance(value, bool):
            return value if isinstance(type_, Bool) else int(value)
        if isinstance(value, int):
            return bool(value) if isinstance(type_, Bool) else wrap(value, type_)
        return value if _plain(value) else None


def _plain(value: Static) -> bool:
    return isinstance(value, (int, bool, str, EnumValue, ListValue, StructValue))


def _without_arguments(target: CallTarget) -> CallTarget:
    return CallTarget("constructor", target.name, target.node, target.signature, target.type_arguments, ())
