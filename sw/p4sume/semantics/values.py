# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on compile-time values, as the specification has it for int, bit<W> and int<W>."""

from __future__ import annotations

from p4sume.semantics.types import Bits, Type

MAX_WIDTH = 2048
# int values may grow beyond any width on the way, but not without bound.
MAX_INT_BITS = 65536
MAX_SHOWN_BITS = 256


class EvaluationError(Exception):
    """The operation has no value; `id` and message say why."""

    def __init__(self, id_: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.id, self.message, self.hint = id_, message, hint


def shown(value: int) -> str:
    """A number for a message: a very long one by its beginning and length."""
    bits = value.bit_length()
    return str(value) if bits <= MAX_SHOWN_BITS else f"{hex(value)[:18]}… ({bits} bits)"


def wrap(value: int, type_: Type) -> int:
    """`value` modulo the width of a fixed-width type, in that type's range; other types leave it alone."""
    if not isinstance(type_, Bits):
        return value
    if type_.width == 0:
        return 0
    value &= (1 << type_.width) - 1
    if type_.signed and value >> (type_.width - 1):
        value -= 1 << type_.width
    return value


def fits(value: int, type_: Bits) -> bool:
    return wrap(value, type_) == value


def saturate(value: int, type_: Bits) -> int:
    low, high = limits(type_)
    return max(low, min(high, value))


def limits(type_: Bits) -> tuple[int, int]:
    if type_.signed:
        half = 1 << max(type_.width - 1, 0)
        return -half, half - 1
    return 0, (1 << type_.width) - 1


def shift(operator: str, left: int, right: int, type_: Type) -> int:
    if right < 0:
        raise EvaluationError("negative-shift", "a shift distance cannot be negative")
    if operator == "<<":
        if isinstance(type_, Bits):
            return 0 if right >= type_.width else wrap(left << right, type_)
        if right > MAX_WIDTH:
            raise EvaluationError("too-wide", f"the shift makes a value wider than {MAX_WIDTH} bits", "shift by less")
        return left << right
    return left >> min(right, MAX_INT_BITS + 1)


def arithmetic(operator: str, left: int, right: int, type_: Type) -> int:
    """`+ - * / % |+| |-| & | ^` on two values of one type."""
    if operator in ("/", "%"):
        what = "division" if operator == "/" else "modulo"
        if right == 0:
            raise EvaluationError("division-by-zero", f"{what} by zero", "the divisor has to be positive")
        if left < 0 or right < 0:
            raise EvaluationError("negative-division", f"{what} is not defined for negative numbers")
        return left // right if operator == "/" else left % right
    match operator:
        case "+":
            result = left + right
        case "-":
            result = left - right
        case "*":
            result = left * right
        case "&":
            result = left & right
        case "|":
            result = left | right
        case "^":
            result = left ^ right
        case "|+|" | "|-|":
            assert isinstance(type_, Bits)
            return saturate(left + right if operator == "|+|" else left - right, type_)
        case _:
            raise AssertionError(operator)
    if abs(result).bit_length() > MAX_INT_BITS:
        raise EvaluationError("too-wide", f"the value needs more than {MAX_INT_BITS} bits")
    return wrap(result, type_)


def compare(operator: str, left: int, right: int) -> bool:
    match operator:
        case "<":
            return left < right
        case ">":
            return left > right
        case "<=":
            return left <= right
        case _:
            return left >= right
