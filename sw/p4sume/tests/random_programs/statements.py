# SPDX-License-Identifier: Apache-2.0
"""Random statements, and the bodies of functions and actions, as lines of text."""

from __future__ import annotations

from p4sume.tests.random_programs.expressions import Expressions
from p4sume.tests.random_programs.kinds import (
    Bits,
    Bool,
    Enum,
    Function,
    Header,
    Kind,
    Parameter,
    Scope,
    Stack,
    Struct,
    Tuple,
    is_scalar,
)
from p4sume.tests.random_programs.names import AWKWARD, ONLY_FIELDS

COMPOUND = ("+=", "-=", "&=", "|=", "^=", "|+|=", "|-|=", "<<=", ">>=")


class Statements(Expressions):
    def __init__(self, rng) -> None:
        super().__init__(rng)
        self.structs: list[Struct] = []
        self.tuples: list[Tuple] = []
        self.headers: list[Header] = []
        self.names = 0
        self.unused_names = [n for n in rng.sample(AWKWARD, len(AWKWARD)) if n not in ONLY_FIELDS]

    def fresh(self, stem: str) -> str:
        """A name that the program does not have yet."""
        self.names += 1
        if self.unused_names and self.chance(0.06):
            self.note("awkward name")
            return self.unused_names.pop()
        return f"{stem}{self.names}"

    def member_names(self, stem: str, count: int) -> list[str]:
        """Names for the fields of one type; other types may have the same."""
        awkward = self.rng.sample(AWKWARD, count)
        if self.chance(0.8):
            return [f"{stem}{i}" for i in range(count)]
        self.note("awkward name of field")
        return [awkward[i] if self.chance(0.5) else f"{stem}{i}" for i in range(count)]

    def local_kind(self, stacks: bool = True) -> Kind:
        draw = self.rng.random()
        if draw < 0.1 and self.structs:
            return self.rng.choice(self.structs)
        if draw < 0.16 and self.tuples:
            return self.rng.choice(self.tuples)
        if draw < 0.18 and self.headers and stacks:
            return Stack(self.rng.choice([h for h in self.headers if not h.varbit]), 2)
        if draw < 0.24 and self.headers:
            return self.rng.choice([h for h in self.headers if not h.varbit])
        return self.scalar_kind()

    # ---- bodies

    def block(self, scope: Scope, count: int, depth: int) -> list[str]:
        """Some statements in a scope of their own, indented."""
        inner = scope.inner()
        lines = []
        for _ in range(count):
            lines += self.statement(inner, depth)
        return ["    " + line for line in lines]

    def statement(self, scope: Scope, depth: int) -> list[str]:
        rng = self.rng
        draw = rng.random()
        if draw < 0.12:
            return self.local(scope)
        if draw < 0.30 and depth > 0:
            return self._if(scope, depth)
        if draw < 0.36 and depth > 0:
            return self._switch(scope, depth)
        if draw < 0.44 and (scope.actions or scope.functions):
            return self._call(scope)
        if draw < 0.50:
            return self._validity(scope)
        if draw < 0.56:
            return self._whole_assignment(scope)
        if draw < 0.58 and depth > 0:
            self.note("block")
            return ["{", *self.block(scope, rng.randint(1, 3), depth - 1), "}"]
        if draw < 0.64:
            return self._compound(scope)
        return self._assignment(scope)

    def local(self, scope: Scope) -> list[str]:
        """A variable; not always initialised: what was never set is zero here."""
        kind, name = self.local_kind(), self.fresh("x")
        if isinstance(kind, Stack) or self.chance(0.25):
            self.note("uninitialised variable")
            line = f"{kind} {name};"
        else:
            line = f"{kind} {name} = {self.value(kind, scope, 2)};"
        self.note(f"local {type(kind).__name__.lower()}")
        scope.declare(name, kind)
        return [line]

    def _assignment(self, scope: Scope) -> list[str]:
        places = [p for p in scope.places if p.writable and is_scalar(p.kind)]
        if not places:
            return self.local(scope)
        kind = self.rng.choice(places).kind
        target = self.variable(kind, scope)
        return [f"{target} = {self.value(kind, scope, self.rng.randint(1, 3))};"]

    def _compound(self, scope: Scope) -> list[str]:
        places = [p for p in scope.of(Bits) if p.writable]
        if not places:
            return self.local(scope)
        place = self.rng.choice(places)
        operator = self.rng.choice(COMPOUND)
        self.note("compound assignment")
        kind = Bits(4) if operator in ("<<=", ">>=") else place.kind
        return [f"{place.text} {operator} {self.value(kind, scope, 2)};"]

    def _whole_assignment(self, scope: Scope) -> list[str]:
        places = [p for p in scope.of(Struct, Header, Tuple, Stack) if p.writable]
        if not places:
            return self._assignment(scope)
        place = self.rng.choice(places)
        kind = place.kind
        if isinstance(kind, Stack) and len(scope.readable(kind)) < 2:
            return self._stack_method(scope)
        if isinstance(kind, Struct) and kind.name == "headers_t":
            return self._assignment(scope)
        self.note(f"assignment of {type(kind).__name__.lower()}")
        target = place.text
        if isinstance(kind, Header):
            element = self._element(kind, scope, writable=True)
            if element is not None and self.chance(0.4):
                self.note("header at run-time index assigned")
                target = element
        return [f"{target} = {self.value(kind, scope, 2)};"]

    def _validity(self, scope: Scope) -> list[str]:
        headers = [p for p in scope.of(Header) if p.writable]
        stacks = [p for p in scope.of(Stack) if p.writable]
        if stacks and self.chance(0.4):
            return self._stack_method(scope)
        if not headers:
            return self._assignment(scope)
        method = self.rng.choice(("setValid", "setValid", "setInvalid"))
        self.note(method)
        if stacks and self.chance(0.3):
            self.note(f"{method} at run-time index")
            return [f"{self.rng.choice(stacks).text}[{self.index(scope)}].{method}();"]
        return [f"{self.rng.choice(headers).text}.{method}();"]

    def _stack_method(self, scope: Scope) -> list[str]:
        stacks = [p for p in scope.of(Stack) if p.writable]
        if not stacks:
            return self._assignment(scope)
        stack = self.rng.choice(stacks)
        method = self.rng.choice(("push_front", "pop_front"))
        self.note(method)
        count = self.rng.randint(1, stack.kind.size + (1 if self.chance(0.1) else 0))
        return [f"{stack.text}.{method}({count});"]

    # ---- branches

    def _if(self, scope: Scope, depth: int) -> list[str]:
        self.note("if")
        lines = [f"if ({self.condition(scope, 2)}) {{", *self.block(scope, self.rng.randint(1, 3), depth - 1)]
        leaving = self._leave(scope)
        lines += leaving
        if self.chance(0.45) and not (leaving and self.chance(0.5)):
            self.note("else")
            lines += ["} else {", *self.block(scope, self.rng.randint(1, 3), depth - 1)]
        return [*lines, "}"]

    def _leave(self, scope: Scope) -> list[str]:
        if scope.may_exit and self.chance(0.1):
            self.note("exit")
            return ["    exit;"]
        if scope.may_return and self.chance(0.12):
            self.note("return")
            return ["    return;"]
        return []

    def _switch(self, scope: Scope, depth: int) -> list[str]:
        rng = self.rng
        enums = scope.of(Enum)
        if enums and self.chance(0.4):
            place = rng.choice(enums)
            kind = place.kind
            assert isinstance(kind, Enum)
            subject = place.text
            labels = [f"{kind.name}.{m}" for m in rng.sample(kind.members, rng.randint(1, len(kind.members)))]
            self.note("switch over enum")
        else:
            kind = Bits(rng.choice((2, 3, 4, 8, 16)))
            subject = self.number(kind, scope, 1)
            small = min(1 << kind.width, 12)
            labels = [f"{kind.width}w{n}" for n in rng.sample(range(small), rng.randint(1, min(4, small)))]
            self.note("switch over number")
        lines = [f"switch ({subject}) {{"]
        for label in labels:
            if label is not labels[-1] and self.chance(0.2):
                self.note("switch falls through")
                lines.append(f"    {label}:")
                continue
            lines += self._arm(label, scope, depth)
        if self.chance(0.5):
            lines += self._arm("default", scope, depth)
        return [*lines, "}"]

    def _arm(self, label: str, scope: Scope, depth: int) -> list[str]:
        inner = ["    " + line for line in self.block(scope, self.rng.randint(1, 2), depth - 1)]
        return [f"    {label}: {{", *inner, *("    " + line for line in self._leave(scope)), "    }"]

    def _call(self, scope: Scope) -> list[str]:
        callee = self.rng.choice([*scope.actions, *scope.functions])
        made = self.call(callee, scope, 2)
        if made is None:
            return self._assignment(scope)
        self.note("call of action" if callee in scope.actions else "call of function")
        return [f"{made};"]

    # ---- functions and actions

    def parameters(self, directions: tuple[str, ...], count: int) -> tuple[Parameter, ...]:
        return tuple(Parameter(self.rng.choice(directions), self.local_kind(), self.fresh("p")) for _ in range(count))

    def function(self, scope: Scope) -> list[str]:
        """A function, which the scope knows afterwards."""
        rng = self.rng
        name = self.fresh("f")
        result = None if self.chance(0.25) else self.local_kind(stacks=False)
        parameters = self.parameters(("in", "in", "inout", "out"), rng.randint(1, 3))
        inner = Scope(functions=list(scope.functions), may_return=result is None)
        for parameter in parameters:
            inner.declare(parameter.name, parameter.kind, parameter.direction != "in")
            self.note(f"{parameter.direction} parameter")
        lines = [f"{result or 'void'} {name}({', '.join(map(str, parameters))}) {{"]
        for _ in range(rng.randint(1, 4)):
            lines += ["    " + line for line in self.statement(inner, 1)]
            if result is not None and self.chance(0.3):
                self.note("early return")
                lines.append(f"    if ({self.condition(inner, 1)}) {{ return {self.value(result, inner, 1)}; }}")
        if result is not None:
            lines.append(f"    return {self.value(result, inner, 2)};")
        scope.functions.append(Function(name, parameters, result, named=True))
        return [*lines, "}"]

    def action(self, scope: Scope, data: int) -> tuple[list[str], Function]:
        """An action with parameters with and without direction; calls need what `scope` had before."""
        rng = self.rng
        name = self.fresh("a")
        directed = self.parameters(("in", "inout", "out"), rng.choice((0, 0, 1, 2)))
        own = tuple(
            Parameter("", rng.choice((self.number_kind(), self.number_kind(), Bool())), self.fresh("d"))
            for _ in range(data)
        )
        inner = scope.inner()
        inner.may_exit, inner.may_return = True, True
        inner.actions = list(scope.actions)
        for parameter in (*directed, *own):
            inner.declare(parameter.name, parameter.kind, parameter.direction in ("out", "inout"))
        lines = [f"action {name}({', '.join(map(str, (*directed, *own)))}) {{"]
        for _ in range(rng.randint(1, 4)):
            lines += ["    " + line for line in self.statement(inner, 1)]
        return [*lines, "}"], Function(name, (*directed, *own))
