# SPDX-License-Identifier: Apache-2.0
"""The checked program: the tree as written, and tables that say what each node means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from p4sume.semantics.types import UNKNOWN, Signature, Type
from p4sume.syntax import ast


@dataclass(frozen=True)
class EnumValue:
    """A member of an enum, of `error` or of `match_kind`. (A number that no member of a serialisable enum has is
    an int.)"""

    type: Type
    member: str


@dataclass(frozen=True)
class ListValue:
    """`dots`: default values follow; only before the value is given a type."""

    items: tuple[Value, ...]
    dots: bool = False


@dataclass(frozen=True)
class StructValue:
    """`dots`: the other fields have default values; only before the value is given a type."""

    fields: tuple[tuple[str, Value], ...]
    dots: bool = False


@dataclass(frozen=True)
class InvalidValue:
    """`{#}`: an invalid header or header_union."""


Value: TypeAlias = "int | bool | str | EnumValue | ListValue | StructValue | InvalidValue"


@dataclass(eq=False)
class Symbol:
    """What a name stands for. `kind` is one of type, variable, constant, parameter, function, action, table,
    instance, value_set, state; functions and actions may be overloaded, and share one symbol."""

    name: str
    kind: str
    node: ast.Node | None
    type: Type
    value: Value | None = None
    direction: str = ""
    constructor_parameter: bool = False
    overloads: list[tuple[Signature, ast.Declaration]] = field(default_factory=list)
    incomplete: bool = False
    used: bool = False


@dataclass(frozen=True, eq=False)
class CallTarget:
    """What a call does.

    `kind`: function (extern or not), action, method (of an extern), constructor, apply (of a parser or control),
    table (apply), built_in (isValid, push_front, minSizeInBits, …).
    `node` is the declaration called (None for built-ins); `signature` has its type arguments filled in.
    `bindings` pairs each parameter with its argument: None for `_`, or where the default value is taken.
    """

    kind: str
    name: str
    node: ast.Declaration | None
    signature: Signature | None
    type_arguments: tuple[Type, ...]
    bindings: tuple[tuple[ast.Parameter, ast.Expression | None], ...]
    receiver: ast.Expression | None = None


@dataclass(eq=False)
class Checked:
    """`types`: of each expression, before conversion. `conversions`: the type that an expression is implicitly
    converted to. `constants`: values known at compile time. `symbols`: what a path or type name refers to.
    `declared_types`: type of each declaration, parameter and field. `calls` and
    `instances`: what each call and each instantiation does."""

    program: ast.Program
    types: dict[ast.Expression, Type] = field(default_factory=dict)
    conversions: dict[ast.Expression, Type] = field(default_factory=dict)
    constants: dict[ast.Expression, Value] = field(default_factory=dict)
    symbols: dict[ast.Node, Symbol] = field(default_factory=dict)
    declared_types: dict[ast.Node, Type] = field(default_factory=dict)
    written_types: dict[ast.TypeNode, Type] = field(default_factory=dict)
    calls: dict[ast.Call, CallTarget] = field(default_factory=dict)
    instances: dict[ast.Instantiation, CallTarget] = field(default_factory=dict)
    annotation_values: dict[ast.Annotation, Value] = field(default_factory=dict)
    top_level: Mapping[str, Symbol] = field(default_factory=dict)
    main: ast.Instantiation | None = None

    def type_of(self, expression: ast.Expression) -> Type:
        """The type in which the context takes the value."""
        found = self.conversions.get(expression)
        return found if found is not None else self.types.get(expression, UNKNOWN)
