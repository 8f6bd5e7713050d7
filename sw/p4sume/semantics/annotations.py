# SPDX-License-Identifier: Apache-2.0
"""Annotations: the bodies of those that the language defines, and names for the control plane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p4sume.diagnostics import Diagnostics
from p4sume.semantics.base import unknown
from p4sume.semantics.tables import Tables
from p4sume.semantics.types import BOOL, INT, MATCH_KIND, STRING, Bits, resolve
from p4sume.syntax import ast
from p4sume.syntax.cursor import P4SyntaxError
from p4sume.syntax.expressions import ExpressionParser, parse_tokens_as_expression
from p4sume.syntax.lexer import Token

_TEXT = frozenset(("name", "deprecated", "noWarn", "alias"))
_EMPTY = frozenset(("hidden", "tableonly", "defaultonly", "atomic", "optional", "pure", "noSideEffects"))


class Annotations(Tables):
    def check_annotations(self, annotations: Sequence[ast.Annotation]) -> None:
        structured: dict[str, bool] = {}
        for node in annotations:
            if node.name in structured and (node.structured or structured[node.name]):
                self.error("duplicate-annotation", node, f"there are two annotations @{node.name}")
            structured[node.name] = node.structured
            if node.structured:
                self._structured(node)
            elif node.name in _TEXT and (node.tokens or node.name == "name"):
                self._text(node)
            elif node.name == "pkginfo" and not node.tokens:
                self.error("bad-annotation", node, "@pkginfo needs a body", "write @pkginfo(key = value)")
            elif node.name == "length":
                self._length(node)
            elif node.name == "match":
                self._match(node)
            elif node.name == "p4runtime_translation":
                self._translation(node)
            elif node.name in _EMPTY and node.tokens:
                self.error("bad-annotation", node, f"@{node.name} takes no body")

    def _structured(self, node: ast.Annotation) -> None:
        seen: set[str] = set()
        for pair in node.pairs:
            if pair.name.text in seen:
                self.error("duplicate-name", pair.name, f"'{pair.name.text}' is given twice")
            seen.add(pair.name.text)
        for value in (*node.items, *(p.value for p in node.pairs)):
            typed = self.expression(value)
            type_ = resolve(typed.type)
            if unknown(type_):
                continue
            if not typed.known or value not in self.checked.constants:
                self.error("not-constant", value, "the values of a structured annotation are constants")
            elif type_ not in (BOOL, INT, STRING) and not isinstance(type_, Bits):
                self.error(
                    "bad-annotation", value, f"a structured annotation holds int, bool and string, not {type_.show()}"
                )

    def _length(self, node: ast.Annotation) -> None:
        value = self._body(node)
        if value is not None:
            self.expression(value)

    def _match(self, node: ast.Annotation) -> None:
        value = self._body(node)
        if value is not None:
            typed = self.expression(value)
            if typed.type != MATCH_KIND and not unknown(typed.type):
                self.error("bad-annotation", value, "@match takes a kind of match", "write @match(ternary)")

    def _translation(self, node: ast.Annotation) -> None:
        """@p4runtime_translation(uri, bit<W> | string | W)."""
        texts = [t.text for t in node.tokens]
        kinds = [t.kind for t in node.tokens]
        second = texts[2:]
        good = kinds[:1] == ["string"] and texts[1:2] == [","]
        sized = second[:2] == ["bit", "<"] and len(second) == 4 and kinds[4] == "number" and second[3] == ">"
        plain = second == ["string"] or kinds[2:] == ["number"]
        if not good or not (sized or plain):
            self.error(
                "bad-annotation",
                node.tokens[2] if len(node.tokens) > 2 else node,
                "@p4runtime_translation takes a string and bit<W>, string or a width",
            )

    def _body(self, node: ast.Annotation) -> ast.Expression | None:
        """The body of an unstructured annotation read as one expression."""
        tokens = [Token(t.kind, t.text, t.span) for t in node.tokens]
        if not tokens:
            self.error("bad-annotation", node, f"@{node.name} needs a body")
            return None
        end = Token("end", "end of the annotation", tokens[-1].span)
        try:
            return parse_tokens_as_expression(ExpressionParser([*tokens, end], Diagnostics()), end.span)
        except P4SyntaxError as problem:
            self.error("bad-annotation", problem.span, f"the body of @{node.name}: {problem.message}")
            return None

    def _text(self, node: ast.Annotation) -> None:
        """The body as one string, which may be joined from several."""
        tokens = node.tokens
        if any(t.kind != "string" for t in tokens) and not any(t.text == "++" for t in tokens):
            self.error("bad-annotation", node, f"@{node.name} takes a string", f'write @{node.name}("…")')
            return
        value = self._body(node)
        if value is None:
            return
        typed = self.expression(value)
        text = self.checked.constants.get(value)
        if isinstance(text, str):
            self.checked.annotation_values[node] = text
        elif not unknown(typed.type):
            self.error("bad-annotation", node, f"@{node.name} takes a string")

    # ---- names for the control plane

    def check_control_plane_names(self, node: ast.Control) -> None:
        seen = self.absolute_names
        for item in node.locals:
            if isinstance(item, (ast.Table, ast.Action)):
                self._claim(seen, item, node.name.text)

    def check_top_level_names(self) -> None:
        seen = self.absolute_names
        for item in self.program.declarations:
            if isinstance(item, ast.Action) and self.checked.symbols[item].used:
                self._claim(seen, item, "")

    def _claim(self, seen: dict[str, ast.Declaration], item: ast.Declaration, prefix: str) -> None:
        name = self.control_plane_name(item)
        if any(a.name == "hidden" for a in item.annotations):
            return
        full = name if name.startswith(".") else f"{prefix}.{name}"
        if isinstance(item, ast.Table):
            full += " "
        other = seen.setdefault(full, item)
        if other is not item:
            file, line, _ = other.span.location()
            self.error(
                "duplicate-control-plane-name",
                item.name,
                f"the control plane would know two things as '{full}'; the other is at {file}:{line}",
                "change one @name",
            )

    def control_plane_name(self, item: ast.Declaration) -> str:
        for annotation in item.annotations:
            if annotation.name == "name":
                value = self.checked.annotation_values.get(annotation)
                if isinstance(value, str):
                    return value
        return item.name.text


def annotations_named(annotations: Sequence[ast.Annotation], name: str) -> Iterator[ast.Annotation]:
    return (a for a in annotations if a.name == name)
