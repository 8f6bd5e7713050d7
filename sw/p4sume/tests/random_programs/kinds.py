# SPDX-License-Identifier: Apache-2.0
"""The types that random programs use, and the names that are visible at one place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Bits:
    width: int
    signed: bool = False

    def __str__(self) -> str:
        return f"{'int' if self.signed else 'bit'}<{self.width}>"


@dataclass(frozen=True)
class Bool:
    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class Enum:
    """With `width`, a serialisable one, whose members have the numbers `codes`."""

    name: str
    members: tuple[str, ...]
    width: int | None = None
    codes: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Error:
    members: tuple[str, ...]

    def __str__(self) -> str:
        return "error"


@dataclass(frozen=True)
class Struct:
    name: str
    fields: tuple[tuple[str, Kind], ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Header:
    """Whole bytes; `varbit` is the most bits of a last field `data`, or 0."""

    name: str
    fields: tuple[tuple[str, Kind], ...]
    varbit: int = 0

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Stack:
    header: Header
    size: int

    def __str__(self) -> str:
        return f"{self.header}[{self.size}]"


@dataclass(frozen=True)
class Union:
    """A header_union."""

    name: str
    fields: tuple[tuple[str, Kind], ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Tuple:
    items: tuple[Kind, ...]

    def __str__(self) -> str:
        return f"tuple<{', '.join(map(str, self.items))}>"


Kind = Bits | Bool | Enum | Error | Struct | Header | Union | Stack | Tuple


def is_scalar(kind: Kind) -> bool:
    return isinstance(kind, Bits | Bool | Enum | Error)


def width_of(kind: Kind) -> int:
    """Bits of a kind that has a place in a packet; without varbits."""
    match kind:
        case Bits(width=width):
            return width
        case Bool():
            return 1
        case Enum(width=width) if width is not None:
            return width
        case Struct(fields=fields) | Header(fields=fields):
            return sum(width_of(k) for _, k in fields)
    raise ValueError(f"{kind} has no bits")


@dataclass(frozen=True)
class Place:
    """Something that can be read, and perhaps assigned: its text and kind; `varies`: it is no constant."""

    text: str
    kind: Kind
    writable: bool = True
    varies: bool = True


def parts(place: Place) -> Iterator[Place]:
    """The place, and all within it."""
    yield place
    kind = place.kind
    if isinstance(kind, Struct | Header | Union):
        for name, inner in kind.fields:
            yield from parts(replace(place, text=f"{place.text}.{name}", kind=inner))
    elif isinstance(kind, Stack):
        for index in range(kind.size):
            yield from parts(replace(place, text=f"{place.text}[{index}]", kind=kind.header))
    elif isinstance(kind, Tuple):
        for index, inner in enumerate(kind.items):
            yield from parts(replace(place, text=f"{place.text}[{index}]", kind=inner, writable=False))


@dataclass(frozen=True)
class Parameter:
    direction: str
    kind: Kind
    name: str

    def __str__(self) -> str:
        return f"{self.direction} {self.kind} {self.name}".strip()


@dataclass(frozen=True)
class Function:
    """A function, action or extern function; `result` is None for void."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Kind | None = None
    named: bool = False  # whether arguments may be given by name


@dataclass
class Scope:
    """What can be named at one place; `inner()` is the scope of a block within."""

    places: list[Place] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)  # may be called in expressions
    actions: list[Function] = field(default_factory=list)  # may be called in statements
    may_exit: bool = False
    may_return: bool = False

    def inner(self) -> Scope:
        return Scope(list(self.places), self.functions, self.actions, self.may_exit, self.may_return)

    def declare(self, text: str, kind: Kind, writable: bool = True, varies: bool = True) -> None:
        self.places += parts(Place(text, kind, writable, varies))

    def readable(self, kind: Kind) -> list[Place]:
        return [p for p in self.places if p.kind == kind]

    def writable(self, kind: Kind) -> list[Place]:
        return [p for p in self.places if p.writable and p.kind == kind]

    def of(self, *classes: type) -> list[Place]:
        return [p for p in self.places if isinstance(p.kind, classes)]
