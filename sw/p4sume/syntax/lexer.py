# SPDX-License-Identifier: Apache-2.0
"""Characters to tokens.

Requires: the text of a file. Ensures: every character is in a token, white space or a comment; what is not
P4 becomes a token of kind `bad`, so that text which the preprocessor skips may hold anything.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from p4sume.source import SourceFile, Span

KEYWORDS = frozenset(
    """abstract action actions apply bool bit break const continue control default else entries enum error
    exit extern false for header header_union if in inout int key list match_kind out package parser priority
    return select state string struct switch table this transition true tuple type typedef varbit value_set
    void""".split()
)
# Keywords that may also serve as names.
SOFT_KEYWORDS = frozenset("actions apply entries key list priority state type".split())

OPERATORS = (
    "|+|= |-|= <<= {#} &&& ... |+| |-| << <= >= == != && || ++ += -= *= /= %= &= |= ^= +: .. ## "
    "+ - * / % | & ^ ~ [ ] { } < > ( ) ! : , ? . = ; @ #"
).split()

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\f\v]+)"
    r"|(?P<newline>\n)"
    r"|(?P<splice>\\\r?\n)"
    r"|(?P<comment>//[^\n\\]*(?:\\(?:\r?\n|.)?[^\n\\]*)*|/\*.*?\*/)"
    r"|(?P<unclosed>/\*.*)"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<number>(?:[0-9]+[ws])?(?:0[xX][0-9a-fA-F_]+|0[dD][0-9_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*))"
    r'|(?P<string>"(?:[^"\\]|\\.)*")'
    r"|(?P<operator>" + "|".join(re.escape(op) for op in OPERATORS) + r")"
    r"|(?P<bad>.)",
    re.DOTALL,
)
# A backslash-newline inside a word or operator is not joined: only blank space and comments are continued.


class Token(NamedTuple):
    """`kind` is word, number, string, operator, bad or end; `first` marks the first of its line."""

    kind: str
    text: str
    span: Span
    first: bool = False
    spaced: bool = False
    hidden: frozenset[str] = frozenset()


def tokenize(file: SourceFile, start: int = 0) -> list[Token]:
    """All tokens of a file from offset `start` on, without an end token."""
    tokens: list[Token] = []
    first, spaced = True, False
    match = _TOKEN.match
    text, position, size = file.text, start, len(file.text)
    while position < size:
        found = match(text, position)
        assert found is not None
        kind = found.lastgroup
        end = found.end()
        if kind == "newline":
            first = True
        elif kind in ("space", "comment", "splice"):
            spaced = True
        else:
            if kind == "unclosed":
                end = min(end, position + 2)
                tokens.append(Token("bad", "/*", Span(file, position, end), first, spaced))
                return tokens
            assert kind is not None
            tokens.append(Token(kind, found.group(), Span(file, position, end), first, spaced))
            first, spaced = False, False
        position = end
    return tokens
