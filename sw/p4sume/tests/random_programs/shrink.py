# SPDX-License-Identifier: Apache-2.0
"""Makes a program smaller as long as the verdict on it stays the same.

The pieces that are tried are nodes of the program's own tree, the longest first: statements, declarations, cases,
entries and keys go, alone and by halves of a list; an `if` becomes one of its arms; an expression becomes one of its
parts, or a constant. What the front end rejects is no program, and is not judged.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from p4sume.frontend import run_front_end
from p4sume.syntax import ast
from p4sume.tests.random_programs.judge import SUME

REMOVABLE = (ast.Statement, ast.Declaration, ast.SelectCase, ast.SwitchCase, ast.Entry, ast.KeyElement)
CONSTANTS = ("0", "1", "true", "false")


@dataclass(frozen=True)
class Edit:
    start: int
    end: int
    text: str = ""

    @property
    def saved(self) -> int:
        return self.end - self.start - len(self.text)

    def apply(self, text: str) -> str:
        return text[: self.start] + self.text + text[self.end :]


def shrink(text: str, scratch: Path, same: Callable[[str], bool], seconds: float = 300) -> str:
    """The smallest program for which `same` holds that is found within so many seconds."""
    calls = 0
    end = time.monotonic() + seconds
    place = 0
    while True:
        tree = _accepted(text, scratch)
        if tree is None:
            raise ValueError("the front end rejects the program")
        edits = sorted(set(_edits(tree, text)), key=lambda e: (-e.saved, e.start, e.end, e.text))
        for index in range(place, len(edits)):
            smaller = edits[index].apply(text)
            if _accepted(smaller, scratch) is None:
                continue
            calls += 1
            if same(smaller):
                text, place = smaller, index
                print(f"shrink: {len(text)} characters after {calls} tries", file=sys.stderr)
                break
            if time.monotonic() > end:
                return text
        else:
            if place == 0:
                return text
            place = 0


def _accepted(text: str, scratch: Path) -> ast.Node | None:
    scratch.write_text(text)
    outcome = run_front_end(scratch, SUME)
    return outcome.checked.program if outcome.accepted and outcome.checked is not None else None


def _edits(tree: ast.Node, text: str) -> Iterator[Edit]:
    for node in _nodes(tree):
        found = [*_halves(node, text), *(_smaller(node, text) if node.span.file.text == text else ())]
        # A name of one character may become a constant of one: what it names can go then.
        least = 0 if isinstance(node, ast.PathExpression) else 1
        yield from (edit for edit in found if edit.saved >= least)


def _smaller(node: ast.Node, text: str) -> Iterator[Edit]:
    start, end = node.span.start, node.span.end
    if isinstance(node, REMOVABLE):
        yield Edit(start, end)
    if isinstance(node, ast.If):
        for arm in (node.then, node.otherwise):
            if arm is not None:
                yield Edit(start, end, text[arm.span.start : arm.span.end])
    if isinstance(node, ast.Expression):
        for part in _children(node):
            if isinstance(part, ast.Expression):
                yield Edit(start, end, text[part.span.start : part.span.end])
        yield from (Edit(start, end, word) for word in CONSTANTS)


def _halves(node: ast.Node, text: str) -> Iterator[Edit]:
    """Many things that stand side by side go together."""
    for item in fields(node):
        value = getattr(node, item.name)
        if not isinstance(value, tuple):
            continue
        parts = [v for v in value if isinstance(v, REMOVABLE) and v.span.file.text == text]
        if len(parts) > 2:
            middle = len(parts) // 2
            for some in (parts, parts[:middle], parts[middle:]):
                yield Edit(some[0].span.start, some[-1].span.end)


def _nodes(node: ast.Node) -> Iterator[ast.Node]:
    yield node
    for child in _children(node):
        yield from _nodes(child)


def _children(node: ast.Node) -> Iterator[ast.Node]:
    for item in fields(node):
        value = getattr(node, item.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, ast.Node):
                yield part
