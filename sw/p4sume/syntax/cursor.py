# SPDX-License-Identifier: Apache-2.0
"""What every part of the parser stands on: the place in the tokens, the names that are types, and errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from p4sume.diagnostics import Diagnostics
from p4sume.source import Span
from p4sume.syntax.ast import Name
from p4sume.syntax.lexer import KEYWORDS, SOFT_KEYWORDS, Token

MAX_NESTING = 400
MAX_CHAIN = 2000
_MAX_SPECULATION = 6
_CLOSERS = {"{": "}", "(": ")", "[": "]"}

T = TypeVar("T")


class P4SyntaxError(Exception):
    """The tokens do not form what the grammar wants at this place."""

    def __init__(self, span: Span, message: str, hint: str = "", id_: str = "syntax") -> None:
        super().__init__(message)
        self.span, self.message, self.hint, self.id = span, message, hint, id_


class Cursor:
    """A reader of tokens with unlimited look-ahead and a table of which names are types.

    `<` and `(` cannot be read without knowing which names are types, so declarations enter their names here
    while they are parsed. True in a scope means type, False anything else.
    """

    def __init__(self, tokens: list[Token], diagnostics: Diagnostics) -> None:
        self.tokens = tokens
        self.diagnostics = diagnostics
        self.at = 0
        self.token = tokens[0]
        self.scopes: list[dict[str, bool]] = [{}]
        self.depth = 0
        self.speculating = 0

    # ---- tokens

    def advance(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.at += 1
            self.token = self.tokens[self.at]
        return token

    def peek(self, distance: int = 1) -> Token:
        return self.tokens[min(self.at + distance, len(self.tokens) - 1)]

    def is_(self, text: str) -> bool:
        return self.token.text == text and self.token.kind != "string"

    def accept(self, text: str) -> bool:
        if self.token.text == text and self.token.kind != "string":
            self.advance()
            return True
        return False

    def expect(self, text: str, context: str = "") -> Token:
        if self.token.text != text or self.token.kind == "string":
            raise self.unexpected(f"'{text}'" + (f" {context}" if context else ""))
        return self.advance()

    def unexpected(self, wanted: str) -> P4SyntaxError:
        token = self.token
        if token.kind == "bad":
            return self.bad_token(token)
        shown = token.text if len(token.text) <= 40 else token.text[:40] + "…"
        found = shown if token.kind == "end" else f"'{shown}'"
        hint = ""
        if token.kind == "word" and token.text in KEYWORDS:
            hint = f"'{token.text}' is a keyword; use another name if one was meant"
        return P4SyntaxError(token.span, f"expected {wanted}, found {found}", hint)

    def bad_token(self, token: Token) -> P4SyntaxError:
        if token.text == "/*":
            return P4SyntaxError(token.span, "this comment is never closed", "end it with */", "unclosed-comment")
        if token.text == '"':
            return P4SyntaxError(token.span, "this string is never closed", 'end it with "', "unclosed-string")
        shown = token.text if token.text.isprintable() else f"U+{ord(token.text):04X}"
        return P4SyntaxError(
            token.span, f"'{shown}' is not part of any P4 token", "remove the character", "bad-character"
        )

    def span_from(self, start: Token | Span) -> Span:
        first = start.span if isinstance(start, Token) else start
        return first.to(self.tokens[self.at - 1].span) if self.at else first

    # ---- names

    def is_name(self, token: Token | None = None) -> bool:
        token = token or self.token
        return token.kind == "word" and (token.text not in KEYWORDS or token.text in SOFT_KEYWORDS)

    def name(self, what: str = "a name") -> Name:
        if self.token.kind == "word" and self.is_name() and self.token.text != "_":
            token = self.advance()
            return Name(token.span, token.text)
        raise self.unexpected(what)

    def is_type_name(self, text: str, absolute: bool = False) -> bool:
        if absolute:
            return self.scopes[0].get(text, False)
        for scope in reversed(self.scopes):
            if text in scope:
                return scope[text]
        return False

    def declare_type(self, name: Name) -> None:
        self.scopes[-1][name.text] = True

    def declare_object(self, name: Name) -> None:
        self.scopes[-1].setdefault(name.text, False)

    @contextmanager
    def scope(self) -> Iterator[None]:
        height = len(self.scopes)
        self.scopes.append({})
        try:
            yield
        finally:
            del self.scopes[height:]

    # ---- depth, speculation, recovery

    @contextmanager
    def nested(self) -> Iterator[None]:
        self.depth += 1
        try:
            if self.depth > MAX_NESTING:
                raise P4SyntaxError(
                    self.token.span,
                    f"the program is nested more than {MAX_NESTING} deep here",
                    "split the expression or the block into named parts",
                    "nesting-limit",
                )
            yield
        finally:
            self.depth -= 1

    def chain_limit(self, length: int) -> None:
        if length > MAX_CHAIN:
            raise P4SyntaxError(
                self.token.span,
                f"more than {MAX_CHAIN} operators or members follow each other here",
                "split the expression into named parts",
                "nesting-limit",
            )

    def attempt(self, rule: Callable[[], T | None]) -> T | None:
        """The result of `rule`, or None with the place restored when it does not fit."""
        if self.speculating >= _MAX_SPECULATION:
            return None
        place, height, depth = self.at, len(self.scopes), self.depth
        self.speculating += 1
        try:
            result = rule()
        except P4SyntaxError as problem:
            if problem.id == "nesting-limit":
                raise
            result = None
        finally:
            self.speculating -= 1
        if result is None:
            self.at, self.token, self.depth = place, self.tokens[place], depth
            del self.scopes[height:]
        return result

    def looks_like(self, rule: Callable[[], T | None]) -> bool:
        """Whether `rule` fits here; the place stays."""
        place = self.at
        found = self.attempt(rule) is not None
        self.at, self.token = place, self.tokens[place]
        return found

    def report(self, problem: P4SyntaxError) -> None:
        self.diagnostics.error(problem.id, problem.span, problem.message, problem.hint)

    def recover(self, start: int) -> None:
        """Skip to behind the `;` or `}` that ends what began at token `start`."""
        level = 0
        for token in self.tokens[start : self.at]:
            level += _bracket(token)
        level = max(level, 0)
        while self.token.kind != "end":
            change = _bracket(self.token)
            if change < 0 and level == 0:
                return
            level += change
            text = self.advance().text
            if level <= 0 and text in (";", "}"):
                return


def _bracket(token: Token) -> int:
    if token.kind != "operator":
        return 0
    return 1 if token.text == "{" else -1 if token.text == "}" else 0
