# SPDX-License-Identifier: Apache-2.0
"""Declarations of types, externs, functions, actions, packages and instances."""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.semantics.base import Place, unknown
from p4sume.semantics.checked import EnumValue, Symbol
from p4sume.semantics.statements import Statements
from p4sume.semantics.types import (
    ERROR,
    MATCH_KIND,
    UNKNOWN,
    VOID,
    Aggregate,
    AggregateInfo,
    Bits,
    Block,
    BlockInfo,
    Bool,
    Enum,
    EnumInfo,
    Extern,
    ExternInfo,
    Int,
    Meta,
    Method,
    NewType,
    NewTypeInfo,
    Param,
    Signature,
    Stack,
    Type,
    Unknown,
    Varbit,
    Variable,
    Void,
    is_generic,
    parts,
    resolve,
    substitute,
)
from p4sume.semantics.unify import fit_signature
from p4sume.semantics.values import limits, shown
from p4sume.syntax import ast


class Declarations(Statements):
    def check_default_value(self, param: Param) -> None:
        default = param.node.default
        assert default is not None
        value = self.expression(default)
        if not value.known and not unknown(value.type):
            self.error("not-constant", default, "a default value has to be known at compile time")
        else:
            open_ = {v: Meta(v.show()) for v in parts(param.type) if isinstance(v, Variable)}
            self.convert(default, value, substitute(param.type, open_), f"parameter '{param.name}'")

    # ---- structs, headers, unions

    def aggregate(self, node: ast.Aggregate) -> Type:
        self.check_annotations(node.annotations)
        info = AggregateInfo(node.name.text, node, kind=node.kind)
        symbol = Symbol(node.name.text, "type", node, Aggregate(info), incomplete=True)
        declared = self.declare(symbol, node.name)
        fields: dict[str, Type] = {}
        with self.scope("type"):
            info.type_parameters = self.type_parameters(node.type_parameters)
            varbit: ast.Field | None = None
            for field in node.fields:
                self.check_field_annotations(field, fields)
                type_ = self.type_(field.type)
                self.checked.declared_types[field] = type_
                name = field.name.text
                if name in fields:
                    self.error("duplicate-field", field.name, f"{node.kind} has two fields '{name}'")
                    continue
                if not self.legal_field(node.kind, type_):
                    self._illegal_field(node, field, type_)
                    type_ = UNKNOWN
                if isinstance(type_, Varbit) and node.kind == "header":
                    if varbit is not None:
                        self.warn("two-varbits", field.name, f"header {info.name} has more than one varbit field")
                    varbit = field
                fields[name] = type_
        info.fields = fields
        symbol.incomplete = False
        if not declared and info.name not in self.scopes[-1].names:
            self.scopes[-1].names[info.name] = symbol
        self.checked.symbols[node] = symbol
        return symbol.type

    def check_field_annotations(self, field: ast.Field, earlier: dict[str, Type]) -> None:
        """Annotations of a field may name the fields before it."""
        with self.scope("fields") as scope:
            for name, type_ in earlier.items():
                scope.names[name] = Symbol(name, "variable", None, type_)
            self.check_annotations(field.annotations)

    def _illegal_field(self, node: ast.Aggregate, field: ast.Field, type_: Type) -> None:
        hints = {
            "header": "a header holds bit<…>, int<…>, bool, varbit<…>, serialisable enums and structs of these",
            "header_union": "a header_union holds headers",
            "struct": "",
        }
        self.error(
            "illegal-field",
            field.name,
            f"field '{field.name.text}' of {node.kind} '{node.name.text}' cannot have type {type_.show()}",
            hints[node.kind],
        )

    # ---- enums, errors, match kinds

    def enum(self, node: ast.Enum) -> Type:
        self.check_annotations(node.annotations)
        info = EnumInfo(node.name.text, node)
        type_ = Enum(info)
        if node.underlying is not None:
            under = self.type_(node.underlying)
            if isinstance(under, Bits):
                info.underlying = under
            elif not unknown(under):
                hint = "give the type a width" if isinstance(under, Int) else ""
                self.error(
                    "bad-enum-type",
                    node.underlying,
                    f"an enum rests on bit<…> or int<…>, not on {under.show()}",
                    hint,
                )
        symbol = Symbol(info.name, "type", node, type_)
        if node.underlying is None:
            self.declare(symbol, node.name)
        for member in node.members:
            self.check_annotations(member.annotations)
            if member.name.text in info.members:
                self.error("duplicate-name", member.name, f"enum '{info.name}' has two members '{member.name.text}'")
            info.members[member.name.text] = self._member_value(info, member)
            self.checked.declared_types[member] = type_
        if node.underlying is not None:
            self.declare(symbol, node.name)
        self.checked.symbols[node] = symbol
        return type_

    def _member_value(self, info: EnumInfo, member: ast.EnumMember) -> int | None:
        if member.value is None:
            return None
        with self.scope("enum") as scope:
            for name in info.members:
                scope.names[name] = Symbol(name, "constant", None, Enum(info), EnumValue(Enum(info), name))
            value = self.expression(member.value)
        if info.underlying is None or unknown(value.type):
            return None
        if not value.known:
            self.error("not-constant", member.value, "the value of an enum's member has to be a constant")
            return None
        number = self.checked.constants.get(member.value)
        if isinstance(number, int) and isinstance(resolve(value.type), Int):
            low, high = limits(info.underlying)
            if not low <= number <= high:
                self.error(
                    "value-does-not-fit",
                    member.value,
                    f"the value {shown(number)} does not fit in {info.underlying.show()}",
                    f"{info.underlying.show()} holds {low} to {high}",
                )
                return None
        self.convert(member.value, value, info.underlying, f"member '{member.name.text}'")
        number = self.checked.constants.get(member.value)
        return number if isinstance(number, int) else None

    def error_members(self, node: ast.ErrorMembers) -> None:
        for member in node.members:
            if member.name.text in self.errors:
                self.error("duplicate-name", member.name, f"there are two errors '{member.name.text}'")
            self.errors[member.name.text] = member
            self.checked.declared_types[member] = ERROR

    def match_kind_members(self, node: ast.MatchKinds) -> None:
        for member in node.members:
            name = member.name.text
            if name in self.match_kinds:
                self.error("duplicate-name", member.name, f"there are two match kinds '{name}'")
            self.match_kinds[name] = member
            self.checked.declared_types[member] = MATCH_KIND
            if name not in self.scopes[0].names:
                value = EnumValue(MATCH_KIND, name)
                self.scopes[0].names[name] = Symbol(name, "constant", member, MATCH_KIND, value)

    def typedef(self, node: ast.Typedef) -> None:
        self.check_annotations(node.annotations)
        if isinstance(node.type, ast.Aggregate):
            type_ = self.aggregate(node.type)
        elif isinstance(node.type, ast.Enum):
            type_ = self.enum(node.type)
        else:
            type_ = self.type_(node.type)
        if node.new:
            if not isinstance(type_, (Bits, Bool, NewType, Unknown)):
                self.error(
                    "bad-new-type",
                    node.name,
                    f"'type' makes a new type of bit<…>, int<…> or bool, not of {type_.show()}",
                    "use typedef",
                )
                type_ = UNKNOWN
            if not isinstance(type_, Unknown):
                type_ = NewType(NewTypeInfo(node.name.text, node, underlying=type_))
        elif is_generic(type_):
            self.error("missing-type-arguments", node, f"'{type_.show()}' is generic and needs type arguments")
            type_ = UNKNOWN
        self.declare(Symbol(node.name.text, "type", node, type_), node.name)

    # ---- externs

    def extern(self, node: ast.Extern) -> None:
        self.check_annotations(node.annotations)
        info = ExternInfo(node.name.text, node)
        symbol = Symbol(node.name.text, "type", node, Extern(info), incomplete=True)
        self.declare(symbol, node.name)
        with self.scope("type"):
            info.type_parameters = self.type_parameters(node.type_parameters)
            for function in node.methods:
                self._method(info, function)
        symbol.incomplete = False
        self._duplicate_methods(info.methods)
        self._duplicate_methods(info.constructors)

    def _method(self, info: ExternInfo, node: ast.Function) -> None:
        self.check_annotations(node.annotations)
        with self.scope("parameters"):
            if node.name.text == info.name and node.result is not None:
                self.error(
                    "bad-constructor",
                    node.name,
                    f"'{info.name}' is the constructor, which returns nothing",
                    "remove the type before it, or rename the method",
                )
                return
            if node.result is None:
                if node.name.text != info.name:
                    self.error(
                        "bad-constructor",
                        node.name,
                        f"method '{node.name.text}' of extern '{info.name}' has no type",
                        "write the type it returns, or void",
                    )
                    return
                params = self.parameters(node.parameters, "extern-constructor")
                signature = Signature(info.name, info.type_parameters, params, VOID)
                info.constructors.append(Method(signature, node, False))
                return
            variables = self.type_parameters(node.type_parameters)
            result = self.result_type(node.result, "method")
            params = self.parameters(node.parameters, "extern")
        signature = Signature(node.name.text, variables, params, result)
        self.checked.declared_types[node] = signature
        info.methods.append(Method(signature, node, node.abstract))

    def _duplicate_methods(self, methods: Sequence[Method]) -> None:
        for index, method in enumerate(methods):
            for other in methods[:index]:
                both = method.abstract and other.abstract and method.signature.name == other.signature.name
                if both or same_call(method.signature, other.signature):
                    self.error(
                        "duplicate-name",
                        method.node.name,
                        f"two methods '{method.signature.name}' take the same parameters",
                        "overloads differ in the number or the names of their parameters",
                    )
                    break

    # ---- functions and actions

    def function(self, node: ast.Function) -> None:
        self.check_annotations(node.annotations)
        with self.scope("parameters") as inner:
            variables = self.type_parameters(node.type_parameters)
            assert node.result is not None
            result = self.result_type(node.result, "function")
            owner = "extern" if node.body is None else "function"
            params = self.parameters(node.parameters, owner)
        signature = Signature(node.name.text, variables, params, result)
        self.checked.declared_types[node] = signature
        symbol = self.overload(node, signature, "function")
        if node.body is None or symbol is None:
            return
        symbol.incomplete = True
        self.scopes.append(inner)
        try:
            self._function_body(node, result, Place("function", node, result))
        finally:
            self.scopes.pop()
            symbol.incomplete = False

    def _function_body(self, node: ast.Function, result: Type, place: Place) -> None:
        assert node.body is not None
        with self.at(place):
            self.block(node.body)
        if not isinstance(result, (Void, Unknown)) and not self.ends(node.body.body):
            self.error(
                "missing-return",
                node.name,
                f"function '{node.name.text}' does not return a value on every path",
                "end every path with return",
            )

    def overload(self, node: ast.Function | ast.Action, signature: Signature, kind: str) -> Symbol | None:
        """Declare a function or action, beside others of the same name that are called differently."""
        scope = self.scopes[-1]
        old = scope.names.get(node.name.text)
        if old is not None and old.kind == kind == "function":
            for other, declaration in old.overloads:
                if same_call(signature, other):
                    self.warn(
                        "same-overload",
                        node.name,
                        f"'{node.name.text}' is declared twice with the same parameters, so that no call can "
                        f"choose; the other is at {_line(declaration)}",
                        "overloads differ in the number or the names of their parameters",
                    )
            old.overloads.append((signature, node))
            self.checked.symbols[node] = old
            return old
        symbol = Symbol(node.name.text, kind, node, signature, overloads=[(signature, node)])
        self.checked.symbols[node] = symbol
        return symbol if self.declare(symbol, node.name) else None

    def action(self, node: ast.Action) -> None:
        self.check_annotations(node.annotations)
        with self.scope("parameters") as inner:
            params = self.parameters(node.parameters, "action")
        signature = Signature(node.name.text, (), params, VOID)
        self.checked.declared_types[node] = signature
        symbol = self.overload(node, signature, "action")
        if symbol is None:
            return
        symbol.incomplete = True
        self.scopes.append(inner)
        try:
            with self.at(Place("action", node)):
                self.block(node.body)
        finally:
            self.scopes.pop()
            symbol.incomplete = False

    # ---- packages and instances

    def declare_block(
        self, info: BlockInfo, node: ast.Declaration, constructor: Sequence[ast.Parameter] | None
    ) -> Symbol:
        """Declare a parser, control or package, perhaps beside one whose constructor is called differently."""
        symbol = Symbol(info.name, "type", node, Block(info), incomplete=True)
        info.siblings.append(info)
        old = self.scopes[-1].names.get(info.name)
        if old is not None and constructor is not None and isinstance(old.type, Block):
            other = old.type.info
            names = {p.name.text for p in constructor}
            distinct = all(
                s.constructor is not None and {p.name for p in s.constructor.params} != names for s in other.siblings
            )
            if other.kind == info.kind and other.declared and distinct:
                self.warn(
                    "overloaded-block",
                    node.name,
                    f"two {info.kind}s are named '{info.name}', which the specification does not allow",
                    "rename one of the two",
                )
                info.siblings = other.siblings
                info.siblings.append(info)
                return symbol
        self.declare(symbol, node.name)
        return symbol

    def package(self, node: ast.PackageType) -> None:
        self.check_annotations(node.annotations)
        info = BlockInfo(node.name.text, node, kind="package", declared=True)
        symbol = self.declare_block(info, node, node.parameters)
        with self.scope("type"):
            info.type_parameters = self.type_parameters(node.type_parameters)
            params = self.parameters(node.parameters, "package")
        info.constructor = Signature(info.name, info.type_parameters, params, VOID)
        symbol.incomplete = False

    def instantiation(self, node: ast.Instantiation) -> None:
        self.check_annotations(node.annotations)
        whole = self.type_(node.type, generic_ok=True)
        type_ = whole
        while isinstance(type_, Stack):
            type_ = type_.element
        if isinstance(type_, Unknown):
            self.argument_values(node.arguments)
            self.declare(Symbol(node.name.text, "instance", node, UNKNOWN), node.name)
            return
        top = self.place.kind == "top"
        if top and node.name.text == "main" and not _is_package(type_):
            self.error("bad-main", node.name, "'main' is an instance of a package", "rename this instance")
        elif top and isinstance(type_, Block) and type_.info.kind != "package":
            self.error(
                "illegal-instance",
                node.name,
                f"a {type_.info.kind} cannot be instantiated at top level",
                "instantiate it inside a control or parser, or as an argument of a package",
            )
        elif not top and isinstance(type_, Block):
            self._check_nesting(node, type_)
        if node.initializer is not None and not isinstance(type_, Extern):
            self.error("illegal-initializer", node.name, "only instances of externs have an initializer")
        made = self.construct(node, type_, node.arguments, in_declaration=True)
        found: Type = UNKNOWN if made is None else made[0]
        if isinstance(found, Extern):
            self.checked.declared_types[node] = found
            self._implementations(node, found)
        layers: list[Stack] = []
        while isinstance(whole, Stack):
            layers.append(whole)
            whole = whole.element
        for layer in reversed(layers):
            found = Stack(found, layer.size) if not unknown(found) else UNKNOWN
        self.checked.declared_types[node] = found
        self.declare(Symbol(node.name.text, "instance", node, found), node.name)
        if made is not None:
            if any(isinstance(p, Meta) for p in parts(found)):
                self.error(
                    "cannot-infer",
                    node.name,
                    f"the type arguments of {type_.show()} do not follow from the arguments",
                    f"give them, as in {type_.show()}<…>(…)",
                )
            self.record_instance(node, made[1])
        if top and node.name.text == "main":
            self.checked.main = node

    def record_instance(self, node: ast.Instantiation, target: object) -> None:
        raise NotImplementedError

    def _check_nesting(self, node: ast.Instantiation, type_: Block) -> None:
        kind = type_.info.kind
        inside = "parser" if self.in_parser() else "control"
        if kind == "package":
            self.error("illegal-instance", node.name, f"a package cannot be instantiated in a {inside}")
        elif kind != inside:
            self.error("illegal-instance", node.name, f"a {kind} cannot be instantiated in a {inside}")

    def _implementations(self, node: ast.Instantiation, type_: Extern) -> None:
        """The methods in an instance's initializer against the extern's abstract ones."""
        abstract = {m.signature.name: m for m in type_.info.methods if m.abstract}
        if not abstract:
            if node.initializer is not None:
                self.error(
                    "illegal-initializer",
                    node.name,
                    f"extern {type_.show()} has no abstract methods to implement",
                )
            return
        missing = {n for n, m in abstract.items() if not _optional(m.node)}
        with self.scope("locals"):
            for item in node.initializer or ():
                if isinstance(item, ast.Instantiation):
                    self.instantiation(item)
                    continue
                assert isinstance(item, ast.Function)
                self._implementation(item, type_, abstract)
                missing.discard(item.name.text)
        for name in sorted(missing):
            self.error(
                "not-implemented",
                node.name,
                f"abstract method '{name}' of {type_.show()} is not implemented",
                "add it to the initializer: … name = { … };",
            )

    def _implementation(self, node: ast.Function, type_: Extern, abstract: dict[str, Method]) -> None:
        self.check_annotations(node.annotations)
        with self.scope("parameters"):
            variables = self.type_parameters(node.type_parameters)
            assert node.result is not None
            result = self.result_type(node.result, "function")
            params = self.parameters(node.parameters, "function")
            signature = Signature(node.name.text, variables, params, result)
            self.checked.declared_types[node] = signature
            method = abstract.get(node.name.text)
            if method is None:
                self.error(
                    "no-such-method",
                    node.name,
                    f"extern {type_.show()} has no abstract method '{node.name.text}'",
                )
            else:
                wanted = substitute(method.signature, type_.substitution)
                assert isinstance(wanted, Signature)
                problem = fit_signature(wanted, signature)
                if variables:
                    problem = "an implementation cannot be generic"
                if problem is not None:
                    self.error(
                        "type-mismatch",
                        node.name,
                        f"'{node.name.text}' does not implement the abstract method: {problem}",
                    )
            place = Place("method", node, result, this=type_)
            self._function_body(node, result, place)


def same_call(first: Signature, second: Signature) -> bool:
    """Whether no call could tell two declarations of one name apart."""
    if first.name != second.name or len(first.params) != len(second.params):
        return False
    return {p.name for p in first.params} == {p.name for p in second.params}


def _optional(node: ast.Function) -> bool:
    return any(a.name == "optional" for a in node.annotations)


def _is_package(type_: Type) -> bool:
    return isinstance(type_, Block) and type_.info.kind == "package"


def _line(node: ast.Node) -> str:
    file, line, _ = node.span.location()
    return f"{file}:{line}"
