# SPDX-License-Identifier: Apache-2.0
"""Statements: a branch executes both arms, each in its own copy of the state, and joins the copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from p4sume.hardware import graph as g
from p4sume.hardware.lowering.context import Place
from p4sume.hardware.lowering.expressions import Expressions
from p4sume.hardware.lowering.state import Bundle, State, merge_many
from p4sume.semantics import types as t
from p4sume.syntax import ast


@dataclass(frozen=True)
class Target:
    """What is assigned: a place, or bits `high` to `low` of one."""

    place: Place
    bits: tuple[int, int] | None = None


class Statements(Expressions):
    def body(self, items: Sequence[ast.Statement | ast.Declaration], state: State) -> None:
        for item in items:
            if self.make.known(state.path) == 0:
                return
            self.make.span = item.span
            if isinstance(item, ast.Declaration):
                self.local(item, state)
            else:
                self.statement(item, state)

    def local(self, node: ast.Declaration, state: State) -> None:
        if isinstance(node, ast.Variable):
            type_ = self.actual(self.checked.declared_types[node])
            value = self.blank(type_, node) if node.value is None else self.value(node.value, state)
            self.write(state, self.variable(node, type_), value, node)
        elif not isinstance(node, ast.Constant):
            raise self.refuse("unsupported-declaration", node, f"'{node.name.text}' cannot be declared here")

    def statement(self, node: ast.Statement, state: State) -> None:
        match node:
            case ast.Block(body=body):
                self.body(body, state)
            case ast.Assignment():
                self.assignment(node, state)
            case ast.CallStatement(call=call):
                self.call_value(call, state)
            case ast.If():
                self._if(node, state)
            case ast.Switch():
                self._switch(node, state)
            case ast.Return(value=value):
                if value is not None:
                    self._result(value, state)
                self.frame.returns.append(self.ended(state))
            case ast.Exit():
                self.exits.append(self.ended(state))
            case ast.Empty():
                pass
            case ast.For() | ast.ForIn() | ast.Break() | ast.Continue():
                raise self.refuse(
                    "unsupported-loop", node, "loops cannot be built", "write the steps out, or use a header stack"
                )
            case _:
                raise AssertionError(node)

    def ended(self, state: State) -> State:
        """The state as it is at a `return` or `exit`; nothing follows in `state`."""
        end = state.fork()
        end.forget({})
        state.path = self.make.zero
        return end

    def _result(self, node: ast.Expression, state: State) -> None:
        assert isinstance(self.frame.block, ast.Function)
        place = self.frame.find(self.frame.block)
        assert isinstance(place, Place)
        self.write(state, place, self.value(node, state), node)

    # ---- assignment

    def target(self, node: ast.Expression, state: State) -> Target:
        if not isinstance(node, ast.Slice):
            return Target(self.assigned_place(node, state))
        low = self.checked.constants.get(node.low)
        if not isinstance(low, int):
            raise self.refuse("variable-slice", node, "bits at a run-time place cannot be assigned", "shift and mask")
        high = low + self.number(node.width) - 1 if node.width is not None else self.number(node.high)
        outer = self.target(node.base, state)
        below = outer.bits[1] if outer.bits else 0
        return Target(outer.place, (high + below, low + below))

    def read_target(self, target: Target, state: State, where: ast.Node) -> Bundle:
        found = self.read(state, target.place, where)
        return {(): self.make.slice(found[()], *target.bits)} if target.bits else found

    def write_target(self, target: Target, value: Bundle, state: State, where: ast.Node) -> None:
        if target.bits:
            make, (high, low) = self.make, target.bits
            whole = self.read(state, target.place, where)[()]
            parts = [value[()]]
            if high + 1 < whole.width:
                parts.insert(0, make.slice(whole, whole.width - 1, high + 1))
            if low > 0:
                parts.append(make.slice(whole, low - 1, 0))
            value = {(): make.concat(*parts)}
        self.write(state, target.place, value, where)

    def assignment(self, node: ast.Assignment, state: State) -> None:
        target = self.target(node.target, state)
        self.make.name = target.place.name
        if node.operator:
            current = self.read_target(target, state, node)
            value = self.combined(node, node.operator, node.target, current, node.value, state)
        else:
            value = self.value(node.value, state)
        self.write_target(target, value, state, node)

    # ---- branches

    def _if(self, node: ast.If, state: State) -> None:
        self.make.name = "condition"
        condition = self.scalar(node.condition, state)
        known = self.make.known(condition)
        if known is not None:
            chosen = node.then if known else node.otherwise
            if chosen is not None:
                self.body((chosen,), state)
            return
        first, second = self.arms(condition, state)
        self.body((node.then,), first)
        if node.otherwise is not None:
            self.body((node.otherwise,), second)
        self.make.span = node.span
        self.join(condition, state, first, second)

    def _switch(self, node: ast.Switch, state: State) -> None:
        chosen = self.switch_predicates(node, state)
        arms: list[tuple[g.Value, Sequence[ast.Statement | ast.Declaration]]] = []
        waiting: list[g.Value] = []
        for case, predicate in zip(node.cases, chosen, strict=True):
            waiting.append(predicate)
            if case.body is not None:
                arms.append((self.make.or_(*waiting), case.body.body))
                waiting = []
        self.exclusive(arms, state)

    def switch_predicates(self, node: ast.Switch, state: State) -> list[g.Value]:
        """For each label, whether it is the one; they exclude each other."""
        type_ = t.strip_new(self.type_of(node.subject))
        make = self.make
        if isinstance(type_, t.ActionRun):
            return self.action_predicates(node, state)
        subject = self.scalar(node.subject, state)
        found: list[g.Value] = []
        for case in node.cases:
            if isinstance(case.label, ast.DefaultKeyset):
                found.append(make.not_(make.or_(*found)) if found else make.one)
                continue
            label = self.checked.constants.get(case.label)
            value = (
                self.constant_bundle(label, type_, case.label) if label is not None else self.value(case.label, state)
            )
            found.append(make.eq(subject, value[()]))
        return found

    def action_predicates(self, node: ast.Switch, state: State) -> list[g.Value]:
        raise NotImplementedError

    def exclusive(
        self, arms: Sequence[tuple[g.Value, Sequence[ast.Statement | ast.Declaration]]], state: State
    ) -> None:
        """Executes the body whose predicate holds, or none; the predicates exclude each other."""
        started = [(predicate, self.arm(predicate, state)) for predicate, _ in arms]
        for (_, body), (_, arm) in zip(arms, started, strict=True):
            self.body(body, arm)
        self.join_arms(started, state)

    def arm(self, predicate: g.Value, state: State) -> State:
        arm = state.fork()
        arm.path = self.make.and_(state.path, predicate)
        arm.assume(self.make, predicate, True)
        return arm

    def join_arms(self, arms: Sequence[tuple[g.Value, State]], state: State) -> None:
        """`state` becomes what stands behind arms that exclude each other; it goes on as it is where none is taken."""
        make = self.make
        none = make.not_(make.or_(*(p for p, _ in arms))) if arms else make.one
        idle = state.fork()
        idle.path = make.and_(state.path, none)
        every = [*arms, (none, idle)]
        whole = all(s.path is make.and_(state.path, p) for p, s in every)
        kept = state.assumed
        for _, arm in every:
            arm.forget(kept)
        going = [(p, s) for p, s in every if make.known(s.path) != 0 and make.known(p) != 0]
        if not going:
            state.path = make.zero
            return
        path = state.path if whole else make.or_(*(s.path for _, s in going))
        state.become(merge_many(make, going, path, self.unwritten))
        state.assumed = {c: a for c, a in kept.items() if state.values.get(c) is a[1]}
