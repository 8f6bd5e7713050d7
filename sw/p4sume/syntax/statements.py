# SPDX-License-Identifier: Apache-2.0
"""Parsing of statements, and of the declarations that may stand among them."""

from __future__ import annotations

from p4sume.syntax import ast
from p4sume.syntax.cursor import P4SyntaxError
from p4sume.syntax.expressions import ExpressionParser
from p4sume.syntax.lexer import Token

_ASSIGNMENTS = {
    "=": "",
    "+=": "+",
    "-=": "-",
    "*=": "*",
    "/=": "/",
    "%=": "%",
    "|+|=": "|+|",
    "|-|=": "|-|",
    "<<=": "<<",
    "&=": "&",
    "|=": "|",
    "^=": "^",
}


class StatementParser(ExpressionParser):
    def declare_function(self, annotations: tuple[ast.Annotation, ...], start: Token) -> ast.Declaration:
        raise NotImplementedError

    def block(self, annotations: tuple[ast.Annotation, ...] = ()) -> ast.Block:
        start = self.expect("{")
        with self.nested(), self.scope():
            body = self.statements_until("}")
        self.expect("}")
        return ast.Block(self.span_from(start), annotations, body)

    def statements_until(self, *ends: str) -> tuple[ast.Statement | ast.Declaration, ...]:
        body: list[ast.Statement | ast.Declaration] = []
        while self.token.kind != "end" and not any(self.is_(end) for end in ends):
            begin, height = self.at, len(self.scopes)
            try:
                body.append(self.statement_or_declaration())
            except P4SyntaxError as problem:
                if self.speculating or problem.id == "nesting-limit":
                    raise
                self.report(problem)
                del self.scopes[height:]
                self.recover(begin)
        return tuple(body)

    def statement_or_declaration(self) -> ast.Statement | ast.Declaration:
        start = self.token
        annotations = self.annotations()
        if self.is_("{"):
            return self.block(annotations)
        if self.is_("for"):
            return self._for(annotations)
        if self.is_("const"):
            return self.constant(annotations)
        if self.at_type():
            return self._type_led(annotations, start)
        if annotations:
            raise self.unexpected("a block or declaration after the annotation")
        return self.statement()

    def _type_led(self, annotations: tuple[ast.Annotation, ...], start: Token) -> ast.Statement | ast.Declaration:
        """A declaration, or `T.apply(…);`, or `T(…);`"""
        written = self.type_ref()
        if self.is_("."):
            return self._direct_application(written)
        if self.is_("("):
            return self.instantiation(annotations, start, written)
        declaration = self.variable(annotations, start, written)
        self.expect(";")
        return declaration

    def _direct_application(self, written: ast.TypeNode) -> ast.Statement:
        callee: ast.Expression = ast.TypeExpression(written.span, written)
        self.expect(".")
        name = self.name()
        callee = ast.Member(written.span.to(name.span), callee, name)
        type_arguments = self.type_arguments() if self.is_("<") and self.generic_call_follows() else ()
        if not self.is_("("):
            raise self.unexpected("'('")
        arguments = self.arguments()
        call = ast.Call(self.span_from(written.span), callee, type_arguments, arguments)
        self.expect(";")
        return ast.CallStatement(self.span_from(written.span), call)

    def statement(self) -> ast.Statement:
        with self.nested():
            return self._statement()

    def _statement(self) -> ast.Statement:
        start = self.token
        match start.text if start.kind in ("word", "operator") else "":
            case ";":
                self.advance()
                return ast.Empty(start.span)
            case "{" | "@":
                annotations = self.annotations()
                return self._for(annotations) if self.is_("for") else self.block(annotations)
            case "if":
                return self._if()
            case "switch":
                return self._switch()
            case "for":
                return self._for(())
            case "return":
                self.advance()
                value = None if self.is_(";") else self.expression()
                self.expect(";")
                return ast.Return(self.span_from(start), value)
            case "exit" | "break" | "continue":
                self.advance()
                self.expect(";")
                kind = {"exit": ast.Exit, "break": ast.Break, "continue": ast.Continue}[start.text]
                return kind(self.span_from(start))
        if self.at_type():
            written = self.type_ref()
            if self.is_("."):
                return self._direct_application(written)
            raise P4SyntaxError(start.span, "a declaration cannot stand here", "put it into a block { … }")
        statement = self.assignment_or_call()
        self.expect(";")
        return statement

    def assignment_or_call(self) -> ast.Statement:
        start = self.token
        target = self._lvalue()
        if self.is_("<") and self.generic_call_follows():
            type_arguments = self.type_arguments()
            if not self.is_("("):
                raise self.unexpected("'('")
            arguments = self.arguments()
            call = ast.Call(self.span_from(start), target, type_arguments, arguments)
            return ast.CallStatement(call.span, call)
        if self.is_("("):
            arguments = self.arguments()
            call = ast.Call(self.span_from(start), target, (), arguments)
            return ast.CallStatement(call.span, call)
        operator = self._assignment_operator()
        if operator is None:
            raise self.unexpected("an assignment or a call")
        value = self.expression()
        return ast.Assignment(self.span_from(start), target, operator, value)

    def _assignment_operator(self) -> str | None:
        text = self.token.text if self.token.kind == "operator" else ""
        if text in _ASSIGNMENTS:
            self.advance()
            return _ASSIGNMENTS[text]
        if text == ">" and self.peek().text == ">=" and not self.peek().spaced:
            self.advance()
            self.advance()
            return ">>"
        return None

    def _lvalue(self) -> ast.Expression:
        start = self.token
        base: ast.Expression
        if start.text == "(" and start.kind == "operator":
            self.advance()
            with self.nested():
                base = self._lvalue()
            self.expect(")")
        elif start.text == "this" and start.kind == "word":
            self.advance()
            base = ast.This(start.span)
        else:
            absolute = self.accept(".")
            name = self.name("a statement")
            base = ast.PathExpression(self.span_from(start), name.text, absolute)
        length = 0
        while self.is_(".") or self.is_("["):
            length += 1
            self.chain_limit(length)
            if self.accept("."):
                member = self.name("the name of a member")
                base = ast.Member(base.span.to(member.span), base, member)
            else:
                base = self._subscript(base)
        return base

    def _if(self) -> ast.Statement:
        start = self.expect("if")
        self.expect("(")
        condition = self.expression()
        self.expect(")")
        then = self.statement()
        otherwise = self.statement() if self.accept("else") else None
        return ast.If(self.span_from(start), condition, then, otherwise)

    def _switch(self) -> ast.Statement:
        start = self.expect("switch")
        self.expect("(")
        subject = self.expression()
        self.expect(")")
        self.expect("{")
        cases: list[ast.SwitchCase] = []
        while not self.is_("}"):
            first = self.token
            label: ast.Expression
            label = ast.DefaultKeyset(self.advance().span) if self.is_("default") else self.non_brace_expression()
            self.expect(":", "after a switch label")
            body = self.block(self.annotations()) if self.is_("{") or self.is_("@") else None
            cases.append(ast.SwitchCase(self.span_from(first), label, body))
        self.expect("}")
        return ast.Switch(self.span_from(start), subject, tuple(cases))

    def _for(self, annotations: tuple[ast.Annotation, ...]) -> ast.Statement:
        start = self.expect("for")
        self.expect("(")
        with self.scope():
            for_in = self.attempt(self._for_in_head)
            if for_in is not None:
                variable, collection = for_in
                self.expect(")")
                body = self.statement()
                return ast.ForIn(self.span_from(start), annotations, variable, collection, body)
            first = self._for_statements(";", True)
            self.expect(";")
            condition = self.expression()
            self.expect(";")
            update = self._for_statements(")", False)
            self.expect(")")
            body = self.statement()
        return ast.For(self.span_from(start), annotations, first, condition, update, body)

    def _for_in_head(self) -> tuple[ast.Variable, ast.Expression] | None:
        start = self.token
        annotations = self.annotations()
        if not self.at_type():
            return None
        written = self.type_ref()
        name = self.name()
        if not self.accept("in"):
            return None
        collection = self.expression()
        if self.accept(".."):
            high = self.expression()
            collection = ast.Range(collection.span.to(high.span), collection, high)
        self.declare_object(name)
        return ast.Variable(self.span_from(start), name, annotations, written, None), collection

    def _for_statements(self, end: str, declarations: bool) -> tuple[ast.Statement | ast.Declaration, ...]:
        found: list[ast.Statement | ast.Declaration] = []
        while not self.is_(end):
            if found:
                self.expect(",")
            start = self.token
            annotations = self.annotations()
            if declarations and self.at_type():
                found.append(self.variable(annotations, start, self.type_ref()))
            else:
                found.append(self.assignment_or_call())
        return tuple(found)

    # ---- declarations among statements

    def variable(self, annotations: tuple[ast.Annotation, ...], start: Token, written: ast.TypeNode) -> ast.Variable:
        name = self.name("the name of a variable")
        written = self.array_suffix(written)
        value = self.expression() if self.accept("=") else None
        self.declare_object(name)
        return ast.Variable(self.span_from(start), name, annotations, written, value)

    def constant(self, annotations: tuple[ast.Annotation, ...]) -> ast.Constant:
        start = self.expect("const")
        written = self.type_ref()
        name = self.name("the name of a constant")
        written = self.array_suffix(written)
        self.expect("=")
        value = self.expression()
        self.expect(";")
        self.declare_object(name)
        return ast.Constant(self.span_from(start), name, annotations, written, value)

    def instantiation(
        self, annotations: tuple[ast.Annotation, ...], start: Token, written: ast.TypeNode
    ) -> ast.Instantiation:
        arguments = self.arguments()
        name = self.name("the name of the instance")
        written = self.array_suffix(written)
        initializer: tuple[ast.Declaration, ...] | None = None
        if self.accept("="):
            self.expect("{")
            with self.nested(), self.scope():
                initializer = self._object_declarations()
            self.expect("}")
        self.expect(";")
        self.declare_object(name)
        span = self.span_from(start)
        return ast.Instantiation(span, name, annotations, written, arguments, initializer)

    def _object_declarations(self) -> tuple[ast.Declaration, ...]:
        found: list[ast.Declaration] = []
        while not self.is_("}"):
            start = self.token
            annotations = self.annotations()
            found.append(self.declare_function(annotations, start))
        return tuple(found)
