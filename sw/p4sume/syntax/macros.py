# SPDX-License-Identifier: Apache-2.0
"""Macros: object-like and function-like, `#` and `##`, never replaced inside their own replacement."""

from __future__ import annotations

from typing import NamedTuple

from p4sume.diagnostics import Diagnostics
from p4sume.source import SourceFile, Span
from p4sume.syntax.lexer import Token, tokenize

MAX_EXPANDED_TOKENS = 200_000


class Macro(NamedTuple):
    """`parameters` is None for an object-like macro."""

    parameters: tuple[str, ...] | None
    variadic: bool
    body: tuple[Token, ...]


class MacroTable:
    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        self._macros: dict[str, Macro] = {}
        self._produced = 0

    def is_defined(self, name: str) -> bool:
        return name in self._macros or name in ("__LINE__", "__FILE__")

    def define(self, name: str, macro: Macro) -> None:
        self._macros[name] = macro

    def undefine(self, name: str) -> None:
        self._macros.pop(name, None)

    def define_from(self, directive: Token, rest: list[Token]) -> None:
        """The definition that follows `#define`."""
        if not rest or rest[0].kind != "word" or rest[0].text == "defined":
            self._bad(directive.span, "#define needs the name of a macro")
            return
        name, body = rest[0], rest[1:]
        parameters: list[str] | None = None
        variadic = False
        if body and body[0].text == "(" and not body[0].spaced:
            parameters = []
            index = 1
            while index < len(body) and body[index].text != ")":
                token = body[index]
                if token.text == "...":
                    variadic = True
                    parameters.append("__VA_ARGS__")
                elif token.kind == "word":
                    parameters.append(token.text)
                else:
                    break
                index += 1
                if index < len(body) and body[index].text == ",":
                    index += 1
            if index >= len(body) or body[index].text != ")" or len(set(parameters)) != len(parameters):
                self._bad(name.span, f"the parameter list of macro '{name.text}' is malformed")
                return
            body = body[index + 1 :]
        macro = Macro(None if parameters is None else tuple(parameters), variadic, tuple(body))
        old = self._macros.get(name.text)
        if old is not None and _shape(old) != _shape(macro):
            self.diagnostics.warning("macro-redefined", name.span, f"macro '{name.text}' is defined again, differently")
        self._macros[name.text] = macro

    def expand(self, tokens: list[Token]) -> list[Token]:
        """All macros in `tokens` replaced."""
        macros = self._macros
        if not any(t.kind == "word" and (t.text in macros or t.text[:2] == "__") for t in tokens):
            return list(tokens)
        output: list[Token] = []
        stack = tokens[::-1]
        while stack:
            token = stack.pop()
            if token.kind != "word":
                output.append(token)
                continue
            macro = macros.get(token.text)
            if macro is None or token.text in token.hidden:
                output.append(self._built_in(token))
                continue
            if macro.parameters is None:
                hidden = token.hidden | {token.text}
                replacement = self._paste(list(macro.body), token.span)
                self._push(stack, replacement, token, hidden)
                continue
            if not stack or stack[-1].text != "(":
                output.append(token)
                continue
            arguments = self._arguments(stack, token, macro)
            if arguments is None:
                output.append(token)
                continue
            hidden = token.hidden | {token.text}
            self._push(stack, self._substitute(macro, arguments, token.span), token, hidden)
        return output

    def _push(self, stack: list[Token], body: list[Token], use: Token, hidden: frozenset[str]) -> None:
        self._produced += len(body) + 1
        if self._produced > MAX_EXPANDED_TOKENS:
            self._bad(use.span, f"the macros of this program expand to more than {MAX_EXPANDED_TOKENS} tokens")
            stack.clear()
            self._macros.clear()
            return
        for index in range(len(body) - 1, -1, -1):
            token = body[index]
            first = use.first and index == 0
            spaced = token.spaced if index else use.spaced
            stack.append(Token(token.kind, token.text, use.span, first, spaced, token.hidden | hidden))

    def _built_in(self, token: Token) -> Token:
        if token.text == "__LINE__":
            return token._replace(kind="number", text=str(token.span.location()[1]))
        if token.text == "__FILE__":
            return token._replace(kind="string", text='"' + token.span.location()[0] + '"')
        return token

    def _arguments(self, stack: list[Token], use: Token, macro: Macro) -> list[list[Token]] | None:
        assert macro.parameters is not None
        depth, arguments = 0, [[]]  # type: tuple[int, list[list[Token]]]
        taken: list[Token] = []
        while stack:
            token = stack.pop()
            taken.append(token)
            if token.text == "(" and token.kind == "operator":
                depth += 1
                if depth == 1:
                    continue
            elif token.text == ")" and token.kind == "operator":
                depth -= 1
                if depth == 0:
                    break
            elif token.text == "," and depth == 1 and not (macro.variadic and len(arguments) == len(macro.parameters)):
                arguments.append([])
                continue
            arguments[-1].append(token)
        else:
            self._bad(use.span, f"the arguments of macro '{use.text}' are not closed by ')'")
            stack.extend(reversed(taken))
            return None
        wanted = len(macro.parameters)
        if wanted == 0 and arguments == [[]]:
            return []
        if macro.variadic and len(arguments) == wanted - 1:
            arguments.append([])
        if len(arguments) != wanted:
            self._bad(use.span, f"macro '{use.text}' takes {wanted} arguments, not {len(arguments)}")
            return [[] for _ in range(wanted)]
        return arguments

    def _substitute(self, macro: Macro, arguments: list[list[Token]], span: Span) -> list[Token]:
        assert macro.parameters is not None
        raw = dict(zip(macro.parameters, arguments, strict=True))
        expanded: dict[str, list[Token]] = {}
        output: list[Token] = []
        body = macro.body
        index = 0
        while index < len(body):
            token = body[index]
            following = body[index + 1] if index + 1 < len(body) else None
            if token.text == "#" and following is not None and following.text in raw:
                output.append(_stringize(raw[following.text], token))
                index += 2
                continue
            if token.kind == "word" and token.text in raw:
                pasted = (following is not None and following.text == "##") or (
                    index > 0 and body[index - 1].text == "##"
                )
                if pasted:
                    output.extend(raw[token.text] or [token._replace(kind="bad", text="")])
                else:
                    if token.text not in expanded:
                        expanded[token.text] = self.expand(raw[token.text])
                    output.extend(expanded[token.text])
            else:
                output.append(token)
            index += 1
        return self._paste(output, span)

    def _paste(self, tokens: list[Token], span: Span) -> list[Token]:
        if not any(t.text == "##" for t in tokens):
            return tokens
        output: list[Token] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.text == "##" and output and index + 1 < len(tokens):
                text = output.pop().text + tokens[index + 1].text
                made = tokenize(SourceFile("<pasted>", text))
                if len(made) > 1:
                    self._bad(span, f"'##' does not make one token: '{text}'")
                output.extend(t._replace(span=span) for t in made)
                index += 2
                continue
            output.append(token)
            index += 1
        return [t for t in output if t.text]

    def _bad(self, span: Span, message: str) -> None:
        self.diagnostics.error("bad-macro", span, message, "macros follow the C preprocessor's rules")


def _shape(macro: Macro) -> tuple[tuple[str, ...] | None, list[str]]:
    return macro.parameters, [token.text for token in macro.body]


def _stringize(tokens: list[Token], at: Token) -> Token:
    text = "".join((" " if t.spaced and i else "") + t.text for i, t in enumerate(tokens))
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return at._replace(kind="string", text=f'"{quoted}"')
