# SPDX-License-Identifier: Apache-2.0
"""Random expressions of a wanted kind.

Nothing is made that the language does not define: divisors are constant powers of two, shift distances unsigned,
slices and products within their bounds. What is noted in `features` is counted over many programs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from p4sume.tests.random_programs.kinds import (
    Bits,
    Bool,
    Enum,
    Error,
    Function,
    Header,
    Kind,
    Scope,
    Stack,
    Struct,
    Tuple,
    Union,
    is_scalar,
)

WIDTHS = (1, 1, 2, 3, 4, 5, 7, 8, 8, 8, 9, 12, 13, 16, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 128)
# The widest product of two variables that fits a pass of the pipeline.
MAX_FACTOR = 18
PREDICATES = ("<", "<=", ">", ">=")


class Expressions:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.features: Counter[str] = Counter()
        self.enums: list[Enum] = []
        self.errors = Error(("NoError", "PacketTooShort", "NoMatch"))
        self.effects = True  # whether functions may be called here

    def note(self, feature: str) -> None:
        self.features[feature] += 1

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    # ---- kinds

    def number_kind(self, signed: float = 0.25) -> Bits:
        width = self.rng.choice(WIDTHS)
        return Bits(width, self.chance(signed))

    def scalar_kind(self) -> Kind:
        kind = self.rng.choice(("bits", "bits", "bits", "bits", "bool", "enum", "error"))
        if kind == "bool":
            return Bool()
        if kind == "enum" and self.enums:
            return self.rng.choice(self.enums)
        return self.errors if kind == "error" else self.number_kind()

    # ---- any kind

    def value(self, kind: Kind, scope: Scope, depth: int, literal: bool = True) -> str:
        """`literal`: whether a list may stand here, as it may where the context says what it has to become."""
        if isinstance(kind, Bits):
            return self.number(kind, scope, depth)
        if isinstance(kind, Bool):
            return self.condition(scope, depth)
        if isinstance(kind, Enum):
            return self._enum(kind, scope, depth)
        if isinstance(kind, Error):
            return self._error(scope, depth)
        return self._whole(kind, scope, depth, literal)

    def constant(self, kind: Kind) -> str:
        """A compile-time value."""
        if isinstance(kind, Bits):
            return self.literal(kind)
        if isinstance(kind, Bool):
            return self.rng.choice(("true", "false"))
        if isinstance(kind, Enum):
            return f"{kind.name}.{self.rng.choice(kind.members)}"
        if isinstance(kind, Error):
            return f"error.{self.rng.choice(kind.members)}"
        inner = [k for _, k in kind.fields] if isinstance(kind, Struct | Header) else list(kind.items)
        return f"{{ {', '.join(self.constant(k) for k in inner)} }}"

    def literal(self, kind: Bits) -> str:
        width = kind.width
        bits = self.rng.choice((0, 1, 2, 5, (1 << width) - 1, 1 << (width - 1), self.rng.getrandbits(width)))
        bits &= (1 << width) - 1
        if not kind.signed:
            return f"{width}w{self.rng.choice((str(bits), hex(bits)))}"
        self.note("signed literal")
        if bits == 1 << (width - 1):
            return f"(({kind}){width}w{bits})"
        return f"{width}s{bits}" if bits >> (width - 1) == 0 else f"-{width}s{(1 << width) - bits}"

    def _enum(self, kind: Enum, scope: Scope, depth: int) -> str:
        known = scope.readable(kind)
        if known and self.chance(0.5):
            return self.rng.choice(known).text
        if kind.width is not None and depth > 0 and self.chance(0.4):
            self.note("cast to enum")
            return f"({kind.name})({self.number(Bits(kind.width), scope, depth - 1)})"
        if depth > 0 and self.chance(0.3):
            return self._choice(kind, scope, depth)
        return self.constant(kind)

    def _error(self, scope: Scope, depth: int) -> str:
        known = scope.readable(self.errors)
        if known and self.chance(0.5):
            return self.rng.choice(known).text
        return self._choice(self.errors, scope, depth) if depth > 0 and self.chance(0.3) else self.constant(self.errors)

    def _choice(self, kind: Kind, scope: Scope, depth: int) -> str:
        self.note("?:")
        first = self.value(kind, scope, depth - 1, literal=False)
        return f"({self.condition(scope, depth - 1)} ? {first} : {self.value(kind, scope, depth - 1, literal=False)})"

    def _whole(self, kind: Struct | Header | Stack | Tuple | Union, scope: Scope, depth: int, literal: bool) -> str:
        known = scope.readable(kind)
        if isinstance(kind, Stack) and (not known or literal and self.chance(0.2)):
            self.note("stack literal")
            return f"{{ {', '.join(self.value(kind.header, scope, depth - 1) for _ in range(kind.size))} }}"
        if isinstance(kind, Header) and kind.varbit or isinstance(kind, Stack | Union):
            return self.rng.choice(known).text
        made = self._result_of(kind, scope, depth)
        if made is not None and self.chance(0.5):
            return made
        element = self._element(kind, scope)
        if element is not None and self.chance(0.2):
            self.note("header at run-time index read")
            return element
        if known and (not literal or self.chance(0.5)):
            if depth > 0 and len(known) > 1 and self.chance(0.2):
                first, second = self.rng.choice(known).text, self.rng.choice(known).text
                self.note("?: of wholes")
                return f"({self.condition(scope, depth - 1)} ? {first} : {second})"
            return self.rng.choice(known).text
        if isinstance(kind, Tuple):
            self.note("tuple literal")
            made = f"{{ {', '.join(self.value(k, scope, depth - 1) for k in kind.items)} }}"
            return made if literal else f"(({kind}){made})"
        if isinstance(kind, Header) and literal and self.chance(0.15):
            self.note("{#}")
            return "{#}"
        items = [(name, self.value(k, scope, depth - 1)) for name, k in kind.fields]
        if literal and len(items) > 1 and self.chance(0.15):
            self.note("...")
            return f"{{ {', '.join(text for _, text in items[:-1])}, ... }}"
        if self.chance(0.5):
            self.note("named struct literal")
            self.rng.shuffle(items)
            made = f"{{ {', '.join(f'{name} = {text}' for name, text in items)} }}"
        else:
            self.note("struct literal")
            made = f"{{ {', '.join(text for _, text in items)} }}"
        return made if literal else f"(({kind}){made})"

    # ---- calls in expressions

    def _result_of(self, kind: Kind, scope: Scope, depth: int) -> str | None:
        if not self.effects or depth <= 0:
            return None
        fitting = [f for f in scope.functions if f.result == kind]
        self.rng.shuffle(fitting)
        for function in fitting:
            made = self.call(function, scope, depth - 1)
            if made is not None:
                self.note("function in expression")
                return made
        return None

    def call(self, function: Function, scope: Scope, depth: int) -> str | None:
        """A call with arguments; None if the scope has no variable for an out or inout parameter."""
        arguments = []
        for parameter in function.parameters:
            if parameter.direction in ("out", "inout"):
                made = self.variable(parameter.kind, scope)
                if made is None:
                    return None
                arguments.append(made)
            else:
                arguments.append(self.value(parameter.kind, scope, depth))
        if len(set(arguments)) < len(arguments):
            self.note("aliased arguments")
        if function.named and self.chance(0.2):
            self.note("named arguments")
            named = [f"{p.name} = {a}" for p, a in zip(function.parameters, arguments, strict=True)]
            self.rng.shuffle(named)
            return f"{function.name}({', '.join(named)})"
        return f"{function.name}({', '.join(arguments)})"

    def variable(self, kind: Kind, scope: Scope) -> str | None:
        """Something of the kind that can be assigned: a variable, field, or slice of one."""
        fitting = scope.writable(kind)
        if isinstance(kind, Bits) and not kind.signed and (not fitting or self.chance(0.25)):
            wider = [p for p in scope.of(Bits) if p.writable and p.kind.width > kind.width]
            if wider:
                self.note("slice as l-value")
                place = self.rng.choice(wider)
                low = self.rng.randint(0, place.kind.width - kind.width)
                if low and self.chance(0.3):
                    self.note("slice of slice as l-value")
                    return f"{place.text}[{place.kind.width - 1}:{low}][{kind.width - 1}:0]"
                return f"{place.text}[{low + kind.width - 1}:{low}]"
        if isinstance(kind, Bits) and self.chance(0.2):
            indexed = self._element_field(kind, scope, writable=True)
            if indexed is not None:
                self.note("run-time index as l-value")
                return indexed
        if isinstance(kind, Header) and self.chance(0.25):
            element = self._element(kind, scope, writable=True)
            if element is not None:
                self.note("run-time index as l-value")
                return element
        return self.rng.choice(fitting).text if fitting else None

    def _element(self, kind: Kind, scope: Scope, writable: bool = False) -> str | None:
        """The header at a run-time index of a stack."""
        stacks = [p for p in scope.of(Stack) if p.kind.header == kind and (p.writable or not writable)]
        return f"{self.rng.choice(stacks).text}[{self.index(scope)}]" if stacks else None

    def _element_field(self, kind: Kind, scope: Scope, writable: bool = False) -> str | None:
        """A field of the stack element at a run-time index, which may lie outside."""
        found = [
            (place, name)
            for place in scope.of(Stack)
            if place.writable or not writable
            for name, k in place.kind.header.fields
            if k == kind
        ]
        if not found:
            return None
        place, name = self.rng.choice(found)
        return f"{place.text}[{self.index(scope)}].{name}"

    def index(self, scope: Scope) -> str:
        """A small number that is not known at compile time."""
        sources = [p for p in scope.of(Bits) if p.varies and not p.kind.signed and p.kind.width >= 2]
        if not sources:
            return "0"
        return f"{self.rng.choice(sources).text}[1:0]"

    # ---- conditions

    def condition(self, scope: Scope, depth: int) -> str:
        known = scope.readable(Bool())
        if depth <= 0:
            if known and self.chance(0.5):
                return self.rng.choice(known).text
            valid = self._is_valid(scope)
            if valid is not None and self.chance(0.5):
                return valid
            return self._against_constant(scope) or self.constant(Bool())
        made: str | None
        match self.rng.randrange(9):
            case 0:
                made = self._result_of(Bool(), scope, depth)
            case 1:
                self.note("&& ||")
                operator = self.rng.choice(("&&", "||"))
                made = f"({self.condition(scope, depth - 1)} {operator} {self.condition(scope, depth - 1)})"
            case 2:
                made = f"!{self._bracketed(self.condition(scope, depth - 1))}"
            case 3:
                made = self._is_valid(scope)
            case 4:
                self.note("cast to bool")
                made = f"(bool)({self.number(Bits(1), scope, depth - 1)})"
            case 5:
                made = self._wholes_equal(scope, depth)
            case 6:
                made = self._against_constant(scope)
            case _:
                made = self._comparison(scope, depth)
        return made or self._comparison(scope, depth)

    @staticmethod
    def _bracketed(text: str) -> str:
        return f"({text})"

    def _is_valid(self, scope: Scope) -> str | None:
        headers = scope.of(Header)
        if not headers:
            return None
        stacks = scope.of(Stack)
        if stacks and self.chance(0.3):
            self.note("isValid of run-time index")
            return f"{self.rng.choice(stacks).text}[{self.index(scope)}].isValid()"
        self.note("isValid")
        return f"{self.rng.choice(headers).text}.isValid()"

    def _against_constant(self, scope: Scope) -> str | None:
        """A comparison that packets are steered to fulfil."""
        known = [p for p in scope.of(Bits) if p.kind.width <= 16]
        if not known:
            return None
        place = self.rng.choice(known)
        operator = self.rng.choice(("==", "==", "!=", *PREDICATES))
        return f"({place.text} {operator} {self.literal(place.kind)})"

    def _comparison(self, scope: Scope, depth: int) -> str:
        kind = self.scalar_kind()
        if isinstance(kind, Bits):
            operator = self.rng.choice(("==", "!=", *PREDICATES))
            self.note("signed comparison" if kind.signed else "comparison")
        else:
            operator = self.rng.choice(("==", "!="))
            self.note(f"equality of {type(kind).__name__.lower()}")
        left = self.value(kind, scope, depth - 1)
        if isinstance(kind, Enum) and kind.width is not None and self.chance(0.3):
            self.note("enum compared with number")
            return f"({left} {operator} {self.number(Bits(kind.width), scope, depth - 1)})"
        return f"({left} {operator} {self.value(kind, scope, depth - 1)})"

    def _wholes_equal(self, scope: Scope, depth: int) -> str | None:
        known = scope.of(Struct, Header, Tuple, Stack)
        unions = scope.of(Union)
        if unions and self.chance(0.2):
            self.note("isValid of union")
            return f"{self.rng.choice(unions).text}.isValid()"
        if not known:
            return None
        first = self.rng.choice(known)
        second = self.rng.choice(scope.readable(first.kind)).text
        if isinstance(first.kind, Struct | Tuple) and self.chance(0.3):
            second = self._whole(first.kind, scope, depth, literal=False)
        self.note(f"equality of {type(first.kind).__name__.lower()}")
        return f"({first.text} {self.rng.choice(('==', '!='))} {second})"

    # ---- numbers

    def number(self, kind: Bits, scope: Scope, depth: int) -> str:
        if depth <= 0:
            return self._leaf(kind, scope)
        made: list[Callable[[], str | None]] = [
            lambda: self._arithmetic(kind, scope, depth),
            lambda: self._arithmetic(kind, scope, depth),
            lambda: self._shifted(kind, scope, depth),
            lambda: self._shifted(kind, scope, depth),
            lambda: self._unary(kind, scope, depth),
            lambda: self._leaf(kind, scope),
            lambda: self._joined(kind, scope, depth),
            lambda: self._sliced(kind, scope, depth),
            lambda: self._cast(kind, scope, depth),
            lambda: self._choice(kind, scope, depth),
            lambda: self._result_of(kind, scope, depth),
            lambda: self._divided(kind, scope, depth),
            lambda: self._product(kind, scope, depth),
            lambda: self._element_field(kind, scope),
            lambda: self._from_other(kind, scope),
        ]
        return self.rng.choice(made)() or self._leaf(kind, scope)

    def _leaf(self, kind: Bits, scope: Scope) -> str:
        known = scope.readable(kind)
        if known and self.chance(0.7):
            return self.rng.choice(known).text
        numbers = scope.of(Bits)
        if not numbers or self.chance(0.2):
            return self.literal(kind)
        place = self.rng.choice(numbers)
        return self._adapted(place.text, place.kind, kind)

    def _adapted(self, text: str, from_: Bits, to: Bits) -> str:
        """Casts change either width or sign."""
        if from_.width != to.width:
            if from_.signed and to.width > from_.width:
                self.note("sign extension")
            text = f"({Bits(to.width, from_.signed)})({text})"
        if from_.signed != to.signed:
            self.note("cast of sign")
            text = f"({to})({text})"
        return text

    def _arithmetic(self, kind: Bits, scope: Scope, depth: int) -> str:
        operator = self.rng.choice(("+", "-", "&", "|", "^", "|+|", "|-|"))
        self.note(f"signed {operator}" if kind.signed else operator)
        left, right = self.number(kind, scope, depth - 1), self.number(kind, scope, depth - 1)
        if kind.width > 3 and self.chance(0.15):
            self.note("number without width")
            right = str(self.rng.randint(0, 7))
        enums = [p for p in scope.of(Enum) if p.kind.width == kind.width]
        if enums and not kind.signed and self.chance(0.5):
            self.note("enum as operand")
            left = self.rng.choice(enums).text
        return f"({left} {operator} {right})"

    def _shifted(self, kind: Bits, scope: Scope, depth: int) -> str:
        operator = self.rng.choice(("<<", ">>"))
        left = self.number(kind, scope, depth - 1)
        self.note(f"signed {operator}" if kind.signed else operator)
        if self.chance(0.4):
            self.note("shift by constant")
            return f"({left} {operator} {self.rng.randint(0, kind.width + 2)})"
        by = Bits(self.rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33)))
        self.note("shift by variable")
        return f"({left} {operator} {self.number(by, scope, depth - 1)})"

    def _unary(self, kind: Bits, scope: Scope, depth: int) -> str:
        operator = self.rng.choice(("-", "~", "+"))
        self.note(f"unary {operator}")
        return f"({operator}({self.number(kind, scope, depth - 1)}))"

    def _joined(self, kind: Bits, scope: Scope, depth: int) -> str | None:
        if kind.width < 2:
            return None
        left = Bits(self.rng.randint(1, kind.width - 1), kind.signed)
        right_width = kind.width - left.width
        right = Bits(right_width, self.chance(0.2))
        self.note("++")
        return f"({self.number(left, scope, depth - 1)} ++ {self.number(right, scope, depth - 1)})"

    def _sliced(self, kind: Bits, scope: Scope, depth: int) -> str | None:
        if kind.signed:
            return None
        base = Bits(min(128, kind.width + self.rng.randint(0, 12)), self.chance(0.2))
        text = self.number(base, scope, depth - 1)
        if self.chance(0.15):
            place = self.rng.choice(scope.readable(base)) if scope.readable(base) else None
            if place is not None and self.index(scope) != "0":
                self.note("slice at run time")
                return f"{place.text}[{self.index(scope)}+:{kind.width}]"
        low = self.rng.randint(0, base.width - kind.width)
        self.note("slice")
        return f"({text})[{low + kind.width - 1}:{low}]"

    def _cast(self, kind: Bits, scope: Scope, depth: int) -> str:
        from_ = self.number_kind()
        self.note("cast")
        return self._bracketed(self._adapted(self.number(from_, scope, depth - 1), from_, kind))

    def _divided(self, kind: Bits, scope: Scope, depth: int) -> str | None:
        if kind.signed:
            return None
        operator = self.rng.choice(("/", "%"))
        self.note(operator)
        divisor = 1 << self.rng.randrange(kind.width)
        return f"({self.number(kind, scope, depth - 1)} {operator} {kind.width}w{divisor})"

    def _product(self, kind: Bits, scope: Scope, depth: int) -> str:
        self.note("signed *" if kind.signed else "*")
        left = self.number(kind, scope, depth - 1)
        if kind.width <= MAX_FACTOR and self.chance(0.5):
            return f"({left} * {self.number(kind, scope, depth - 1)})"
        return f"({left} * {self.literal(kind)})"

    def _from_other(self, kind: Bits, scope: Scope) -> str | None:
        """From a bool or a serialisable enum."""
        others = [p for p in scope.of(Bool, Enum) if not isinstance(p.kind, Enum) or p.kind.width]
        if not others:
            return None
        place = self.rng.choice(others)
        self.note("cast from bool or enum")
        width = place.kind.width if isinstance(place.kind, Enum) else 1
        assert width is not None
        return self._adapted(f"(bit<{width}>){place.text}", Bits(width), kind)


def as_bits(text: str, kind: Kind) -> tuple[str, int]:
    """A scalar as an unsigned number, and its width."""
    if isinstance(kind, Bits):
        return (f"(bit<{kind.width}>){text}" if kind.signed else text), kind.width
    if isinstance(kind, Bool):
        return f"(bit<1>){text}", 1
    if isinstance(kind, Enum) and kind.width is not None:
        return f"(bit<{kind.width}>){text}", kind.width
    assert is_scalar(kind)
    member = f"{kind}.{kind.members[-1]}"
    return f"({text} == {member} ? 1w1 : 1w0)", 1
