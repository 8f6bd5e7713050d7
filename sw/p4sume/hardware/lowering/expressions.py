# SPDX-License-Identifier: Apache-2.0
"""Expressions: their values as bundles of graph values, in the type in which the context takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields

from p4sume.hardware import graph as g
from p4sume.hardware.lowering.arithmetic import Arithmetic, is_signed
from p4sume.hardware.lowering.context import Given, Instance, Packet, Place, inner, outer
from p4sume.hardware.lowering.layout import VALID, plain
from p4sume.hardware.lowering.state import Bundle, State, merge_two
from p4sume.semantics import types as t
from p4sume.semantics.checked import EnumValue, InvalidValue, ListValue, StructValue, Value
from p4sume.semantics.values import wrap
from p4sume.syntax import ast

_PURE_BUILT_INS = frozenset(("isValid",))


class Expressions(Arithmetic):
    def scalar(self, node: ast.Expression, state: State) -> g.Value:
        """The value of an expression that has one leaf."""
        found = self.value(node, state)
        if () not in found:
            raise self.refuse("no-bits", node, "this value has several parts, and cannot be used as a number")
        return found[()]

    def value(self, node: ast.Expression, state: State) -> Bundle:
        type_ = self.type_of(node)
        constant = self.checked.constants.get(node)
        if constant is not None and not isinstance(constant, str):
            return self.constant_bundle(constant, type_, node)
        return self._value(node, state, type_)

    # ---- constants

    def constant_bundle(self, value: Value, type_: t.Type, where: ast.Node) -> Bundle:
        type_ = plain(type_)
        match value:
            case bool():
                return {(): self.make.constant(1, int(value))}
            case int():
                width = self.width_of(type_, where)
                return {(): self.make.constant(width, wrap(value, t.bit(width)))}
            case EnumValue():
                width = self.width_of(type_, where)
                return {(): self.make.constant(width, wrap(self.layouts.code(value), t.bit(width)))}
            case InvalidValue():
                return self.blank(type_, where)
            case ListValue(items):
                parts = self._part_types(type_, len(items), where)
                made = {k: self.constant_bundle(v, p, where) for v, (k, p) in zip(items, parts, strict=False)}
                return self._composed(type_, made, where)
            case StructValue(found):
                assert isinstance(type_, t.Aggregate)
                types = type_.fields()
                return self._composed(
                    type_, {n: self.constant_bundle(v, self.actual(types[n]), where) for n, v in found}, where
                )
        raise self.refuse("no-bits", where, "this constant has no form in hardware")

    def _part_types(self, type_: t.Type, count: int, where: ast.Node) -> list[tuple[str | int, t.Type]]:
        match type_:
            case t.Tuple(items, _):
                return [(i, self.actual(item)) for i, item in enumerate(items)]
            case t.Stack(element, size):
                return [(i, self.actual(element)) for i in range(size)]
            case t.Aggregate():
                return [(n, self.actual(f)) for n, f in type_.fields().items()]
        raise self.refuse("no-bits", where, f"a list of {count} values as a {type_.show()} has no form in hardware")

    def _composed(self, type_: t.Type, parts: dict[str | int, Bundle], where: ast.Node) -> Bundle:
        """A struct, header, tuple or stack of its parts; parts not given are zero or invalid."""
        found = self.blank(type_, where)
        if isinstance(type_, t.Aggregate) and type_.kind == "header":
            found[(VALID,)] = self.make.one
        for first, part in parts.items():
            found.update(outer(part, first))
        return found

    # ---- one case for each kind of node

    def _value(self, node: ast.Expression, state: State, type_: t.Type) -> Bundle:
        match node:
            case ast.Member() | ast.Index() | ast.PathExpression():
                return self._named(node, state)
            case ast.Binary():
                return self._binary(node, state)
            case ast.Unary():
                return {(): self._unary(node, state)}
            case ast.Call():
                return self.call_value(node, state)
            case ast.Slice():
                return {(): self._slice(node, state)}
            case ast.Cast():
                return self._cast(node, state)
            case ast.Ternary():
                return self._ternary(node, state)
            case ast.ListExpression(items=items):
                given = [i for i in items if not isinstance(i, ast.Dots)]
                parts = self._part_types(plain(type_), len(items), node)
                made = {k: self.value(item, state) for item, (k, _) in zip(given, parts, strict=False)}
                return self._composed(plain(type_), made, node)
            case ast.StructExpression(fields=found):
                return self._composed(plain(type_), {f.name.text: self.value(f.value, state) for f in found}, node)
            case ast.InvalidHeader() | ast.Dots():
                return self.blank(type_, node)
        raise self.refuse("unsupported-expression", node, "this expression has no form in hardware")

    def call_value(self, node: ast.Call, state: State) -> Bundle:
        raise NotImplementedError

    def applied(self, node: ast.Member, state: State) -> Bundle | None:
        """hit, miss and action_run of a table that is applied here; None for other members."""
        raise NotImplementedError

    def stack_member(self, node: ast.Member, place: Place, state: State) -> Place | Bundle | None:
        """next, last and lastIndex, in parsers."""
        raise NotImplementedError

    # ---- names

    def place(self, node: ast.Expression, state: State) -> Place | None:
        """What a path, member or index refers to, if it is (part of) a variable."""
        match node:
            case ast.PathExpression():
                found = self.frame.find(self.symbol(node).node)
                return found if isinstance(found, Place) else None
            case ast.Member(base=base, name=name):
                if isinstance(base, ast.TypeExpression):
                    return None
                place = self.place(base, state)
                if place is None:
                    return None
                if isinstance(plain(place.type), t.Stack):
                    special = self.stack_member(node, place, state)
                    return special if isinstance(special, Place) else None
                return self.member(place, name.text)
            case ast.Index(base=base, index=index):
                place = self.place(base, state)
                if place is None:
                    return None
                number = self.checked.constants.get(index)
                if isinstance(number, int):
                    return self.element(place, number)
                position = self.scalar(index, state)
                known = self.make.known(position)
                if known is not None and known < plain(place.type).size:  # type: ignore[attr-defined]
                    return self.element(place, known)
                return self.element_at(place, position)
        return None

    def assigned_place(self, node: ast.Expression, state: State) -> Place:
        found = self.place(node, state)
        if found is None:
            raise self.refuse("unsupported-assignment", node, "this cannot be assigned in hardware")
        return found

    def _named(self, node: ast.Member | ast.Index | ast.PathExpression, state: State) -> Bundle:
        place = self.place(node, state)
        if place is not None:
            return self.read(state, place, node)
        if isinstance(node, ast.PathExpression):
            return self._path(node, state)
        if isinstance(node, ast.Index):
            position = self.checked.constants.get(node.index)
            if isinstance(position, int):
                return inner(self.value(node.base, state), position)
            raise self.refuse("unsupported-index", node, "a value that is no variable is indexed by constants only")
        if not isinstance(node.base, ast.TypeExpression):
            special = self.applied(node, state)
            if special is None and isinstance(plain(self.type_of(node.base)), t.Stack):
                base = self.assigned_place(node.base, state)
                found = self.stack_member(node, base, state)
                assert isinstance(found, dict)
                return found
            return special if special is not None else inner(self.value(node.base, state), node.name.text)
        raise self.refuse("unsupported-expression", node, "this name has no value in hardware")

    def _path(self, node: ast.PathExpression, state: State) -> Bundle:
        symbol = self.symbol(node)
        if isinstance(symbol.node, ast.Constant):
            return self.value(symbol.node.value, state)
        bound = self.frame.find(symbol.node)
        if isinstance(bound, Given):
            outer, self.frame = self.frame, bound.frame
            found = self.value(bound.expression, state)
            self.frame = outer
            return found
        what = (
            "an instance" if isinstance(bound, Instance) else "the packet" if isinstance(bound, Packet) else symbol.kind
        )
        raise self.refuse("no-bits", node, f"'{node.name}' is {what}, which has no value in hardware")

    # ---- operators

    def _unary(self, node: ast.Unary, state: State) -> g.Value:
        operand = self.scalar(node.operand, state)
        match node.operator:
            case "!" | "~":
                return self.make.not_(operand)
            case "-":
                return self.make.operate("sub", self.make.zeros(operand.width), operand)
        return operand

    def _binary(self, node: ast.Binary, state: State) -> Bundle:
        chain = [node]
        while isinstance(chain[-1].left, ast.Binary) and chain[-1].left not in self.checked.constants:
            chain.append(chain[-1].left)
        left = self.value(chain[-1].left, state)
        for step in reversed(chain):
            left = self.combined(step, step.operator, step.left, left, step.right, state)
        return left

    def combined(
        self,
        node: ast.Node,
        operator: str,
        left_node: ast.Expression,
        left: Bundle,
        right_node: ast.Expression,
        state: State,
    ) -> Bundle:
        make = self.make
        if operator in ("&&", "||"):
            return {(): self._logic(operator, left[()], right_node, state)}
        right = self.value(right_node, state) if operator not in ("<<", ">>") else {}
        match operator:
            case "==":
                return {(): self.equal(left, right)}
            case "!=":
                return {(): make.not_(self.equal(left, right))}
            case "++":
                return {(): make.concat(left[()], right[()])}
            case "<<" | ">>":
                right = self._distance(right_node, state)
        return {(): self.compute(node, operator, left[()], right[()], is_signed(self.type_of(left_node)))}

    def _distance(self, node: ast.Expression, state: State) -> Bundle:
        """A shift's right operand, which may be a number without width."""
        number = self.checked.constants.get(node)
        if isinstance(number, int):
            return {(): self.make.constant(32, min(number, (1 << 32) - 1))}
        return self.value(node, state)

    def _logic(self, operator: str, left: g.Value, right_node: ast.Expression, state: State) -> g.Value:
        make = self.make
        condition = left if operator == "&&" else make.not_(left)
        if not self.has_effects(right_node):
            right = self.scalar(right_node, state)
            return make.and_(left, right) if operator == "&&" else make.or_(left, right)
        decided = make.constant(1, 0 if operator == "&&" else 1)
        return self.alternatives(condition, state, lambda s: {(): self.scalar(right_node, s)}, lambda _: {(): decided})[
            ()
        ]

    def _ternary(self, node: ast.Ternary, state: State) -> Bundle:
        condition = self.scalar(node.condition, state)
        if self.has_effects(node.chosen) or self.has_effects(node.other):
            return self.alternatives(
                condition, state, lambda s: self.value(node.chosen, s), lambda s: self.value(node.other, s)
            )
        chosen, other = self.value(node.chosen, state), self.value(node.other, state)
        return {path: self.make.mux(condition, value, other[path]) for path, value in chosen.items()}

    def alternatives(
        self,
        condition: g.Value,
        state: State,
        then: Callable[[State], Bundle],
        otherwise: Callable[[State], Bundle],
    ) -> Bundle:
        """One of two expressions with effects, each in a state of its own."""
        known = self.make.known(condition)
        if known is not None:
            return then(state) if known else otherwise(state)
        first, second = self.arms(condition, state)
        self.conditional += 1
        chosen, other = then(first), otherwise(second)
        self.conditional -= 1
        self.join(condition, state, first, second)
        return {path: self.make.mux(condition, value, other[path]) for path, value in chosen.items()}

    def arms(self, condition: g.Value, state: State) -> tuple[State, State]:
        """The states in which the two arms of a branch begin."""
        first, second = state.fork(), state.fork()
        first.path = self.make.and_(state.path, condition)
        second.path = self.make.and_(state.path, self.make.not_(condition))
        first.assume(self.make, condition, True)
        second.assume(self.make, condition, False)
        return first, second

    def join(self, condition: g.Value, state: State, first: State, second: State) -> None:
        """`state` becomes what stands behind the branch whose two arms have ended in `first` and `second`."""
        make = self.make
        kept = state.assumed
        if make.known(first.path) == 0 or make.known(second.path) == 0:
            state.become(second if make.known(first.path) == 0 else first)
            return
        first.forget(kept)
        second.forget(kept)
        whole = first.path is make.and_(state.path, condition) and second.path is make.and_(
            state.path, make.not_(condition)
        )
        path = state.path if whole else make.or_(first.path, second.path)
        state.become(merge_two(make, condition, first, second, path, self.unwritten))
        state.assumed = {c: a for c, a in kept.items() if state.values.get(c) is a[1]}

    def has_effects(self, node: ast.Node) -> bool:
        """Whether evaluating the expression may change anything."""
        if isinstance(node, ast.Call):
            target = self.checked.calls.get(node)
            if target is None or target.kind != "built_in" or target.name not in _PURE_BUILT_INS:
                return True
        if isinstance(node, ast.Member) and node.name.text == "last":
            return True
        return any(self.has_effects(child) for child in children(node))

    # ---- slices, casts

    def _slice(self, node: ast.Slice, state: State) -> g.Value:
        base = self.scalar(node.base, state)
        low = self.checked.constants.get(node.low)
        if not isinstance(low, int):
            assert node.width is not None
            shifted = self.make.operate("lshr", base, self.scalar(node.low, state))
            return self.make.slice(shifted, self.number(node.width) - 1, 0)
        high = low + self.number(node.width) - 1 if node.width is not None else self.number(node.high)
        return self.make.slice(base, high, low)

    def number(self, node: ast.Expression | None) -> int:
        """A number that the language demands to be constant."""
        found = self.checked.constants.get(node) if node is not None else None
        assert isinstance(found, int)
        return found

    def _cast(self, node: ast.Cast, state: State) -> Bundle:
        target = plain(self.type_of(node))
        written = plain(self.actual(self.checked.types[node]))
        value = self.value(node.operand, state)
        if list(value) != [()]:
            return value
        source = plain(self.type_of(node.operand))
        goal = written if isinstance(written, t.Bits | t.Bool | t.Enum) else target
        return {(): self.resize(value[()], self.width_of(goal, node), is_signed(source))}


def children(node: ast.Node) -> Sequence[ast.Node]:
    """The nodes directly below one."""
    found: list[ast.Node] = []
    for item in fields(node):
        part = getattr(node, item.name)
        if isinstance(part, ast.Node):
            found.append(part)
        elif isinstance(part, tuple) and not hasattr(part, "_fields"):
            found.extend(p for p in part if isinstance(p, ast.Node))
    return found
