# SPDX-License-Identifier: Apache-2.0
"""Implicit conversions: an int takes a width, a list becomes a struct, an enum its underlying bits.

Ensures: `conversions` holds the final type of every converted expression, down to the parts of lists;
`constants` the value in that type.
"""

from __future__ import annotations

from p4sume.semantics.base import Typed, unknown
from p4sume.semantics.checked import EnumValue, ListValue, StructValue
from p4sume.semantics.defaults import default_value, value_as
from p4sume.semantics.type_names import TypeNames
from p4sume.semantics.types import (
    UNKNOWN,
    Aggregate,
    Bits,
    Enum,
    Int,
    List,
    Meta,
    Set,
    Stack,
    Tuple,
    Type,
    Variable,
    resolve,
    substitute,
)
from p4sume.semantics.unify import fit
from p4sume.semantics.values import fits, shown, wrap
from p4sume.syntax import ast


class Conversions(TypeNames):
    def convert(
        self, node: ast.Expression, typed: Typed, target: Type, what: str = "", implicit_enum: bool = True
    ) -> Typed:
        """`typed` as a value of type `target`, or an error that says `what` wants that type."""
        problem = fit(target, typed.type, implicit_enum)
        target = substitute(target, {})
        if problem is not None:
            wanted = f"{what} has type {target.show()}" if what else f"a {target.show()} is wanted"
            hint = "use a cast if the conversion is meant" if isinstance(target, Bits) else ""
            return self.error("type-mismatch", node, f"{wanted}: {problem}", hint)
        self.settle(node, typed.type, target)
        value = self.checked.constants.get(node, typed.value)
        return Typed(target, value, typed.known, typed.lvalue, typed.readonly)

    def settle(self, node: ast.Expression, actual: Type, target: Type) -> None:
        """Record that `node`, whose type fits `target`, is taken as a `target`."""
        actual, target = resolve(actual), substitute(resolve(target), {})
        if actual == target or unknown(actual, target) or isinstance(target, (Meta, Variable)):
            return
        if isinstance(target, Set) and not isinstance(actual, Set):
            target = target.element
        value = self.checked.constants.get(node)
        if isinstance(actual, Int) and isinstance(target, Bits):
            if isinstance(value, int) and not isinstance(value, bool):
                self.narrow(node, value, target)
        elif isinstance(actual, Enum) and isinstance(target, Bits):
            if isinstance(value, EnumValue):
                number = actual.info.members.get(value.member)
                if number is not None:
                    self.checked.constants[node] = number
        elif isinstance(node, ast.ListExpression):
            self._settle_list(node, target)
        elif isinstance(node, ast.StructExpression) and isinstance(target, Aggregate):
            fields = target.fields()
            for item in node.fields:
                inner = self.checked.types.get(item.value, UNKNOWN)
                self.settle(item.value, inner, fields.get(item.name.text, UNKNOWN))
        elif isinstance(node, ast.Ternary):
            for branch in (node.chosen, node.other):
                self.settle(branch, self.checked.types.get(branch, UNKNOWN), target)
        elif isinstance(node, (ast.Mask, ast.Range)):
            element = target.element if isinstance(target, Set) else target
            parts = (node.value, node.mask) if isinstance(node, ast.Mask) else (node.low, node.high)
            for part in parts:
                self.settle(part, self.checked.types.get(part, UNKNOWN), element)
        self.checked.conversions[node] = target
        if isinstance(value, (ListValue, StructValue)) or isinstance(node, ast.Dots):
            whole = default_value(target) if isinstance(node, ast.Dots) else value_as(value, target)
            self.checked.constants.pop(node, None)
            if whole is not None:
                self.checked.constants[node] = whole

    def _settle_list(self, node: ast.ListExpression, target: Type) -> None:
        match target:
            case Aggregate():
                targets = list(target.fields().values())
            case Tuple(items, _):
                targets = list(items)
            case Stack(element, size):
                targets = [element] * min(size, len(node.items))
            case List(element):
                targets = [element] * len(node.items)
            case _:
                return
        for item, wanted in zip(node.items, targets, strict=False):
            self.settle(item, self.checked.types.get(item, UNKNOWN), wanted)

    def narrow(self, node: ast.Expression, value: int, target: Bits) -> None:
        """The int constant `value` becomes a `target`, with a warning if it does not fit."""
        if not fits(value, target) and not (target.signed is False and 0 > value >= -(1 << target.width)):
            self.warn(
                "value-does-not-fit",
                node,
                f"the value {shown(value)} does not fit in {target.show()}",
                "the upper bits are cut off; write a wider type or a smaller value",
            )
        elif value < 0 and not target.signed:
            self.warn("value-does-not-fit", node, f"the negative value {shown(value)} becomes a {target.show()}")
        self.checked.constants[node] = wrap(value, target)

    def common(self, left: Typed, right: Typed) -> Type | None:
        """The type in which two operands meet, or None."""
        first, second = resolve(left.type), resolve(right.type)
        if isinstance(first, Int) and not isinstance(second, Int):
            return second if fit(second, first) is None else None
        if fit(first, second) is None:
            return first
        return second if fit(second, first) is None else None
