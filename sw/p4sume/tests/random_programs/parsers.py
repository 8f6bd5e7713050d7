# SPDX-License-Identifier: Apache-2.0
"""Random parsers: states in layers, so that they end; loops run over a header stack and end with it."""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.tests.random_programs.kinds import Bits, Bool, Enum, Header, Kind, Place, Scope, Stack, parts
from p4sume.tests.random_programs.statements import Statements

MAX_CASES = 4


class Parsers(Statements):
    # ---- keysets

    def keyset(self, kind: Kind, ranges: bool = True, masks: bool = True) -> str:
        """One value or several of a kind, as a select case or a table entry writes it."""
        rng = self.rng
        if not isinstance(kind, Bits):
            return self.constant(kind)
        draw = rng.random()
        if draw < 0.15 and masks:
            self.note("mask in keyset")
            unsigned = Bits(kind.width)
            value, mask = self.literal(unsigned), f"{kind.width}w{rng.getrandbits(kind.width)}"
            return f"({kind}){value} &&& ({kind}){mask}" if kind.signed else f"{value} &&& {mask}"
        if draw < 0.35 and ranges:
            self.note("signed range" if kind.signed else "range in keyset")
            low, high = sorted(self.numeral(kind, rng.getrandbits(kind.width)) for _ in range(2))
            return f"{self.written(kind, low)} .. {self.written(kind, high)}"
        return self.literal(kind)

    @staticmethod
    def numeral(kind: Bits, bits: int) -> int:
        return bits - (1 << kind.width) if kind.signed and bits >> (kind.width - 1) else bits

    @staticmethod
    def written(kind: Bits, value: int) -> str:
        if value >= 0:
            return f"{kind.width}{'s' if kind.signed else 'w'}{value}"
        lowest = -value == 1 << (kind.width - 1)
        return f"(({kind}){kind.width}w{-value})" if lowest else f"-{kind.width}s{-value}"

    def select(self, scope: Scope, near: Sequence[Place], targets: Sequence[str], forward: str) -> list[str]:
        """A transition by up to three keys; `near` are fields that packets are steered by. One way leads `forward`."""
        rng = self.rng
        if self.chance(0.12):
            return [f"transition {forward};"]
        keys: list[tuple[str, Kind]] = []
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
            place = rng.choice(near) if near else None
            if place is None or self.chance(0.1):
                kind: Kind = Bits(rng.choice((2, 4, 7)))
                keys.append((self.value(kind, scope, 1), kind))
                self.note("select over expression")
            elif isinstance(place.kind, Bits) and place.kind.width > 8:
                high = rng.randint(3, 7)
                low = rng.randint(0, high - 1)
                keys.append((f"{place.text}[{high}:{low}]", Bits(high - low + 1)))
            else:
                keys.append((place.text, place.kind))
        self.note("tuple in select" if len(keys) > 1 else "select")
        lines = [f"transition select({', '.join(text for text, _ in keys)}) {{"]
        for number in range(rng.randint(1, MAX_CASES)):
            target = rng.choice(targets) if number else forward
            sets = [("_" if len(keys) > 1 and self.chance(0.25) else self.keyset(kind)) for _, kind in keys]
            label = sets[0] if len(sets) == 1 else f"({', '.join(sets)})"
            lines.append(f"    {label}: {target};")
        if self.chance(0.8):
            lines.append(f"    {rng.choice(('default', '_'))}: {rng.choice(targets)};")
        else:
            self.note("select without default")
        return [*lines, "}"]

    # ---- states

    def parser_statements(self, scope: Scope, count: int) -> list[str]:
        """Statements without stack methods; calls of functions have their place here."""
        lines = []
        for _ in range(count):
            draw = self.rng.random()
            if draw < 0.25:
                self.note("if in parser")
                inner = scope.inner()
                lines += [f"if ({self.condition(scope, 1)}) {{", *("    " + x for x in self._assignment(inner)), "}"]
            elif draw < 0.4:
                lines += self.local(scope)
            else:
                lines += self._assignment(scope)
        return lines

    def advance(self, fields: Sequence[Place]) -> list[str]:
        by = [p for p in fields if isinstance(p.kind, Bits) and p.kind.width >= 2 and not p.kind.signed]
        if by and self.chance(0.5):
            self.note("advance by variable")
            return [f"p.advance((bit<32>){self.rng.choice(by).text}[1:0] << 3);"]
        self.note("advance")
        return [f"p.advance({self.rng.choice((0, 8, 16, 24))});"]

    def lookahead(self, scope: Scope) -> tuple[list[str], Place]:
        kind: Kind = Bits(self.rng.choice((1, 4, 8, 8, 16, 23)), self.chance(0.1))
        whole = [h for h in self.headers if not h.varbit]
        if self.chance(0.15):
            kind = self.rng.choice(whole)
            self.note("lookahead of header")
        name = self.fresh("look")
        self.note("lookahead")
        scope.declare(name, kind)
        return [f"{kind} {name} = p.lookahead<{kind}>();"], Place(name, kind)

    def checks(self, scope: Scope, near: Sequence[Place]) -> list[str]:
        """A verify that most packets pass."""
        numbers = [p for p in near if isinstance(p.kind, Bits)]
        if not numbers:
            return []
        place = self.rng.choice(numbers)
        self.note("verify")
        return [
            f"verify({place.text} != {self.literal(place.kind)}, error.{self.rng.choice(self.errors.members[1:])});"
        ]

    @staticmethod
    def scalars(text: str, header: Header) -> list[Place]:
        return [Place(f"{text}.{name}", kind) for name, kind in header.fields if isinstance(kind, Bits | Bool | Enum)]

    def varbit_extract(self, text: str, header: Header, sizes: Sequence[Place]) -> list[str]:
        """A size in bits: from two bits of an earlier field, whole bytes most often."""
        by = [p for p in sizes if isinstance(p.kind, Bits) and p.kind.width >= 2 and not p.kind.signed]
        if not by:
            return [f"p.extract({text}, 32w{8 * self.rng.randint(0, header.varbit // 8)});"]
        self.note("varbit")
        return [f"p.extract({text}, (bit<32>){self.rng.choice(by).text}[1:0] << 3);"]

    def parser(
        self, name: str, parameters: str, scope: Scope, headers: Sequence[Place], subs: Sequence[str]
    ) -> list[str]:
        """`headers`: what it extracts, of the kinds Header and Stack. `subs`: a sub-parser, its call."""
        rng = self.rng
        order = list(headers)
        names = ["start", *(f"state_{i}" for i in range(1, max(1, min(len(order), rng.randint(2, 5)))))]
        lines = [f"parser {name}({parameters}) {{"]
        lines += ["    " + line for line in subs[:1]]
        calls = list(subs[1:])
        top = scope.inner()
        for _ in range(rng.choice((0, 0, 1, 2))):
            self.note("variable of parser")
            lines += ["    " + line for line in self.local(top)]
        scope = top
        seen: list[Place] = []
        share = [order[i :: len(names)] for i in range(len(names))]
        for number, state in enumerate(names):
            targets = [*names[number + 1 :], "accept"]
            targets += ["reject"] if self.chance(0.15) else []
            inner = scope.inner()
            body: list[str] = []
            near: list[Place] = []
            taken: list[Place] = []
            if self.chance(0.2):
                look, place = self.lookahead(inner)
                body += look
                near += [p for p in parts(place) if isinstance(p.kind, Bits | Bool)]
            if self.chance(0.12):
                body += self.advance(seen)
            for item in share[number]:
                made, fields = self._extract(item, seen)
                if isinstance(item.kind, Header) and self.chance(0.15):
                    self.note("extract in if")
                    made = [f"if ({self.condition(inner, 1)}) {{", *("    " + m for m in made), "}"]
                body += made
                near += fields
                taken += fields if isinstance(item.kind, Header) else []
                if isinstance(item.kind, Stack):
                    targets = [state, state, *targets]
                    self.note("loop over stack")
                    indexes = scope.writable(Bits(32))
                    if indexes and self.chance(0.4):
                        self.note("lastIndex")
                        body.append(f"{self.rng.choice(indexes).text} = {item.text}.lastIndex;")
            if self.chance(0.2):
                body += self.checks(inner, near)
            if calls and self.chance(0.6):
                self.note("sub-parser")
                body.append(calls[0])
                if self.chance(0.7):
                    calls.pop()
                else:
                    self.note("sub-parser at two places")
            body += self.parser_statements(inner, rng.choice((0, 0, 1, 2)))
            following = names[number + 1] if number + 1 < len(names) else "accept"
            body += self.select(inner, near or seen, targets, following)
            seen += taken
            lines += [f"    state {state} {{", *("        " + line for line in body), "    }"]
        return [*lines, "}"]

    def _extract(self, item: Place, seen: Sequence[Place]) -> tuple[list[str], list[Place]]:
        kind = item.kind
        if isinstance(kind, Stack):
            self.note("extract into stack")
            return [f"p.extract({item.text}.next);"], self.scalars(f"{item.text}.last", kind.header)
        assert isinstance(kind, Header)
        if kind.varbit:
            return self.varbit_extract(item.text, kind, seen), self.scalars(item.text, kind)
        if self.chance(0.06):
            self.note("extract of nothing")
            return [f"p.extract<{kind}>(_);"], []
        return [f"p.extract({item.text});"], self.scalars(item.text, kind)
