# SPDX-License-Identifier: Apache-2.0
"""Parsers and controls: their types, their bodies, states and select."""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.semantics.base import Place, Scope, unknown
from p4sume.semantics.checked import CallTarget, Symbol
from p4sume.semantics.declarations import Declarations
from p4sume.semantics.types import (
    STATE,
    UNKNOWN,
    VOID,
    Aggregate,
    Bits,
    BlockInfo,
    Bool,
    DontCare,
    Enum,
    Int,
    NewType,
    Set,
    Signature,
    Tuple,
    Type,
    is_struct,
    resolve,
    strip_new,
)
from p4sume.semantics.unify import fit
from p4sume.syntax import ast

BUILT_IN_STATES = ("accept", "reject")


class Blocks(Declarations):
    # ---- types

    def block_type(self, node: ast.ParserType | ast.ControlType) -> None:
        kind = "parser" if isinstance(node, ast.ParserType) else "control"
        self._block_head(node, kind, None)

    def _block_head(
        self, node: ast.Applicable, kind: str, constructor: Sequence[ast.Parameter] | None
    ) -> tuple[BlockInfo, Symbol, Scope]:
        """Declare the block; its symbol is incomplete until its body has been checked."""
        self.check_annotations(node.annotations)
        info = BlockInfo(node.name.text, node, kind=kind, declared=constructor is not None)
        symbol = self.declare_block(info, node, constructor)
        self.checked.symbols[node] = symbol
        body = constructor is not None
        with self.scope("parameters") as scope:
            info.type_parameters = self.type_parameters(node.type_parameters)
            params = self.parameters(node.parameters, f"{kind}-body" if body else kind)
            info.apply = Signature(info.name, (), params, VOID)
            if constructor is not None:
                made = self.parameters(tuple(constructor), "constructor")
                info.constructor = Signature(info.name, info.type_parameters, made, VOID)
        if not body:
            symbol.incomplete = False
        return info, symbol, scope

    # ---- controls

    def control(self, node: ast.Control) -> None:
        _, symbol, scope = self._block_head(node, "control", node.constructor_parameters)
        self.scopes.append(scope)
        try:
            with self.scope("block"), self.at(Place("control", node)):
                for item in node.locals:
                    self.control_local(item)
                self.check_annotations(node.body.annotations)
                with self.at(Place("apply", node)), self.scope("locals"):
                    self.statements(node.body.body)
                self.check_control_plane_names(node)
        finally:
            self.scopes.pop()
            symbol.incomplete = False

    def control_local(self, node: ast.Declaration) -> None:
        match node:
            case ast.Action():
                self.action(node)
            case ast.Table():
                self.table(node)
            case ast.Instantiation():
                self.instantiation(node)
            case _:
                self.local(node)

    def table(self, node: ast.Table) -> None:
        raise NotImplementedError

    def check_control_plane_names(self, node: ast.Control) -> None:
        raise NotImplementedError

    # ---- parsers

    def parser(self, node: ast.Parser) -> None:
        _, symbol, scope = self._block_head(node, "parser", node.constructor_parameters)
        self.scopes.append(scope)
        try:
            with self.scope("block"), self.at(Place("parser", node)):
                for item in node.locals:
                    if isinstance(item, ast.ValueSet):
                        self._value_set(item)
                    elif isinstance(item, ast.Instantiation):
                        self.instantiation(item)
                    else:
                        self.local(item)
                self._states(node)
        finally:
            self.scopes.pop()
            symbol.incomplete = False

    def _value_set(self, node: ast.ValueSet) -> None:
        self.check_annotations(node.annotations)
        type_ = self.type_(node.type)
        legal = isinstance(type_, (NewType, Bits, Enum, Bool, Tuple)) or is_struct(type_)
        if not legal and not unknown(type_):
            self.error("bad-value-set", node.type, f"a value_set cannot hold values of type {type_.show()}")
            type_ = UNKNOWN
        size = self.expression(node.size)
        if not unknown(size.type) and not size.known:
            self.error("not-constant", node.size, "the size of a value_set has to be a constant")
        elif not unknown(size.type) and not isinstance(resolve(size.type), (Bits, Int)):
            self.error("type-mismatch", node.size, "the size of a value_set has to be a number")
        found = Set(type_)
        self.checked.declared_types[node] = found
        self.declare(Symbol(node.name.text, "value_set", node, found), node.name)

    def _states(self, node: ast.Parser) -> None:
        states: dict[str, ast.State] = {}
        for state in node.states:
            name = state.name.text
            if name in BUILT_IN_STATES:
                self.error(
                    "built-in-state", state.name, f"state '{name}' is built in and cannot be written", "rename it"
                )
                continue
            if self.declare(Symbol(name, "state", state, STATE), state.name):
                states[name] = state
        for name in BUILT_IN_STATES:
            self.scopes[-1].names.setdefault(name, Symbol(name, "state", None, STATE))
        if "start" not in states:
            self.error(
                "no-start-state", node.name, f"parser '{node.name.text}' has no state 'start'", "it begins there"
            )
        for state in node.states:
            self._state(state)
        if "start" in states:
            self._check_reachable(node, states)

    def _state(self, node: ast.State) -> None:
        self.check_annotations(node.annotations)
        with self.at(Place("state", node)), self.scope("locals"):
            self.statements(node.body)
            if node.transition is None:
                self.warn(
                    "implicit-reject",
                    node.name,
                    f"state '{node.name.text}' has no transition, which means reject",
                    "write 'transition reject;' if that is meant",
                )
            elif isinstance(node.transition, ast.Select):
                self._select(node.transition)
            else:
                assert isinstance(node.transition, ast.PathExpression)
                self._target(node.transition)

    def _target(self, node: ast.PathExpression) -> None:
        symbol = self.find(node.name)
        if symbol is None:
            self.not_found(node, node.name, "the state")
            return
        self.checked.symbols[node] = symbol
        self.checked.types[node] = symbol.type
        if symbol.kind != "state":
            self.error("not-a-state", node, f"'{node.name}' is a {symbol.kind}, not a state")

    def _check_reachable(self, node: ast.Parser, states: dict[str, ast.State]) -> None:
        seen: set[str] = set()
        todo = ["start"]
        ends = False
        while todo:
            name = todo.pop()
            if name not in states:
                ends = True
            if name in seen or name not in states:
                continue
            seen.add(name)
            following = successors(states[name])
            todo.extend(following)
            ends = ends or not following or not _has_default(states[name])
        for name, state in states.items():
            if name not in seen:
                self.warn("unreachable-state", state.name, f"state '{name}' cannot be reached from start")
        if not ends:
            self.error(
                "endless-parser",
                node.name,
                f"parser '{node.name.text}' never reaches accept or reject",
                "let a transition lead to accept",
            )

    # ---- select

    def _select(self, node: ast.Select) -> None:
        subjects = [self.expression(s) for s in node.subjects]
        types: list[Type] = []
        for subject, typed in zip(node.subjects, subjects, strict=True):
            type_ = resolve(typed.type)
            if not self._selectable(type_):
                self.error(
                    "bad-select",
                    subject,
                    f"select takes bits, bools and enums, not {type_.show()}",
                    "select on the fields that matter, or write a number with a width",
                )
                type_ = UNKNOWN
            types.append(type_)
        covered = False
        for case in node.cases:
            if covered:
                self.warn("unreachable-case", case, "this case follows one that matches everything")
            self.keyset(case.keyset, types, "select")
            covered = covered or _matches_all(case.keyset)
            self._target(case.state)

    def _selectable(self, type_: Type) -> bool:
        type_ = resolve(type_)
        if isinstance(type_, Tuple):
            return all(self._selectable(i) for i in type_.items)
        return isinstance(strip_new(type_), (Bits, Bool, Enum)) or unknown(type_)

    def keyset(self, node: ast.Expression, wanted: Sequence[Type], owner: str) -> None:
        """A keyset against the types of what it is compared with."""
        self.in_keyset = owner == "select"
        typed = self.expression(node)
        self.in_keyset = False
        type_ = resolve(typed.type)
        if isinstance(node, ast.DefaultKeyset) or unknown(type_):
            return
        if isinstance(node, ast.ListExpression) and isinstance(type_, Tuple):
            if len(type_.items) == 1 and len(wanted) == 1 and isinstance(resolve(wanted[0]), Tuple):
                wanted_items: Sequence[Type] = wanted
            elif len(wanted) == 1 and isinstance(resolve(wanted[0]), Tuple) and not node.round_brackets:
                inner = resolve(wanted[0])
                assert isinstance(inner, Tuple)
                wanted_items = inner.items
            else:
                wanted_items = wanted
            if len(type_.items) != len(wanted_items):
                self.error(
                    "keyset-size",
                    node,
                    f"the keyset has {len(type_.items)} parts where {owner} has {len(wanted_items)}",
                )
                return
            for item, target in zip(node.items, wanted_items, strict=True):
                self._keyset_item(item, self.checked.types[item], target, owner)
            return
        if isinstance(type_, Set) and not isinstance(node, (ast.Mask, ast.Range)):
            self._set_keyset(node, type_, wanted, owner)
            return
        if isinstance(type_, Tuple) and len(type_.items) == len(wanted):
            problem = fit(Tuple(tuple(wanted)), type_)
            if problem is not None:
                self.error("type-mismatch", node, f"the keyset of {owner}: {problem}")
            return
        if len(wanted) != 1:
            self.error("keyset-size", node, f"the keyset has one part where {owner} has {len(wanted)}")
            return
        self._keyset_item(node, type_, wanted[0], owner)

    def _set_keyset(self, node: ast.Expression, type_: Set, wanted: Sequence[Type], owner: str) -> None:
        """A value_set: of one type, or of a struct or tuple with one field for each subject."""
        element = resolve(type_.element)
        if isinstance(element, DontCare):
            return
        target: Type = wanted[0] if len(wanted) == 1 else Tuple(tuple(wanted))
        if isinstance(element, Aggregate):
            flat = tuple(_flat_fields(element))
            if len(wanted) == 1 and len(flat) == 1:
                element = flat[0]
            else:
                element, target = Tuple(flat), Tuple(tuple(wanted))
        elif isinstance(element, Tuple) and len(wanted) == 1 and not isinstance(resolve(target), Tuple):
            target = Tuple(tuple(wanted))
        problem = fit(target, element)
        if problem is not None:
            self.error("type-mismatch", node, f"the keyset of {owner}: {problem}")

    def _keyset_item(self, node: ast.Expression, actual: Type, target: Type, owner: str) -> None:
        actual, target = resolve(actual), resolve(target)
        if isinstance(target, Enum) and target.info.underlying is not None:
            base = actual.element if isinstance(actual, Set) else actual
            if not isinstance(resolve(base), Enum):
                target = target.info.underlying
        if isinstance(actual, Set):
            if isinstance(actual.element, DontCare):
                return
            problem = fit(Set(target), actual)
        else:
            problem = fit(target, actual)
        if problem is not None:
            self.error("type-mismatch", node, f"the keyset of {owner}: {problem}")
            return
        self.settle(node, actual, Set(target) if isinstance(actual, Set) else target)

    def record_instance(self, node: ast.Instantiation, target: object) -> None:
        assert isinstance(target, CallTarget)
        self.checked.instances[node] = target


def successors(state: ast.State) -> list[str]:
    """The names of the states that may follow."""
    transition = state.transition
    if isinstance(transition, ast.Select):
        return [case.state.name for case in transition.cases]
    if isinstance(transition, ast.PathExpression):
        return [transition.name]
    return ["reject"]


def _has_default(state: ast.State) -> bool:
    transition = state.transition
    return not isinstance(transition, ast.Select) or any(_matches_all(c.keyset) for c in transition.cases)


def _matches_all(keyset: ast.Expression) -> bool:
    if isinstance(keyset, ast.ListExpression):
        return all(_matches_all(i) for i in keyset.items)
    return isinstance(keyset, ast.DefaultKeyset)


def _flat_fields(type_: Aggregate) -> list[Type]:
    found: list[Type] = []
    for field in type_.fields().values():
        field = resolve(field)
        found.extend(_flat_fields(field) if isinstance(field, Aggregate) else [field])
    return found
