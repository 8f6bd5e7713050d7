# SPDX-License-Identifier: Apache-2.0
"""Calls: bodies of functions, actions and sub-controls are inlined; headers and stacks have their methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from p4sume.hardware import graph as g
from p4sume.hardware.lowering.context import Binding, Frame, Given, Instance, Packet, Place, inner
from p4sume.hardware.lowering.layout import VALID, plain
from p4sume.hardware.lowering.state import Bundle, State, merge_many
from p4sume.hardware.lowering.statements import Statements, Target
from p4sume.semantics import types as t
from p4sume.semantics.checked import CallTarget
from p4sume.syntax import ast

_LANGUAGE = frozenset(("static_assert",))


@dataclass(frozen=True)
class Passed:
    """One argument: the parameter's place in the callee, and what is assigned from it in the end."""

    parameter: Place
    target: Target | None


class Calls(Statements):
    def call_value(self, node: ast.Call, state: State) -> Bundle:
        target = self.checked.calls.get(node)
        if target is None:
            raise self.refuse("unsupported-call", node, "this call has no form in hardware")
        match target.kind:
            case "built_in":
                return self._built_in(node, target, state)
            case "function":
                assert isinstance(target.node, ast.Function)
                if target.node.body is not None:
                    return self._function(node, target, target.node, state)
                if target.name in _LANGUAGE:
                    return {(): self.make.one}
                return self.extern_function(node, target, target.node, state)
            case "action":
                assert isinstance(target.node, ast.Action)
                self.action(node, target.node, dict(target.bindings), {}, state)
                return {}
            case "method":
                return self._method(node, target, state)
            case "apply":
                return self._apply(node, target, state)
            case "table":
                self.apply_table(node, target, state)
                return {}
        raise self.refuse("unsupported-call", node, f"a {target.kind} cannot be called here in hardware")

    # ---- parts that other rooms provide

    def extern_function(self, node: ast.Call, target: CallTarget, declared: ast.Function, state: State) -> Bundle:
        raise NotImplementedError

    def apply_table(self, node: ast.Call, target: CallTarget, state: State) -> object:
        raise NotImplementedError

    def packet_call(self, node: ast.Call, target: CallTarget, state: State) -> Bundle:
        raise NotImplementedError

    # ---- functions, actions, controls

    def _function(self, node: ast.Call, target: CallTarget, declared: ast.Function, state: State) -> Bundle:
        frame = Frame(declared.name.text, None, declared)
        for variable, type_ in zip(declared.type_parameters, target.type_arguments, strict=False):
            written = self.checked.declared_types[variable]
            assert isinstance(written, t.Variable)
            frame.types[written] = self.actual(type_)
        assert target.signature is not None and declared.body is not None
        result_type = self.actual(target.signature.result)
        passed = self.pass_arguments(node, frame, target, state)
        result: Place | None = None
        if not isinstance(result_type, t.Void):
            result = self.variable(declared, result_type, frame)
            self.write(state, result, self.blank(result_type, node), node)
        body = declared.body.body
        found: Bundle = {}

        def read_result(at: State) -> None:
            if result is not None:
                found.update(self.read(at, result, node))

        self.run(node, frame, passed, state, lambda: self.body(body, state), read_result)
        return found

    def action(
        self,
        node: ast.Node,
        declared: ast.Action,
        arguments: dict[ast.Parameter, ast.Expression | None],
        data: dict[ast.Parameter, Bundle],
        state: State,
    ) -> None:
        """Execute an action; `data` are the parameters that come from a table's entry."""
        owner = self.frame_of(declared)
        name = declared.name.text
        frame = Frame(f"{owner.path}.{name}" if owner else name, owner, declared)
        passed: list[Passed] = []
        for parameter in declared.parameters:
            type_ = self.actual(self.checked.declared_types[parameter])
            if parameter in data:
                place = self.variable(parameter, type_, frame)
                self.write(state, place, data[parameter], parameter)
            else:
                argument = arguments.get(parameter, parameter.default)
                passed.append(self._pass(node, frame, parameter, type_, argument, state))
        body = declared.body.body
        self.run(node, frame, passed, state, lambda: self.body(body, state))

    def frame_of(self, declared: ast.Declaration) -> Frame | None:
        """The frame of the control in which an action stands; None for one at top level."""
        frame: Frame | None = self.frame
        while frame is not None:
            if isinstance(frame.block, ast.Control) and declared in frame.block.locals:
                return frame
            frame = frame.owner
        return None

    def _apply(self, node: ast.Call, target: CallTarget, state: State) -> Bundle:
        frame = self.block_frame(node, target)
        passed = self.pass_arguments(node, frame, target, state)
        control = frame.block
        assert isinstance(control, ast.Control)
        self.run(node, frame, passed, state, lambda: self.control_body(control, frame, state))
        return {}

    def control_body(self, control: ast.Control, frame: Frame, state: State) -> None:
        self.declare(control.locals, frame, state)
        self.body(control.body.body, state)

    # ---- instances

    def block_frame(self, node: ast.Call, target: CallTarget) -> Frame:
        """A frame for applying an instance, or a type that needs none."""
        instance = self.instance(target.receiver) if target.receiver is not None else None
        if instance is None:
            name = target.name
            path = f"{self.frame.path}.{name}" if self.frame.path else name
            return Frame(path, None, target.node)
        return self.instance_frame(instance)

    def instance_frame(self, instance: Instance) -> Frame:
        """A fresh frame for an instance, its constructor's arguments bound."""
        frame = Frame(instance.path, None, instance.target.node)
        if isinstance(instance.type, t.Block):
            frame.types.update(instance.type.substitution)
        self.bind_constructor(frame, instance.target, instance.frame or Frame(""))
        return frame

    def bind_constructor(self, frame: Frame, target: CallTarget, maker: Frame) -> None:
        """The parameters of a constructor, whose arguments stand in the frame of the `maker`."""
        outer = self.frame
        self.frame = maker
        try:
            for parameter, argument in target.bindings:
                if argument is not None:
                    made = self.instance_of(argument, f"{frame.path}.{parameter.name.text}")
                    frame.bindings[parameter] = made or Given(argument, maker)
        finally:
            self.frame = outer

    def instance(self, node: ast.Expression) -> Instance:
        found = self.frame.find(self.symbol(node).node) if isinstance(node, ast.PathExpression) else None
        if not isinstance(found, Instance):
            raise self.refuse("unsupported-instance", node, "which instance is meant is not known to the hardware")
        return found

    def instance_of(self, node: ast.Expression, path: str) -> Instance | None:
        """The instance that a constructor argument names or makes."""
        if isinstance(node, ast.Call):
            target = self.checked.calls.get(node)
            if target is not None and target.kind == "constructor":
                return Instance(path, self.actual(self.checked.types[node]), target, self.frame)
        if isinstance(node, ast.PathExpression):
            found = self.frame.find(self.symbol(node).node)
            return found if isinstance(found, Instance) else None
        return None

    def declare(self, locals_: Sequence[ast.Declaration], frame: Frame, state: State) -> None:
        """The declarations of a parser or control: instances get their names, variables their first values."""
        for item in locals_:
            if isinstance(item, ast.Instantiation):
                type_ = self.actual(self.checked.declared_types[item])
                target = self.checked.instances.get(item)
                if target is None or not isinstance(type_, t.Block):
                    raise self.refuse(
                        "extern-object",
                        item,
                        f"'{item.name.text}' is an extern object, and the SimpleSumeSwitch has none",
                        "use an extern function, as in void <name>_<kind>(…)",
                    )
                frame.bindings[item] = Instance(f"{frame.path}.{self.control_name(item)}", type_, target, frame)
            elif isinstance(item, ast.ValueSet):
                raise self.refuse(
                    "value-set", item, "a value_set cannot be built", "list the values in the cases of the select"
                )
            elif not isinstance(item, ast.Action | ast.Table):
                self.make.span = item.span
                self.local(item, state)

    def control_name(self, item: ast.Declaration) -> str:
        """What the control plane calls a declaration: its name, or what @name says."""
        for annotation in item.annotations:
            if annotation.name == "name":
                text = self.checked.annotation_values.get(annotation)
                if isinstance(text, str):
                    return text
        return item.name.text

    # ---- arguments

    def pass_arguments(self, node: ast.Node, frame: Frame, target: CallTarget, state: State) -> list[Passed]:
        """Bind a callee's parameters. They are its own: a control may be called by the parameters of its type."""
        assert target.signature is not None
        assert isinstance(frame.block, ast.Function | ast.Parser | ast.Control)
        types = {p.node: p.type for p in target.signature.params}
        passed: list[Passed] = []
        for parameter, (declared, argument) in zip(frame.block.parameters, target.bindings, strict=False):
            type_ = self.actual(types[declared])
            bound = self._bound(type_, argument)
            if bound is not None:
                frame.bindings[parameter] = bound
            else:
                passed.append(self._pass(node, frame, parameter, type_, argument, state))
        return passed

    def _bound(self, type_: t.Type, argument: ast.Expression | None) -> Binding | None:
        """What an argument that is no value stands for: the packet, or an instance."""
        if isinstance(type_, t.Extern) and type_.info.name in ("packet_in", "packet_out"):
            return Packet()
        if isinstance(type_, t.Extern | t.Block) and argument is not None:
            return self.instance(argument)
        return None

    def _pass(
        self,
        node: ast.Node,
        frame: Frame,
        parameter: ast.Parameter,
        type_: t.Type,
        argument: ast.Expression | None,
        state: State,
    ) -> Passed:
        """Copy an argument in; `frame` is the callee's, the argument is evaluated in the caller's."""
        target: Target | None = None
        if parameter.direction in ("out", "inout") and argument is not None:
            target = self.target(argument, state)
        if parameter.direction == "out" or argument is None:
            value = self.blank(type_, node)
        elif target is not None:
            value = self.read_target(target, state, argument)
        else:
            value = self.value(argument, state)
        place = self.variable(parameter, type_, frame)
        self.write(state, place, value, node)
        return Passed(place, target)

    def run(
        self,
        node: ast.Node,
        frame: Frame,
        passed: Sequence[Passed],
        state: State,
        body: Callable[[], None],
        finish: Callable[[State], None] | None = None,
    ) -> None:
        """Execute a body in its frame, join its returns, and copy its results out."""
        span, mark, path = self.make.span, len(self.exits), state.path
        with self.inside(frame, state):
            kept = state.assumed
            body()
            self.join_returns(frame, state, kept, len(self.exits) > mark)
        self.make.span = span
        for ended in self.exits[mark:]:
            ended.path = self.make.and_(path, ended.path)
            self._copy_out(node, passed, ended)
        self._copy_out(node, passed, state)
        if finish is not None:
            finish(state)
        self.leave(frame, state, *self.exits[mark:])

    def join_returns(
        self, frame: Frame, state: State, kept: dict[tuple[str | int, ...], tuple[g.Value, g.Value]], exits: bool
    ) -> None:
        make = self.make
        if not frame.returns:
            return
        state.forget(kept)
        ends = [(s.path, s) for s in (*frame.returns, state) if make.known(s.path) != 0]
        if not ends:
            state.path = make.zero
            return
        path = make.one if not exits else make.or_(*(p for p, _ in ends))
        state.become(merge_many(make, ends, path, self.unwritten))

    def _copy_out(self, node: ast.Node, passed: Sequence[Passed], state: State) -> None:
        for item in passed:
            if item.target is not None:
                self.write_target(item.target, self.read(state, item.parameter, node), state, node)

    # ---- methods

    def _built_in(self, node: ast.Call, target: CallTarget, state: State) -> Bundle:
        assert target.receiver is not None
        if target.name == "isValid":
            return {(): self._is_valid(target.receiver, state)}
        place = self.assigned_place(target.receiver, state)
        match target.name:
            case "setValid":
                for spot in place.spots:
                    self.set(state, spot, (VALID,), self.make.one)
            case "setInvalid":
                self.write(state, place, self.blank(place.type, node), node)
            case "push_front" | "pop_front":
                count = self.number(node.arguments[0].value)
                self._shift_stack(node, place, count if target.name == "push_front" else -count, state)
        return {}

    def _is_valid(self, receiver: ast.Expression, state: State) -> g.Value:
        type_ = plain(self.type_of(receiver))
        place = self.place(receiver, state)
        bundle = self.read(state, place, receiver) if place is not None else self.value(receiver, state)
        if isinstance(type_, t.Aggregate) and type_.kind == "header_union":
            return self.make.or_(*(inner(bundle, name)[(VALID,)] for name in type_.fields()))
        return bundle[(VALID,)]

    def _shift_stack(self, node: ast.Node, place: Place, distance: int, state: State) -> None:
        """Element i moves to i + distance; what comes in is invalid."""
        type_ = plain(place.type)
        assert isinstance(type_, t.Stack)
        old = self.read(state, place, node)
        empty = self.blank(type_.element, node)
        for index in range(type_.size):
            source = index - distance
            moved = inner(old, source) if 0 <= source < type_.size else empty
            self.write(state, self.element(place, index), moved, node)

    def _method(self, node: ast.Call, target: CallTarget, state: State) -> Bundle:
        bound = None
        if isinstance(target.receiver, ast.PathExpression):
            bound = self.frame.find(self.symbol(target.receiver).node)
        if isinstance(bound, Packet):
            return self.packet_call(node, target, state)
        raise self.refuse("extern-object", node, f"method '{target.name}' belongs to an extern that has no hardware")
