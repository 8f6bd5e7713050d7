# SPDX-License-Identifier: Apache-2.0
"""The syntax tree: frozen nodes, each with its span, equal only to themselves.

Nodes say what was written. What it means (types, declarations, constants) stands in the tables of
`semantics.checked.Checked`, keyed by node.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from p4sume.source import Span


@dataclass(frozen=True, eq=False)
class Node:
    span: Span


@dataclass(frozen=True, eq=False)
class Name(Node):
    text: str


# ---- annotations


@dataclass(frozen=True, eq=False)
class Annotation(Node):
    """`@name`, `@name(tokens)` or `@name[expressions]` / `@name[key = value]`."""

    name: str
    structured: bool
    tokens: tuple[AnnotationToken, ...]
    items: tuple[Expression, ...]
    pairs: tuple[NamedExpression, ...]


@dataclass(frozen=True, eq=False)
class AnnotationToken(Node):
    kind: str
    text: str


# ---- types as written


@dataclass(frozen=True, eq=False)
class TypeNode(Node):
    pass


@dataclass(frozen=True, eq=False)
class BaseType(TypeNode):
    """bool, error, match_kind, string, int (of any size), void, `_`."""

    name: str


@dataclass(frozen=True, eq=False)
class SizedType(TypeNode):
    """bit<w>, int<w>, varbit<w>; `width` is None for plain `bit`."""

    name: str
    width: Expression | None


@dataclass(frozen=True, eq=False)
class NamedType(TypeNode):
    """A type name; `absolute` when written `.name`."""

    name: str
    absolute: bool


@dataclass(frozen=True, eq=False)
class SpecializedType(TypeNode):
    base: NamedType
    arguments: tuple[TypeNode, ...]


@dataclass(frozen=True, eq=False)
class ArrayType(TypeNode):
    element: TypeNode
    size: Expression


@dataclass(frozen=True, eq=False)
class TupleType(TypeNode):
    arguments: tuple[TypeNode, ...]


@dataclass(frozen=True, eq=False)
class ListType(TypeNode):
    argument: TypeNode


# ---- expressions


@dataclass(frozen=True, eq=False)
class Expression(Node):
    pass


@dataclass(frozen=True, eq=False)
class IntLiteral(Expression):
    value: int
    width: int | None
    signed: bool


@dataclass(frozen=True, eq=False)
class BoolLiteral(Expression):
    value: bool


@dataclass(frozen=True, eq=False)
class StringLiteral(Expression):
    value: str


@dataclass(frozen=True, eq=False)
class Dots(Expression):
    """`...`: the default value."""


@dataclass(frozen=True, eq=False)
class InvalidHeader(Expression):
    """`{#}`."""


@dataclass(frozen=True, eq=False)
class This(Expression):
    pass


@dataclass(frozen=True, eq=False)
class PathExpression(Expression):
    name: str
    absolute: bool


@dataclass(frozen=True, eq=False)
class TypeExpression(Expression):
    """A type where an expression stands: `E` of `E.member`, `T` of `T(…)` and of `T.apply(…)`."""

    type: TypeNode


@dataclass(frozen=True, eq=False)
class Member(Expression):
    base: Expression
    name: Name


@dataclass(frozen=True, eq=False)
class Index(Expression):
    base: Expression
    index: Expression


@dataclass(frozen=True, eq=False)
class Slice(Expression):
    """`base[high:low]`, or `base[low+:width]` when `width` is given."""

    base: Expression
    high: Expression | None
    low: Expression
    width: Expression | None


@dataclass(frozen=True, eq=False)
class Unary(Expression):
    operator: str
    operand: Expression


@dataclass(frozen=True, eq=False)
class Binary(Expression):
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, eq=False)
class Ternary(Expression):
    condition: Expression
    chosen: Expression
    other: Expression


@dataclass(frozen=True, eq=False)
class Cast(Expression):
    type: TypeNode
    operand: Expression


@dataclass(frozen=True, eq=False)
class ListExpression(Expression):
    """`{a, b}`, or a tuple of keysets `(a, b)` (`round_brackets`)."""

    items: tuple[Expression, ...]
    round_brackets: bool


@dataclass(frozen=True, eq=False)
class NamedExpression(Node):
    name: Name
    value: Expression


@dataclass(frozen=True, eq=False)
class StructExpression(Expression):
    """`{name = value, …}`; `defaults` when it ends in `...`."""

    fields: tuple[NamedExpression, ...]
    defaults: Dots | None


@dataclass(frozen=True, eq=False)
class Argument(Node):
    """`value` is None for the don't-care argument `_`."""

    name: Name | None
    value: Expression | None


@dataclass(frozen=True, eq=False)
class Call(Expression):
    """A call of a function, method, action, table; or, when `callee` is a TypeExpression, of a constructor."""

    callee: Expression
    type_arguments: tuple[TypeNode, ...]
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, eq=False)
class Mask(Expression):
    value: Expression
    mask: Expression


@dataclass(frozen=True, eq=False)
class Range(Expression):
    low: Expression
    high: Expression


@dataclass(frozen=True, eq=False)
class DefaultKeyset(Expression):
    """`default` or `_` as a keyset or switch label."""


# ---- statements


@dataclass(frozen=True, eq=False)
class Statement(Node):
    pass


@dataclass(frozen=True, eq=False)
class Block(Statement):
    annotations: tuple[Annotation, ...]
    body: tuple[Statement | Declaration, ...]


@dataclass(frozen=True, eq=False)
class Assignment(Statement):
    """`operator` is "" for `=`, "+" for `+=`, and so on."""

    target: Expression
    operator: str
    value: Expression


@dataclass(frozen=True, eq=False)
class CallStatement(Statement):
    call: Call


@dataclass(frozen=True, eq=False)
class If(Statement):
    condition: Expression
    then: Statement
    otherwise: Statement | None


@dataclass(frozen=True, eq=False)
class Return(Statement):
    value: Expression | None


@dataclass(frozen=True, eq=False)
class Exit(Statement):
    pass


@dataclass(frozen=True, eq=False)
class Break(Statement):
    pass


@dataclass(frozen=True, eq=False)
class Continue(Statement):
    pass


@dataclass(frozen=True, eq=False)
class Empty(Statement):
    pass


@dataclass(frozen=True, eq=False)
class SwitchCase(Node):
    """`body` is None when the label falls through to the next."""

    label: Expression
    body: Block | None


@dataclass(frozen=True, eq=False)
class Switch(Statement):
    subject: Expression
    cases: tuple[SwitchCase, ...]


@dataclass(frozen=True, eq=False)
class For(Statement):
    annotations: tuple[Annotation, ...]
    start: tuple[Statement | Declaration, ...]
    condition: Expression
    update: tuple[Statement | Declaration, ...]
    body: Statement


@dataclass(frozen=True, eq=False)
class ForIn(Statement):
    annotations: tuple[Annotation, ...]
    variable: Variable
    collection: Expression
    body: Statement


# ---- declarations


@dataclass(frozen=True, eq=False)
class Declaration(Node):
    name: Name
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True, eq=False)
class TypeParameter(Declaration):
    pass


@dataclass(frozen=True, eq=False)
class Parameter(Declaration):
    """`direction` is "in", "out", "inout" or ""."""

    direction: str
    type: TypeNode
    default: Expression | None


@dataclass(frozen=True, eq=False)
class Constant(Declaration):
    type: TypeNode
    value: Expression


@dataclass(frozen=True, eq=False)
class Variable(Declaration):
    type: TypeNode
    value: Expression | None


@dataclass(frozen=True, eq=False)
class Instantiation(Declaration):
    """`initializer` holds the methods of an extern with abstract methods."""

    type: TypeNode
    arguments: tuple[Argument, ...]
    initializer: tuple[Declaration, ...] | None


@dataclass(frozen=True, eq=False)
class Function(Declaration):
    """A function with a body; an extern function, an extern's method or constructor when `body` is None."""

    result: TypeNode | None
    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]
    body: Block | None
    abstract: bool = False


@dataclass(frozen=True, eq=False)
class Extern(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    methods: tuple[Function, ...]


@dataclass(frozen=True, eq=False)
class Action(Declaration):
    parameters: tuple[Parameter, ...]
    body: Block


@dataclass(frozen=True, eq=False)
class Applicable(Declaration):
    """What parser and control types and declarations share."""

    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, eq=False)
class ParserType(Applicable):
    pass


@dataclass(frozen=True, eq=False)
class ControlType(Applicable):
    pass


@dataclass(frozen=True, eq=False)
class State(Declaration):
    """`transition` is a PathExpression, a Select, or None (which means `reject`)."""

    body: tuple[Statement | Declaration, ...]
    transition: Expression | None


@dataclass(frozen=True, eq=False)
class SelectCase(Node):
    keyset: Expression
    state: PathExpression


@dataclass(frozen=True, eq=False)
class Select(Expression):
    subjects: tuple[Expression, ...]
    cases: tuple[SelectCase, ...]


@dataclass(frozen=True, eq=False)
class Parser(Applicable):
    constructor_parameters: tuple[Parameter, ...]
    locals: tuple[Declaration, ...]
    states: tuple[State, ...]


@dataclass(frozen=True, eq=False)
class Control(Applicable):
    constructor_parameters: tuple[Parameter, ...]
    locals: tuple[Declaration, ...]
    body: Block


@dataclass(frozen=True, eq=False)
class PackageType(Declaration):
    type_parameters: tuple[TypeParameter, ...]
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, eq=False)
class Field(Declaration):
    type: TypeNode


@dataclass(frozen=True, eq=False)
class Aggregate(Declaration):
    """A struct, header or header_union, as `kind` says."""

    kind: str
    type_parameters: tuple[TypeParameter, ...]
    fields: tuple[Field, ...]


@dataclass(frozen=True, eq=False)
class EnumMember(Declaration):
    value: Expression | None


@dataclass(frozen=True, eq=False)
class Enum(Declaration):
    """`underlying` is given for serialisable enums."""

    underlying: TypeNode | None
    members: tuple[EnumMember, ...]


@dataclass(frozen=True, eq=False)
class ErrorMembers(Declaration):
    """`error { … }`: more members of the one error type."""

    members: tuple[EnumMember, ...]


@dataclass(frozen=True, eq=False)
class MatchKinds(Declaration):
    members: tuple[EnumMember, ...]


@dataclass(frozen=True, eq=False)
class Typedef(Declaration):
    """`typedef`, or `type` when `new`; the type may be a declaration that stands inside."""

    new: bool
    type: TypeNode | Aggregate | Enum


@dataclass(frozen=True, eq=False)
class ValueSet(Declaration):
    type: TypeNode
    size: Expression


# ---- tables


@dataclass(frozen=True, eq=False)
class KeyElement(Node):
    value: Expression
    match_kind: Name
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True, eq=False)
class ActionRef(Node):
    """An action in a list, entry or default_action; `arguments` is None when written without brackets."""

    path: PathExpression
    arguments: tuple[Argument, ...] | None
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True, eq=False)
class Entry(Node):
    constant: bool
    priority: Expression | None
    keyset: Expression
    action: Expression
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True, eq=False)
class Property(Declaration):
    """Any table property but key, actions and entries."""

    constant: bool
    value: Expression


@dataclass(frozen=True, eq=False)
class Key(Declaration):
    elements: tuple[KeyElement, ...]


@dataclass(frozen=True, eq=False)
class ActionList(Declaration):
    actions: tuple[ActionRef, ...]


@dataclass(frozen=True, eq=False)
class Entries(Declaration):
    constant: bool
    entries: tuple[Entry, ...]


@dataclass(frozen=True, eq=False)
class Table(Declaration):
    properties: tuple[Declaration, ...]


@dataclass(frozen=True, eq=False)
class Program(Node):
    declarations: tuple[Declaration, ...]


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below a node, in the order of the text."""
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, Node))
