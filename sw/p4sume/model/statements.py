# SPDX-License-Identifier: Apache-2.0
"""P4 statements as C++ statements, one by one, in their order."""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.model.calls import Calls
from p4sume.model.cpp_types import plain
from p4sume.model.lvalues import SlicePlace
from p4sume.model.refusal import RefusedError
from p4sume.semantics.types import ActionRun, Bits, Set, Stack, resolve
from p4sume.syntax import ast


class Statements(Calls):
    def statements(self, body: Sequence[ast.Statement | ast.Declaration]) -> None:
        for item in body:
            self.out.source(item)
            if isinstance(item, ast.Declaration):
                self.local(item)
            else:
                self.statement(item)

    def statement(self, node: ast.Statement) -> None:
        match node:
            case ast.Block(body=body):
                with self.block():
                    self.statements(body)
            case ast.Assignment():
                self._assignment(node)
            case ast.CallStatement(call=call):
                self._call_statement(call)
            case ast.If():
                self._if(node)
            case ast.Switch():
                self._switch(node)
            case ast.Return(value=value):
                self._return(value)
            case ast.Exit():
                self.line(self.on_exit)
            case ast.For():
                self._for(node)
            case ast.ForIn():
                self._for_in(node)
            case ast.Break():
                self.line("break;")
            case ast.Continue():
                self.line("continue;")
            case ast.Empty():
                pass
            case _:
                raise RefusedError(node, "the model has no such statement")

    # ---- declarations

    def local(self, node: ast.Declaration) -> None:
        match node:
            case ast.Variable():
                self.variable(node)
            case ast.Constant():
                if self.constant(node.value) is None:
                    name = self.names.take(node.name.text)
                    text = self.value(node.value)
                    self.line(f"const {self.cpp(self.declared_type(node), node)} {name} = {text};")
                    self.known[node] = name
            case _:
                raise RefusedError(node, "the model has no such declaration here")

    def variable(self, node: ast.Variable) -> None:
        type_ = self.declared_type(node)
        text = self.cpp(type_, node)
        initial = "{}" if node.value is None else f" = {bare(self.value(node.value))}"
        if text == "bool" and node.value is None:
            initial = " = false"
        name = self.names.take(node.name.text)
        self.line(f"{text} {name}{initial};")
        self.known[node] = name

    # ---- assignment, calls

    def _assignment(self, node: ast.Assignment) -> None:
        place = self.place(node.target)
        if not node.operator:
            self.lines(place.assign(bare(self.value(node.value))))
            return
        left = place.read()
        if isinstance(place, SlicePlace) or self.effects.has_effects(node.value):
            left = self.temporary(left)
        if node.operator in ("<<", ">>"):
            distance = self.constant_number(node.value)
            right = f"uint64_t{{{distance}}}" if distance is not None else self.value(node.value)
        else:
            right = self.value(node.value)
        self.lines(place.assign(bare(self.combined(node.operator, left, right, node))))

    def _call_statement(self, call: ast.Call) -> None:
        target = self.checked.calls.get(call)
        if target is not None and target.kind == "table" and isinstance(target.node, ast.Table):
            text = f"{self.known[target.node]}()"
            if self.effects.may_exit(target.node):
                self.line(f"if ({text}.exited) {self.on_exit}")
            else:
                self.line(f"{text};")
            return
        self.call(call)

    def _return(self, value: ast.Expression | None) -> None:
        self.line(self.on_return if value is None else f"return {self.value(value)};")

    # ---- conditions

    def _if(self, node: ast.If) -> None:
        with self.block(f"if ({bare(self.value(node.condition))})"):
            self._inner(node.then)
        rest = node.otherwise
        while isinstance(rest, ast.If) and not self.effects.has_effects(rest.condition):
            self.out.source(rest)
            with self.block(f"else if ({bare(self.value(rest.condition))})"):
                self._inner(rest.then)
            rest = rest.otherwise
        if rest is not None:
            with self.block("else"):
                self._inner(rest)

    def _inner(self, node: ast.Statement) -> None:
        self.statements(node.body if isinstance(node, ast.Block) else (node,))

    def _switch(self, node: ast.Switch) -> None:
        subject_type = resolve(self.own_type(node.subject))
        if isinstance(subject_type, ActionRun):
            assert isinstance(node.subject, ast.Member)
            subject = f"{self.value_of_apply(node.subject.base)}.row->action"
        else:
            subject = self.temporary(self.value(node.subject), "subject")
        labels: list[str] = []
        default = False
        opened = False
        for case in node.cases:
            if isinstance(case.label, ast.DefaultKeyset):
                default = True
            elif isinstance(subject_type, ActionRun):
                labels.append(f"{subject} == {self._action_index(subject_type.node, case.label)}")
            else:
                labels.append(f"{subject} == {self._label(case.label, node.subject)}")
            if case.body is None:
                continue
            condition = "" if default else " if (" + " || ".join(labels) + ")"
            with self.block(f"else{condition}" if opened else condition.strip()):
                self.statements(case.body.body)
            opened = True
            labels = []

    def _label(self, label: ast.Expression, subject: ast.Expression) -> str:
        constant = self.constant(label)
        wanted = self.type_of(subject)
        if constant is None or isinstance(plain(self.type_of(label)), Bits):
            return self.value(label)
        return self.literals.literal(constant, wanted, label)

    def _action_index(self, table: ast.Table, label: ast.Expression) -> int:
        assert isinstance(label, ast.PathExpression)
        names = [a.path.name for p in table.properties if isinstance(p, ast.ActionList) for a in p.actions]
        return names.index(label.name)

    # ---- loops

    def _for(self, node: ast.For) -> None:
        with self.block():
            self.statements(node.start)
            first, count = self.names.temporary("first"), self.names.temporary("count")
            self.line(f"uint32_t {count} = 0;")
            with self.block(f"for (bool {first} = true;; {first} = false)"):
                self.line(f"p4::count_iteration({count});")
                with self.block(f"if (!{first})"):
                    self.statements(node.update)
                self.line(f"if (!{self.value(node.condition)}) break;")
                self._inner(node.body)

    def _for_in(self, node: ast.ForIn) -> None:
        type_ = resolve(self.own_type(node.collection))
        cpp = self.cpp(self.declared_type(node.variable), node.variable)
        with self.block():
            if isinstance(node.collection, ast.Range) and isinstance(type_, Set):
                self._for_range(node, node.collection, cpp)
            elif isinstance(type_, Stack):
                held = self.temporary(self.value(node.collection))
                with self.block(f"for ({cpp} {self._loop_variable(node)} : {held}.item)"):
                    self._inner(node.body)
            elif isinstance(node.collection, ast.ListExpression):
                items = ", ".join(self.values(node.collection.items))
                head = f"for ({cpp} {self._loop_variable(node)} : "
                with self.block(f"{head}std::initializer_list<{cpp}>{{{items}}})"):
                    self._inner(node.body)
            else:
                raise RefusedError(node.collection, "the model does not loop over this", "loop over a range")

    def _loop_variable(self, node: ast.ForIn) -> str:
        name = self.names.take(node.variable.name.text)
        self.known[node.variable] = name
        return name

    def _for_range(self, node: ast.ForIn, collection: ast.Range, cpp: str) -> None:
        low, high = self.values([collection.low, collection.high])
        at, last, first, count = (self.names.temporary(n) for n in ("at", "last", "first", "count"))
        self.line(f"{cpp} {at} = {low};")
        self.line(f"const {cpp} {last} = {high};")
        self.line(f"uint32_t {count} = 0;")
        one = f"{cpp}(1)" if cpp.startswith("p4::bit") else f"{cpp}({cpp.replace('sint', 'bit')}(1))"
        with self.block(f"for (bool {first} = true; {at} <= {last}; {first} = false)"):
            self.line(f"p4::count_iteration({count});")
            with self.block(f"if (!{first})"):
                self.line(f"if ({at} == {last}) break;")
                self.line(f"{at} = {at} + {one};")
            self.line(f"{cpp} {self._loop_variable(node)} = {at};")
            self._inner(node.body)


def bare(text: str) -> str:
    """Without brackets around the whole, which stand there anyway."""
    if not text.startswith("(") or not text.endswith(")"):
        return text
    depth = 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and index < len(text) - 1:
            return text
    return text[1:-1]
