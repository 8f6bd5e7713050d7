# SPDX-License-Identifier: Apache-2.0
"""Operators: which types they take, the type and the compile-time value that they give."""

from __future__ import annotations

from p4sume.semantics.base import FAILED, Typed, unknown
from p4sume.semantics.checked import EnumValue, ListValue, StructValue, Value
from p4sume.semantics.conversions import Conversions
from p4sume.semantics.defaults import enum_value
from p4sume.semantics.types import (
    BOOL,
    INT,
    STRING,
    UNKNOWN,
    ActionRun,
    ActionType,
    ApplyResult,
    Bits,
    Block,
    Bool,
    Dots,
    Enum,
    Extern,
    Int,
    Invalid,
    NewType,
    Set,
    Signature,
    String,
    StructLiteral,
    TableType,
    Tuple,
    Type,
    Variable,
    Void,
    resolve,
    strip_new,
)
from p4sume.semantics.unify import fit
from p4sume.semantics.values import (
    MAX_WIDTH,
    EvaluationError,
    arithmetic,
    compare,
    shift,
    shown,
    wrap,
)
from p4sume.syntax import ast

_ARITHMETIC = frozenset("+ - * / % |+| |-|".split())
_BITWISE = frozenset("& | ^".split())
_INCOMPARABLE = (Variable, TableType, Extern, Block, ApplyResult, ActionRun, ActionType, Signature, Void)


class Operators(Conversions):
    # ---- unary

    def unary(self, node: ast.Unary) -> Typed:
        operand = self.expression(node.operand)
        type_ = self._number(node.operand, operand)
        if unknown(type_):
            return FAILED
        value = self.checked.constants.get(node.operand, operand.value)
        operator = node.operator
        if operator == "!":
            if not isinstance(type_, Bool):
                return self._bad_operand(node, operand.type, "bool")
            return Typed(BOOL, None if value is None else not value, operand.known)
        if operator == "~" and isinstance(type_, Int):
            return self.error(
                "no-width",
                node,
                "'~' needs an operand with a width",
                "write the operand with a width, as in 8w1",
            )
        if not isinstance(type_, (Bits, Int)):
            return self._bad_operand(node, operand.type, "a number")
        if isinstance(value, bool) or not isinstance(value, int):
            return Typed(type_, None, operand.known)
        result = {"-": -value, "+": value, "~": ~value}[operator]
        return Typed(type_, wrap(result, type_), operand.known)

    def _number(self, node: ast.Expression, typed: Typed) -> Type:
        """The operand's type, a serialisable enum turned into its underlying bits."""
        type_ = resolve(typed.type)
        if isinstance(type_, Enum) and type_.info.underlying is not None:
            self.settle(node, type_, type_.info.underlying)
            return type_.info.underlying
        return type_

    def _bad_operand(self, node: ast.Unary, type_: Type, wanted: str) -> Typed:
        return self.error("bad-operand", node, f"'{node.operator}' takes {wanted}, not {resolve(type_).show()}")

    # ---- binary

    def binary(self, node: ast.Binary) -> Typed:
        chain = [node]
        while isinstance(chain[-1].left, ast.Binary):
            chain.append(chain[-1].left)
        left = self.expression(chain[-1].left)
        for step in reversed(chain):
            right = self.expression(step.right)
            left = self.combine(step, step.operator, step.left, left, step.right, right)
            if step is not node:
                self.remember(step, left)
        return left

    def combine(
        self,
        node: ast.Node,
        operator: str,
        left_node: ast.Expression,
        left: Typed,
        right_node: ast.Expression,
        right: Typed,
    ) -> Typed:
        if unknown(left.type, right.type):
            decides = operator in ("==", "!=", "<", ">", "<=", ">=", "&&", "||")
            return Typed(BOOL if decides else UNKNOWN, known=True)
        try:
            match operator:
                case "&&" | "||":
                    return self._logic(node, operator, left, right)
                case "==" | "!=":
                    return self._equality(node, operator, left_node, left, right_node, right)
                case "++":
                    return self._concatenation(node, left_node, left, right_node, right)
                case "<<" | ">>":
                    return self._shift(node, operator, left_node, left, right_node, right)
                case _:
                    return self._arithmetic(node, operator, left_node, left, right_node, right)
        except EvaluationError as problem:
            return self.error(problem.id, node, problem.message, problem.hint)

    def _logic(self, node: ast.Node, operator: str, left: Typed, right: Typed) -> Typed:
        if not isinstance(resolve(left.type), Bool) or not isinstance(resolve(right.type), Bool):
            return self._mismatch(node, operator, left, right, "two bool operands")
        value: bool | None = None
        if isinstance(left.value, bool):
            if left.value == (operator == "||"):
                value = left.value
            elif isinstance(right.value, bool):
                value = right.value
        return Typed(BOOL, value, left.known and right.known)

    def _mismatch(self, node: ast.Node, operator: str, left: Typed, right: Typed, wanted: str) -> Typed:
        first, second = resolve(left.type).show(), resolve(right.type).show()
        hint = ""
        if isinstance(resolve(left.type), String) and operator == "+":
            hint = "strings are joined with '++'"
        elif isinstance(resolve(left.type), Bits) and isinstance(resolve(right.type), Bits):
            hint = f"cast one of them, as in ({first}) …"
        return self.error("bad-operands", node, f"'{operator}' takes {wanted}, not {first} and {second}", hint)

    def _equality(
        self,
        node: ast.Node,
        operator: str,
        left_node: ast.Expression,
        left: Typed,
        right_node: ast.Expression,
        right: Typed,
    ) -> Typed:
        first, second = resolve(left.type), resolve(right.type)
        wanted = "two values of one type"
        for type_ in (first, second):
            if isinstance(type_, _INCOMPARABLE):
                return self._mismatch(node, operator, left, right, wanted)
        literals = (Tuple, StructLiteral, Dots, Invalid)
        if isinstance(first, (StructLiteral, Dots, Invalid)) and isinstance(second, literals):
            if not isinstance(first, StructLiteral) or not isinstance(second, StructLiteral):
                return self._mismatch(node, operator, left, right, wanted)
            return self.error(
                "bad-operands", node, "two structs of unknown type cannot be compared", "cast one of them"
            )
        meet: Type | None
        if first != second and (isinstance(first, Enum) or isinstance(second, Enum)):
            meet, other = _underlying(first), _underlying(second)
            if isinstance(meet, Int):
                meet, other = other, meet
            if not isinstance(meet, Bits) or (meet != other and not isinstance(other, Int)):
                meet = None
        elif isinstance(second, literals) and not isinstance(first, literals):
            meet = first if fit(first, second) is None else None
        else:
            meet = self.common(left, right)
        if meet is None or isinstance(meet, (Set, Dots)):
            return self._mismatch(node, operator, left, right, wanted)
        self.settle(left_node, first, meet)
        self.settle(right_node, second, meet)
        value = self._equal(left_node, left, right_node, right)
        if value is not None and operator == "!=":
            value = not value
        return Typed(BOOL, value, left.known and right.known)

    def _equal(self, left_node: ast.Expression, left: Typed, right_node: ast.Expression, right: Typed) -> bool | None:
        first = self.checked.constants.get(left_node, left.value)
        second = self.checked.constants.get(right_node, right.value)
        if first is None or second is None:
            return None
        simple = (int, bool, str, EnumValue)
        if isinstance(first, simple) and isinstance(second, simple):
            return first == second
        if isinstance(first, (ListValue, StructValue)) and isinstance(second, (ListValue, StructValue)):
            return _flat(first) == _flat(second)
        return None

    def _arithmetic(
        self,
        node: ast.Node,
        operator: str,
        left_node: ast.Expression,
        left: Typed,
        right_node: ast.Expression,
        right: Typed,
    ) -> Typed:
        first, second = self._number(left_node, left), self._number(right_node, right)
        ordering = operator not in _ARITHMETIC and operator not in _BITWISE
        numbers = (Bits,) if operator in ("|+|", "|-|") else (Bits, Int)
        if isinstance(first, Int) and isinstance(second, Bits):
            meet: Type = second
        else:
            meet = first
        if not isinstance(meet, numbers) or fit(meet, second) is not None or fit(meet, first) is not None:
            wanted = "two numbers of one type"
            if operator in ("|+|", "|-|"):
                wanted = "two numbers of one type with a width"
            return self._mismatch(node, operator, left, right, wanted)
        if operator in ("/", "%"):
            _refuse_negative(operator, left.value, right.value)
        self.settle(left_node, first, meet)
        self.settle(right_node, second, meet)
        known = left.known and right.known
        a = self.checked.constants.get(left_node, left.value)
        b = self.checked.constants.get(right_node, right.value)
        if operator in ("/", "%"):
            self._check_division(node, operator, meet, a, b, known)
        result = BOOL if ordering else meet
        if not isinstance(a, int) or not isinstance(b, int):
            return Typed(result, None, known)
        if ordering:
            return Typed(BOOL, compare(operator, a, b), known)
        return Typed(meet, arithmetic(operator, a, b, meet), known)

    def _check_division(
        self, node: ast.Node, operator: str, meet: Type, a: Value | None, b: Value | None, known: bool
    ) -> None:
        if isinstance(meet, Bits) and meet.signed:
            raise EvaluationError(
                "signed-division", f"'{operator}' is not defined on signed values", "cast to bit<…> first"
            )
        if isinstance(b, int):
            if b == 0:
                what = "division" if operator == "/" else "modulo"
                raise EvaluationError("division-by-zero", f"{what} by zero", "the divisor has to be positive")
            if b & (b - 1) == 0:
                return
        if not known and a != 0:
            self.error_if_used(
                "runtime-division",
                node,
                f"'{operator}' needs operands that are known at compile time",
                "use a divisor that is a power of two, or shifts and multiplication",
            )

    def _concatenation(
        self,
        node: ast.Node,
        left_node: ast.Expression,
        left: Typed,
        right_node: ast.Expression,
        right: Typed,
    ) -> Typed:
        first, second = self._number(left_node, left), self._number(right_node, right)
        a = self.checked.constants.get(left_node, left.value)
        b = self.checked.constants.get(right_node, right.value)
        known = left.known and right.known
        if isinstance(first, String) and isinstance(second, String):
            return Typed(STRING, a + b if isinstance(a, str) and isinstance(b, str) else None, known)
        numbers = isinstance(first, (Int, Bits)) and isinstance(second, (Int, Bits))
        if numbers and (isinstance(first, Int) or isinstance(second, Int)):
            raise EvaluationError(
                "no-width", "'++' needs operands with a width", "write the operand with one, as in 8w1"
            )
        if not isinstance(first, Bits) or not isinstance(second, Bits):
            return self._mismatch(node, "++", left, right, "two bit strings or two strings")
        width = first.width + second.width
        if width > MAX_WIDTH:
            raise EvaluationError("too-wide", f"'++' makes {width} bits, more than {MAX_WIDTH}")
        result = Bits(width, first.signed)
        if not isinstance(a, int) or not isinstance(b, int):
            return Typed(result, None, known)
        low = b & ((1 << second.width) - 1)
        return Typed(result, wrap((a << second.width) | low, result), known)

    def _shift(
        self,
        node: ast.Node,
        operator: str,
        left_node: ast.Expression,
        left: Typed,
        right_node: ast.Expression,
        right: Typed,
    ) -> Typed:
        first, second = self._number(left_node, left), self._number(right_node, right)
        if not isinstance(first, (Bits, Int)):
            return self._mismatch(node, operator, left, right, "a number on the left")
        a = self.checked.constants.get(left_node, left.value)
        b = self.checked.constants.get(right_node, right.value)
        if isinstance(second, Bits) and second.signed and not isinstance(b, int):
            return self.error("signed-shift", right_node, "a shift distance is unsigned", "cast it to bit<…> first")
        if not isinstance(second, (Bits, Int)) or (isinstance(second, Int) and not right.known):
            return self._mismatch(node, operator, left, right, "a distance of type bit<…> on the right")
        if isinstance(first, Int) and not right.known:
            raise EvaluationError(
                "no-width",
                "an int without width cannot be shifted by a distance that is not constant",
                "write the left operand with a width, as in 8w1",
            )
        known = left.known and right.known
        if isinstance(b, int) and b < 0:
            raise EvaluationError("negative-shift", "a shift distance cannot be negative")
        if isinstance(b, int) and isinstance(first, Bits) and b >= first.width:
            self.warn("shift-overflow", right_node, f"a shift of {first.show()} by {shown(b)} leaves nothing")
        if not isinstance(a, int) or not isinstance(b, int):
            return Typed(first, None, known)
        return Typed(first, shift(operator, a, b, first), known)

    # ---- casts

    def castable(self, target: Type, actual: Type) -> bool:
        target, actual = resolve(target), resolve(actual)
        if fit(target, actual) is None:
            return not isinstance(target, (Set,))
        match target, actual:
            case Bits(), Bits():
                return target.signed == actual.signed or target.width == actual.width
            case (Bits(1, False), Bool()) | (Bool(), Bits(1, False)) | (Bool(), Int()) | (Int(), Bits()):
                return True
            case ((Bits() | Int()), Enum()):
                under = actual.info.underlying
                return under is not None and self.castable(target, under)
            case Enum(), (Bits() | Int()):
                under = target.info.underlying
                return under is not None and self.castable(under, actual)
            case Enum(), Enum():
                return target.info.underlying is not None and actual.info.underlying is not None
            case NewType(), NewType():
                return self.castable(strip_new(target), strip_new(actual))
            case NewType(), _:
                return fit(target.info.underlying, actual) is None
            case _, NewType():
                return self.castable(target, actual.info.underlying)
        return False

    def cast_value(self, node: ast.Cast, target: Type, actual: Type, value: Value | None) -> Value | None:
        goal = strip_new(target)
        if isinstance(value, EnumValue) and isinstance(resolve(actual), Enum) and not isinstance(goal, Enum):
            enum = resolve(actual)
            assert isinstance(enum, Enum)
            value = enum.info.members.get(value.member)
        if isinstance(value, bool):
            return int(value) if isinstance(goal, (Bits, Int)) else value
        if not isinstance(value, int):
            return value
        if isinstance(goal, Bool):
            if value not in (0, 1):
                raise EvaluationError("bad-cast", f"only 0 and 1 can be cast to bool, not {shown(value)}")
            return bool(value)
        if isinstance(goal, Bits):
            if isinstance(resolve(actual), Int) and not -(1 << goal.width) <= value < 1 << goal.width:
                self.warn("value-does-not-fit", node, f"the value {shown(value)} does not fit in {goal.show()}")
            return wrap(value, goal)
        if isinstance(goal, Enum):
            return enum_value(goal, wrap(value, goal.info.underlying) if goal.info.underlying else value)
        return value if goal == INT else None


def _refuse_negative(operator: str, *values: Value | None) -> None:
    for value in values:
        if isinstance(value, int) and value < 0:
            raise EvaluationError("negative-division", f"'{operator}' is not defined for negative numbers")


def _underlying(type_: Type) -> Type | None:
    return type_.info.underlying if isinstance(type_, Enum) else type_


def _flat(value: ListValue | StructValue) -> list[object]:
    items = value.items if isinstance(value, ListValue) else [v for _, v in value.fields]
    return [_flat(i) if isinstance(i, (ListValue, StructValue)) else i for i in items]
