# SPDX-License-Identifier: Apache-2.0
"""Parsers and controls: each becomes a class, its instances, tables and extern call sites members of it.

Actions and the application of tables are lambdas in `apply`, where they see what they see in P4. A control's
`apply` is true when `exit` ended it; a parser's is false when it rejected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from p4sume.model.calls import is_scalar
from p4sume.model.names import Names, cpp_name
from p4sume.model.refusal import RefusedError
from p4sume.model.statements import Statements
from p4sume.model.tables import TableWriter
from p4sume.model.writer import Writer, broken
from p4sume.semantics.checked import CallTarget
from p4sume.semantics.types import Block, Extern, Type, resolve
from p4sume.syntax import ast

if TYPE_CHECKING:
    from p4sume.model.program import Program

_EXIT = "return true;"


@dataclass(frozen=True)
class Member:
    cpp_type: str
    name: str
    initial: str
    register: str = ""


class BlockWriter:
    def __init__(self, program: Program, node: ast.Parser | ast.Control) -> None:
        self.program = program
        self.node = node
        self.names = Names()
        self.known: dict[ast.Node, str] = {}
        self.members: list[Member] = []
        self.constructor: list[str] = []
        leave = ("return false;", _EXIT) if isinstance(node, ast.Control) else ("", "")
        self.body = Statements(program, self.names, self.known, leave, {}, self)
        self.body.in_parser = isinstance(node, ast.Parser)

    def write(self, name: str) -> Writer:
        # A class with a constructor has no member of its own name.
        self.names.reserve(name)
        for param in self.node.constructor_parameters:
            self._constructor_parameter(param)
        head = self._apply_head()
        with self.body.out.block(head):
            self._out_parameters()
            if isinstance(self.node, ast.Control):
                self._control(self.node)
            else:
                self._parser(self.node)
        return self._class(name)

    def add_member(self, member: Member) -> None:
        self.members.append(member)

    # ---- head

    def _constructor_parameter(self, param: ast.Parameter) -> None:
        type_ = self.body.declared_type(param)
        if isinstance(resolve(type_), (Extern, Block)):
            raise RefusedError(param, "the model has no objects as constructor parameters")
        cpp = self.body.cpp(type_, param)
        name = self.names.take(param.name.text)
        self.known[param] = name
        self.constructor.append(f"{cpp} {name}_in_")
        self.add_member(Member(f"const {cpp}", name, f"{name}_in_"))

    def _apply_head(self) -> str:
        parts = ["p4::Context& context_"]
        for param in self.node.parameters:
            name = self.names.take(param.name.text)
            self.known[param] = name
            parts.append(f"{self.parameter(self.body.declared_type(param), param, name)}")
        return broken("bool apply", parts, "")

    def parameter(self, type_: Type, param: ast.Parameter, name: str) -> str:
        return parameter(self.body, type_, param, name)

    def _out_parameters(self) -> None:
        for param in self.node.parameters:
            if param.direction == "out":
                self.body.line(f"{self.known[param]} = {{}};")

    # ---- bodies

    def _control(self, node: ast.Control) -> None:
        for item in node.locals:
            self.body.out.source(item)
            if isinstance(item, ast.Action):
                self._action(item)
            elif isinstance(item, ast.Table):
                self._table(item)
            elif isinstance(item, ast.Instantiation):
                self.instance(item)
            else:
                self.body.local(item)
        self.body.statements(node.body.body)
        self.body.line("return false;")

    def _action(self, node: ast.Action) -> None:
        body = self.body
        exits = body.effects.may_exit(node)
        params = []
        for param in node.parameters:
            name = self.names.take(param.name.text)
            self.known[param] = name
            cpp = body.cpp(body.declared_type(param), param)
            reference = "&" if param.direction in ("out", "inout") else ""
            params.append(f"{cpp}{reference} {name}")
        name = self.names.take(node.name.text)
        head = broken(f"const auto {name} = [&]", params, f" -> {'bool' if exits else 'void'}")
        outer = body.on_return
        body.on_return = "return false;" if exits else "return;"
        with body.out.block(head, "};"):
            for param in node.parameters:
                if param.direction == "out":
                    body.line(f"{self.known[param]} = {{}};")
            body.statements(node.body.body)
            if exits:
                body.line("return false;")
        body.on_return = outer
        self.known[node] = name

    def _table(self, node: ast.Table) -> None:
        member = self.names.take(node.name.text)
        writer = TableWriter(self.body, node, member, self.full_name(node))
        self.add_member(
            Member(f"p4::{writer.parts.kind}", member, writer.constructor_arguments(), f"model_.add({member});")
        )
        name = self.names.take(f"apply_{node.name.text}")
        writer.write_lambda(name)
        self.known[node] = name

    def full_name(self, node: ast.Declaration) -> str:
        """A C++ expression for the name that the control plane uses."""
        name = self.program.control_plane_name(node)
        return f'"{name[1:]}"' if name.startswith(".") else f'path_ + ".{name}"'

    def instance(self, node: ast.Instantiation) -> None:
        target = self.program.checked.instances.get(node)
        if target is None or target.kind != "constructor":
            raise RefusedError(node, "the model cannot make this object")
        name = self.names.take(node.name.text)
        if isinstance(target.node, (ast.Parser, ast.Control)):
            self._block_instance(target.node, target, name, self.full_name(node))
        else:
            self.program.architecture.extern_instance(self, node, target, name)
        self.known[node] = name

    def direct_instance(self, target: CallTarget) -> str:
        """The instance that `Type.apply(…)` stands for."""
        assert isinstance(target.node, (ast.Parser, ast.Control))
        name = self.names.take(target.node.name.text)
        self._block_instance(target.node, None, name, f'path_ + ".{target.node.name.text}"')
        return name

    def _block_instance(
        self, node: ast.Parser | ast.Control, target: CallTarget | None, name: str, full_name: str
    ) -> None:
        arguments = [] if target is None else self.constructor_arguments(target)
        initial = ", ".join(["model_", full_name, *arguments])
        self.add_member(Member(self.program.block(node), name, initial))

    def constructor_arguments(self, target: CallTarget) -> list[str]:
        found: list[str] = []
        for param, argument in target.bindings:
            if argument is None:
                raise RefusedError(param, f"parameter '{param.name.text}' has no value here")
            found.append(self.body.value(argument))
        return found

    # ---- parser

    def _parser(self, node: ast.Parser) -> None:
        body = self.body
        for item in node.locals:
            body.out.source(item)
            if isinstance(item, ast.ValueSet):
                raise RefusedError(item, "the model has no value_set", "list the values in the select")
            if isinstance(item, ast.Instantiation):
                self.instance(item)
            else:
                body.local(item)
        names = ", ".join(cpp_name(s.name.text) for s in node.states)
        body.line(f"enum class State {{ {names} }};")
        body.line("State state_ = State::start;")
        loop = "for (uint32_t transitions_ = 0; transitions_ < p4::MAX_ITERATIONS; ++transitions_)"
        with body.block(loop), body.block("switch (state_)"):
            for state in node.states:
                body.out.source(state)
                with body.block(f"case State::{cpp_name(state.name.text)}:"):
                    body.statements(state.body)
                    self._transition(state)
        body.line("return context_.reject(p4::error_t::ParserTimeout);")

    def _transition(self, state: ast.State) -> None:
        body = self.body
        transition = state.transition
        if transition is not None:
            body.out.source(transition)
        if transition is None:
            body.line("return context_.reject(p4::error_t::NoError);")
        elif isinstance(transition, ast.PathExpression):
            body.lines(_go(transition.name))
        else:
            assert isinstance(transition, ast.Select)
            self._select(transition)

    def _select(self, node: ast.Select) -> None:
        body = self.body
        texts = body.values(node.subjects)
        subjects = []
        for subject, text in zip(node.subjects, texts, strict=True):
            held = body.temporary(text, "subject")
            subjects.append((held, body.type_of(subject)))
        for case in node.cases:
            body.out.source(case)
            condition = body.matches(case.keyset, subjects)
            if condition == "true":
                body.lines(_go(case.state.name))
                return
            with body.block(f"if ({condition})"):
                body.lines(_go(case.state.name))
        body.line("return context_.reject(p4::error_t::NoMatch);")

    # ---- the class

    def _class(self, name: str) -> Writer:
        out = Writer()
        out.source(self.node)
        with out.block(f"class {name}", "};"):
            out.lines.append(" public:")
            params = ["p4::Model& model_", "const std::string& path_"]
            params += self.constructor
            initials = ",\n      ".join(f"{m.name}({m.initial})" for m in self.members)
            head = f"{name}({', '.join(params)})" + (f"\n    : {initials}" if initials else "")
            with out.block(head):
                for member in self.members:
                    if member.register:
                        out.line(member.register)
            out.line()
            out.extend(self.body.out)
            if self.members:
                out.line()
                out.lines.append(" private:")
            for member in self.members:
                out.line(f"{member.cpp_type} {member.name};")
        return out


def parameter(body: Statements, type_: Type, param: ast.Parameter, name: str) -> str:
    """A parameter of a C++ function: values by value or constant reference, results by reference."""
    cpp = body.cpp(type_, param)
    if param.direction in ("out", "inout") or isinstance(resolve(type_), Extern):
        return f"{cpp}& {name}"
    return f"{cpp} {name}" if is_scalar(type_) else f"const {cpp}& {name}"


def _go(state: str) -> list[str]:
    if state == "accept":
        return ["return true;"]
    if state == "reject":
        return ["return context_.reject(p4::error_t::NoError);"]
    return [f"state_ = State::{cpp_name(state)};", "continue;"]
