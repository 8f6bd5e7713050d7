# SPDX-License-Identifier: Apache-2.0
"""The value of an `#if` condition.

Requires: tokens with `defined` and macros already replaced. Ensures: an integer, or ConditionError.
"""

from __future__ import annotations

from collections.abc import Callable

from p4sume.syntax.lexer import Token
from p4sume.syntax.numbers import parse_number

_LEVELS: list[list[str]] = [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!="],
    ["<", ">", "<=", ">="],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
]
_DEEPEST = 50
_LARGEST_SHIFT = 4096


class ConditionError(Exception):
    """The condition is not an integer expression."""


def evaluate(tokens: list[Token]) -> int:
    return _Condition(tokens).value()


class _Condition:
    def __init__(self, tokens: list[Token]) -> None:
        self.texts: list[str] = []
        self.kinds: list[str] = []
        for token in tokens:
            adjacent = self.texts and not token.spaced
            if token.text == ">" and adjacent and self.texts[-1] == ">":
                self.texts[-1] = ">>"
                continue
            suffix = token.kind == "word" and adjacent and self.kinds[-1] == "number"
            if suffix and not set(token.text) - set("uUlL"):
                continue
            self.texts.append(token.text)
            self.kinds.append(token.kind)
        self.at = 0
        self.depth = 0

    def value(self) -> int:
        if not self.texts:
            raise ConditionError("the condition is empty")
        result = self.ternary()
        if self.at < len(self.texts):
            raise ConditionError(f"'{self.texts[self.at]}' is not expected here")
        return result

    def peek(self) -> str:
        return self.texts[self.at] if self.at < len(self.texts) else ""

    def accept(self, text: str) -> bool:
        if self.peek() != text:
            return False
        self.at += 1
        return True

    def ternary(self) -> int:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ConditionError("the condition is nested too deeply")
        condition = self.binary(0)
        if self.accept("?"):
            chosen = self.ternary()
            if not self.accept(":"):
                raise ConditionError("':' is missing after '?'")
            other = self.ternary()
            condition = chosen if condition else other
        self.depth -= 1
        return condition

    def binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in _LEVELS[level]:
            operator = self.texts[self.at]
            self.at += 1
            left = self.combine(operator, left, self.binary(level + 1))
        return left

    def combine(self, operator: str, left: int, right: int) -> int:
        if operator in ("/", "%"):
            if right == 0:
                raise ConditionError("division by zero")
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if operator == "/" else left - quotient * right
        if operator in ("<<", ">>") and not 0 <= right <= _LARGEST_SHIFT:
            raise ConditionError("the shift distance is out of range")
        return int(_BINARY[operator](left, right))

    def unary(self) -> int:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ConditionError("the condition is nested too deeply")
        try:
            if self.accept("!"):
                return int(not self.unary())
            if self.accept("-"):
                return -self.unary()
            if self.accept("+"):
                return self.unary()
            if self.accept("~"):
                return ~self.unary()
            if self.accept("("):
                inner = self.ternary()
                if not self.accept(")"):
                    raise ConditionError("')' is missing")
                return inner
            if self.at >= len(self.texts):
                raise ConditionError("the condition ends too early")
            text, kind = self.texts[self.at], self.kinds[self.at]
            self.at += 1
            if kind == "number":
                number = parse_number(text)
                if isinstance(number, str):
                    raise ConditionError(number)
                return number.value
            if kind == "word":
                return 0
            raise ConditionError(f"'{text}' is not expected here")
        finally:
            self.depth -= 1


_BINARY: dict[str, Callable[[int, int], int]] = {
    "||": lambda a, b: int(bool(a) or bool(b)),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
