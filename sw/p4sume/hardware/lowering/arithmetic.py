# SPDX-License-Identifier: Apache-2.0
"""Operators of P4 as operators of the graph: signs, saturation, shifts, widths, products and quotients."""

from __future__ import annotations

from p4sume.hardware import graph as g
from p4sume.hardware.lowering.context import Context
from p4sume.semantics import types as t
from p4sume.syntax import ast

# A product of two values that are both not constants: the narrower has at most so many bits.
MAX_FACTOR_BITS = 18
_PLAIN = {"+": "add", "-": "sub", "&": "and", "|": "or", "^": "xor"}


class Arithmetic(Context):
    def compute(self, node: ast.Node, operator: str, left: g.Value, right: g.Value, signed: bool) -> g.Value:
        """Both operands have one width, but for shifts; `signed` says how the left one is read."""
        make = self.make
        if operator in _PLAIN:
            return make.operate(_PLAIN[operator], left, right)
        match operator:
            case "<":
                return make.operate("slt" if signed else "ult", left, right)
            case "<=":
                return make.operate("sle" if signed else "ule", left, right)
            case ">":
                return make.operate("slt" if signed else "ult", right, left)
            case ">=":
                return make.operate("sle" if signed else "ule", right, left)
            case "<<":
                return make.operate("shl", left, right)
            case ">>":
                return make.operate("ashr" if signed else "lshr", left, right)
            case "|+|" | "|-|":
                return self._saturating(operator, left, right, signed)
            case "*":
                return self._product(node, left, right)
            case "/" | "%":
                return self._quotient(node, operator, left, right)
        raise AssertionError(operator)

    def resize(self, value: g.Value, width: int, signed: bool) -> g.Value:
        """Cut off at the top, or extended by zeros or by the sign."""
        make = self.make
        if width <= value.width:
            return make.slice(value, width - 1, 0)
        if not signed:
            return make.extend(value, width)
        sign = make.slice(value, value.width - 1, value.width - 1)
        return make.concat(*[sign] * (width - value.width), value)

    def _saturating(self, operator: str, left: g.Value, right: g.Value, signed: bool) -> g.Value:
        make = self.make
        width = left.width
        if not signed and operator == "|-|":
            return make.mux(make.operate("ult", left, right), make.zeros(width), make.operate("sub", left, right))
        wide = make.operate(
            "add" if operator == "|+|" else "sub",
            self.resize(left, width + 1, signed),
            self.resize(right, width + 1, signed),
        )
        top, result = make.slice(wide, width, width), make.slice(wide, width - 1, 0)
        if not signed:
            return make.mux(top, make.constant(width, (1 << width) - 1), result)
        overflow = make.operate("xor", top, make.slice(wide, width - 1, width - 1))
        lowest = make.constant(width, 1 << (width - 1))
        return make.mux(overflow, make.mux(top, lowest, make.not_(lowest)), result)

    def _product(self, node: ast.Node, left: g.Value, right: g.Value) -> g.Value:
        if self.make.known(left) is None and self.make.known(right) is None:
            narrower = min(self._significant(left), self._significant(right))
            if narrower > MAX_FACTOR_BITS:
                raise self.refuse(
                    "wide-product",
                    node,
                    f"a product of two variables of {narrower} bits or more is too large for one pass of the pipeline",
                    f"multiply by a constant, or make one factor at most {MAX_FACTOR_BITS} bits wide",
                )
        return self.make.operate("mul", left, right)

    def _significant(self, value: g.Value) -> int:
        """The bits of a value that are not constant zeros at its top."""
        node = self.make.node(value)
        if isinstance(node, g.Concat) and self.make.known(node.parts[0]) == 0:
            return value.width - node.parts[0].width
        return value.width

    def _quotient(self, node: ast.Node, operator: str, left: g.Value, right: g.Value) -> g.Value:
        divisor = self.make.known(right)
        if not divisor or divisor & (divisor - 1):
            raise self.refuse(
                "general-division",
                node,
                f"'{operator}' is built only for divisors that are constant powers of two",
                "divide by a power of two, or keep a table of quotients",
            )
        bits = divisor.bit_length() - 1
        if operator == "/":
            return self.make.operate("lshr", left, self.make.constant(32, bits))
        return self.make.extend(self.make.slice(left, bits - 1, 0), left.width) if bits else self.make.zeros(left.width)

    def equal(self, left: dict[tuple[str | int, ...], g.Value], right: dict[tuple[str | int, ...], g.Value]) -> g.Value:
        """Whether two values of one type are equal, leaf by leaf; invalid headers have zero fields, so they are."""
        return self.make.and_(*(self.make.eq(value, right[path]) for path, value in left.items()))


def is_signed(type_: t.Type) -> bool:
    """Whether values of the type are read as two's complement."""
    type_ = t.strip_new(type_)
    if isinstance(type_, t.Enum) and type_.info.underlying is not None:
        type_ = type_.info.underlying
    return isinstance(type_, t.Bits) and type_.signed
