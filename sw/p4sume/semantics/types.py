# SPDX-License-Identifier: Apache-2.0
"""The types of P4-16. Structural types are equal by content, declared ones by declaration and arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from p4sume.syntax import ast


@dataclass(frozen=True)
class Type:
    def show(self) -> str:
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Bits(Type):
    width: int
    signed: bool

    def show(self) -> str:
        return f"{'int' if self.signed else 'bit'}<{self.width}>"


@dataclass(frozen=True)
class Varbit(Type):
    width: int

    def show(self) -> str:
        return f"varbit<{self.width}>"


@dataclass(frozen=True)
class Int(Type):
    """The arbitrary-precision `int` of compile-time values."""


@dataclass(frozen=True)
class Bool(Type):
    pass


@dataclass(frozen=True)
class String(Type):
    pass


@dataclass(frozen=True)
class Error(Type):
    pass


@dataclass(frozen=True)
class MatchKind(Type):
    def show(self) -> str:
        return "match_kind"


@dataclass(frozen=True)
class Void(Type):
    pass


@dataclass(frozen=True)
class DontCare(Type):
    """`_`: any type will do."""

    def show(self) -> str:
        return "_"


@dataclass(frozen=True)
class Dots(Type):
    """The type of `...` before it is known what it stands for."""

    def show(self) -> str:
        return "..."


@dataclass(frozen=True)
class Invalid(Type):
    """The type of `{#}` before it is known what it stands for."""

    def show(self) -> str:
        return "{#}"


@dataclass(frozen=True)
class Unknown(Type):
    """What could not be typed; an error has been reported, and no other follows from it."""

    def show(self) -> str:
        return "unknown"


@dataclass(frozen=True)
class Tuple(Type):
    """`literal` for a list expression, which converts to more than a tuple does."""

    items: tuple[Type, ...]
    literal: bool = False

    def show(self) -> str:
        return f"tuple<{', '.join(i.show() for i in self.items)}>"


@dataclass(frozen=True)
class StructLiteral(Type):
    """The type of `{name = value, …}`."""

    fields: tuple[tuple[str, Type], ...]
    dots: bool

    def show(self) -> str:
        return "{" + ", ".join(f"{n} = {t.show()}" for n, t in self.fields) + "}"


@dataclass(frozen=True)
class List(Type):
    element: Type

    def show(self) -> str:
        return f"list<{self.element.show()}>"


@dataclass(frozen=True)
class Stack(Type):
    element: Type
    size: int

    def show(self) -> str:
        return f"{self.element.show()}[{self.size}]"


@dataclass(frozen=True)
class Set(Type):
    """A keyset: what a mask, a range or a value_set is."""

    element: Type

    def show(self) -> str:
        return f"set<{self.element.show()}>"


@dataclass(frozen=True)
class Variable(Type):
    """A type parameter inside the declaration that has it."""

    node: ast.TypeParameter

    def show(self) -> str:
        return self.node.name.text


@dataclass(frozen=True, eq=False)
class Meta(Type):
    """A type argument that a call leaves to inference; `binding` holds what is known so far."""

    name: str
    binding: list[Type] = field(default_factory=list)

    def show(self) -> str:
        return self.binding[0].show() if self.binding else self.name


# ---- parameters and callables


@dataclass(frozen=True)
class Param:
    name: str
    direction: str
    type: Type
    node: ast.Parameter

    @property
    def optional(self) -> bool:
        return any(a.name == "optional" for a in self.node.annotations)

    @property
    def has_default(self) -> bool:
        return self.node.default is not None


@dataclass(frozen=True)
class Signature(Type):
    """The type of a function, method, action or constructor, or of the `apply` of a parser or control."""

    name: str
    type_parameters: tuple[Variable, ...]
    params: tuple[Param, ...]
    result: Type

    def show(self) -> str:
        params = ", ".join(f"{p.direction} {p.type.show()}".strip() for p in self.params)
        return f"{self.result.show()} {self.name}({params})"


# ---- declared types. An `…Info` is what the declaration says; a type is that with type arguments.


@dataclass(eq=False)
class Info:
    name: str
    node: ast.Declaration | None
    type_parameters: tuple[Variable, ...] = ()


@dataclass(eq=False)
class AggregateInfo(Info):
    kind: str = "struct"
    fields: dict[str, Type] = field(default_factory=dict)


@dataclass(eq=False)
class EnumInfo(Info):
    """`underlying` and the members' values are given for serialisable enums."""

    members: dict[str, int | None] = field(default_factory=dict)
    underlying: Bits | None = None


@dataclass(eq=False)
class NewTypeInfo(Info):
    underlying: Type = field(default_factory=Unknown)


@dataclass(eq=False)
class Method:
    signature: Signature
    node: ast.Function
    abstract: bool


@dataclass(eq=False)
class ExternInfo(Info):
    methods: list[Method] = field(default_factory=list)
    constructors: list[Method] = field(default_factory=list)


@dataclass(eq=False)
class BlockInfo(Info):
    """A parser, control or package; `declared` when it has a body and so can be instantiated (or a package).

    `siblings`: declarations of the same name, itself included, that their constructors tell apart.
    """

    kind: str = "control"
    declared: bool = False
    siblings: list[BlockInfo] = field(default_factory=list)
    apply: Signature | None = None
    constructor: Signature | None = None


@dataclass(frozen=True)
class Declared(Type):
    info: Info
    arguments: tuple[Type, ...] = ()

    def show(self) -> str:
        if not self.arguments:
            return self.info.name
        return f"{self.info.name}<{', '.join(a.show() for a in self.arguments)}>"

    @property
    def substitution(self) -> dict[Variable, Type]:
        return dict(zip(self.info.type_parameters, self.arguments, strict=False))


@dataclass(frozen=True)
class Aggregate(Declared):
    info: AggregateInfo

    @property
    def kind(self) -> str:
        return self.info.kind

    def fields(self) -> dict[str, Type]:
        if not self.arguments:
            return self.info.fields
        mapping = self.substitution
        return {name: substitute(t, mapping) for name, t in self.info.fields.items()}


@dataclass(frozen=True)
class Enum(Declared):
    info: EnumInfo


@dataclass(frozen=True)
class NewType(Declared):
    info: NewTypeInfo


@dataclass(frozen=True)
class Extern(Declared):
    info: ExternInfo


@dataclass(frozen=True)
class Block(Declared):
    """A parser, control or package, as a type or as the declaration itself."""

    info: BlockInfo

    def apply_signature(self) -> Signature | None:
        return self._specialised(self.info.apply)

    def constructor_signature(self) -> Signature | None:
        return self._specialised(self.info.constructor)

    def _specialised(self, signature: Signature | None) -> Signature | None:
        if signature is None or not self.arguments:
            return signature
        replaced = substitute(signature, self.substitution)
        assert isinstance(replaced, Signature)
        return replaced


def specialise(type_: Declared, arguments: tuple[Type, ...]) -> Declared:
    """A generic type with its type arguments."""
    return replace(type_, arguments=arguments)


# ---- types that only expressions have


@dataclass(frozen=True)
class TypeName(Type):
    """The type of an expression that names a type."""

    named: Type

    def show(self) -> str:
        return f"the type {self.named.show()}"


@dataclass(frozen=True)
class TableType(Type):
    node: ast.Table

    def show(self) -> str:
        return f"table {self.node.name.text}"


@dataclass(frozen=True)
class ApplyResult(Type):
    """What applying a table gives: hit, miss, action_run."""

    node: ast.Table

    def show(self) -> str:
        return f"the result of applying {self.node.name.text}"


@dataclass(frozen=True)
class ActionRun(Type):
    node: ast.Table

    def show(self) -> str:
        return f"action_run of {self.node.name.text}"


@dataclass(frozen=True)
class ActionType(Type):
    signature: Signature

    def show(self) -> str:
        return f"action {self.signature.name}"


@dataclass(frozen=True)
class StateType(Type):
    def show(self) -> str:
        return "state"


UNKNOWN = Unknown()
INT = Int()
BOOL = Bool()
STRING = String()
ERROR = Error()
MATCH_KIND = MatchKind()
VOID = Void()
DONT_CARE = DontCare()
DOTS = Dots()
INVALID = Invalid()
STATE = StateType()


def bit(width: int) -> Bits:
    return Bits(width, False)


def resolve(type_: Type) -> Type:
    """What an inferred type stands for so far."""
    while isinstance(type_, Meta) and type_.binding:
        type_ = type_.binding[0]
    return type_


def substitute(type_: Type, mapping: Mapping[Variable, Type]) -> Type:
    """`type_` with type parameters replaced and inferred types filled in."""
    match type_:
        case Variable():
            return mapping.get(type_, type_)
        case Meta():
            found = resolve(type_)
            return found if isinstance(found, Meta) else substitute(found, mapping)
        case Tuple(items, literal):
            return Tuple(tuple(substitute(i, mapping) for i in items), literal)
        case StructLiteral(fields, dots):
            return StructLiteral(tuple((n, substitute(t, mapping)) for n, t in fields), dots)
        case List(element):
            return List(substitute(element, mapping))
        case Set(element):
            return Set(substitute(element, mapping))
        case Stack(element, size):
            return Stack(substitute(element, mapping), size)
        case Declared(_, arguments) if arguments:
            return specialise(type_, tuple(substitute(a, mapping) for a in arguments))
        case Signature(name, type_parameters, params, result):
            kept = tuple(v for v in type_parameters if v not in mapping)
            replaced = tuple(Param(p.name, p.direction, substitute(p.type, mapping), p.node) for p in params)
            return Signature(name, kept, replaced, substitute(result, mapping))
        case _:
            return type_


def parts(type_: Type) -> Iterator[Type]:
    """The type and every type it is made of (not looking into declarations)."""
    type_ = resolve(type_)
    yield type_
    inner: tuple[Type, ...] = ()
    match type_:
        case Tuple(items, _):
            inner = items
        case List(element) | Set(element) | Stack(element, _):
            inner = (element,)
        case Declared(_, arguments):
            inner = arguments
        case StructLiteral(fields, _):
            inner = tuple(t for _, t in fields)
    for item in inner:
        yield from parts(item)


def strip_new(type_: Type) -> Type:
    """What a chain of `type` declarations rests on."""
    while isinstance(type_, NewType):
        type_ = type_.info.underlying
    return type_


def is_header(type_: Type) -> bool:
    return isinstance(type_, Aggregate) and type_.kind == "header"


def is_union(type_: Type) -> bool:
    return isinstance(type_, Aggregate) and type_.kind == "header_union"


def is_struct(type_: Type) -> bool:
    return isinstance(type_, Aggregate) and type_.kind == "struct"


def is_module(type_: Type) -> bool:
    """A parser, control, package or extern: something instantiated, not a value."""
    return isinstance(type_, (Block, Extern))


def is_generic(type_: Type) -> bool:
    """A declared type that still lacks its type arguments."""
    return isinstance(type_, Declared) and bool(type_.info.type_parameters) and not type_.arguments


def min_max_width(type_: Type) -> tuple[int, int] | None:
    """Least and greatest size in bits, or None if the type has no size."""
    match strip_new(type_):
        case Bits(width, _):
            return width, width
        case Bool():
            return 1, 1
        case Varbit(width):
            return 0, width
        case Enum(info, _):
            return (info.underlying.width, info.underlying.width) if info.underlying else None
        case Stack(element, size):
            inner = min_max_width(element)
            return None if inner is None else (inner[0] * size, inner[1] * size)
        case Tuple(items, _):
            return _sum([min_max_width(i) for i in items])
        case Aggregate() as aggregate:
            widths = [min_max_width(t) for t in aggregate.fields().values()]
            if aggregate.kind != "header_union":
                return _sum(widths)
            known = [w for w in widths if w is not None]
            if len(known) != len(widths) or not known:
                return None
            return 0, max(w[1] for w in known)
    return None


def _sum(widths: list[tuple[int, int] | None]) -> tuple[int, int] | None:
    low = high = 0
    for width in widths:
        if width is None:
            return None
        low, high = low + width[0], high + width[1]
    return low, high
