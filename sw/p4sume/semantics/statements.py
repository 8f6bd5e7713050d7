# SPDX-License-Identifier: Apache-2.0
"""Statements: what may be assigned, what a condition is, where return, exit and loops may stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from p4sume.semantics.base import Typed, unknown
from p4sume.semantics.calls import Calls
from p4sume.semantics.checked import EnumValue, Symbol
from p4sume.semantics.types import (
    ActionRun,
    Bits,
    Bool,
    DontCare,
    Enum,
    Extern,
    Int,
    List,
    Set,
    Stack,
    String,
    Type,
    Unknown,
    Void,
    is_module,
    resolve,
)
from p4sume.semantics.unify import fit
from p4sume.syntax import ast


class Statements(Calls):
    def block(self, node: ast.Block) -> None:
        self.check_annotations(node.annotations)
        with self.scope("locals"):
            self.statements(node.body)

    def check_annotations(self, annotations: Sequence[ast.Annotation]) -> None:
        raise NotImplementedError

    def instantiation(self, node: ast.Instantiation) -> None:
        raise NotImplementedError

    def statements(self, body: Sequence[ast.Statement | ast.Declaration]) -> None:
        for item in body:
            if isinstance(item, ast.Declaration):
                self.local(item)
            else:
                self.statement(item)

    def local(self, node: ast.Declaration) -> None:
        match node:
            case ast.Variable():
                self.variable(node)
            case ast.Constant():
                self.constant(node)
            case ast.Instantiation():
                kinds = {"apply": "an apply block", "state": "a parser state", "action": "an action"}
                where = kinds.get(self.place.kind, "a function")
                self.error(
                    "illegal-instance",
                    node.name,
                    f"'{node.name.text}' cannot be instantiated in {where}",
                    "instantiate it among the declarations of the parser or control",
                )
            case _:
                raise AssertionError(node)

    def statement(self, node: ast.Statement) -> None:
        match node:
            case ast.Block():
                self.block(node)
            case ast.Assignment():
                self._assignment(node)
            case ast.CallStatement(call=call):
                self.expression(call)
            case ast.If():
                self._if(node)
            case ast.Switch():
                self._switch(node)
            case ast.Return():
                self._return(node)
            case ast.Exit():
                self._exit(node)
            case ast.For():
                self._for(node)
            case ast.ForIn():
                self._for_in(node)
            case ast.Break() | ast.Continue():
                word = "break" if isinstance(node, ast.Break) else "continue"
                if self.place.loops == 0:
                    self.error("outside-loop", node, f"'{word}' stands only in a loop")
            case ast.Empty():
                pass
            case _:
                raise AssertionError(node)

    # ---- declarations

    def variable(self, node: ast.Variable) -> None:
        self.check_annotations(node.annotations)
        type_ = self.type_(node.type)
        if is_module(type_) or (isinstance(type_, Stack) and is_module(type_.element)):
            self.error(
                "illegal-variable",
                node.name,
                f"there are no variables of type {type_.show()}",
                "make an instance with a constructor call, as in T() name;",
            )
            type_ = Unknown()
        elif isinstance(type_, (String, Int, Void, Set, DontCare, List)) and not isinstance(type_, List):
            hint = "give the type a width, as in bit<32>" if isinstance(type_, Int) else ""
            self.error("illegal-variable", node.name, f"there are no variables of type {type_.show()}", hint)
            type_ = Unknown()
        self.checked.declared_types[node] = type_
        if node.value is not None:
            value = self.expression(node.value)
            self.convert(node.value, value, type_, f"variable '{node.name.text}'")
        self.declare(Symbol(node.name.text, "variable", node, type_), node.name)

    def constant(self, node: ast.Constant) -> None:
        self.check_annotations(node.annotations)
        type_ = self.type_(node.type)
        if isinstance(type_, Extern):
            self.error("illegal-constant", node.name, f"there are no constants of type {type_.show()}")
            type_ = Unknown()
        value = self.expression(node.value)
        if not value.known and not unknown(value.type):
            self.error(
                "not-constant",
                node.value,
                f"the value of constant '{node.name.text}' is not known at compile time",
            )
        value = self.convert(node.value, value, type_, f"constant '{node.name.text}'")
        self.checked.declared_types[node] = type_
        symbol = Symbol(node.name.text, "constant", node, type_, self.checked.constants.get(node.value))
        if isinstance(symbol.value, EnumValue) and isinstance(resolve(type_), Bits):
            symbol.value = None
        self.declare(symbol, node.name)

    # ---- assignment and conditions

    def _assignment(self, node: ast.Assignment) -> None:
        target = self.expression(node.target)
        value = self.expression(node.value)
        if not self.assignable(node.target, target):
            return
        if node.operator:
            value = self.combine(node, node.operator, node.target, target, node.value, value)
            if not unknown(value.type, target.type) and fit(target.type, value.type) is not None:
                self.error("type-mismatch", node, f"'{node.operator}=' gives a {value.type.show()} here")
            return
        self.convert(node.value, value, target.type, "the left side")

    def assignable(self, node: ast.Expression, typed: Typed) -> bool:
        if typed.lvalue:
            return True
        why = f": {typed.readonly}" if typed.readonly else ""
        self.error("not-assignable", node, f"this cannot be assigned{why}", "assign to a variable or field")
        return False

    def _condition(self, node: ast.Expression, what: str) -> None:
        type_ = resolve(self.expression(node).type)
        if not isinstance(type_, Bool) and not unknown(type_):
            self.error(
                "bad-condition",
                node,
                f"the condition of {what} is a bool, not {type_.show()}",
                "compare with a value, as in x != 0",
            )

    def _if(self, node: ast.If) -> None:
        chain: ast.Statement | None = node
        while isinstance(chain, ast.If):
            self._condition(chain.condition, "'if'")
            self._branch(chain.then)
            chain = chain.otherwise
        if chain is not None:
            self._branch(chain)

    def _branch(self, node: ast.Statement) -> None:
        with self.scope("locals"):
            self.statement(node)

    # ---- switch

    def _switch(self, node: ast.Switch) -> None:
        subject = self.expression(node.subject)
        if self.in_parser():
            self.error("illegal-statement", node, "there is no switch statement in a parser", "use select")
        type_ = resolve(subject.type)
        default: ast.SwitchCase | None = None
        seen: dict[object, ast.Expression] = {}
        for case in node.cases:
            if isinstance(case.label, ast.DefaultKeyset):
                self.expression(case.label)
                if default is not None:
                    self.error("duplicate-label", case.label, "the switch has two 'default' labels")
                default = case
            else:
                if default is not None:
                    self.error("duplicate-label", case.label, "no label may follow 'default'", "move it up")
                key = self._label(node, case.label, subject, type_)
                if key is not None and key in seen:
                    self.error("duplicate-label", case.label, "this label stands in the switch twice")
                elif key is not None:
                    seen[key] = case.label
            if case.body is not None:
                self.block(case.body)
        if isinstance(type_, (ActionRun, Bits, Int, Enum)) or unknown(type_):
            return
        self.error(
            "bad-switch",
            node.subject,
            f"a switch takes a number, an enum or the action_run of a table, not {type_.show()}",
        )

    def _label(self, node: ast.Switch, label: ast.Expression, subject: Typed, type_: Type) -> object:
        """Check a label; what identifies it among the others."""
        if isinstance(type_, ActionRun):
            return self._action_label(label, type_)
        value = self.expression(label)
        if unknown(type_, value.type) or not isinstance(type_, (Bits, Int, Enum)):
            return None
        if not value.known:
            self.error("not-constant", label, "a switch label has to be known at compile time")
            return None
        problem = fit(type_, value.type, implicit_enum=True)
        if problem is not None and isinstance(type_, Int):
            problem = None if isinstance(resolve(value.type), Bits) else problem
        if problem is not None:
            self.error("type-mismatch", label, f"the switch is over {type_.show()}: {problem}")
            return None
        self.settle(label, value.type, type_)
        constant = self.checked.constants.get(label)
        return constant if isinstance(constant, (int, EnumValue)) else None

    def _action_label(self, label: ast.Expression, type_: ActionRun) -> object:
        if not isinstance(label, ast.PathExpression):
            self.error("bad-label", label, "a label of action_run is the name of an action, or 'default'")
            return None
        names = self.action_names(type_.node)
        if label.name not in names:
            self.error(
                "bad-label",
                label,
                f"table '{type_.node.name.text}' has no action '{label.name}'",
                self._suggest(label.name, list(names)),
            )
            return None
        symbol = self.find(label.name, label.absolute)
        if symbol is not None:
            self.checked.symbols[label] = symbol
        self.checked.types[label] = type_
        return label.name

    def action_names(self, table: ast.Table) -> set[str]:
        return {a.path.name for p in table.properties if isinstance(p, ast.ActionList) for a in p.actions}

    # ---- return, exit, loops

    def _return(self, node: ast.Return) -> None:
        place = self.place
        value = None if node.value is None else self.expression(node.value)
        if self.in_parser() and place.kind != "method":
            self.error("illegal-statement", node, "there is no return in a parser", "use a transition")
            return
        wanted = place.result
        if place.kind not in ("function", "method"):
            if value is not None:
                self.error("illegal-return", node, "only a function returns a value", "remove the value")
            return
        assert wanted is not None
        if isinstance(wanted, Void):
            if value is not None:
                self.error("illegal-return", node, "a void function returns no value", "remove the value")
        elif value is None or node.value is None:
            self.error("missing-value", node, f"this function returns a {wanted.show()}", "return a value")
        else:
            self.convert(node.value, value, wanted, "the function's result")

    def _exit(self, node: ast.Exit) -> None:
        if self.place.kind in ("function", "method"):
            self.error("illegal-statement", node, "there is no exit in a function", "use return")
        elif self.in_parser():
            self.error("illegal-statement", node, "there is no exit in a parser", "use a transition")

    def _for(self, node: ast.For) -> None:
        self.check_annotations(node.annotations)
        with self.scope("locals"):
            self.statements(node.start)
            self._condition(node.condition, "'for'")
            self.statements(node.update)
            self._loop_body(node.body)

    def _loop_body(self, node: ast.Statement) -> None:
        outer = self.place
        self.place = replace(outer, loops=outer.loops + 1)
        try:
            self._branch(node)
        finally:
            self.place = outer

    def _for_in(self, node: ast.ForIn) -> None:
        self.check_annotations(node.annotations)
        with self.scope("locals"):
            collection = self.expression(node.collection)
            type_ = self.type_(node.variable.type)
            found = resolve(collection.type)
            element: Type | None = None
            match found:
                case Set(inner) if isinstance(node.collection, ast.Range):
                    element = inner
                case Stack(inner, _) | List(inner):
                    element = inner
            if element is None:
                if not unknown(found):
                    self.error(
                        "bad-collection",
                        node.collection,
                        f"a loop runs over a range, a list or a header stack, not {found.show()}",
                    )
            else:
                problem = None if unknown(type_, element) else fit(type_, element)
                if problem is not None:
                    self.error("type-mismatch", node.variable, f"the loop variable has type {type_.show()}: {problem}")
                elif isinstance(found, Set):
                    self.settle(node.collection, found, Set(type_))
            self.checked.declared_types[node.variable] = type_
            symbol = Symbol(node.variable.name.text, "variable", node.variable, type_)
            self.declare(symbol, node.variable.name)
            self._loop_body(node.body)

    # ---- all paths return

    def ends(self, body: Sequence[ast.Statement | ast.Declaration]) -> bool:
        """Whether control cannot run past the end of these statements."""
        return any(isinstance(item, ast.Statement) and self._ends(item) for item in body)

    def _ends(self, node: ast.Statement) -> bool:
        match node:
            case ast.Return() | ast.Exit():
                return True
            case ast.Block(body=body):
                return self.ends(body)
            case ast.If():
                chain: ast.Statement | None = node
                while isinstance(chain, ast.If):
                    if self.checked.constants.get(chain.condition) is True:
                        return self._ends(chain.then)
                    if not self._ends(chain.then):
                        return False
                    chain = chain.otherwise
                return chain is not None and self._ends(chain)
            case ast.Switch(cases=cases):
                bodies = [c.body for c in cases if c.body is not None]
                has_default = any(isinstance(c.label, ast.DefaultKeyset) for c in cases)
                return has_default and all(self.ends(b.body) for b in bodies)
        return False
