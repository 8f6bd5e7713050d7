# SPDX-License-Identifier: Apache-2.0
"""Parsing of tables and keysets."""

from __future__ import annotations

from p4sume.syntax import ast
from p4sume.syntax.statements import StatementParser


class TableParser(StatementParser):
    def table(self, annotations: tuple[ast.Annotation, ...]) -> ast.Table:
        start = self.expect("table")
        name = self.name("the name of a table")
        self.declare_object(name)
        self.expect("{")
        properties: list[ast.Declaration] = []
        while not self.is_("}") or not properties:
            properties.append(self._property())
        self.expect("}")
        return ast.Table(self.span_from(start), name, annotations, tuple(properties))

    def _property(self) -> ast.Declaration:
        start = self.token
        annotations = self.annotations()
        if not annotations and self.is_("key"):
            name = self.name()
            return self._key(name)
        if not annotations and self.is_("actions"):
            name = self.name()
            return self._action_list(name)
        constant = self.accept("const")
        if self.is_("key") or self.is_("actions"):
            raise self.unexpected("a table property that may be constant or annotated")
        name = self.name("a table property")
        self.expect("=")
        if name.text == "entries":
            return self._entries(name, annotations, constant)
        value = self.expression()
        self.expect(";")
        return ast.Property(self.span_from(start), name, annotations, constant, value)

    def _key(self, name: ast.Name) -> ast.Key:
        self.expect("=")
        self.expect("{")
        elements: list[ast.KeyElement] = []
        while not self.is_("}"):
            start = self.token
            value = self.expression()
            self.expect(":", "and the kind of match")
            kind = self.name("the kind of match")
            annotations = self.annotations()
            self.expect(";")
            elements.append(ast.KeyElement(self.span_from(start), value, kind, annotations))
        self.expect("}")
        return ast.Key(self.span_from(name.span), name, (), tuple(elements))

    def _action_list(self, name: ast.Name) -> ast.ActionList:
        self.expect("=")
        self.expect("{")
        actions: list[ast.ActionRef] = []
        while not self.is_("}"):
            annotations = self.annotations()
            path = self._action_path()
            arguments = self.arguments() if self.is_("(") else None
            actions.append(ast.ActionRef(self.span_from(path.span), path, arguments, annotations))
            self.expect(";", "after an action")
        self.expect("}")
        return ast.ActionList(self.span_from(name.span), name, (), tuple(actions))

    def _action_path(self) -> ast.PathExpression:
        start = self.token
        absolute = self.accept(".")
        name = self.name("the name of an action")
        return ast.PathExpression(self.span_from(start), name.text, absolute)

    def _entries(self, name: ast.Name, annotations: tuple[ast.Annotation, ...], constant: bool) -> ast.Entries:
        self.expect("{")
        entries: list[ast.Entry] = []
        while not self.is_("}"):
            entries.append(self._entry())
        self.expect("}")
        return ast.Entries(self.span_from(name.span), name, annotations, constant, tuple(entries))

    def _entry(self) -> ast.Entry:
        start = self.token
        constant = self.accept("const")
        priority: ast.Expression | None = None
        if self.is_("priority") and self.peek().text == "=":
            self.advance()
            self.advance()
            priority = self._postfix(self._primary())
            self.expect(":", "after the priority")
        keyset = self.keyset()
        self.expect(":", "and an action")
        action: ast.Expression = self._action_path()
        while self.is_("("):
            arguments = self.arguments()
            action = ast.Call(self.span_from(action.span), action, (), arguments)
        annotations = self.annotations()
        self.expect(";", "after an entry")
        return ast.Entry(self.span_from(start), constant, priority, keyset, action, annotations)

    # ---- keysets

    def keyset(self) -> ast.Expression:
        if self.is_("("):
            several = self.attempt(self._tuple_keyset)
            if several is not None:
                return several
        return self._simple_keyset()

    def _tuple_keyset(self) -> ast.Expression | None:
        start = self.expect("(")
        items = [self._simple_keyset()]
        alone = isinstance(items[0], (ast.Mask, ast.Range, ast.DefaultKeyset))
        while self.accept(","):
            items.append(self._simple_keyset())
        self.expect(")")
        if (len(items) == 1 and not alone) or not self.is_(":"):
            return None
        return ast.ListExpression(self.span_from(start), tuple(items), True)

    def _simple_keyset(self) -> ast.Expression:
        token = self.token
        if token.kind == "word" and token.text in ("default", "_"):
            self.advance()
            return ast.DefaultKeyset(token.span)
        value = self.expression()
        if self.accept("&&&"):
            mask = self.expression()
            return ast.Mask(value.span.to(mask.span), value, mask)
        if self.accept(".."):
            high = self.expression()
            return ast.Range(value.span.to(high.span), value, high)
        return value
