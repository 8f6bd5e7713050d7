# SPDX-License-Identifier: Apache-2.0
"""What the model cannot do is refused where it stands, in the form of the front end's messages."""

from __future__ import annotations

from p4sume.syntax import ast


class RefusedError(Exception):
    """Raised deep inside; caught at the declaration, so that several refusals come out of one run."""

    def __init__(self, node: ast.Node, message: str, hint: str = "", id_: str = "model-unsupported") -> None:
        super().__init__(message)
        self.node, self.message, self.hint, self.id = node, message, hint, id_
