# SPDX-License-Identifier: Apache-2.0
"""One state of a parser, at one offset: what it extracts, and where it goes.

Offsets are numbers, so that a field is a fixed slice of the window. What makes them differ (a varbit's size, an arm of
an `if` that extracts) forks the execution. Whether the packet is long enough is not asked here: each end of the parser
knows how many bits it needs, and one comparison decides (`unroll`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from p4sume.hardware import graph as g
from p4sume.hardware.lowering.calls import Passed
from p4sume.hardware.lowering.context import Frame, Place
from p4sume.hardware.lowering.expressions import children
from p4sume.hardware.lowering.externs import Externs
from p4sume.hardware.lowering.layout import LENGTH, VALID, plain, varbit_path
from p4sume.hardware.lowering.sizes import MAX_BITS, possible
from p4sume.hardware.lowering.state import Bundle, Cell, State
from p4sume.semantics import types as t
from p4sume.semantics.checked import CallTarget
from p4sume.syntax import ast

MAX_WINDOW_BYTES = 1024
_FORKING_CALLS = frozenset(("extract", "advance"))
_STACK_MEMBERS = frozenset(("next", "last"))


@dataclass(eq=False)
class Cursor(State):
    """A state of the program in a parser. `needed`: bits that the packet has to have for this path; `indices`: the
    next free element of each header stack."""

    offset: int = 0
    needed: int = 0
    indices: dict[Cell, int] = field(default_factory=dict)

    def fork(self) -> Cursor:
        return Cursor(self.path, dict(self.values), dict(self.assumed), self.offset, self.needed, dict(self.indices))


@dataclass(frozen=True, eq=False)
class Stop:
    """A state of a parser, or what is left of one behind the call of a sub-parser. `key` tells stops apart."""

    key: Hashable
    frame: Frame
    body: tuple[ast.Statement | ast.Declaration, ...]
    state: ast.State
    back: Return | None


@dataclass(frozen=True, eq=False)
class Return:
    """Where a sub-parser's accept leads: to the rest of the state that called it."""

    stop: Stop
    call: ast.Call
    passed: tuple[Passed, ...]


@dataclass(frozen=True, eq=False)
class Rejected:
    """An end of the parser by an error; `code` is None for a plain `transition reject`."""

    path: g.Value
    needed: int
    code: g.Value | None


@dataclass(eq=False)
class Step:
    """What came of executing one stop: where it goes on, and how it ends."""

    edges: list[tuple[Stop, Cursor]] = field(default_factory=list)
    accepted: list[Cursor] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


class _RejectError(Exception):
    """The state is left by an error, whatever the packet holds."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


class Parsing(Externs):
    window: g.Value
    step: Step
    stop: Stop

    # ---- a stop

    def execute(self, stop: Stop, cursor: Cursor) -> Step:
        self.step, self.stop, self.frame = Step(), stop, stop.frame
        self._items(stop.body, cursor)
        return self.step

    def first_stop(self, frame: Frame) -> Stop:
        return self._state_stop(frame, "start", (), None)

    def parser_of(self, frame: Frame) -> ast.Parser:
        assert isinstance(frame.block, ast.Parser)
        return frame.block

    def _state_stop(self, frame: Frame, name: str, key: Hashable, back: Return | None) -> Stop:
        state = next(s for s in self.parser_of(frame).states if s.name.text == name)
        return Stop((key, name), frame, state.body, state, back)

    def _items(self, items: Sequence[ast.Statement | ast.Declaration], cursor: Cursor) -> None:
        """Executes statements, then the transition; once for each fork."""
        items = tuple(items)
        for index, item in enumerate(items):
            if self.make.known(cursor.path) == 0:
                return
            self.make.span = item.span
            try:
                if self._forked(item, items[index + 1 :], cursor):
                    return
            except _RejectError as problem:
                self._reject(cursor, problem.error)
                return
        self._transition(cursor)

    def _forked(
        self, item: ast.Statement | ast.Declaration, rest: tuple[ast.Statement | ast.Declaration, ...], cursor: Cursor
    ) -> bool:
        """Execute one statement; True if it has also executed the rest."""
        if isinstance(item, ast.CallStatement):
            target = self.checked.calls.get(item.call)
            if target is not None and target.kind == "method" and target.name in _FORKING_CALLS:
                sizes = self._sizes(item.call, target, cursor)
                for number, fork in sizes:
                    self._move(item.call, target, number, fork, rest)
                return True
            if target is not None and target.kind == "apply":
                self._enter(item.call, target, cursor, rest)
                return True
        if isinstance(item, ast.Block) and self._moves(item):
            self._items((*item.body, *rest), cursor)
            return True
        if isinstance(item, ast.If) and self._moves(item):
            self._if_fork(item, rest, cursor)
            return True
        self.body((item,), cursor)
        return False

    def _if_fork(self, item: ast.If, rest: tuple[ast.Statement | ast.Declaration, ...], cursor: Cursor) -> None:
        condition = self.scalar(item.condition, cursor)
        first, second = self.arms(condition, cursor)
        assert isinstance(first, Cursor) and isinstance(second, Cursor)
        self._items((item.then, *rest), first)
        self._items((item.otherwise, *rest) if item.otherwise is not None else rest, second)

    def _moves(self, node: ast.Node) -> bool:
        """Whether a statement may change the offset, or end the state by an error that is known now."""
        if isinstance(node, ast.Call):
            target = self.checked.calls.get(node)
            if target is not None and (target.kind == "apply" or target.name in (*_FORKING_CALLS, "lookahead")):
                return True
        if isinstance(node, ast.Member) and node.name.text in _STACK_MEMBERS:
            return True
        return any(self._moves(child) for child in children(node))

    # ---- moving

    def _sizes(self, call: ast.Call, target: CallTarget, cursor: Cursor) -> list[tuple[int, Cursor]]:
        """The sizes in bits that a call may have as its last argument, each with a fork of the cursor."""
        argument = target.bindings[-1][1] if target.name == "advance" or len(target.bindings) == 2 else None
        if argument is None:
            return [(0, cursor)]
        size = self.scalar(argument, cursor)
        found = possible(self.make, size)
        if found is None:
            raise self.refuse(
                "unbounded-size",
                argument,
                f"this size depends on more than {MAX_BITS} bits of the packet",
                "compute it from a narrower field, or slice the bits that count, as in (bit<32>)length[3:0] * 8",
            )
        if len(found) == 1:
            return [(found[0][0], cursor)]
        forks: list[tuple[int, Cursor]] = []
        for number, predicate in found:
            path = self.make.and_(cursor.path, predicate)
            if self.make.known(path) != 0:
                fork = cursor.fork()
                fork.path = path
                forks.append((number, fork))
        return forks

    def _move(
        self,
        call: ast.Call,
        target: CallTarget,
        size: int,
        cursor: Cursor,
        rest: tuple[ast.Statement | ast.Declaration, ...],
    ) -> None:
        try:
            if target.name == "advance":
                _check_size(size, size)
                self._reach(call, cursor, size)
                cursor.offset += size
            else:
                self._extract(call, target, size, cursor)
        except _RejectError as problem:
            self._reject(cursor, problem.error)
            return
        self._items(rest, cursor)

    def _reach(self, where: ast.Node, cursor: Cursor, size: int) -> None:
        """The packet has to have `size` more bits."""
        end = cursor.offset + size
        if end > 8 * MAX_WINDOW_BYTES:
            raise self.refuse(
                "window-too-large",
                where,
                f"the parser may look at more than the first {MAX_WINDOW_BYTES} bytes of a packet",
                "bound the loop by a header stack, or the size by a narrower field",
            )
        cursor.needed = max(cursor.needed, end)

    def _extract(self, call: ast.Call, target: CallTarget, size: int, cursor: Cursor) -> None:
        argument = target.bindings[0][1]
        if argument is None:
            assert target.signature is not None
            self._skip(call, self.actual(target.signature.params[0].type), cursor)
            return
        place = self.assigned_place(argument, cursor)
        varbit = varbit_path(place.type)
        fixed = sum(leaf.width for leaf in self.layouts.fields(place.type, call) if leaf.path != varbit)
        if varbit is not None:
            _check_size(size, self.layouts.width(place.type, call) - fixed)
        self._reach(call, cursor, fixed + size)
        bits = self.window.width - cursor.offset
        found: Bundle = {(VALID,): self.make.one}
        for leaf in self.layouts.fields(place.type, call):
            self.make.name = f"{place.name}.{'.'.join(map(str, leaf.path))}"
            width = size if leaf.path == varbit else leaf.width
            piece = self.make.slice(self.window, bits - 1, bits - width) if width else self.make.zeros(leaf.width)
            bits -= width
            found[leaf.path] = (
                self.make.concat(piece, self.make.zeros(leaf.width - width)) if 0 < width < leaf.width else piece
            )
            if leaf.path == varbit:
                found[(*leaf.path, LENGTH)] = self.make.constant(leaf.width.bit_length(), size)
        self.write(cursor, place, found, call)
        cursor.offset += fixed + size
        self._advance_stack(argument, cursor)
        if isinstance(argument, ast.Member):
            self._advance_stack(argument.base, cursor)  # of a stack of unions, which moves on with any member

    def _advance_stack(self, extracted: ast.Expression, cursor: Cursor) -> None:
        """What was extracted is a stack's next element: then the one behind it is."""
        if isinstance(extracted, ast.Member) and extracted.name.text == "next":
            stack = self.assigned_place(extracted.base, cursor)
            if isinstance(plain(stack.type), t.Stack):
                cursor.indices[stack.cell] = cursor.indices.get(stack.cell, 0) + 1

    def _skip(self, call: ast.Call, type_: t.Type, cursor: Cursor) -> None:
        """extract(_): past a header that nobody wants."""
        width = self.layouts.width(type_, call)
        self._reach(call, cursor, width)
        cursor.offset += width

    def packet_call(self, node: ast.Call, target: CallTarget, state: State) -> Bundle:
        if target.name == "lookahead" and isinstance(state, Cursor):
            if self.conditional:
                raise self.refuse(
                    "conditional-lookahead",
                    node,
                    "this lookahead happens on some packets only",
                    "use an if statement, or look ahead before",
                )
            type_ = self.actual(target.type_arguments[0])
            width = self.layouts.width(type_, node)
            self._reach(node, state, width)
            high = self.window.width - state.offset - 1
            return self.unpack(self.make.slice(self.window, high, high - width + 1), type_, node)
        if target.name == "length":
            raise self.refuse(
                "packet-length", node, "the parser does not know the packet's length", "use sume_metadata.pkt_len"
            )
        return super().packet_call(node, target, state)

    # ---- header stacks

    def local(self, node: ast.Declaration, state: State) -> None:
        if isinstance(state, Cursor) and isinstance(node, ast.Variable):
            self._no_stack(node, self.actual(self.checked.declared_types[node]), node.value is not None)
            known = self.frame.bindings.get(node)
            if isinstance(known, Place):
                state.indices = {c: i for c, i in state.indices.items() if c[0] != known.cell[0]}
        super().local(node, state)

    def assignment(self, node: ast.Assignment, state: State) -> None:
        if isinstance(state, Cursor):
            self._no_stack(node, self.type_of(node.target), True)
        super().assignment(node, state)

    def _no_stack(self, node: ast.Node, type_: t.Type, assigned: bool) -> None:
        if assigned and has_stack(type_):
            raise self.refuse(
                "stack-in-parser",
                node,
                "a header stack as a whole is not assigned in a parser, where it has a next element",
                "copy it in the match-action control, or element by element",
            )

    def stack_member(self, node: ast.Member, place: Place, state: State) -> Place | Bundle | None:
        if not isinstance(state, Cursor):
            return None
        index = state.indices.get(place.cell, 0)
        name = node.name.text
        if name == "lastIndex":
            return {(): self.make.constant(32, index - 1 & 0xFFFFFFFF)}
        if name == "last":
            index -= 1
        type_ = plain(place.type)
        assert isinstance(type_, t.Stack)
        if 0 <= index < type_.size:
            return self.element(place, index)
        if self.conditional:
            raise self.refuse(
                "conditional-stack-error", node, "this element may not exist, and is used under a condition"
            )
        raise _RejectError("StackOutOfBounds")

    # ---- ends

    def _reject(self, cursor: Cursor, error: str | None) -> None:
        code = None
        if error is not None:
            code = self.error_code(error)
        self.step.rejected.append(Rejected(cursor.path, cursor.needed, code))

    def error_code(self, error: str) -> g.Value:
        width = self.layouts.scalar_width(t.ERROR)
        assert width is not None
        errors = self.layouts.errors
        return self.make.constant(width, errors.index(error) if error in errors else 0)

    def extern_function(self, node: ast.Call, target: CallTarget, declared: ast.Function, state: State) -> Bundle:
        if target.name == "verify" and isinstance(state, Cursor):
            make = self.make
            given = [a for _, a in target.bindings]
            assert given[0] is not None and given[1] is not None
            check, code = self.scalar(given[0], state), self.scalar(given[1], state)
            failed = make.and_(state.path, make.not_(check))
            if make.known(failed) != 0:
                self.step.rejected.append(Rejected(failed, state.needed, code))
            state.path = make.and_(state.path, check)
            return {}
        return super().extern_function(node, target, declared, state)

    # ---- transitions

    def _transition(self, cursor: Cursor) -> None:
        if self.make.known(cursor.path) == 0:
            return
        transition = self.stop.state.transition
        self.make.span = self.stop.state.span
        if not isinstance(transition, ast.Select):
            name = transition.name if isinstance(transition, ast.PathExpression) else "reject"
            self._go(name, cursor)
            return
        try:
            keys, types = self._keys(transition, cursor)
        except _RejectError as problem:
            self._reject(cursor, problem.error)
            return
        self.make.name = f"{self.stop.state.name.text}.case"
        sets = [self.keyset(c.keyset, keys, types, cursor) for c in transition.cases]
        chosen = self.first_of(sets)
        targets: dict[str, list[g.Value]] = {}
        for case, predicate in zip(transition.cases, chosen, strict=True):
            targets.setdefault(case.state.name, []).append(predicate)
        for name, predicates in targets.items():
            self._take(cursor, self.make.or_(*predicates), name)
        if all(self.make.known(s.matches) != 1 for s in sets):
            self._take(cursor, self.make.not_(self.make.or_(*chosen)) if chosen else self.make.one, None)

    def _keys(self, node: ast.Select, cursor: Cursor) -> tuple[list[g.Value], list[t.Type]]:
        keys: list[g.Value] = []
        types: list[t.Type] = []
        for subject in node.subjects:
            type_ = plain(self.type_of(subject))
            for leaf, value in self.value(subject, cursor).items():
                keys.append(value)
                types.append(plain(type_.items[leaf[0]]) if isinstance(type_, t.Tuple) and leaf else type_)  # type: ignore[index]
        return keys, types

    def _take(self, cursor: Cursor, predicate: g.Value, name: str | None) -> None:
        fork = cursor.fork()
        fork.path = self.make.and_(cursor.path, predicate)
        if self.make.known(fork.path) == 0:
            return
        if name is None:
            self._reject(fork, "NoMatch")
        else:
            self._go(name, fork)

    def _go(self, name: str, cursor: Cursor) -> None:
        if name == "reject":
            self._reject(cursor, None)
        elif name != "accept":
            assert isinstance(self.stop.key, tuple)
            self.step.edges.append((self._state_stop(self.stop.frame, name, self.stop.key[0], self.stop.back), cursor))
        elif self.stop.back is None:
            cursor.forget({})
            self.step.accepted.append(cursor)
        else:
            self._leave_sub(self.stop.back, cursor)

    # ---- sub-parsers

    def _enter(
        self,
        call: ast.Call,
        target: CallTarget,
        cursor: Cursor,
        rest: tuple[ast.Statement | ast.Declaration, ...],
    ) -> None:
        key = (self.stop.key, call)
        frame = self.sub_frames.get(key)
        if frame is None:
            frame = self.sub_frames[key] = self.block_frame(call, target)
        passed = self.pass_arguments(call, frame, target, cursor)
        assert target.signature is not None
        for parameter in target.signature.params:
            self._no_stack(call, self.actual(parameter.type), parameter.direction == "in")
        for item in passed:
            if item.target is not None:
                if any(s.when is not None for s in item.target.place.spots) or item.target.bits:
                    raise self.refuse("sub-parser-argument", call, "a sub-parser's argument is a whole variable")
                self._copy_indices(cursor, item.target.place.cell, item.parameter.cell)
        caller = self.frame
        self.frame = frame
        self.declare(self.parser_of(frame).locals, frame, cursor)
        self.frame = caller
        after = Stop((self.stop.key[0], key), caller, rest, self.stop.state, self.stop.back)  # type: ignore[index]
        start = self._state_stop(frame, "start", key, Return(after, call, tuple(passed)))
        self.step.edges.append((start, cursor))

    def _leave_sub(self, back: Return, cursor: Cursor) -> None:
        frame = self.frame
        for item in back.passed:
            if item.target is not None:
                value = self.read(cursor, item.parameter, back.call)
                self.frame = back.stop.frame
                cell = item.target.place.cell
                cursor.indices = {c: i for c, i in cursor.indices.items() if c[: len(cell)] != cell}
                self.write_target(item.target, value, cursor, back.call)
                self.frame = frame
                self._copy_indices(cursor, item.parameter.cell, item.target.place.cell)
        cursor.drop(frame.roots)
        cursor.indices = {c: i for c, i in cursor.indices.items() if c[0] not in frame.roots}
        self.step.edges.append((back.stop, cursor))

    def _copy_indices(self, cursor: Cursor, source: Cell, goal: Cell) -> None:
        depth = len(source)
        for cell, index in list(cursor.indices.items()):
            if cell[:depth] == source:
                cursor.indices[(*goal, *cell[depth:])] = index


def _check_size(size: int, most: int) -> None:
    """Sizes at run time are whole bytes; what is too large is so whether or not the packet would hold it."""
    if size > most:
        raise _RejectError("HeaderTooShort")
    if size % 8:
        raise _RejectError("ParserInvalidArgument")


def has_stack(type_: t.Type) -> bool:
    """Whether a header stack is part of the type."""
    match plain(type_):
        case t.Stack():
            return True
        case t.Tuple(items, _):
            return any(has_stack(i) for i in items)
        case t.Aggregate() as aggregate:
            return any(has_stack(f) for f in aggregate.fields().values())
    return False
