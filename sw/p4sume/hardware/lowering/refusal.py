# SPDX-License-Identifier: Apache-2.0
"""What is legal P4 and still cannot be built: it ends the lowering, with a message for the user."""

from __future__ import annotations

from p4sume.source import Span
from p4sume.syntax import ast


class CannotBuildError(Exception):
    """`id`, place, one sentence of what is wrong, one of what to do."""

    def __init__(self, id_: str, where: ast.Node | Span, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.id, self.message, self.hint = id_, message, hint
        self.span = where.span if isinstance(where, ast.Node) else where
