# SPDX-License-Identifier: Apache-2.0
"""What the compiler has to say to its user, collected, ordered, and printed as text or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from p4sume.source import NOWHERE, Span

MAX_ERRORS = 100
CARET_LIMIT = 200


@dataclass(frozen=True)
class Diagnostic:
    severity: str
    id: str
    span: Span
    message: str
    hint: str = ""

    def to_json(self) -> dict[str, object]:
        file, line, column = self.span.location()
        return {
            "file": file,
            "line": line,
            "col": column,
            "severity": self.severity,
            "id": self.id,
            "message": self.message,
            "hint": self.hint,
        }

    def render(self) -> str:
        """`FILE:LINE:COL: error: sentence [id]`, the source line, a caret, and what to do."""
        file, line, column = self.span.location()
        lines = [f"{file}:{line}:{column}: {self.severity}: {self.message} [{self.id}]"]
        lines.extend(self._excerpt(column))
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def _excerpt(self, column: int) -> Iterator[str]:
        if self.span.file is NOWHERE.file:
            return
        text = self.span.file.line_text(self.span.start)
        length = max(1, min(self.span.end - self.span.start, len(text) - column + 1))
        first = max(0, column - 1 - CARET_LIMIT // 2) if len(text) > CARET_LIMIT else 0
        shown = text[first : first + CARET_LIMIT]
        length = max(1, min(length, len(shown) - (column - 1 - first)))
        indent = "".join("\t" if c == "\t" else " " for c in shown[: column - 1 - first])
        yield "  " + "".join(c if c.isprintable() or c == "\t" else "?" for c in shown)
        yield "  " + indent + "^" + "~" * (length - 1)


class ErrorLimitError(Exception):
    """Raised when a run has reported MAX_ERRORS errors."""


class Diagnostics:
    """Collects diagnostics; the same message at the same place is kept once."""

    def __init__(self) -> None:
        self._items: list[Diagnostic] = []
        self._seen: set[tuple[str, Span]] = set()
        self.error_count = 0
        self.muted = 0

    def error(self, id_: str, span: Span, message: str, hint: str = "") -> None:
        self._add(Diagnostic("error", id_, span, message, hint))
        if self.error_count >= MAX_ERRORS:
            raise ErrorLimitError

    def warning(self, id_: str, span: Span, message: str, hint: str = "") -> None:
        self._add(Diagnostic("warning", id_, span, message, hint))

    def _add(self, item: Diagnostic) -> None:
        key = (item.message, item.span)
        if self.muted or key in self._seen:
            return
        self._seen.add(key)
        self._items.append(item)
        if item.severity == "error":
            self.error_count += 1

    def __iter__(self) -> Iterator[Diagnostic]:
        """In the order of the text, file by file as first mentioned."""
        files: dict[int, int] = {}
        for item in self._items:
            files.setdefault(id(item.span.file), len(files))
        return iter(sorted(self._items, key=lambda d: (files[id(d.span.file)], d.span.start)))
