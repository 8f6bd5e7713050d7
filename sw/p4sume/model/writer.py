# SPDX-License-Identifier: Apache-2.0
"""Lines of C++ with their indentation and the place in the P4 text that they come from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from p4sume.model.names import place
from p4sume.syntax import ast

_COMMENT_COLUMN = 88


_LONGEST = 110


def broken(before: str, parts: list[str], after: str) -> str:
    """`before(parts)after`, with a line for each part if one does not hold them."""
    whole = f"{before}({', '.join(parts)}){after}"
    return whole if len(whole) <= _LONGEST else f"{before}(\n    " + ",\n    ".join(parts) + f"){after}"


class Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0
        self._pending: ast.Node | None = None

    def source(self, node: ast.Node) -> None:
        """The next line gets the comment `// from file:line`."""
        self._pending = node

    def line(self, text: str = "") -> None:
        if not text:
            self.lines.append("")
            return
        first, *more = text.split("\n")
        whole = "  " * self._depth + first
        if self._pending is not None:
            whole = f"{whole:<{_COMMENT_COLUMN}}  // from {place(self._pending.span)}"
            self._pending = None
        self.lines.append(whole)
        self.lines.extend("  " * self._depth + part for part in more)

    @contextmanager
    def block(self, head: str, tail: str = "}") -> Iterator[None]:
        self.line(head + " {" if head else "{")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            self.line(tail)

    def extend(self, other: Writer) -> None:
        self.lines.extend(("  " * self._depth + text) if text else "" for text in other.lines)

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"
