# SPDX-License-Identifier: Apache-2.0
"""Parsing of types and expressions.

Requires: a Cursor that knows the declared type names. Ensures: the node of the longest type or expression at the
cursor, or P4SyntaxError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from p4sume.source import Span
from p4sume.syntax import ast
from p4sume.syntax.cursor import Cursor, P4SyntaxError
from p4sume.syntax.lexer import Token
from p4sume.syntax.numbers import parse_number

_BINARY_LEVEL = {
    "||": 1,
    "&&": 2,
    "==": 3,
    "!=": 3,
    "<": 4,
    ">": 4,
    "<=": 4,
    ">=": 4,
    "|": 5,
    "^": 6,
    "&": 7,
    "<<": 8,
    ">>": 8,
    "++": 9,
    "+": 9,
    "-": 9,
    "|+|": 9,
    "|-|": 9,
    "*": 10,
    "/": 10,
    "%": 10,
}
_PREFIX = ("!", "~", "-", "+")
_BASE_TYPES = frozenset(("bool", "error", "match_kind", "string"))
_SIZED_TYPES = frozenset(("bit", "int", "varbit"))
_TYPE_KEYWORDS = _BASE_TYPES | _SIZED_TYPES | {"tuple"}
_ESCAPES = re.compile(r"\\(.)", re.DOTALL)


class ExpressionParser(Cursor):
    angle_closes = False

    # ---- types

    def at_type(self, distance: int = 0) -> bool:
        """A type starts here (a name counts only if it is declared as a type)."""
        token = self.peek(distance)
        if token.kind == "word":
            if token.text in _TYPE_KEYWORDS:
                return True
            if token.text == "list":
                return self.peek(distance + 1).text == "<"
            return self.is_name(token) and self.is_type_name(token.text)
        if token.text == "." and token.kind == "operator":
            following = self.peek(distance + 1)
            return following.kind == "word" and self.is_type_name(following.text, absolute=True)
        return False

    def type_ref(self, any_name: bool = False) -> ast.TypeNode:
        """typeRef; with `any_name` a name that is not (yet) known to be a type will do."""
        with self.nested():
            start = self.token
            base = self._simple_type(any_name)
            length = 0
            while self.is_("["):
                self.advance()
                size = self.expression()
                self.expect("]")
                base = ast.ArrayType(self.span_from(start), base, size)
                length += 1
                self.chain_limit(length * 4)
            return base

    def _simple_type(self, any_name: bool) -> ast.TypeNode:
        start = self.token
        if start.kind == "word":
            if start.text in _BASE_TYPES:
                self.advance()
                return ast.BaseType(start.span, start.text)
            if start.text in _SIZED_TYPES:
                return self._sized_type()
            if start.text == "tuple":
                self.advance()
                arguments = self.type_arguments()
                return ast.TupleType(self.span_from(start), arguments)
            if start.text == "list" and self.peek().text == "<":
                self.advance()
                self.expect("<")
                argument = self.type_argument()
                self.close_angle()
                return ast.ListType(self.span_from(start), argument)
        absolute = self.is_(".")
        if self.at_type() or (any_name and (absolute or self.is_name())):
            if absolute:
                self.advance()
            name = self.name("the name of a type")
            base = ast.NamedType(self.span_from(start), name.text, absolute)
            if self.is_("<"):
                arguments = self.type_arguments()
                return ast.SpecializedType(self.span_from(start), base, arguments)
            return base
        if self.is_name() and start.text != "_":
            raise P4SyntaxError(
                start.span,
                f"expected a type, found '{start.text}', which is not the name of a type here",
                "declare the type before this line, or correct its name",
            )
        raise self.unexpected("a type")

    def _sized_type(self) -> ast.TypeNode:
        start = self.advance()
        if not self.is_("<"):
            if start.text == "varbit":
                raise self.unexpected("'<' after varbit")
            if start.text == "int":
                return ast.BaseType(start.span, "int")
            return ast.SizedType(start.span, start.text, None)
        self.advance()
        width = self._width()
        self.close_angle()
        return ast.SizedType(self.span_from(start), start.text, width)

    def _width(self) -> ast.Expression:
        """An expression in which `>` closes the type unless brackets protect it."""
        outer, self.angle_closes = self.angle_closes, True
        try:
            return self._ternary()
        finally:
            self.angle_closes = outer

    @contextmanager
    def _bracketed(self) -> Iterator[None]:
        outer, self.angle_closes = self.angle_closes, False
        try:
            yield
        finally:
            self.angle_closes = outer

    def close_angle(self) -> None:
        self.expect(">")

    def type_arguments(self) -> tuple[ast.TypeNode, ...]:
        self.expect("<")
        arguments: list[ast.TypeNode] = []
        while not self.is_(">"):
            if arguments:
                self.expect(",")
            arguments.append(self.type_argument())
        self.close_angle()
        return tuple(arguments)

    def array_suffix(self, written: ast.TypeNode) -> ast.TypeNode:
        """`T name[4]` is `T[4] name`: the brackets behind a declared name."""
        sizes: list[ast.Expression] = []
        while self.accept("["):
            sizes.append(self.expression())
            self.expect("]")
            self.chain_limit(len(sizes) * 4)
        for size in reversed(sizes):
            written = ast.ArrayType(written.span.to(size.span), written, size)
        return written

    def type_argument(self) -> ast.TypeNode:
        token = self.token
        if token.text in ("void", "_") and token.kind == "word":
            self.advance()
            return ast.BaseType(token.span, token.text)
        return self.type_ref(any_name=True)

    # ---- expressions

    def expression(self) -> ast.Expression:
        with self.nested(), self._bracketed():
            return self._ternary()

    def non_brace_expression(self) -> ast.Expression:
        if self.is_("{") or self.is_("{#}"):
            raise self.unexpected("an expression that does not start with '{'")
        return self.expression()

    def _ternary(self) -> ast.Expression:
        condition = self.binary(1)
        if not self.accept("?"):
            return condition
        with self.nested():
            chosen = self._ternary()
            self.expect(":", "of '?:'")
            other = self._ternary()
        return ast.Ternary(condition.span.to(other.span), condition, chosen, other)

    def _operator(self) -> tuple[str, int]:
        """The binary operator at the cursor, two adjacent `>` read as one, and its number of tokens."""
        token = self.token
        if token.kind != "operator":
            return "", 0
        if token.text == ">":
            if self.angle_closes:
                return "", 0
            following = self.peek()
            if following.text in (">", ">=") and not following.spaced and not following.first:
                return (">>", 2) if following.text == ">" else ("", 0)
        return token.text, 1

    def binary(self, level: int) -> ast.Expression:
        left = self._prefix()
        length = 0
        while True:
            operator, tokens = self._operator()
            found = _BINARY_LEVEL.get(operator, 0)
            if found < level:
                return left
            length += 1
            self.chain_limit(length)
            for _ in range(tokens):
                self.advance()
            with self.nested():
                right = self.binary(found + 1)
            left = ast.Binary(left.span.to(right.span), operator, left, right)

    def _prefix(self) -> ast.Expression:
        token = self.token
        if token.kind == "operator":
            if token.text in _PREFIX:
                self.advance()
                with self.nested():
                    operand = self._prefix()
                return ast.Unary(token.span.to(operand.span), token.text, operand)
            if token.text == "(" and (self.at_type(1)):
                cast = self.attempt(self._cast_type)
                if cast is not None:
                    with self.nested():
                        operand = self._prefix()
                    return ast.Cast(token.span.to(operand.span), cast, operand)
        return self._postfix(self._primary())

    def _cast_type(self) -> ast.TypeNode:
        self.expect("(")
        written = self.type_ref()
        self.expect(")")
        return written

    def _primary(self) -> ast.Expression:
        token = self.token
        if token.kind == "number":
            self.advance()
            number = parse_number(token.text)
            if isinstance(number, str):
                raise P4SyntaxError(token.span, number, "write it as in 255, 8w0xFF or 4s7", "bad-number")
            return ast.IntLiteral(token.span, *number)
        if token.kind == "string":
            self.advance()
            return ast.StringLiteral(token.span, _ESCAPES.sub(_unescape, token.text[1:-1]))
        if token.kind == "word":
            return self._word()
        if token.text == "(":
            self.advance()
            inner = self.expression()
            self.expect(")")
            return inner
        if token.text == "{":
            return self.brace_expression()
        if token.text == "{#}":
            self.advance()
            return ast.InvalidHeader(token.span)
        if token.text == "...":
            self.advance()
            return ast.Dots(token.span)
        if token.text == "." and token.kind == "operator":
            if self.at_type():
                return self._type_expression()
            self.advance()
            name = self.name()
            return ast.PathExpression(self.span_from(token), name.text, True)
        raise self.unexpected("an expression")

    def _word(self) -> ast.Expression:
        token = self.token
        if token.text in ("true", "false"):
            self.advance()
            return ast.BoolLiteral(token.span, token.text == "true")
        if token.text == "this":
            self.advance()
            return ast.This(token.span)
        if token.text == "error" and self.peek().text == ".":
            self.advance()
            return ast.TypeExpression(token.span, ast.BaseType(token.span, "error"))
        if self.is_name() and token.text != "_":
            if self.at_type():
                return self._type_expression()
            self.advance()
            return ast.PathExpression(token.span, token.text, False)
        raise self.unexpected("an expression")

    def _type_expression(self) -> ast.Expression:
        start = self.token
        named = self.attempt(self._constructed_type) if self._angle_follows() else None
        if named is None:
            absolute = self.accept(".")
            name = self.name()
            named = ast.NamedType(self.span_from(start), name.text, absolute)
        return ast.TypeExpression(named.span, named)

    def _angle_follows(self) -> bool:
        return self.peek(2 if self.is_(".") else 1).text == "<"

    def _constructed_type(self) -> ast.TypeNode | None:
        written = self._simple_type(False)
        return written if self.is_("(") or self.is_(".") else None

    def _postfix(self, base: ast.Expression) -> ast.Expression:
        length = 0
        while True:
            token = self.token
            if token.kind != "operator":
                return base
            length += 1
            self.chain_limit(length)
            if token.text == ".":
                self.advance()
                name = self.name("the name of a member")
                base = ast.Member(base.span.to(name.span), base, name)
            elif token.text == "[":
                base = self._subscript(base)
            elif token.text == "(":
                base = self._call(base, ())
            elif token.text == "<" and isinstance(base, (ast.PathExpression, ast.Member)):
                call = self.attempt(lambda callee=base: self._generic_call(callee))  # type: ignore[misc]
                if call is None:
                    return base
                base = call
            else:
                return base

    def generic_call_follows(self) -> bool:
        """After `<` a type has to stand for the `<` to open type arguments."""
        following = self.peek()
        return self.at_type(1) or (following.kind == "word" and following.text in ("void", "_"))

    def _generic_call(self, callee: ast.Expression) -> ast.Expression | None:
        if not self.generic_call_follows():
            return None
        arguments = self.type_arguments()
        if not self.is_("("):
            return None
        return self._call(callee, arguments)

    def _call(self, callee: ast.Expression, type_arguments: tuple[ast.TypeNode, ...]) -> ast.Call:
        arguments = self.arguments()
        return ast.Call(self.span_from(callee.span), callee, type_arguments, arguments)

    def arguments(self) -> tuple[ast.Argument, ...]:
        self.expect("(")
        arguments: list[ast.Argument] = []
        while not self.is_(")"):
            if arguments:
                self.expect(",", "or ')' after an argument")
            arguments.append(self._argument())
        self.expect(")")
        return tuple(arguments)

    def _argument(self) -> ast.Argument:
        start = self.token
        name: ast.Name | None = None
        if self.is_name() and self.peek().text == "=" and start.text != "_":
            name = self.name()
            self.advance()
        if self.token.text == "_" and self.token.kind == "word":
            self.advance()
            return ast.Argument(self.span_from(start), name, None)
        value = self.expression()
        return ast.Argument(self.span_from(start), name, value)

    def _subscript(self, base: ast.Expression) -> ast.Expression:
        self.advance()
        first = self.expression()
        high: ast.Expression | None = None
        low: ast.Expression | None = None
        width: ast.Expression | None = None
        if self.accept(":"):
            high, low = first, self.expression()
        elif self.accept("+:"):
            low, width = first, self.expression()
        self.expect("]")
        span = self.span_from(base.span)
        if low is None:
            return ast.Index(span, base, first)
        return ast.Slice(span, base, high, low, width)

    def brace_expression(self) -> ast.Expression:
        """`{a, b}`, `{name = a, …}`, each with an optional trailing comma; `...` for defaults."""
        start = self.expect("{")
        if self.is_name() and self.token.text != "_" and self.peek().text == "=":
            fields, defaults = self._named_fields("}")
            self.expect("}")
            return ast.StructExpression(self.span_from(start), tuple(fields), defaults)
        items: list[ast.Expression] = []
        while not self.is_("}"):
            items.append(self.expression())
            if not self.accept(","):
                break
        self.expect("}", "or ','")
        return ast.ListExpression(self.span_from(start), tuple(items), False)

    def _named_fields(self, end: str) -> tuple[list[ast.NamedExpression], ast.Dots | None]:
        fields: list[ast.NamedExpression] = []
        defaults: ast.Dots | None = None
        while not self.is_(end):
            if self.is_("..."):
                defaults = ast.Dots(self.advance().span)
                self.accept(",")
                break
            name = self.name("the name of a field")
            self.expect("=")
            value = self.expression()
            fields.append(ast.NamedExpression(name.span.to(value.span), name, value))
            if not self.accept(","):
                break
        return fields, defaults

    # ---- annotations

    def annotations(self) -> tuple[ast.Annotation, ...]:
        found: list[ast.Annotation] = []
        while self.is_("@"):
            found.append(self._annotation())
        return tuple(found)

    def _annotation(self) -> ast.Annotation:
        start = self.advance()
        if self.token.kind != "word":
            raise self.unexpected("the name of an annotation")
        name = self.advance()
        if name.text == "pragma" and not self.token.first and self.token.kind == "word":
            name = self.advance()
            tokens: list[ast.AnnotationToken] = []
            while not self.token.first and self.token.kind != "end":
                token = self.advance()
                tokens.append(ast.AnnotationToken(token.span, token.kind, token.text))
            return ast.Annotation(self.span_from(start), name.text, False, tuple(tokens), (), ())
        if self.accept("("):
            body = self._annotation_body(start)
            return ast.Annotation(self.span_from(start), name.text, False, body, (), ())
        if not self.accept("["):
            return ast.Annotation(self.span_from(start), name.text, False, (), (), ())
        items: list[ast.Expression] = []
        pairs: list[ast.NamedExpression] = []
        if self.is_name() and self.peek().text == "=":
            pairs, _ = self._named_fields("]")
        else:
            while not self.is_("]"):
                items.append(self.expression())
                if not self.accept(","):
                    break
        self.expect("]", "at the end of a structured annotation")
        return ast.Annotation(self.span_from(start), name.text, True, (), tuple(items), tuple(pairs))

    def _annotation_body(self, start: Token) -> tuple[ast.AnnotationToken, ...]:
        tokens: list[ast.AnnotationToken] = []
        level = 1
        while True:
            token = self.token
            if token.kind == "end":
                raise P4SyntaxError(start.span, "the body of this annotation is never closed", "add ')'")
            if token.kind == "bad" and token.text in ('"', "/*"):
                raise self.bad_token(token)
            self.advance()
            if token.text == "(" and token.kind == "operator":
                level += 1
            elif token.text == ")" and token.kind == "operator":
                level -= 1
                if level == 0:
                    return tuple(tokens)
            tokens.append(ast.AnnotationToken(token.span, token.kind, token.text))


def parse_tokens_as_expression(parser: ExpressionParser, end: Span) -> ast.Expression:
    """The expression that all of the parser's tokens form."""
    expression = parser.expression()
    if parser.token.kind != "end":
        raise parser.unexpected("the end of the annotation")
    return expression


def _unescape(found: re.Match[str]) -> str:
    character = found.group(1)
    return {"n": "\n", "t": "\t", "r": "\r", "\n": ""}.get(character, character)
