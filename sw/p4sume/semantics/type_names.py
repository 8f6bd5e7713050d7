# SPDX-License-Identifier: Apache-2.0
"""Types as written to types.

Requires: a type node, and the declarations before it in scope. Ensures: the type, entered in `written_types`;
UNKNOWN with an error where the type is none.
"""

from __future__ import annotations

from p4sume.semantics.base import CheckerBase
from p4sume.semantics.checked import Symbol
from p4sume.semantics.types import (
    BOOL,
    DONT_CARE,
    ERROR,
    INT,
    MATCH_KIND,
    STRING,
    UNKNOWN,
    VOID,
    Aggregate,
    Bits,
    Block,
    Bool,
    Declared,
    Enum,
    Extern,
    Int,
    List,
    Meta,
    Param,
    Stack,
    String,
    Tuple,
    Type,
    Unknown,
    Varbit,
    Variable,
    is_generic,
    is_module,
    parts,
    resolve,
    specialise,
    strip_new,
)
from p4sume.semantics.values import MAX_WIDTH, shown
from p4sume.syntax import ast

MAX_STACK = 1 << 31
_CONSTRUCTORS = ("constructor", "extern-constructor", "package")
_BASE: dict[str, Type] = {
    "bool": BOOL,
    "error": ERROR,
    "match_kind": MATCH_KIND,
    "string": STRING,
    "int": INT,
    "void": VOID,
    "_": DONT_CARE,
}


class TypeNames(CheckerBase):
    def type_(self, node: ast.TypeNode, generic_ok: bool = False) -> Type:
        """The type that is written; a generic one needs its arguments unless `generic_ok`."""
        found = self._type(node, generic_ok)
        self.checked.written_types[node] = found
        return found

    def _type(self, node: ast.TypeNode, generic_ok: bool) -> Type:
        match node:
            case ast.BaseType(name=name):
                return _BASE[name]
            case ast.SizedType():
                return self._sized(node)
            case ast.NamedType():
                return self._named(node, generic_ok)
            case ast.SpecializedType():
                return self._specialized(node)
            case ast.ArrayType():
                return self._array(node)
            case ast.TupleType(arguments=arguments):
                return Tuple(tuple(self._component(a, "a tuple") for a in arguments))
            case ast.ListType(argument=argument):
                return List(self._component(argument, "a list"))
        raise AssertionError(node)

    def _sized(self, node: ast.SizedType) -> Type:
        if node.width is None:
            return Bits(1, False)
        width = self.constant_int(node.width, "the width of a type")
        if width is None:
            return UNKNOWN
        if width < 0 or (width == 0 and node.name == "int"):
            self.error("bad-width", node, f"{node.name}<{shown(width)}> is not a type", "a width is positive")
            return UNKNOWN
        if width > MAX_WIDTH:
            self.error(
                "too-wide",
                node,
                f"{shown(width)} bits are more than the {MAX_WIDTH} that this compiler supports",
                "split the field into several",
            )
            return UNKNOWN
        return Varbit(width) if node.name == "varbit" else Bits(width, node.name == "int")

    def _named(self, node: ast.NamedType, generic_ok: bool) -> Type:
        symbol = self.find(node.name, node.absolute)
        if symbol is None:
            self.not_found(node, node.name, "the type")
            return UNKNOWN
        self.checked.symbols[node] = symbol
        symbol.used = True
        if symbol.incomplete:
            self.error(
                "self-reference",
                node,
                f"'{node.name}' refers to itself inside its own declaration",
                "P4 has no recursive types, parsers or controls",
            )
            return UNKNOWN
        if symbol.kind != "type":
            self.error("not-a-type", node, f"'{node.name}' is a {symbol.kind}, not a type")
            return UNKNOWN
        found = symbol.type
        if is_generic(found) and not generic_ok:
            assert isinstance(found, Declared)
            self.error(
                "missing-type-arguments",
                node,
                f"'{node.name}' is generic and needs type arguments",
                f"write {node.name}<…> with {len(found.info.type_parameters)} types",
            )
            return UNKNOWN
        return found

    def _specialized(self, node: ast.SpecializedType) -> Type:
        base = self.type_(node.base, generic_ok=True)
        arguments = tuple(self._type_argument(a, base) for a in node.arguments)
        if isinstance(base, Unknown):
            return UNKNOWN
        wanted = base.info.type_parameters if isinstance(base, Declared) and not base.arguments else ()
        if not wanted:
            self.error(
                "not-generic",
                node,
                f"'{node.base.name}' takes no type arguments",
                "remove the '<…>'",
            )
            return UNKNOWN
        if len(wanted) != len(arguments):
            self.error(
                "type-argument-count",
                node,
                f"'{node.base.name}' takes {len(wanted)} type arguments, not {len(arguments)}",
            )
            return UNKNOWN
        assert isinstance(base, Declared)
        made = specialise(base, arguments)
        for argument in arguments:
            if any(isinstance(p, Declared) and p.info is base.info for p in parts(argument)):
                self.error("self-reference", node, f"'{base.info.name}' has itself as a type argument")
                return UNKNOWN
        if isinstance(made, Aggregate):
            for name, field in made.fields().items():
                if not self.legal_field(made.kind, field):
                    self.error(
                        "illegal-field",
                        node,
                        f"field '{name}' of {made.kind} {made.show()} would have type {field.show()}",
                        "choose other type arguments",
                    )
                    return UNKNOWN
        return made

    def _type_argument(self, node: ast.TypeNode, base: Type) -> Type:
        found = self.type_(node)
        if isinstance(base, Aggregate) and (is_module(found) or found in (VOID, DONT_CARE)):
            self.error("illegal-type-argument", node, f"{found.show()} cannot be the type of a field")
            return UNKNOWN
        if isinstance(found, Block) and found.info.declared:
            self.error(
                "illegal-type-argument",
                node,
                f"{found.info.kind} {found.show()} cannot be a type argument",
                f"use a {found.info.kind} type, which has no body",
            )
            return UNKNOWN
        return found

    def _component(self, node: ast.TypeNode, what: str) -> Type:
        found = self.type_(node)
        if what == "a tuple" and (is_module(found) or found in (VOID, DONT_CARE)):
            self.error("illegal-component", node, f"{found.show()} cannot be a part of {what}")
            return UNKNOWN
        return found

    def _array(self, node: ast.ArrayType) -> Type:
        element = self.type_(node.element, generic_ok=True)
        size = self.constant_int(node.size, "the size of a header stack")
        if size is None or isinstance(element, Unknown):
            return UNKNOWN
        if size < 0 or size >= MAX_STACK:
            self.error("bad-stack-size", node.size, f"{shown(size)} is not the size of a header stack")
            return UNKNOWN
        if isinstance(resolve(element), Block):
            self.error("illegal-component", node, f"there are no arrays of {element.show()}")
            return UNKNOWN
        return Stack(element, size)

    # ---- what types may stand where

    def legal_field(self, kind: str, type_: Type) -> bool:
        """Whether a struct, header or header_union (`kind`) may have a field of this type."""
        type_ = resolve(type_)
        if isinstance(type_, (Unknown, Variable, Meta)):
            return True
        if kind == "header_union":
            return isinstance(type_, Aggregate) and type_.kind == "header"
        if kind == "header":
            return isinstance(strip_new(type_), Varbit) or self._plain_bits(type_)
        return (
            not isinstance(strip_new(type_), (String, Int, List))
            and not is_module(type_)
            and (type_ not in (VOID, DONT_CARE))
        )

    def _plain_bits(self, type_: Type) -> bool:
        """Bits, bool, serialisable enums, and structs and arrays of these."""
        type_ = strip_new(resolve(type_))
        match type_:
            case Bits() | Bool() | Unknown() | Variable() | Meta():
                return True
            case Enum(info, _):
                return info.underlying is not None
            case Stack(element, _):
                return self._plain_bits(element)
            case Aggregate():
                return type_.kind == "struct" and all(self._plain_bits(t) for t in type_.fields().values())
        return False

    # ---- parameters

    def type_parameters(self, nodes: tuple[ast.TypeParameter, ...]) -> tuple[Variable, ...]:
        found: list[Variable] = []
        for node in nodes:
            variable = Variable(node)
            self.declare(Symbol(node.name.text, "type", node, variable), node.name)
            self.checked.declared_types[node] = variable
            found.append(variable)
        return tuple(found)

    def parameters(self, nodes: tuple[ast.Parameter, ...], owner: str) -> tuple[Param, ...]:
        """Check parameters; `owner`: action, function, extern, constructor, parser, control, package."""
        found: list[Param] = []
        optional_seen: ast.Parameter | None = None
        for node in nodes:
            type_ = self.type_(node.type)
            self.checked.declared_types[node] = type_
            param = Param(node.name.text, node.direction, type_, node)
            self._check_parameter(param, owner)
            if node.default is not None:
                self._check_default(param, owner)
            if owner == "action":
                if node.direction == "":
                    optional_seen = node
                elif optional_seen is not None:
                    self.error(
                        "parameter-order",
                        node,
                        f"'{param.name}' follows a parameter without direction",
                        "parameters that the control plane sets stand last",
                    )
            symbol = Symbol(param.name, "parameter", node, type_, direction=node.direction)
            symbol.constructor_parameter = owner in _CONSTRUCTORS
            self.declare(symbol, node.name)
            found.append(param)
        return tuple(found)

    def _check_parameter(self, param: Param, owner: str) -> None:
        type_, node = param.type, param.node
        base = type_.named if hasattr(type_, "named") else type_
        if isinstance(base, Unknown):
            return
        if owner in _CONSTRUCTORS and param.direction:
            self.error(
                "constructor-direction",
                node,
                f"constructor parameter '{param.name}' cannot have a direction",
                f"remove '{param.direction}'",
            )
            return
        if isinstance(base, Block) and base.info.kind == "package" and owner != "package":
            self.error("illegal-parameter", node, f"parameter '{param.name}' cannot be a package")
        elif isinstance(base, Block) and base.info.kind == "package":
            return
        elif isinstance(base, (Extern, String)) and param.direction:
            self.error(
                "illegal-direction",
                node,
                f"parameter '{param.name}' of type {base.show()} cannot have a direction",
                f"remove '{param.direction}'",
            )
        elif isinstance(base, Int) and param.direction:
            self.error(
                "illegal-direction",
                node,
                f"parameter '{param.name}' of type int cannot have a direction",
                "give the type a width, as in bit<32>",
            )
        elif isinstance(base, Int) and owner == "action":
            self.error(
                "illegal-parameter",
                node,
                f"action parameter '{param.name}' cannot have type int",
                "give the type a width, as in bit<32>",
            )
        elif isinstance(base, Block) and (param.direction or owner not in ("constructor", "package")):
            self.error("illegal-parameter", node, f"parameter '{param.name}' cannot be a {base.info.kind}")
        elif isinstance(base, Block) and base.info.declared:
            self.error(
                "illegal-parameter",
                node,
                f"parameter '{param.name}' cannot have {base.info.kind} {base.show()} as its type",
                f"declare a {base.info.kind} type without a body",
            )
        elif isinstance(base, Extern) and owner == "action":
            self.error("illegal-parameter", node, f"action parameter '{param.name}' cannot be an extern")
        elif param.optional and owner in ("constructor", "action", "function"):
            self.error(
                "illegal-optional",
                node,
                f"parameter '{param.name}' cannot be @optional here",
                "@optional belongs to externs, packages, and parser and control types",
            )

    def _check_default(self, param: Param, owner: str) -> None:
        node = param.node
        assert node.default is not None
        if param.direction in ("out", "inout"):
            self.error(
                "illegal-default",
                node,
                f"parameter '{param.name}' is {param.direction} and cannot have a default value",
            )
            return
        if param.optional:
            self.error("illegal-default", node, f"@optional parameter '{param.name}' cannot have a default value")
            return
        self.check_default_value(param)

    def check_default_value(self, param: Param) -> None:
        raise NotImplementedError

    def result_type(self, node: ast.TypeNode, owner: str) -> Type:
        type_ = self.type_(node, generic_ok=False)
        if isinstance(type_, Block):
            self.error("illegal-result", node, f"a function cannot return the {type_.info.kind} {type_.show()}")
        if isinstance(type_, (Int, String)) and owner == "method":
            self.error("illegal-result", node, f"a method cannot return {type_.show()}")
        return type_
