# SPDX-License-Identifier: Apache-2.0
"""Expressions: the type of each, whether it is a constant, whether it can be assigned.

Requires: names in scope. Ensures: `types` has every expression; `constants` every one whose value is known;
`symbols` every path.
"""

from __future__ import annotations

import difflib

from p4sume.semantics.base import FAILED, Typed, unknown
from p4sume.semantics.checked import (
    EnumValue,
    InvalidValue,
    ListValue,
    StructValue,
    Symbol,
    Value,
)
from p4sume.semantics.operators import Operators
from p4sume.semantics.types import (
    BOOL,
    DONT_CARE,
    DOTS,
    ERROR,
    INT,
    INVALID,
    STRING,
    UNKNOWN,
    ActionRun,
    Aggregate,
    ApplyResult,
    Bits,
    Bool,
    Enum,
    Error,
    Extern,
    Int,
    List,
    Set,
    Stack,
    StructLiteral,
    Tuple,
    Type,
    TypeName,
    bit,
    is_header,
    is_module,
    is_union,
    resolve,
)
from p4sume.semantics.unify import fit
from p4sume.semantics.values import EvaluationError, fits, shown, wrap
from p4sume.syntax import ast


class Expressions(Operators):
    def expression(self, node: ast.Expression) -> Typed:
        try:
            found = self._expression(node)
        except EvaluationError as problem:
            found = self.error(problem.id, node, problem.message, problem.hint)
        self.remember(node, found)
        return found

    def is_known(self, node: ast.Expression) -> bool:
        return node in self.known

    def remember(self, node: ast.Expression, found: Typed) -> None:
        self.checked.types[node] = found.type
        if found.known:
            self.known.add(node)
        if found.value is not None:
            self.checked.constants[node] = found.value

    def _expression(self, node: ast.Expression) -> Typed:
        match node:
            case ast.IntLiteral():
                return self._int_literal(node)
            case ast.PathExpression():
                return self._path(node)
            case ast.Member():
                return self.member(node)
            case ast.Binary():
                return self.binary(node)
            case ast.Unary():
                return self.unary(node)
            case ast.Call(callee=ast.TypeExpression(type=written)):
                return self.constructor_call(node, written)
            case ast.Call():
                return self.call(node)
            case ast.Index():
                return self._index(node)
            case ast.Slice():
                return self._slice(node)
            case ast.Cast():
                return self._cast(node)
            case ast.Ternary():
                return self._ternary(node)
            case ast.BoolLiteral(value=value):
                return Typed(BOOL, value, True)
            case ast.StringLiteral(value=value):
                return Typed(STRING, value, True)
            case ast.ListExpression():
                return self._list(node)
            case ast.StructExpression():
                return self._struct(node)
            case ast.InvalidHeader():
                return Typed(INVALID, InvalidValue(), True)
            case ast.Dots():
                return Typed(DOTS, None, True)
            case ast.DefaultKeyset():
                return Typed(Set(DONT_CARE), None, True)
            case ast.Mask():
                return self._pair(node, "&&&", node.value, node.mask)
            case ast.Range():
                return self._pair(node, "..", node.low, node.high)
            case ast.This():
                return self._this(node)
            case ast.TypeExpression():
                named = self.type_(node.type, generic_ok=True)
                return self.error("type-as-value", node, f"'{named.show()}' is a type where a value is wanted")
        raise AssertionError(node)

    def _int_literal(self, node: ast.IntLiteral) -> Typed:
        if node.width is None:
            return Typed(INT, node.value, True)
        if node.width == 0 and node.signed:
            return self.error("bad-width", node, "a signed number has at least one bit")
        type_ = Bits(node.width, node.signed)
        if node.width > 2048:
            return self.error("too-wide", node, f"{node.width} bits are more than this compiler supports")
        if not fits(node.value, type_):
            self.warn("value-does-not-fit", node, f"the value {node.value} does not fit in {type_.show()}")
        return Typed(type_, wrap(node.value, type_), True)

    def _path(self, node: ast.PathExpression) -> Typed:
        symbol = self.find(node.name, node.absolute)
        if symbol is None:
            return self.not_found(node, node.name)
        self.checked.symbols[node] = symbol
        symbol.used = True
        return self.use(node, symbol)

    def use(self, node: ast.Expression, symbol: Symbol) -> Typed:
        """The value of a name."""
        type_ = symbol.type
        match symbol.kind:
            case "variable":
                return Typed(type_, None, False, True)
            case "constant":
                return Typed(type_, symbol.value, True)
            case "parameter":
                return self._parameter(symbol)
            case "instance":
                return Typed(type_, None, True)
            case "value_set":
                return Typed(type_)
            case "type":
                return self.error("type-as-value", node, f"'{symbol.name}' is a type where a value is wanted")
            case "state":
                return self.error("state-as-value", node, f"'{symbol.name}' is a parser state, not a value")
            case "table":
                if self.place.kind == "table" and self.place.node is symbol.node:
                    return self.error("self-reference", node, f"table '{symbol.name}' refers to itself")
        return Typed(type_)

    def _parameter(self, symbol: Symbol) -> Typed:
        if symbol.direction in ("out", "inout"):
            return Typed(symbol.type, None, False, True)
        if symbol.direction == "in":
            return Typed(symbol.type, readonly=f"'{symbol.name}' is an in parameter")
        return Typed(symbol.type, None, True, readonly=f"'{symbol.name}' is a parameter without direction")

    def _this(self, node: ast.This) -> Typed:
        if self.place.this is None:
            return self.error("illegal-this", node, "'this' stands only in the implementation of an abstract method")
        return Typed(self.place.this, known=True)

    # ---- members

    def member(self, node: ast.Member) -> Typed:
        """A member that is not called."""
        name = node.name.text
        if isinstance(node.base, ast.TypeExpression):
            return self._type_member(node, node.base.type, name)
        base = self.expression(node.base)
        type_ = resolve(base.type)
        if unknown(type_):
            return FAILED
        match type_:
            case Aggregate():
                field = type_.fields().get(name)
                if field is None:
                    return self._no_member(node, type_)
                return Typed(field, _named_value(base.value, name), base.known, base.lvalue, base.readonly)
            case StructLiteral(fields, _):
                found = dict(fields).get(name)
                if found is not None:
                    return Typed(found, _named_value(base.value, name), base.known)
            case Stack():
                return self._stack_member(node, base, type_, name)
            case ApplyResult(table):
                if name in ("hit", "miss"):
                    return Typed(BOOL)
                if name == "action_run":
                    return Typed(ActionRun(table))
            case Extern(info, _):
                if any(m.signature.name == name for m in info.methods):
                    return self.error("method-as-value", node, f"method '{name}' can only be called")
        return self._no_member(node, type_)

    def _no_member(self, node: ast.Member, type_: Type) -> Typed:
        names: list[str] = []
        if isinstance(type_, Aggregate):
            names = list(type_.info.fields)
        hint = self._suggest(node.name.text, names)
        what = getattr(type_, "kind", "")
        shown = f"{what} {type_.show()}" if what else type_.show()
        return self.error("no-such-member", node.name, f"{shown} has no member '{node.name.text}'", hint)

    def _suggest(self, name: str, names: list[str]) -> str:
        close = difflib.get_close_matches(name, names, 1, 0.6)
        return f"did you mean '{close[0]}'?" if close else ""

    def _type_member(self, node: ast.Member, written: ast.TypeNode, name: str) -> Typed:
        type_ = self.type_(written, generic_ok=True)
        assert isinstance(node.base, ast.TypeExpression)
        self.checked.types[node.base] = TypeName(type_)
        match type_:
            case Enum(info, _):
                if name in info.members:
                    return Typed(type_, EnumValue(type_, name), True)
                hint = self._suggest(name, list(info.members))
                return self.error("no-such-member", node.name, f"enum {info.name} has no member '{name}'", hint)
            case Error():
                if name in self.errors:
                    return Typed(ERROR, EnumValue(ERROR, name), True)
                hint = self._suggest(name, list(self.errors))
                return self.error("no-such-member", node.name, f"there is no error '{name}'", hint)
        if unknown(type_):
            return FAILED
        return self.error("no-such-member", node.name, f"type {type_.show()} has no member '{name}'")

    def _stack_member(self, node: ast.Member, base: Typed, type_: Stack, name: str) -> Typed:
        headers = is_header(resolve(type_.element)) or is_union(resolve(type_.element))
        match name:
            case "size":
                return Typed(bit(32), type_.size, True)
            case "lastIndex" if headers:
                if not self.in_parser():
                    return self._parser_only(node, name)
                return Typed(bit(32))
            case "next" | "last" if headers:
                if not self.in_parser():
                    return self._parser_only(node, name)
                if not base.lvalue and name == "next":
                    return self.error("not-assignable", node, f"'{name}' needs a stack that can be assigned")
                return Typed(type_.element, None, False, base.lvalue)
        return self._no_member(node, type_)

    def _parser_only(self, node: ast.Member, name: str) -> Typed:
        return self.error(
            "parser-only", node.name, f"'{name}' of a header stack exists only in parsers", "use an index"
        )

    # ---- indexes and slices

    def _index(self, node: ast.Index) -> Typed:
        base = self.expression(node.base)
        index = self.expression(node.index)
        type_, position = resolve(base.type), resolve(index.type)
        if unknown(type_, position):
            return FAILED
        if isinstance(position, Enum) and position.info.underlying is not None:
            self.settle(node.index, position, position.info.underlying)
            position = position.info.underlying
        if not isinstance(type_, (Stack, Tuple)):
            return self.error("not-indexable", node, f"{type_.show()} cannot be indexed")
        if not isinstance(position, (Bits, Int)):
            return self.error("bad-index", node.index, f"an index is a number, not {position.show()}")
        value = self.checked.constants.get(node.index)
        if isinstance(value, int) and value < 0:
            return self.error("bad-index", node.index, f"the index {shown(value)} is negative")
        if isinstance(type_, Tuple):
            if not isinstance(value, int):
                return self.error("bad-index", node.index, "the index of a tuple has to be a constant")
            if value >= len(type_.items):
                return self.error("bad-index", node.index, f"{type_.show()} has only {len(type_.items)} parts")
            inner = base.value.items[value] if isinstance(base.value, ListValue) else None
            return Typed(type_.items[value], inner, base.known, base.lvalue and not type_.literal)
        if isinstance(value, int) and value >= type_.size > 0:
            return self.error(
                "bad-index",
                node.index,
                f"the index {shown(value)} is outside the stack of {type_.size}",
                "indexes start at 0",
            )
        readonly = base.readonly
        if is_module(resolve(type_.element)):
            return Typed(type_.element, None, True)
        return Typed(type_.element, None, base.known and index.known, base.lvalue, readonly)

    def _slice(self, node: ast.Slice) -> Typed:
        base = self.expression(node.base)
        type_ = self._number(node.base, base)
        low = self._slice_bound(node.low, constant=node.width is None)
        high: int | None
        if node.width is not None:
            width = self._slice_bound(node.width, constant=True)
            if width is not None and width <= 0:
                return self.error("bad-slice", node.width, "the width of a slice is positive")
            if width is None or (low is None and unknown(self.checked.types.get(node.low, UNKNOWN))):
                return FAILED
            if low is None:
                if isinstance(type_, Bits) and width > type_.width:
                    return self.error("bad-slice", node.width, f"{type_.show()} has fewer than {shown(width)} bits")
                return Typed(bit(width), None, False, base.lvalue, base.readonly)
            high = low + width - 1
        else:
            assert node.high is not None
            high = self._slice_bound(node.high, constant=True)
        if unknown(type_) or low is None or high is None:
            return FAILED
        if not isinstance(type_, Bits) and not (isinstance(type_, Int) and base.value is not None):
            return self.error("bad-slice", node, f"a slice is taken of bit<…>, not of {type_.show()}")
        if low < 0 or high < 0:
            return self.error("bad-slice", node, f"[{shown(high)}:{shown(low)}] has a negative bound")
        if high < low:
            return self.error("bad-slice", node, f"[{shown(high)}:{shown(low)}] is empty", "write the higher bit first")
        if isinstance(type_, Bits) and high >= type_.width:
            return self.error("bad-slice", node, f"bit {shown(high)} is outside {type_.show()}", "bits count from 0")
        if high - low >= 2048 or high > 1 << 20:
            return self.error("bad-slice", node, f"[{shown(high)}:{shown(low)}] is too wide")
        value: Value | None = None
        number = self.checked.constants.get(node.base, base.value)
        if isinstance(number, int):
            value = (number >> low) & ((1 << (high - low + 1)) - 1)
        return Typed(bit(high - low + 1), value, base.known, base.lvalue, base.readonly)

    def _slice_bound(self, node: ast.Expression, constant: bool) -> int | None:
        typed = self.expression(node)
        type_ = self._number(node, typed)
        if unknown(type_):
            return None
        value = self.checked.constants.get(node, typed.value)
        if isinstance(value, bool) or not isinstance(value, int):
            if constant or not isinstance(type_, (Bits, Int)):
                self.error("bad-slice", node, "the bounds of a slice have to be constant numbers")
            return None
        return value

    # ---- casts, ?:, lists

    def _cast(self, node: ast.Cast) -> Typed:
        target = self.type_(node.type)
        operand = self.expression(node.operand)
        actual = resolve(operand.type)
        if unknown(target, actual):
            return Typed(target, None, operand.known)
        if isinstance(target, List) and isinstance(actual, Tuple):
            return self._list_cast(node, target, operand, actual)
        if not self.castable(target, actual):
            return self.error(
                "bad-cast", node, f"{actual.show()} cannot be cast to {target.show()}", _cast_hint(target, actual)
            )
        if fit(target, actual) is None and not isinstance(target, Bits):
            self.settle(node.operand, actual, target)
        value = self.checked.constants.get(node.operand, operand.value)
        return Typed(target, self.cast_value(node, target, actual, value), operand.known)

    def _list_cast(self, node: ast.Cast, target: List, operand: Typed, actual: Tuple) -> Typed:
        if isinstance(node.operand, ast.ListExpression):
            for item, type_ in zip(node.operand.items, actual.items, strict=True):
                self.convert(item, Typed(type_, self.checked.constants.get(item)), target.element, "the list's element")
            self.checked.conversions[node.operand] = target
        return Typed(target, operand.value, operand.known)

    def _ternary(self, node: ast.Ternary) -> Typed:
        condition = self.expression(node.condition)
        chosen, other = self.expression(node.chosen), self.expression(node.other)
        test = resolve(condition.type)
        if not unknown(test) and not isinstance(test, Bool):
            return self.error("bad-condition", node.condition, f"the condition of '?:' is a bool, not {test.show()}")
        if unknown(chosen.type, other.type):
            return FAILED
        meet = self.common(chosen, other)
        if meet is None:
            first, second = resolve(chosen.type).show(), resolve(other.type).show()
            return self.error("type-mismatch", node, f"the branches of '?:' have the types {first} and {second}")
        if isinstance(meet, Int) and not condition.known:
            return self.error("no-width", node, "one branch of '?:' needs a width", "write it as in 8w1")
        self.settle(node.chosen, chosen.type, meet)
        self.settle(node.other, other.type, meet)
        value: Value | None = None
        if isinstance(condition.value, bool):
            branch = node.chosen if condition.value else node.other
            value = self.checked.constants.get(branch)
        known = condition.known and chosen.known and other.known
        return Typed(meet, value, known)

    def _list(self, node: ast.ListExpression) -> Typed:
        items = [self.expression(i) for i in node.items]
        for item in node.items[:-1]:
            if isinstance(item, ast.Dots):
                self.error("misplaced-dots", item, "'...' stands last in a list")
        dots = bool(node.items) and isinstance(node.items[-1], ast.Dots)
        values = [i.value for i in (items[:-1] if dots else items)]
        value: Value | None = None
        if all(v is not None for v in values):
            value = ListValue(tuple(v for v in values if v is not None), dots)
        type_ = Tuple(tuple(i.type for i in items), True)
        return Typed(type_, value, all(i.known for i in items))

    def _struct(self, node: ast.StructExpression) -> Typed:
        found: dict[str, Typed] = {}
        for field in node.fields:
            if field.name.text in found:
                self.error("duplicate-field", field.name, f"field '{field.name.text}' is given twice")
            found[field.name.text] = self.expression(field.value)
        values = [(n, t.value) for n, t in found.items()]
        value: Value | None = None
        if all(v is not None for _, v in values):
            value = StructValue(tuple((n, v) for n, v in values if v is not None), node.defaults is not None)
        type_ = StructLiteral(tuple((n, t.type) for n, t in found.items()), node.defaults is not None)
        if node.defaults is not None:
            self.checked.types[node.defaults] = DOTS
        return Typed(type_, value, all(t.known for t in found.values()))

    def _pair(self, node: ast.Mask | ast.Range, operator: str, first: ast.Expression, second: ast.Expression) -> Typed:
        left, right = self.expression(first), self.expression(second)
        a, b = self._number(first, left), self._number(second, right)
        if unknown(a, b):
            return Typed(Set(UNKNOWN), known=True)
        meet = b if isinstance(a, Int) else a
        if not isinstance(meet, (Bits, Int)) or fit(meet, a) is not None or fit(meet, b) is not None:
            self.error(
                "bad-operands",
                node,
                f"'{operator}' takes two numbers of one type, not {resolve(left.type).show()} and "
                f"{resolve(right.type).show()}",
            )
            return Typed(Set(UNKNOWN), known=True)
        self.settle(first, a, meet)
        self.settle(second, b, meet)
        if operator == "&&&" and not (left.known and right.known):
            self.error("not-constant", node, "the parts of a mask have to be known at compile time")
        low, high = self.checked.constants.get(first), self.checked.constants.get(second)
        if operator == ".." and isinstance(low, int) and isinstance(high, int) and high < low:
            self.warn("empty-range", node, f"the range {shown(low)} .. {shown(high)} is empty")
        return Typed(Set(meet), None, left.known and right.known)

    # ---- constants

    def constant_int(self, node: ast.Expression, what: str) -> int | None:
        """The value of a compile-time number, or None with an error."""
        typed = self.expression(node)
        type_ = self._number(node, typed)
        if unknown(type_):
            return None
        value = self.checked.constants.get(node, typed.value)
        if isinstance(type_, (Bits, Int)) and isinstance(value, int) and not isinstance(value, bool):
            return value
        self.error("not-constant", node, f"{what} has to be a constant number", "use a literal or a const")
        return None


def _cast_hint(target: Type, actual: Type) -> str:
    if isinstance(target, Bits) and isinstance(actual, Bits):
        return "change the width and the sign in two casts"
    if isinstance(target, Bool) and isinstance(actual, Bits):
        return "compare with 0 instead: only bit<1> can be cast to bool"
    return ""


def _named_value(value: Value | None, name: str) -> Value | None:
    return dict(value.fields).get(name) if isinstance(value, StructValue) else None
