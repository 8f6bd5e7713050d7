# SPDX-License-Identifier: Apache-2.0
"""Calls: of functions, actions, methods, constructors, tables, parsers and controls, and of built-in methods.

Ensures: `calls` has what each call does; a call stands only where the language allows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from p4sume.semantics.arguments import Arguments, Bound, takes
from p4sume.semantics.base import FAILED, Typed, unknown
from p4sume.semantics.checked import CallTarget, Symbol
from p4sume.semantics.types import (
    BOOL,
    DONT_CARE,
    INT,
    VOID,
    Aggregate,
    ApplyResult,
    Bits,
    Block,
    Declared,
    Extern,
    Int,
    Meta,
    Signature,
    Stack,
    TableType,
    Tuple,
    Type,
    TypeName,
    Varbit,
    Void,
    is_header,
    is_struct,
    is_union,
    min_max_width,
    resolve,
    specialise,
    substitute,
)
from p4sume.syntax import ast

_SIZES = frozenset("minSizeInBits minSizeInBytes maxSizeInBits maxSizeInBytes".split())
_VALIDITY = frozenset("isValid setValid setInvalid".split())
_STACK = frozenset("push_front pop_front".split())


class Calls(Arguments):
    def call(self, node: ast.Call) -> Typed:
        callee = node.callee
        if isinstance(callee, ast.Member):
            return self._member_call(node, callee)
        if not isinstance(callee, ast.PathExpression):
            self.expression(callee)
            return self.error("not-callable", node, "what is called here is not a function, method or action")
        symbol = self.find(callee.name, callee.absolute)
        if symbol is None:
            self.not_found(callee, callee.name)
            self.argument_values(node.arguments)
            return FAILED
        self.checked.symbols[callee] = symbol
        symbol.used = True
        if symbol.kind == "action" and symbol.incomplete:
            outer = self.find(callee.name, True)
            if outer is not None and outer.kind == "function":
                self.checked.symbols[callee] = symbol = outer
        if symbol.kind == "action":
            return self._action_call(node, symbol)
        if symbol.kind != "function":
            return self.error("not-callable", node, f"'{callee.name}' is a {symbol.kind}, and cannot be called")
        return self._function_call(node, symbol)

    # ---- functions and actions

    def _function_call(self, node: ast.Call, symbol: Symbol) -> Typed:
        if self._forbidden_here(node):
            return FAILED
        what = f"function '{symbol.name}'"
        visible = [o for o in symbol.overloads if o[1] is not self.place.node]
        if not visible:
            return self.error("recursion", node, f"{what} calls itself", "P4 has no recursion")
        bound = self.bind(node, what, visible, node.type_arguments, node.arguments)
        if bound is None:
            return FAILED
        if symbol.name == "verify" and not self.in_parser():
            return self.error("parser-only", node, "verify can be called only in parsers")
        self._record(node, "function", symbol.name, bound, None)
        known = symbol.name == "static_assert"
        if known:
            self._static_assert(node, bound)
        result = bound.signature.result
        pure = isinstance(result, Extern) or any(a.name == "pure" for a in bound.node.annotations)
        constant = all(a is None or self.is_known(a) for _, a in bound.bindings)
        return Typed(result, None, known or (pure and constant))

    def _static_assert(self, node: ast.Call, bound: Bound) -> None:
        arguments = [self.checked.constants.get(a) for _, a in bound.bindings if a is not None]
        if arguments and arguments[0] is False:
            message = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], str) else ""
            self.error("static-assert", node, "static_assert fails" + (f": {message}" if message else ""))

    def _action_call(self, node: ast.Call, symbol: Symbol) -> Typed:
        kind = self.place.kind
        if node.type_arguments:
            return self.error("type-argument-count", node, "actions take no type arguments")
        if self.in_parser():
            return self.error("illegal-call", node, "an action cannot be called in a parser")
        if kind in ("function", "method"):
            return self.error("illegal-call", node, "a function cannot call an action")
        if kind not in ("apply", "action"):
            return self.error("illegal-call", node, f"action '{symbol.name}' cannot be called here")
        if symbol.incomplete and symbol.node is self.place.node:
            return self.error("recursion", node, f"action '{symbol.name}' calls itself", "P4 has no recursion")
        signature, declaration = symbol.overloads[0]
        free = _directed(signature)
        bound = self.bind(node, f"action '{symbol.name}'", [(free, declaration)], (), node.arguments)
        if bound is None:
            return FAILED
        self._record(node, "action", symbol.name, bound, None)
        return Typed(VOID)

    def _record(self, node: ast.Call, kind: str, name: str, bound: Bound, receiver: ast.Expression | None) -> None:
        self.checked.calls[node] = CallTarget(
            kind, name, bound.node, bound.signature, bound.type_arguments, bound.bindings, receiver
        )

    def _forbidden_here(self, node: ast.Call) -> bool:
        if self.in_keyset:
            self.error("illegal-call", node, "a function cannot be called in a keyset", "keysets are constants")
        return self.in_keyset

    # ---- methods

    def _member_call(self, node: ast.Call, callee: ast.Member) -> Typed:
        name = callee.name.text
        if isinstance(callee.base, ast.TypeExpression):
            return self._type_call(node, callee, callee.base, name)
        base = self.expression(callee.base)
        type_ = resolve(base.type)
        if unknown(type_):
            self.argument_values(node.arguments)
            return FAILED
        if isinstance(type_, TableType) and name == "apply":
            return self._table_apply(node, type_)
        if isinstance(type_, Block) and name == "apply" and type_.info.kind != "package":
            return self._block_apply(node, type_, callee.base)
        if isinstance(type_, Extern):
            return self._method_call(node, callee, type_, name)
        built_in = self._built_in(node, callee, base, type_, name)
        if built_in is not None:
            return built_in
        self.argument_values(node.arguments)
        if isinstance(type_, Aggregate) and name in type_.fields():
            return self.error("not-callable", node, f"'{name}' is a field, and cannot be called")
        return self._no_member(callee, type_)

    def _type_call(self, node: ast.Call, callee: ast.Member, base: ast.TypeExpression, name: str) -> Typed:
        type_ = self.type_(base.type, generic_ok=True)
        self.checked.types[base] = TypeName(type_)
        if unknown(type_):
            return FAILED
        if name in _SIZES and not isinstance(type_, Block):
            built_in = self._built_in(node, callee, Typed(type_), type_, name)
            return built_in if built_in is not None else self._no_member(callee, type_)
        if name == "apply" and isinstance(type_, Block) and type_.info.kind != "package":
            if not type_.info.declared:
                return self.error("not-instantiable", base, f"{type_.info.kind} {type_.show()} has no body")
            constructor = type_.constructor_signature()
            if constructor is not None and any(not p.optional and not p.has_default for p in constructor.params):
                return self.error(
                    "missing-argument",
                    base,
                    f"{type_.info.kind} {type_.show()} has constructor parameters, so it needs an instance",
                )
            return self._block_apply(node, type_, None)
        return self._no_member(callee, type_)

    def _table_apply(self, node: ast.Call, type_: TableType) -> Typed:
        name = type_.node.name.text
        if self.place.kind not in ("apply", "table"):
            where = {"action": "an action", "function": "a function", "state": "a parser"}
            return self.error(
                "illegal-call",
                node,
                f"table '{name}' cannot be applied from {where.get(self.place.kind, 'here')}",
                "apply tables in the apply block of a control",
            )
        if node.arguments:
            return self.error("too-many-arguments", node, "applying a table takes no arguments")
        self.checked.calls[node] = CallTarget("table", name, type_.node, None, (), (), None)
        return Typed(ApplyResult(type_.node))

    def _block_apply(self, node: ast.Call, type_: Block, receiver: ast.Expression | None) -> Typed:
        kind = type_.info.kind
        wanted = {"control": "apply", "parser": "state"}[kind]
        if self.place.kind != wanted:
            self.argument_values(node.arguments)
            place = "the apply block of a control" if kind == "control" else "a state of a parser"
            return self.error(
                "illegal-call", node, f"a {kind} can be applied only in {place}", f"move the call into {place}"
            )
        signature = type_.apply_signature()
        if signature is None or type_.info.node is None:
            return FAILED
        what = f"{kind} '{type_.info.name}'"
        bound = self.bind(node, what, [(signature, type_.info.node)], node.type_arguments, node.arguments)
        if bound is None:
            return FAILED
        self._record(node, "apply", type_.info.name, bound, receiver)
        if receiver is None:
            self.instantiated.append((self.place.block, type_.info.node))
        return Typed(VOID)

    def _method_call(self, node: ast.Call, callee: ast.Member, type_: Extern, name: str) -> Typed:
        if self._forbidden_here(node):
            return FAILED
        methods = [m for m in type_.info.methods if m.signature.name == name]
        if not methods:
            self.argument_values(node.arguments)
            return self._no_member(callee, type_)
        candidates = [(_specialise(m.signature, type_), m.node) for m in methods]
        what = f"method '{name}' of {type_.info.name}"
        bound = self.bind(node, what, candidates, node.type_arguments, node.arguments)
        if bound is None:
            return FAILED
        self._record(node, "method", name, bound, callee.base)
        if type_.info.name in ("packet_in", "packet_out"):
            self._check_packet_method(node, type_.info.name, name, bound)
        return Typed(bound.signature.result)

    def _check_packet_method(self, node: ast.Call, owner: str, name: str, bound: Bound) -> None:
        """What core.p4's packet_in and packet_out demand beyond their prototypes."""
        types = [resolve(p.type) for p in bound.signature.params]
        if owner == "packet_in" and name == "extract" and types:
            type_ = types[0]
            where = node.arguments[0] if node.arguments else node
            if unknown(type_):
                return
            if not is_header(type_):
                self.error("not-a-header", where, f"extract takes a header, not {type_.show()}")
                return
            assert isinstance(type_, Aggregate)
            varbit = any(isinstance(t, Varbit) for t in type_.fields().values())
            if sum(isinstance(t, Varbit) for t in type_.fields().values()) > 1:
                self.error("two-varbits", where, f"header {type_.show()} has more than one varbit field")
            elif len(types) == 1 and varbit:
                self.error(
                    "varbit-size",
                    where,
                    f"header {type_.show()} has a varbit field, so extract needs its size",
                    "pass the size in bits as the second argument",
                )
            elif len(types) == 2 and not varbit:
                self.error("varbit-size", where, f"header {type_.show()} has no varbit field to give a size to")
        elif owner == "packet_in" and name == "lookahead" and bound.type_arguments:
            type_ = resolve(bound.type_arguments[0])
            width = min_max_width(type_)
            if (isinstance(type_, Void) or width is None or width[0] != width[1]) and not unknown(type_):
                self.error("no-width", node, f"lookahead needs a type of fixed width, not {type_.show()}")
        elif owner == "packet_out" and name == "emit" and types and not _emittable(types[0]):
            where = node.arguments[0] if node.arguments else node
            self.error(
                "not-a-header",
                where,
                f"emit takes headers, or a struct, stack, union or tuple of them, not {types[0].show()}",
            )

    # ---- built-in methods

    def _built_in(self, node: ast.Call, callee: ast.Member, base: Typed, type_: Type, name: str) -> Typed | None:
        if name in _SIZES:
            width = min_max_width(type_)
            if width is None:
                return None
            self._no_arguments(node, name)
            bits = width[0] if name.startswith("min") else width[1]
            value = bits if name.endswith("Bits") else (bits + 7) // 8
            self._record_built_in(node, name, callee.base)
            return Typed(INT, value, True)
        if name in _VALIDITY and (is_header(type_) or (is_union(type_) and name == "isValid")):
            self._no_arguments(node, name)
            self._record_built_in(node, name, callee.base)
            if name == "isValid":
                return Typed(BOOL)
            if not base.lvalue:
                self._needs_lvalue(node, base, name)
            return Typed(VOID)
        if name in _STACK and isinstance(type_, Stack):
            self._record_built_in(node, name, callee.base)
            if self.in_parser():
                self.error("control-only", node, f"'{name}' cannot be called in a parser", "use .next to fill a stack")
            if not base.lvalue:
                self._needs_lvalue(node, base, name)
            values = self.argument_values(node.arguments)
            if len(values) != 1 or values[0] is None or node.arguments[0].value is None:
                return self.error("missing-argument", node, f"'{name}' takes one argument, the count")
            count = values[0]
            if not isinstance(resolve(count.type), (Int, Bits)) and not unknown(count.type):
                return self.error("type-mismatch", node.arguments[0], f"'{name}' takes a number")
            if not count.known:
                return self.error("not-constant", node.arguments[0], f"the count of '{name}' is a constant")
            number = self.checked.constants.get(node.arguments[0].value)
            if isinstance(number, int) and number < 0:
                return self.error("bad-index", node.arguments[0], f"the count of '{name}' is negative")
            return Typed(VOID)
        return None

    def _record_built_in(self, node: ast.Call, name: str, receiver: ast.Expression) -> None:
        self.checked.calls[node] = CallTarget("built_in", name, None, None, (), (), receiver)

    def _no_arguments(self, node: ast.Call, name: str) -> None:
        if node.arguments:
            self.error("too-many-arguments", node, f"'{name}' takes no arguments")
        if node.type_arguments:
            self.error("type-argument-count", node, f"'{name}' takes no type arguments")

    def _needs_lvalue(self, node: ast.Call, base: Typed, name: str) -> None:
        why = f": {base.readonly}" if base.readonly else ""
        self.error("not-assignable", node, f"'{name}' changes what it is called on, which cannot be assigned{why}")

    # ---- constructors

    def constructor_call(self, node: ast.Call, written: ast.TypeNode) -> Typed:
        type_ = self.type_(written, generic_ok=True)
        self.checked.types[node.callee] = TypeName(type_)
        if unknown(type_):
            self.argument_values(node.arguments)
            return FAILED
        if self.place.kind == "action":
            self.argument_values(node.arguments)
            return self.error(
                "illegal-call",
                node,
                f"an object of type {type_.show()} cannot be made here",
                "instantiate it among the declarations of the parser or control",
            )
        bound = self.construct(node, type_, node.arguments, in_declaration=False)
        if bound is None:
            return FAILED
        made, target = bound
        self.checked.calls[node] = target
        return Typed(made, None, True)

    def construct(
        self,
        node: ast.Expression | ast.Declaration,
        type_: Type,
        arguments: Sequence[ast.Argument],
        in_declaration: bool,
    ) -> tuple[Type, CallTarget] | None:
        """Check the making of an object; its type, with inferred type arguments, and its constructor."""
        candidates: list[tuple[Signature, ast.Declaration]]
        open_type = isinstance(type_, Declared) and DONT_CARE in type_.arguments
        if open_type:
            assert isinstance(type_, Declared)
            type_ = specialise(type_, tuple(Meta("_") if a == DONT_CARE else a for a in type_.arguments))
        if isinstance(type_, Extern):
            if any(m.abstract for m in type_.info.methods) and not in_declaration:
                self.error(
                    "abstract-instance",
                    node,
                    f"extern {type_.show()} has abstract methods, so it cannot be made by a constructor call",
                    "declare an instance with an initializer that implements them",
                )
                return None
            candidates = [(_specialise(m.signature, type_), m.node) for m in type_.info.constructors]
            if not candidates:
                self.error("no-constructor", node, f"extern {type_.show()} has no constructor")
                return None
            fitting = self._fitting(candidates, arguments)
            if not fitting:
                self.argument_values(arguments)
                self.error(
                    "no-constructor",
                    node,
                    f"extern {type_.show()} has no constructor with {len(arguments)} arguments",
                )
                return None
        elif isinstance(type_, Block) and type_.info.declared and type_.info.constructor is not None:
            blocks = [type_] if type_.arguments else [Block(s) for s in type_.info.siblings]
            candidates = [
                (signature, block.info.node)
                for block in blocks
                if (signature := block.constructor_signature()) is not None and block.info.node is not None
            ]
        else:
            self.argument_values(arguments)
            self.error(
                "not-instantiable",
                node,
                f"there are no objects of type {type_.show()}",
                "instances are of externs, of packages, and of parsers and controls with a body",
            )
            return None
        what = f"the constructor of {type_.show()}"
        values = self.argument_values(arguments)
        inferred_later = isinstance(type_, Block) and type_.info.kind != "package"
        bound = self.bind(node, what, candidates, (), arguments, values, inferred_later)
        if bound is None:
            return None
        if isinstance(type_, Block) and not type_.arguments:
            type_ = next(Block(s) for s in type_.info.siblings if s.node is bound.node)
        if isinstance(type_, Block):
            self.instantiated.append((self.place.block, bound.node))
        made: Type = type_
        assert isinstance(type_, Declared)
        if type_.info.type_parameters and not type_.arguments:
            made = specialise(type_, bound.type_arguments)
        elif open_type:
            found = (substitute(a, {}) for a in type_.arguments)
            made = specialise(type_, tuple(DONT_CARE if isinstance(a, Meta) else a for a in found))
        target = CallTarget(
            "constructor", type_.info.name, bound.node, bound.signature, bound.type_arguments, bound.bindings
        )
        return made, target

    def _fitting(self, candidates: list[tuple[Signature, ast.Declaration]], arguments: Sequence[ast.Argument]) -> bool:
        return any(takes(signature, arguments) for signature, _ in candidates)


def _specialise(signature: Signature, type_: Extern) -> Signature:
    if not type_.arguments:
        return signature
    found = substitute(signature, type_.substitution)
    assert isinstance(found, Signature)
    return found


def _directed(signature: Signature) -> Signature:
    """An action's signature for a direct call, where parameters without direction act as `in`."""
    params = tuple(p if p.direction else replace(p, direction="in") for p in signature.params)
    return replace(signature, params=params)


def _emittable(type_: Type) -> bool:
    type_ = resolve(type_)
    if is_header(type_) or is_union(type_):
        return True
    if isinstance(type_, Stack):
        return _emittable(type_.element)
    if isinstance(type_, Tuple):
        return all(_emittable(i) for i in type_.items)
    if is_struct(type_):
        assert isinstance(type_, Aggregate)
        return all(_emittable(t) for t in type_.fields().values())
    return (
        unknown(type_)
        or not isinstance(type_, (Bits, Declared, Int, Varbit))
        and type_.show()
        not in (
            "bool",
            "error",
            "string",
        )
    )
