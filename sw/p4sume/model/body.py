# SPDX-License-Identifier: Apache-2.0
"""What the writing of one C++ function body needs: its lines, its names, and the meaning of the P4 nodes in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from p4sume.model.names import Names
from p4sume.model.refusal import RefusedError
from p4sume.model.writer import Writer
from p4sume.semantics.checked import Symbol, Value
from p4sume.semantics.types import Type, Variable, substitute
from p4sume.syntax import ast

if TYPE_CHECKING:
    from p4sume.model.program import Program

# How `return` and `exit` leave: `exit` is "" where there is none.
Leave = tuple[str, str]


class Body:
    def __init__(
        self,
        program: Program,
        names: Names,
        known: dict[ast.Node, str],
        leave: Leave,
        mapping: Mapping[Variable, Type],
        owner: object = None,
    ) -> None:
        self.program = program
        self.checked = program.checked
        self.types = program.types
        self.literals = program.literals
        self.effects = program.effects
        self.names = names
        self.known = known
        self.on_return, self.on_exit = leave
        self.mapping = mapping
        self.owner = owner
        self.out = Writer()

    # ---- meaning

    def type_of(self, node: ast.Expression) -> Type:
        """The type in which the context takes the value."""
        return substitute(self.checked.type_of(node), self.mapping)

    def own_type(self, node: ast.Expression) -> Type:
        """The type before conversion."""
        found = self.checked.types.get(node)
        if found is None:
            raise RefusedError(node, "the type of this is not known", id_="model-internal")
        return substitute(found, self.mapping)

    def declared_type(self, node: ast.Node) -> Type:
        return substitute(self.checked.declared_types[node], self.mapping)

    def constant(self, node: ast.Expression) -> Value | None:
        return self.checked.constants.get(node)

    def constant_number(self, node: ast.Expression) -> int | None:
        value = self.constant(node)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def symbol(self, node: ast.PathExpression) -> Symbol:
        found = self.checked.symbols.get(node)
        if found is None:
            raise RefusedError(node, f"'{node.name}' has no meaning here", id_="model-internal")
        return found

    def cpp(self, type_: Type, at: ast.Node) -> str:
        return self.types.name(substitute(type_, self.mapping), at)

    # ---- lines

    def line(self, text: str) -> None:
        self.out.line(text)

    def lines(self, texts: list[str]) -> None:
        for text in texts:
            self.out.line(text)

    def temporary(self, value: str, what: str = "t", const: bool = True) -> str:
        """A new variable that holds the value from here on."""
        name = self.names.temporary(what)
        self.line(f"{'const auto' if const else 'auto'} {name} = {value};")
        return name

    @contextmanager
    def block(self, head: str = "") -> Iterator[None]:
        with self.out.block(head):
            yield
