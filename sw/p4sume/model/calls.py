# SPDX-License-Identifier: Apache-2.0
"""Calls: arguments are copied in from left to right, and copied out in that order after the call.

    f(a.x, b);        auto t1_ = a.x; f(t1_, b); a.x = t1_;

A reference takes the place of a copy where no other way leads to the same variable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from p4sume.model.cpp_types import plain
from p4sume.model.effects import walk
from p4sume.model.expressions import Expressions
from p4sume.model.lvalues import Place
from p4sume.model.refusal import RefusedError
from p4sume.semantics.checked import CallTarget
from p4sume.semantics.types import (
    Aggregate,
    Bits,
    Bool,
    Enum,
    Error,
    Extern,
    Param,
    Stack,
    Tuple,
    Type,
    Void,
    is_header,
    is_union,
    min_max_width,
    resolve,
    substitute,
)
from p4sume.syntax import ast

_PACKETS = ("packet_in", "packet_out")


@dataclass
class Passed:
    """Arguments as C++, and what copies results back after the call."""

    arguments: list[str] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)


def is_scalar(type_: Type) -> bool:
    type_ = plain(type_)
    return isinstance(type_, (Bool, Error, Enum)) or (isinstance(type_, Bits) and type_.width <= 64)


class Calls(Expressions):
    in_parser = False

    def call(self, node: ast.Call) -> str | None:
        target = self.checked.calls.get(node)
        if target is None:
            raise RefusedError(node, "the meaning of this call is not known", id_="model-internal")
        found: dict[str, Callable[[ast.Call, CallTarget], str | None]] = {
            "built_in": self._built_in,
            "function": self._function,
            "action": self._action,
            "apply": self._apply,
            "table": self._table,
            "method": self._method,
        }
        if target.kind not in found:
            raise RefusedError(node, "an object cannot be made here")
        return found[target.kind](node, target)

    # ---- arguments

    def pass_arguments(self, target: CallTarget, closure: bool, skip: int = 0) -> Passed:
        """`closure`: the callee can reach the caller's variables by their own names."""
        signature = target.signature
        assert signature is not None
        pairs = list(zip(signature.params, target.bindings, strict=True))[skip:]
        nodes = [a for _, (_, a) in pairs if a is not None]
        by_reference = not closure and not any(self.effects.has_effects(n) for n in nodes)
        roots = [self._root(a) for _, (_, a) in pairs if a is not None]
        written = {self._root(a) for p, (_, a) in pairs if a is not None and p.direction in ("out", "inout")}
        passed = Passed()
        for position, (param, (_, argument)) in enumerate(pairs):
            later = [a for _, (_, a) in pairs[position + 1 :] if a is not None]
            if param.direction in ("out", "inout"):
                alone = argument is not None and roots.count(self._root(argument)) == 1
                self._pass_place(param, argument, by_reference and alone, passed)
            else:
                self._pass_value(param, argument, later, written, closure, passed)
        return passed

    def _root(self, node: ast.Expression) -> object:
        """The variable that an argument lies in; expressions that lie in none are all different."""
        while isinstance(node, (ast.Member, ast.Index, ast.Slice)):
            node = node.base
        if isinstance(node, ast.PathExpression):
            symbol = self.checked.symbols.get(node)
            return node if symbol is None or symbol.kind == "constant" else symbol.node
        return node

    def _pass_value(
        self,
        param: Param,
        argument: ast.Expression | None,
        later: list[ast.Expression],
        written: set[object],
        closure: bool,
        passed: Passed,
    ) -> None:
        if argument is None:
            raise RefusedError(param.node, f"parameter '{param.name}' has no value here")
        type_ = resolve(substitute(param.type, self.mapping))
        if isinstance(type_, Extern):
            passed.arguments.append(self.value(argument))
            return
        text = self.value(argument)
        # A choice, a cast or a sign may give the variable itself and no value of its own.
        met = {self._root(part) for part in walk(argument) if isinstance(part, ast.Expression)}
        changed = any(self.effects.has_effects(n) for n in later) or not written.isdisjoint(met)
        if self.constant(argument) is None and (changed or (closure and not is_scalar(type_))):
            text = self.temporary(text)
        passed.arguments.append(text)

    def _pass_place(self, param: Param, argument: ast.Expression | None, by_reference: bool, passed: Passed) -> None:
        type_ = substitute(param.type, self.mapping)
        if argument is None:
            name = self.names.temporary()
            self.line(f"{self.cpp(type_, param.node)} {name}{{}};")
            passed.arguments.append(name)
            return
        place = self.place(argument)
        if by_reference and isinstance(place, Place) and place.direct:
            passed.arguments.append(place.path)
            return
        if param.direction == "inout":
            name = self.temporary(place.read(), const=False)
        else:
            name = self.names.temporary()
            self.line(f"{self.cpp(type_, argument)} {name}{{}};")
        passed.arguments.append(name)
        passed.copies.extend(place.assign(name))

    # ---- functions and actions

    def _function(self, node: ast.Call, target: CallTarget) -> str | None:
        if target.name == "static_assert":
            return "true"
        assert isinstance(target.node, ast.Function) and target.signature is not None
        if target.name == "verify" and target.node.body is None:
            self._verify(target)
            return None
        if target.node.body is None:
            return self.program.architecture.extern_function(self, node, target)
        types = tuple(substitute(t, self.mapping) for t in target.type_arguments)
        name = self.program.function(target.node, types)
        passed = self.pass_arguments(target, closure=False)
        return self.finish(f"{name}({', '.join(passed.arguments)})", target.signature.result, passed)

    def finish(self, text: str, result: Type, passed: Passed) -> str | None:
        """The call as a statement; the name of its result."""
        name: str | None = None
        if isinstance(resolve(result), Void):
            self.line(f"{text};")
        else:
            name = self.temporary(text)
        self.lines(passed.copies)
        return name

    def _verify(self, target: CallTarget) -> None:
        check, error = (a for _, a in target.bindings)
        assert check is not None and error is not None
        condition, signal = self.values([check, error])
        self.line(f"if (!{condition}) return context_.reject({signal});")

    def _action(self, node: ast.Call, target: CallTarget) -> None:
        assert isinstance(target.node, ast.Action)
        passed = self.pass_arguments(target, closure=True)
        text = f"{self.program.action(target.node, self.known, node)}({', '.join(passed.arguments)})"
        self.leave_if(text, passed, self.effects.may_exit(target.node), self.on_exit)

    def leave_if(self, text: str, passed: Passed, may_leave: bool, leave: str) -> None:
        """The call; if it says so, processing ends here, after results are copied out."""
        if not may_leave:
            self.line(f"{text};")
            self.lines(passed.copies)
        elif passed.copies:
            ended = self.temporary(text)
            self.lines(passed.copies)
            self.line(f"if ({ended}) {leave}")
        else:
            self.line(f"if ({text}) {leave}")

    # ---- tables, parsers, controls

    def _table(self, node: ast.Call, target: CallTarget) -> str:
        assert isinstance(target.node, ast.Table)
        applied = self.temporary(f"{self.known[target.node]}()", "applied")
        if self.effects.may_exit(target.node):
            self.line(f"if ({applied}.exited) {self.on_exit}")
        return applied

    def _apply(self, node: ast.Call, target: CallTarget) -> None:
        assert target.node is not None
        if target.receiver is None:
            name = self.program.direct_instance(self.owner, node, target)
        else:
            name = self.value(target.receiver)
        passed = self.pass_arguments(target, closure=False)
        text = f"{name}.apply({', '.join(['context_', *passed.arguments])})"
        if isinstance(target.node, ast.Parser):
            self.leave_if(f"!{text}", passed, True, "return false;")
        else:
            self.leave_if(text, passed, self.effects.may_exit(target.node), self.on_exit)

    # ---- built-in methods

    def _built_in(self, node: ast.Call, target: CallTarget) -> str | None:
        assert target.receiver is not None
        type_ = resolve(self.own_type(target.receiver))
        name = target.name
        if name == "isValid":
            return f"{self.value(target.receiver)}.{'is_valid_()' if is_union(type_) else 'valid_'}"
        place = self.place(target.receiver)
        assert isinstance(place, Place)
        if name == "setValid":
            self.line(f"{place.path}.valid_ = true;")
            if place.union:
                self.line(f"{place.union}.keep_(&{place.path});")
        elif name == "setInvalid":
            self.line(f"{place.path} = {self.cpp(type_, node)}{{}};")
        elif name in ("push_front", "pop_front"):
            argument = node.arguments[0].value
            count = None if argument is None else self.constant_number(argument)
            if count is None:
                raise RefusedError(node, f"the count of {name} is not known to the model")
            self.line(f"{place.path}.{name}({count});")
        else:
            raise RefusedError(node, f"the model has no '{name}'")
        return None

    # ---- methods of packets

    def _method(self, node: ast.Call, target: CallTarget) -> str | None:
        assert target.receiver is not None
        owner = resolve(self.own_type(target.receiver))
        assert isinstance(owner, Extern)
        if owner.info.name not in _PACKETS:
            return self.program.architecture.extern_method(self, node, target, owner)
        packet = self.value(target.receiver)
        arguments = [a for _, a in target.bindings]
        match owner.info.name, target.name:
            case "packet_in", "extract":
                self._extract(node, target, packet, arguments)
            case "packet_in", "lookahead":
                return self._lookahead(node, substitute(target.type_arguments[0], self.mapping), packet)
            case "packet_in", "advance":
                self.line(f"if (!{packet}.advance({self._argument(node, arguments[0])})) return false;")
            case "packet_in", "length":
                return f"{packet}.length()"
            case "packet_out", "emit":
                self._emit(node, packet, self._given(node, arguments[0]))
        return None

    def _given(self, node: ast.Call, argument: ast.Expression | None) -> ast.Expression:
        if argument is None:
            raise RefusedError(node, "an argument is missing")
        return argument

    def _argument(self, node: ast.Call, argument: ast.Expression | None) -> str:
        return self.value(self._given(node, argument))

    def _extract(self, node: ast.Call, target: CallTarget, packet: str, arguments: list[ast.Expression | None]) -> None:
        assert target.signature is not None
        type_ = substitute(target.signature.params[0].type, self.mapping)
        sizes = min_max_width(type_)
        if sizes is None or sizes[0] % 8:
            raise RefusedError(
                node,
                f"header {type_.show()} does not hold whole bytes",
                "add a field that fills the last byte",
                "partial-byte",
            )
        size = [self._argument(node, a) for a in arguments[1:]]
        header = arguments[0]
        if header is None:
            self.line(f"if (!{packet}.skip({sizes[0]})) return false;")
            return
        if isinstance(header, ast.Member) and self._is_next(header):
            place = self.place(header.base)
            self.line(f"if (!{packet}.extract_next({', '.join([place.read(), *size])})) return false;")
            return
        found = self.place(header)
        assert isinstance(found, Place)
        self.line(f"if (!{packet}.extract({', '.join([found.path, *size])})) return false;")
        if found.union:
            self.line(f"{found.union}.keep_(&{found.path});")
        if isinstance(header, ast.Member) and self._is_next(header.base):
            assert isinstance(header.base, ast.Member)
            self.line(f"++{self.place(header.base.base).read()}.next_index;")

    def _is_next(self, node: ast.Expression) -> bool:
        """`hs.next`, here of a stack of unions, which moves on when one of its members is extracted."""
        return isinstance(node, ast.Member) and node.name.text == "next" and self._is_stack(node.base)

    def _is_stack(self, node: ast.Expression) -> bool:
        return isinstance(resolve(self.own_type(node)), Stack)

    def _lookahead(self, node: ast.Call, type_: Type, packet: str) -> str:
        sizes = min_max_width(type_)
        if sizes is None:
            raise RefusedError(node, f"the model cannot look ahead for a {type_.show()}")
        self.line(f"if (!{packet}.can_look({sizes[0]})) return false;")
        name, look = self.names.temporary("ahead"), self.names.temporary("look")
        self.line(f"{self.cpp(type_, node)} {name}{{}};")
        self.line(f"auto {look} = {packet}.look();")
        self._take(node, type_, name, look)
        return name

    def _take(self, node: ast.Call, type_: Type, name: str, look: str) -> None:
        type_ = plain(type_)
        match type_:
            case Bits() | Bool():
                self.line(f"{look}.take({name});")
            case Tuple(items, _):
                for index, item in enumerate(items):
                    self._take(node, item, f"std::get<{index}>({name})", look)
            case Aggregate() if is_header(type_) or self.program.packable(type_):
                self.line(f"{name}.unpack_({look});")
            case _:
                raise RefusedError(node, f"the model cannot look ahead for a {type_.show()}")

    def _emit(self, node: ast.Call, packet: str, argument: ast.Expression) -> None:
        type_ = resolve(self.type_of(argument))
        self._require_whole_bytes(node, type_)
        if isinstance(type_, Tuple):
            items = argument.items if isinstance(argument, ast.ListExpression) else None
            if items is None:
                held = self.temporary(self.value(argument))
                for index in range(len(type_.items)):
                    self.line(f"{packet}.emit(std::get<{index}>({held}));")
            for item in items or ():
                self._emit(node, packet, item)
            return
        self.line(f"{packet}.emit({self.value(argument)});")

    def _require_whole_bytes(self, node: ast.Call, type_: Type) -> None:
        type_ = resolve(type_)
        if isinstance(type_, Stack):
            self._require_whole_bytes(node, type_.element)
        elif isinstance(type_, Tuple):
            for item in type_.items:
                self._require_whole_bytes(node, item)
        elif isinstance(type_, Aggregate):
            if not is_header(type_):
                for item in type_.fields().values():
                    self._require_whole_bytes(node, item)
                return
            sizes = min_max_width(type_)
            if sizes is None or sizes[0] % 8:
                raise RefusedError(
                    node,
                    f"header {type_.show()} does not hold whole bytes",
                    "add a field that fills the last byte",
                    "partial-byte",
                )
