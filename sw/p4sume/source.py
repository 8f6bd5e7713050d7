# SPDX-License-Identifier: Apache-2.0
"""Source files and the places in them that tokens, nodes and diagnostics point at."""

from __future__ import annotations

import bisect
from typing import NamedTuple


class SourceFile:
    """The text of one file, with the line numbers that `#line` may have changed."""

    __slots__ = ("name", "text", "_starts", "_marks", "_mark_offsets")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self._starts = [0]
        position = text.find("\n")
        while position >= 0:
            self._starts.append(position + 1)
            position = text.find("\n", position + 1)
        self._marks: list[tuple[int, int, str]] = []
        self._mark_offsets: list[int] = []

    def mark_line(self, offset: int, line: int, name: str | None) -> None:
        """From `offset` on (the start of a line), lines are numbered from `line` in file `name`."""
        self._mark_offsets.append(offset)
        self._marks.append((self._physical_line(offset), line, name or self.name))

    def _physical_line(self, offset: int) -> int:
        return bisect.bisect_right(self._starts, offset)

    def locate(self, offset: int) -> tuple[str, int, int]:
        """File name, line and column (both from 1) of an offset."""
        line = self._physical_line(offset)
        column = offset - self._starts[line - 1] + 1
        mark = bisect.bisect_right(self._mark_offsets, offset) - 1
        if mark < 0:
            return self.name, line, column
        marked_at, marked_line, name = self._marks[mark]
        return name, marked_line + line - marked_at, column

    def line_text(self, offset: int) -> str:
        start = self._starts[self._physical_line(offset) - 1]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]


class Span(NamedTuple):
    """Half-open range of characters of one file."""

    file: SourceFile
    start: int
    end: int

    def to(self, last: Span) -> Span:
        """From the start of this span to the end of `last` (this span if they lie in different files)."""
        if last.file is not self.file or last.end < self.start:
            return self
        return Span(self.file, self.start, last.end)

    def location(self) -> tuple[str, int, int]:
        return self.file.locate(self.start)

    def __str__(self) -> str:
        return "{}:{}:{}".format(*self.location())


NOWHERE = Span(SourceFile("<built-in>", ""), 0, 0)
