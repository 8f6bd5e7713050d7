# SPDX-License-Identifier: Apache-2.0
"""Random P4 expressions, and an evaluator of them on Python's integers written from the specification.

An expression is a tree of tuples (operator, type, operands…); a type is (width, signed) or "bool".
"""

from __future__ import annotations

import random

Type = tuple[int, bool] | str
BOOL = "bool"
WIDTHS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128, 129, 200, 255, 256)
MAX_WIDTH = 256


def show_type(type_):
    return "bool" if type_ == BOOL else f"{'int' if type_[1] else 'bit'}<{type_[0]}>"


class Generator:
    """`inputs`: name and type of what expressions may read."""

    def __init__(self, generator: random.Random, inputs) -> None:
        self.random = generator
        self.inputs = inputs

    def expression(self, type_, depth):
        if depth == 0 or self.random.random() < 0.1:
            return self._leaf(type_)
        if type_ == BOOL:
            return self._bool(depth - 1)
        width, signed = type_
        kinds = ["arithmetic"] * 5 + ["shift"] * 2 + ["unary", "resize", "choose", "literal"]
        if not signed:
            kinds += ["slice", "slice", "sign", "bits_of_bool" if width == 1 else "divide"]
        else:
            kinds += ["sign"]
        if width > 1:
            kinds += ["concat", "concat"]
        return getattr(self, f"_{self.random.choice(kinds)}")(type_, depth - 1)

    def _leaf(self, type_):
        fitting = [name for name, t in self.inputs if t == type_]
        if fitting and self.random.random() < 0.85:
            return ("input", type_, self.random.choice(fitting))
        if type_ == BOOL:
            return ("bool", BOOL, self.random.random() < 0.5)
        if self.inputs and self.random.random() < 0.6:
            name, actual = self.random.choice(self.inputs)
            return self._converted(("input", actual, name), type_)
        return self._literal(type_, 0)

    def _converted(self, tree, wanted):
        """A chain of the casts that P4 has."""
        actual = tree[1]
        if actual[1] != wanted[1]:
            tree = ("cast", (actual[0], wanted[1]), tree)
        return tree if tree[1] == wanted else ("cast", wanted, tree)

    def _literal(self, type_, depth):
        width, signed = type_
        value = self.random.choice([0, 1, (1 << width) - 1, 1 << (width - 1), self.random.getrandbits(width)])
        return ("literal", type_, wrap(value, type_))

    def _arithmetic(self, type_, depth):
        op = self.random.choice(["+", "-", "*", "&", "|", "^", "|+|", "|-|"])
        return (op, type_, self.expression(type_, depth), self.expression(type_, depth))

    def _divide(self, type_, depth):
        op = self.random.choice(["/", "%"])
        power = 1 << self.random.randrange(type_[0])
        return (op, type_, self.expression(type_, depth), ("literal", type_, power))

    def _shift(self, type_, depth):
        op = self.random.choice(["<<", ">>"])
        if self.random.random() < 0.5:
            distance = ("number", None, self.random.randrange(type_[0] + 3))
        else:
            distance = self.expression((self.random.choice([3, 8, 9, 70]), False), depth)
        return (op, type_, self.expression(type_, depth), distance)

    def _unary(self, type_, depth):
        return (self.random.choice(["neg", "~"]), type_, self.expression(type_, depth))

    def _resize(self, type_, depth):
        other = (self.random.choice(WIDTHS), type_[1])
        return ("cast", type_, self.expression(other, depth))

    def _sign(self, type_, depth):
        return ("cast", type_, self.expression((type_[0], not type_[1]), depth))

    def _choose(self, type_, depth):
        return (
            "?",
            type_,
            self.expression(BOOL, depth),
            self.expression(type_, depth),
            self.expression(type_, depth),
        )

    def _slice(self, type_, depth):
        width = type_[0]
        whole = self.random.randrange(width, MAX_WIDTH + 1)
        low = self.random.randrange(whole - width + 1)
        inner = (whole, self.random.random() < 0.2)
        return ("slice", type_, self.expression(inner, depth), low + width - 1, low)

    def _bits_of_bool(self, type_, depth):
        return ("cast", type_, self.expression(BOOL, depth))

    def _concat(self, type_, depth):
        width, signed = type_
        upper = self.random.randrange(1, width)
        low_type = (width - upper, False)
        return ("++", type_, self.expression((upper, signed), depth), self.expression(low_type, depth))

    def _bool(self, depth):
        kind = self.random.choice(["compare"] * 5 + ["logic", "not", "cast"])
        if kind == "compare":
            type_ = (self.random.choice(WIDTHS), self.random.random() < 0.4)
            op = self.random.choice(["==", "!=", "<", "<=", ">", ">="])
            return (op, BOOL, self.expression(type_, depth), self.expression(type_, depth))
        if kind == "logic":
            op = self.random.choice(["&&", "||"])
            return (op, BOOL, self.expression(BOOL, depth), self.expression(BOOL, depth))
        if kind == "not":
            return ("!", BOOL, self.expression(BOOL, depth))
        return ("cast", BOOL, self.expression((1, False), depth))


def wrap(value, type_):
    if type_ == BOOL:
        return bool(value)
    width, signed = type_
    value &= (1 << width) - 1
    return value - (1 << width) if signed and value >> (width - 1) else value


def show(tree):
    op, type_, *operands = tree
    match op:
        case "input":
            return operands[0]
        case "bool":
            return "true" if operands[0] else "false"
        case "number":
            return str(operands[0])
        case "literal":
            width, signed = type_
            value = operands[0]
            sign = "s" if signed else "w"
            return f"{width}{sign}{value}" if value >= 0 else f"(int<{width}>)({value})"
        case "neg":
            return f"(-{show(operands[0])})"
        case "~" | "!":
            return f"({op}{show(operands[0])})"
        case "cast":
            return f"(({show_type(type_)})({show(operands[0])}))"
        case "slice":
            return f"({show(operands[0])})[{operands[1]}:{operands[2]}]"
        case "?":
            return f"({show(operands[0])} ? {show(operands[1])} : {show(operands[2])})"
    return f"({show(operands[0])} {op} {show(operands[1])})"


def evaluate(tree, inputs):
    op, type_, *operands = tree
    match op:
        case "input":
            return inputs[operands[0]]
        case "bool" | "number" | "literal":
            return operands[0]
        case "slice":
            value, high, low = evaluate(operands[0], inputs), operands[1], operands[2]
            return value >> low & ((1 << (high - low + 1)) - 1)
        case "?":
            return evaluate(operands[1 if evaluate(operands[0], inputs) else 2], inputs)
        case "++":
            upper, lower = (evaluate(o, inputs) for o in operands)
            return wrap(upper << operands[1][1][0] | lower, type_)
    values = [evaluate(o, inputs) for o in operands]
    if op == "cast":
        return bool(values[0]) if type_ == BOOL else wrap(int(values[0]), type_)
    return _operate(op, type_, *values)


def _operate(op, type_, a, b=None):
    match op:
        case "+":
            return wrap(a + b, type_)
        case "-":
            return wrap(a - b, type_)
        case "*":
            return wrap(a * b, type_)
        case "&":
            return wrap(a & b, type_)
        case "|":
            return wrap(a | b, type_)
        case "^":
            return wrap(a ^ b, type_)
        case "/":
            return a // b
        case "%":
            return a % b
        case "|+|" | "|-|":
            exact = a + b if op == "|+|" else a - b
            width, signed = type_
            low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
            return max(low, min(high, exact))
        case "<<":
            return wrap(a << b, type_) if b < type_[0] else 0
        case ">>":
            return a >> min(b, type_[0])
        case "neg":
            return wrap(-a, type_)
        case "~":
            return wrap(~a, type_)
        case "!":
            return not a
        case "&&":
            return a and b
        case "||":
            return a or b
        case "==":
            return a == b
        case "!=":
            return a != b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case ">=":
            return a >= b
    raise AssertionError(op)
