# SPDX-License-Identifier: Apache-2.0
"""Parsing of types, externs, parsers, controls, packages and functions."""

from __future__ import annotations

from p4sume.source import Span
from p4sume.syntax import ast
from p4sume.syntax.cursor import P4SyntaxError
from p4sume.syntax.lexer import Token
from p4sume.syntax.tables import TableParser

_MAX_SYNTAX_ERRORS = 20


class Parser(TableParser):
    """The whole grammar.

    Requires: preprocessed tokens. Ensures: a Program; syntax errors are reported, and what surrounds them is
    still parsed.
    """

    def program(self) -> ast.Program:
        end = self.tokens[-1].span
        found: list[ast.Declaration] = []
        while self.token.kind != "end":
            if self.accept(";"):
                continue
            begin = self.at
            before = self.diagnostics.error_count
            try:
                declaration = self.declaration()
                if declaration is not None:
                    found.append(declaration)
            except P4SyntaxError as problem:
                self.report(problem)
                del self.scopes[1:]
                self.depth = 0
                self.recover(begin)
                if self.at == begin or (self.is_("}") and self.at > begin):
                    self.advance()
                if self.diagnostics.error_count >= _MAX_SYNTAX_ERRORS and before > 0:
                    break
        return ast.Program(Span(end.file, 0, end.end), tuple(found))

    def declaration(self) -> ast.Declaration | None:
        start = self.token
        annotations = self.annotations()
        text = self.token.text if self.token.kind == "word" else ""
        match text:
            case "const":
                return self.constant(annotations)
            case "extern":
                return self._extern(annotations)
            case "action":
                return self.action(annotations)
            case "parser":
                return self._parser(annotations)
            case "control":
                return self._control(annotations)
            case "package":
                return self._package(annotations)
            case "header" | "struct" | "header_union":
                return self._aggregate(annotations)
            case "enum":
                return self._enum(annotations)
            case "typedef" | "type":
                return self._typedef(annotations)
            case "error" | "match_kind" if self.peek().text == "{":
                return self._member_list(annotations)
        return self._instance_or_function(annotations, start)

    def _instance_or_function(self, annotations: tuple[ast.Annotation, ...], start: Token) -> ast.Declaration:
        if self.is_("void"):
            return self.declare_function(annotations, start)
        if not self.at_type():
            named = self.is_name() and self.token.text != "_"
            if named and self.is_name(self.peek()) and self.peek(2).text in ("<", "("):
                return self.declare_function(annotations, start)
            if named:
                self.type_ref()
            raise self.unexpected("a declaration")
        written = self.type_ref()
        if self.is_("("):
            return self.instantiation(annotations, start, written)
        return self._function_after(annotations, start, written, body=True)

    # ---- functions

    def declare_function(self, annotations: tuple[ast.Annotation, ...], start: Token) -> ast.Declaration:
        """A function with a body or, among an instance's initialisers, an instance."""
        if self.at_type():
            written = self.type_ref()
            if self.is_("("):
                return self.instantiation(annotations, start, written)
            return self._function_after(annotations, start, written, body=True)
        return self._function_after(annotations, start, self._result_type(), body=True)

    def _result_type(self) -> ast.TypeNode:
        token = self.token
        if token.text == "void" and token.kind == "word":
            self.advance()
            return ast.BaseType(token.span, "void")
        return self.type_ref(any_name=True)

    def _function_after(
        self,
        annotations: tuple[ast.Annotation, ...],
        start: Token,
        result: ast.TypeNode,
        body: bool,
        abstract: bool = False,
    ) -> ast.Function:
        name = self.name("the name of a function")
        self.declare_object(name)
        with self.scope():
            type_parameters = self.type_parameters()
            parameters = self.parameters()
            if body and not self.is_("{"):
                raise self.unexpected("'{' before the body of the function")
            block = self.block() if body else None
        if not body:
            self.expect(";")
        span = self.span_from(start)
        return ast.Function(span, name, annotations, result, type_parameters, parameters, block, abstract=abstract)

    def type_parameters(self) -> tuple[ast.TypeParameter, ...]:
        if not self.accept("<"):
            return ()
        found: list[ast.TypeParameter] = []
        while True:
            name = self.name("the name of a type parameter")
            self.declare_type(name)
            found.append(ast.TypeParameter(name.span, name, ()))
            if not self.accept(","):
                break
        self.close_angle()
        return tuple(found)

    def parameters(self) -> tuple[ast.Parameter, ...]:
        self.expect("(")
        found: list[ast.Parameter] = []
        while not self.is_(")"):
            if found:
                self.expect(",", "or ')' after a parameter")
            found.append(self._parameter())
        self.expect(")")
        return tuple(found)

    def _parameter(self) -> ast.Parameter:
        start = self.token
        annotations = self.annotations()
        direction = ""
        if self.token.kind == "word" and self.token.text in ("in", "out", "inout"):
            direction = self.advance().text
        written = self.type_ref()
        name = self.name("the name of a parameter")
        written = self.array_suffix(written)
        default = self.expression() if self.accept("=") else None
        self.declare_object(name)
        return ast.Parameter(self.span_from(start), name, annotations, direction, written, default)

    # ---- externs

    def _extern(self, annotations: tuple[ast.Annotation, ...]) -> ast.Declaration | None:
        start = self.expect("extern")
        if self.is_name() and self.peek().text == ";":
            self.declare_type(self.name())
            self.expect(";")
            return None
        if self.is_name() and (self.peek().text == "{" or self.looks_like(self._object_head)):
            return self._extern_object(annotations, start)
        return self._function_after(annotations, start, self._result_type(), body=False)

    def _object_head(self) -> bool | None:
        self.name()
        with self.scope():
            self.type_parameters()
        found = self.is_("{")
        return found or None

    def _extern_object(self, annotations: tuple[ast.Annotation, ...], start: Token) -> ast.Extern:
        name = self.name("the name of an extern")
        self.declare_type(name)
        with self.scope():
            type_parameters = self.type_parameters()
            self.expect("{")
            methods: list[ast.Function] = []
            while not self.is_("}"):
                methods.append(self._method(name.text))
            self.expect("}")
        return ast.Extern(self.span_from(start), name, annotations, type_parameters, tuple(methods))

    def _method(self, extern: str) -> ast.Function:
        start = self.token
        annotations = self.annotations()
        abstract = self.accept("abstract")
        if self.is_name() and self.peek().text == "(" and not abstract:
            if not self.at_type():
                raise self.unexpected("the type that the method returns")
            name = self.name()
            with self.scope():
                parameters = self.parameters()
            self.expect(";")
            return ast.Function(self.span_from(start), name, annotations, None, (), parameters, None)
        return self._function_after(annotations, start, self._result_type(), False, abstract)

    # ---- parsers, controls, packages

    def _header(self, start: Token) -> tuple[ast.Name, tuple[ast.TypeParameter, ...], tuple[ast.Parameter, ...]]:
        name = self.name(f"the name of the {start.text}")
        self.declare_type(name)
        self.scopes.append({})
        type_parameters = self.type_parameters()
        return name, type_parameters, self.parameters()

    def _parser(self, annotations: tuple[ast.Annotation, ...]) -> ast.Declaration:
        start = self.expect("parser")
        height = len(self.scopes)
        name, type_parameters, parameters = self._header(start)
        if self.accept(";"):
            del self.scopes[height:]
            return ast.ParserType(self.span_from(start), name, annotations, type_parameters, parameters)
        constructor = self.parameters() if self.is_("(") else ()
        self.expect("{", "or ';'")
        local: list[ast.Declaration] = []
        states: list[ast.State] = []
        while not self.is_("}"):
            found = self._parser_element()
            if isinstance(found, ast.State):
                states.append(found)
            elif states:
                raise P4SyntaxError(found.span, "a parser's declarations stand before its states", "move it up")
            else:
                local.append(found)
        if not states:
            raise self.unexpected("a state: a parser has at least one")
        self.expect("}")
        del self.scopes[height:]
        span = self.span_from(start)
        return ast.Parser(
            span,
            name,
            annotations,
            type_parameters,
            parameters,
            constructor,
            tuple(local),
            tuple(states),
        )

    def _parser_element(self) -> ast.Declaration:
        start = self.token
        annotations = self.annotations()
        if self.is_("state") and self.is_name(self.peek()):
            return self._state(annotations)
        if self.is_("value_set"):
            return self._value_set(annotations, start)
        return self._local(annotations, start)

    def _local(self, annotations: tuple[ast.Annotation, ...], start: Token) -> ast.Declaration:
        """A constant, variable or instance of a parser or control."""
        if self.is_("const"):
            return self.constant(annotations)
        if not self.at_type():
            if self.is_name() and self.token.text != "_":
                self.type_ref()
            raise self.unexpected("a declaration")
        written = self.type_ref()
        if self.is_("("):
            return self.instantiation(annotations, start, written)
        variable = self.variable(annotations, start, written)
        self.expect(";")
        return variable

    def _value_set(self, annotations: tuple[ast.Annotation, ...], start: Token) -> ast.Declaration:
        self.expect("value_set")
        self.expect("<")
        written = self.type_ref()
        self.close_angle()
        self.expect("(")
        size = self.expression()
        self.expect(")")
        name = self.name("the name of the value_set")
        self.declare_object(name)
        self.expect(";")
        return ast.ValueSet(self.span_from(start), name, annotations, written, size)

    def _state(self, annotations: tuple[ast.Annotation, ...]) -> ast.State:
        start = self.expect("state")
        name = self.name("the name of a state")
        with self.scope():
            self.expect("{")
            body = self.statements_until("}", "transition")
            transition = self._transition() if self.accept("transition") else None
            self.expect("}", "at the end of the state")
        return ast.State(self.span_from(start), name, annotations, body, transition)

    def _transition(self) -> ast.Expression:
        if self.is_("select"):
            return self._select()
        name = self.name("the name of a state, or select")
        self.expect(";")
        return ast.PathExpression(name.span, name.text, False)

    def _select(self) -> ast.Expression:
        start = self.expect("select")
        self.expect("(")
        subjects: list[ast.Expression] = []
        while not self.is_(")"):
            if subjects:
                self.expect(",")
            subjects.append(self.expression())
        self.expect(")")
        self.expect("{")
        cases: list[ast.SelectCase] = []
        while not self.is_("}"):
            keyset = self.keyset()
            self.expect(":", "after a keyset")
            state = self.name("the name of a state")
            self.expect(";")
            path = ast.PathExpression(state.span, state.text, False)
            cases.append(ast.SelectCase(keyset.span.to(state.span), keyset, path))
        self.expect("}")
        return ast.Select(self.span_from(start), tuple(subjects), tuple(cases))

    def _control(self, annotations: tuple[ast.Annotation, ...]) -> ast.Declaration:
        start = self.expect("control")
        height = len(self.scopes)
        name, type_parameters, parameters = self._header(start)
        if self.accept(";"):
            del self.scopes[height:]
            return ast.ControlType(self.span_from(start), name, annotations, type_parameters, parameters)
        constructor = self.parameters() if self.is_("(") else ()
        self.expect("{", "or ';'")
        local: list[ast.Declaration] = []
        while not (self.is_("apply") and self.peek().text in ("{", "@")):
            if self.is_("}"):
                raise self.unexpected("'apply { … }': a control has one")
            local.append(self._control_element())
        self.expect("apply")
        body = self.block(self.annotations())
        self.expect("}", "at the end of the control")
        del self.scopes[height:]
        span = self.span_from(start)
        return ast.Control(span, name, annotations, type_parameters, parameters, constructor, tuple(local), body)

    def _control_element(self) -> ast.Declaration:
        start = self.token
        annotations = self.annotations()
        if self.is_("action"):
            return self.action(annotations)
        if self.is_("table"):
            return self.table(annotations)
        return self._local(annotations, start)

    def action(self, annotations: tuple[ast.Annotation, ...]) -> ast.Action:
        start = self.expect("action")
        name = self.name("the name of an action")
        self.declare_object(name)
        with self.scope():
            parameters = self.parameters()
            body = self.block(self.annotations())
        return ast.Action(self.span_from(start), name, annotations, parameters, body)

    def _package(self, annotations: tuple[ast.Annotation, ...]) -> ast.Declaration:
        start = self.expect("package")
        height = len(self.scopes)
        name, type_parameters, parameters = self._header(start)
        del self.scopes[height:]
        self.expect(";")
        return ast.PackageType(self.span_from(start), name, annotations, type_parameters, parameters)

    # ---- types

    def _aggregate(self, annotations: tuple[ast.Annotation, ...]) -> ast.Aggregate:
        start = self.advance()
        name = self.name(f"the name of the {start.text}")
        self.declare_type(name)
        with self.scope():
            type_parameters = self.type_parameters()
            self.expect("{")
            fields: list[ast.Field] = []
            while not self.is_("}"):
                first = self.token
                field_annotations = self.annotations()
                written = self.type_ref()
                field = self.name("the name of a field")
                written = self.array_suffix(written)
                self.expect(";")
                fields.append(ast.Field(self.span_from(first), field, field_annotations, written))
            self.expect("}")
        return ast.Aggregate(self.span_from(start), name, annotations, start.text, type_parameters, tuple(fields))

    def _enum(self, annotations: tuple[ast.Annotation, ...]) -> ast.Enum:
        start = self.expect("enum")
        underlying: ast.TypeNode | None = None
        if not (self.is_name() and self.peek().text == "{"):
            underlying = self.type_ref()
        name = self.name("the name of the enum")
        self.declare_type(name)
        members = self._members(with_values=underlying is not None)
        return ast.Enum(self.span_from(start), name, annotations, underlying, members)

    def _member_list(self, annotations: tuple[ast.Annotation, ...]) -> ast.Declaration:
        start = self.advance()
        members = self._members(with_values=False, trailing_comma=start.text != "error")
        kind = ast.ErrorMembers if start.text == "error" else ast.MatchKinds
        return kind(self.span_from(start), ast.Name(start.span, start.text), annotations, members)

    def _members(self, with_values: bool, trailing_comma: bool = True) -> tuple[ast.EnumMember, ...]:
        self.expect("{")
        found: list[ast.EnumMember] = []
        while not self.is_("}") or not found:
            annotations = self.annotations()
            name = self.name("the name of a member")
            value: ast.Expression | None = None
            if with_values:
                self.expect("=", "and a value: the enum has an underlying type")
                value = self.expression()
            found.append(ast.EnumMember(self.span_from(name.span), name, annotations, value))
            if not self.accept(","):
                break
            if self.is_("}") and not trailing_comma:
                raise self.unexpected("the name of a member")
        self.expect("}", "or ','")
        return tuple(found)

    def _typedef(self, annotations: tuple[ast.Annotation, ...]) -> ast.Declaration:
        start = self.advance()
        new = start.text == "type"
        inner_annotations = self.annotations()
        written: ast.TypeNode | ast.Aggregate | ast.Enum
        if self.token.text in ("header", "struct", "header_union") and not new:
            written = self._aggregate(inner_annotations)
        elif self.token.text == "enum" and not new:
            written = self._enum(inner_annotations)
        else:
            written = self.type_ref()
        name = self.name("the new name of the type")
        if isinstance(written, ast.TypeNode):
            written = self.array_suffix(written)
        self.declare_type(name)
        self.expect(";")
        return ast.Typedef(self.span_from(start), name, annotations, new, written)
