# SPDX-License-Identifier: Apache-2.0
"""What every part of the checker stands on: the tables being filled, scopes, and where in the program it is."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from p4sume.diagnostics import Diagnostic, Diagnostics
from p4sume.semantics.checked import Checked, Symbol, Value
from p4sume.semantics.types import UNKNOWN, Set, Type, Unknown, resolve
from p4sume.source import Span
from p4sume.syntax import ast


class Typed(NamedTuple):
    """What is known of an expression.

    `value` is its compile-time value; `known` says that it has one, perhaps only once the program is
    instantiated; `lvalue` that it can be assigned; `readonly` why it cannot, where that helps.
    """

    type: Type
    value: Value | None = None
    known: bool = False
    lvalue: bool = False
    readonly: str = ""


FAILED = Typed(UNKNOWN, known=True, lvalue=True)


@dataclass(frozen=True)
class Place:
    """The kind of code being checked. `kind`: top, parser, state, control, apply, action, function, method, table.

    `result` is the type that `return` gives (None where it gives none).
    """

    kind: str = "top"
    node: ast.Declaration | None = None
    result: Type | None = None
    loops: int = 0
    this: Type | None = None
    inside: tuple[str, ...] = ()
    block: ast.Declaration | None = None


@dataclass(eq=False)
class Scope:
    names: dict[str, Symbol] = field(default_factory=dict)
    kind: str = ""


class CheckerBase:
    """Holds the state of one run of the checker."""

    def __init__(self, program: ast.Program, diagnostics: Diagnostics) -> None:
        self.program = program
        self.diagnostics = diagnostics
        self.checked = Checked(program)
        self.scopes: list[Scope] = [Scope(kind="top")]
        self.place = Place()
        self.in_keyset = False
        self.instantiated: list[tuple[ast.Declaration | None, ast.Declaration]] = []
        self.deferred: list[tuple[ast.Declaration | None, Diagnostic]] = []
        self.absolute_names: dict[str, ast.Declaration] = {}
        self.known: set[ast.Expression] = set()
        self.errors: dict[str, ast.EnumMember] = {}
        self.match_kinds: dict[str, ast.EnumMember] = {}
        self.checked.top_level = self.scopes[0].names

    # ---- messages

    def error(self, id_: str, where: ast.Node | Span, message: str, hint: str = "") -> Typed:
        self.diagnostics.error(id_, where.span if isinstance(where, ast.Node) else where, message, hint)
        return FAILED

    def error_if_used(self, id_: str, where: ast.Node, message: str, hint: str = "") -> None:
        """An error if the parser or control around it is instantiated in the end, else a warning."""
        owner = self.place.block or self.place.node
        self.deferred.append((owner, Diagnostic("error", id_, where.span, message, hint)))

    def warn(self, id_: str, where: ast.Node | Span, message: str, hint: str = "") -> None:
        self.diagnostics.warning(id_, where.span if isinstance(where, ast.Node) else where, message, hint)

    # ---- scopes

    @contextmanager
    def scope(self, kind: str = "") -> Iterator[Scope]:
        inner = Scope(kind=kind)
        self.scopes.append(inner)
        try:
            yield inner
        finally:
            self.scopes.pop()

    @contextmanager
    def at(self, place: Place) -> Iterator[None]:
        outer = self.place
        block = place.node if place.kind in ("parser", "control") else outer.block
        self.place = replace(place, inside=(*outer.inside, place.kind), block=block)
        try:
            yield
        finally:
            self.place = outer

    def in_parser(self) -> bool:
        return "parser" in self.place.inside

    def find(self, name: str, absolute: bool = False) -> Symbol | None:
        if absolute:
            return self.scopes[0].names.get(name)
        for scope in reversed(self.scopes):
            found = scope.names.get(name)
            if found is not None:
                return found
        return None

    def declare(self, symbol: Symbol, name: ast.Name) -> bool:
        """Enter a name into the innermost scope; False, with an error, if it is taken."""
        scope = self.scopes[-1]
        old = scope.names.get(name.text)
        if old is not None:
            self.error(
                "duplicate-name",
                name,
                f"'{name.text}' is declared twice in this scope" + _previous(old),
                "rename one of the two",
            )
            return False
        for outer in reversed(self.scopes[:-1]):
            shadowed = outer.names.get(name.text)
            if shadowed is None:
                continue
            if shadowed.kind == "parameter" and symbol.kind != "parameter" and scope.kind != "block":
                self.error(
                    "shadows-parameter",
                    name,
                    f"'{name.text}' has the name of a parameter" + _previous(shadowed),
                    "rename one of the two",
                )
            elif outer.kind != "top" and symbol.kind not in ("type", "state"):
                self.warn("shadows", name, f"'{name.text}' hides another declaration" + _previous(shadowed))
            break
        scope.names[name.text] = symbol
        return True

    def not_found(self, node: ast.Node, name: str, what: str = "") -> Typed:
        near = self._similar(name)
        hint = f"did you mean '{near}'?" if near else "declare it before this line, or include its declaration"
        return self.error("not-declared", node, f"{what or 'the name'} '{name}' is not declared", hint)

    def _similar(self, name: str) -> str | None:
        known = [n for scope in reversed(self.scopes) for n in scope.names]
        close = difflib.get_close_matches(name, known, 1, 0.75)
        return close[0] if close else None

    # ---- parts that other rooms provide

    def expression(self, node: ast.Expression) -> Typed:
        raise NotImplementedError

    def remember(self, node: ast.Expression, found: Typed) -> None:
        raise NotImplementedError

    def constant_int(self, node: ast.Expression, what: str) -> int | None:
        raise NotImplementedError

    def call(self, node: ast.Call) -> Typed:
        raise NotImplementedError

    def constructor_call(self, node: ast.Call, written: ast.TypeNode) -> Typed:
        raise NotImplementedError

    def statements(self, body: Sequence[ast.Statement | ast.Declaration]) -> None:
        raise NotImplementedError

    def block(self, node: ast.Block) -> None:
        raise NotImplementedError

    def aggregate(self, node: ast.Aggregate) -> Type:
        raise NotImplementedError

    def enum(self, node: ast.Enum) -> Type:
        raise NotImplementedError


def _previous(symbol: Symbol) -> str:
    if symbol.node is None:
        return ""
    file, line, _ = symbol.node.span.location()
    return f"; the other is at {file}:{line}"


def unknown(*types: Type) -> bool:
    """Any of the types is unknown, so that an error about them would only repeat another."""
    for type_ in types:
        type_ = resolve(type_)
        if isinstance(type_, Unknown):
            return True
        if isinstance(type_, Set) and isinstance(type_.element, Unknown):
            return True
    return False
