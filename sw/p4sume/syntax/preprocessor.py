# SPDX-License-Identifier: Apache-2.0
"""Preprocessing: files to one stream of tokens.

    #include <a.p4>          tokens of a.p4, each with its place in a.p4
    #define N 4       ->
    bit<N> x;                bit < 4 > x ;     where 4 stands at the place of N

Requires: a readable file. Ensures: no directives, macros or skipped text are left; every token points at the
text that its user wrote (a macro's replacement points at its use).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from p4sume.diagnostics import Diagnostics
from p4sume.source import SourceFile, Span
from p4sume.syntax.conditions import ConditionError, evaluate
from p4sume.syntax.lexer import Token, tokenize
from p4sume.syntax.macros import Macro, MacroTable
from p4sume.syntax.numbers import parse_number

MAX_INCLUDE_DEPTH = 64


class UnreadableSourceError(Exception):
    """The file that was asked for cannot be read."""


def read_source(path: Path, name: str) -> SourceFile:
    """Text of a file; bytes that are not UTF-8 become replacement characters, which no P4 token holds."""
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as problem:
        raise UnreadableSourceError(f"{name}: {getattr(problem, 'strerror', None) or problem}") from problem
    return SourceFile(name, data.decode("utf-8-sig", errors="replace"))


class _Conditional:
    """One open #if: whether its current branch is read, and whether any branch has been."""

    __slots__ = ("span", "active", "taken", "outer", "seen_else")

    def __init__(self, span: Span, active: bool, outer: bool) -> None:
        self.span = span
        self.outer = outer
        self.active = active and outer
        self.taken = active
        self.seen_else = False


class Preprocessor:
    def __init__(self, diagnostics: Diagnostics, include_dirs: Sequence[Path], defines: Sequence[str] = ()) -> None:
        self.diagnostics = diagnostics
        self.include_dirs = list(include_dirs)
        self.macros = MacroTable(diagnostics)
        self.output: list[Token] = []
        self.files: list[SourceFile] = []
        self._depth = 0
        self._once: set[Path] = set()
        for define in defines:
            name, _, value = define.partition("=")
            body = SourceFile("<command line>", value if "=" in define else "1")
            self.macros.define(name, Macro(None, False, tuple(tokenize(body))))

    def run(self, path: Path, name: str) -> list[Token]:
        self._process(read_source(path, name), path.parent)
        last = self.files[0]
        end = Span(last, len(last.text), len(last.text))
        self.output.append(Token("end", "end of file", end, True))
        return self.output

    def _process(self, file: SourceFile, folder: Path) -> None:
        self.files.append(file)
        self._depth += 1
        tokens = tokenize(file)
        stack: list[_Conditional] = []
        pending: list[Token] = []
        index, size = 0, len(tokens)
        while index < size:
            token = tokens[index]
            if token.text == "#" and token.first:
                end = index + 1
                while end < size and not tokens[end].first:
                    end += 1
                line = tokens[index + 1 : end]
                index = end
                torn = next((t for t in line if _torn(t)), None)
                if torn is not None:
                    line = line[: line.index(torn)]
                    tokens, index = _after_line(file, torn), 0
                    size = len(tokens)
                self._flush(pending)
                self._directive(token, line, file, folder, stack)
                continue
            if not stack or stack[-1].active:
                pending.append(token)
            elif _torn(token):
                tokens, index = _after_line(file, token), 0
                size = len(tokens)
                continue
            index += 1
        self._flush(pending)
        for conditional in stack:
            self.diagnostics.error(
                "unclosed-condition",
                conditional.span,
                "this conditional is never closed",
                "end it with #endif in the same file",
            )
        self._depth -= 1

    def _flush(self, pending: list[Token]) -> None:
        if pending:
            self.output.extend(self.macros.expand(pending))
            pending.clear()

    def _directive(
        self, hash_: Token, line: list[Token], file: SourceFile, folder: Path, stack: list[_Conditional]
    ) -> None:
        if not line:
            return
        name, rest = line[0], line[1:]
        if self._conditional(name, rest, stack):
            return
        if stack and not stack[-1].active:
            return
        match name.text:
            case "define":
                self.macros.define_from(name, rest)
            case "undef":
                if not rest or rest[0].kind != "word":
                    self._bad(name, "#undef needs the name of a macro")
                else:
                    self.macros.undefine(rest[0].text)
            case "include":
                self._include(name, rest, folder)
            case "line":
                self._line(name, self.macros.expand(rest), file)
            case "error":
                self.diagnostics.error(
                    "error-directive",
                    hash_.span.to(line[-1].span),
                    "#error: " + _text_of(rest),
                    "the file asks for another set-up: see the text around this line",
                )
            case "warning":
                self.diagnostics.warning("warning-directive", hash_.span, "#warning: " + _text_of(rest))
            case "pragma":
                if rest and rest[0].text == "once":
                    self._once.add((folder / Path(file.name).name).resolve())
            case _ if name.kind == "number":
                self._line(name, line, file)
            case _:
                self._bad(name, f"'#{name.text}' is not a preprocessor directive")

    def _conditional(self, name: Token, rest: list[Token], stack: list[_Conditional]) -> bool:
        outer = not stack or stack[-1].active
        match name.text:
            case "if":
                stack.append(_Conditional(name.span, outer and self._condition(name, rest), outer))
            case "ifdef" | "ifndef":
                if not rest or rest[0].kind != "word":
                    if outer:
                        self._bad(name, f"#{name.text} needs the name of a macro")
                    stack.append(_Conditional(name.span, False, outer))
                else:
                    defined = self.macros.is_defined(rest[0].text)
                    stack.append(_Conditional(name.span, defined == (name.text == "ifdef"), outer))
            case "elif" | "else" | "endif":
                if not stack:
                    self._bad(name, f"#{name.text} without #if")
                    return True
                top = stack[-1]
                if name.text == "endif":
                    stack.pop()
                    return True
                if top.seen_else:
                    self._bad(name, f"#{name.text} after #else")
                if name.text == "else":
                    top.seen_else = True
                    top.active = top.outer and not top.taken
                else:
                    top.active = top.outer and not top.taken and self._condition(name, rest)
                top.taken = top.taken or top.active
            case _:
                return False
        return True

    def _condition(self, name: Token, rest: list[Token]) -> bool:
        replaced: list[Token] = []
        index = 0
        while index < len(rest):
            token = rest[index]
            index += 1
            if token.text != "defined":
                replaced.append(token)
                continue
            bracket = index < len(rest) and rest[index].text == "("
            index += int(bracket)
            if index >= len(rest) or rest[index].kind != "word":
                self._bad(name, "'defined' needs the name of a macro")
                return False
            value = "1" if self.macros.is_defined(rest[index].text) else "0"
            replaced.append(token._replace(kind="number", text=value))
            index += 1
            if bracket:
                if index >= len(rest) or rest[index].text != ")":
                    self._bad(name, "')' is missing after 'defined('")
                    return False
                index += 1
        try:
            return evaluate(self.macros.expand(replaced)) != 0
        except ConditionError as problem:
            self._bad(name, f"the #{name.text} condition cannot be evaluated: {problem}")
            return False

    def _include(self, name: Token, rest: list[Token], folder: Path) -> None:
        if rest and rest[0].kind == "word":
            rest = self.macros.expand(rest)
        if rest and rest[0].kind == "string":
            target, quoted = rest[0].text[1:-1], True
        elif rest and rest[0].text == "<" and (close := _find(rest, ">")) > 0:
            target = "".join((" " if t.spaced and i else "") + t.text for i, t in enumerate(rest[1:close]))
            quoted = False
        else:
            self._bad(name, '#include needs "file" or <file>')
            return
        if self._depth >= MAX_INCLUDE_DEPTH:
            self.diagnostics.error(
                "include-depth",
                name.span,
                f"#include is nested more than {MAX_INCLUDE_DEPTH} deep",
                "a file may include itself: guard it with #ifndef, #define, #endif",
            )
            return
        searched = ([folder] if quoted else []) + self.include_dirs
        for directory in searched:
            path = directory / target
            try:
                if not path.is_file():
                    continue
                if path.resolve() not in self._once:
                    self._process(read_source(path, str(path)), path.parent)
                return
            except (OSError, ValueError, UnreadableSourceError):
                continue
        self.diagnostics.error(
            "include-not-found",
            name.span.to(rest[-1].span),
            f"there is no file '{target}' to include",
            "say where it is with -I DIRECTORY",
        )

    def _line(self, name: Token, rest: list[Token], file: SourceFile) -> None:
        number = parse_number(rest[0].text) if rest and rest[0].kind == "number" else "none"
        if isinstance(number, str) or number.value > 1 << 31:
            self._bad(name, "#line needs a line number")
            return
        shown = rest[1].text[1:-1] if len(rest) > 1 and rest[1].kind == "string" else None
        after = file.text.find("\n", name.span.end)
        if after >= 0:
            file.mark_line(after + 1, number.value, shown)

    def _bad(self, token: Token, message: str) -> None:
        self.diagnostics.error("bad-directive", token.span, message, "directives follow the C preprocessor's rules")


def _torn(token: Token) -> bool:
    """A string that runs over lines; in directives and skipped text it is a lone quote, and hides no lines."""
    return token.kind == "string" and "\n" in token.text


def _after_line(file: SourceFile, token: Token) -> list[Token]:
    return tokenize(file, token.span.start + token.text.index("\n"))


def _find(tokens: list[Token], text: str) -> int:
    return next((i for i, token in enumerate(tokens) if token.text == text), -1)


def _text_of(tokens: list[Token]) -> str:
    return "".join((" " if token.spaced and i else "") + token.text for i, token in enumerate(tokens))
