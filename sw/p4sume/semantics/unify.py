# SPDX-License-Identifier: Apache-2.0
"""When a value of one type may stand where another is wanted, and what type arguments that implies.

    fit(bit<8>, int)          yes: an int converts to any width
    fit(T?, bit<8>)           yes, and T? is bit<8> from then on
    fit(struct S, {1, 2})     yes if the fields of S take 1 and 2

Requires: types as `resolve_types` makes them. Ensures: None if it fits, with the inferred types bound; otherwise
a sentence that says why not. `Meta` types bound by a failed attempt stay bound: the caller gives up.
"""

from __future__ import annotations

from p4sume.semantics.types import (
    Aggregate,
    Bits,
    Block,
    Bool,
    DontCare,
    Dots,
    Enum,
    Error,
    Extern,
    Int,
    Invalid,
    List,
    Meta,
    NewType,
    Set,
    Signature,
    Stack,
    StructLiteral,
    Tuple,
    Type,
    Unknown,
    is_header,
    is_union,
    parts,
    resolve,
    substitute,
)


def fit(target: Type, actual: Type, implicit_enum: bool = True) -> str | None:
    """`implicit_enum`: a serialisable enum may become its underlying type."""
    target, actual = resolve(target), resolve(actual)
    if target == actual:
        return None
    if isinstance(target, (Unknown, DontCare)) or isinstance(actual, (Unknown, DontCare)):
        return None
    if isinstance(target, Meta):
        return _bind(target, actual)
    if isinstance(actual, Meta):
        return _bind(actual, target)
    if isinstance(actual, Dots):
        return None if has_default(target) else f"{target.show()} has no default value"
    if isinstance(actual, Invalid):
        if is_header(target) or is_union(target):
            return None
        return f"{{#}} is a header or header_union, not {target.show()}"
    match target:
        case Bits():
            if isinstance(actual, Int):
                return None
            if isinstance(actual, Enum) and implicit_enum and actual.info.underlying == target:
                return None
        case Tuple(items, _):
            if isinstance(actual, Tuple):
                return _items(items, actual, target)
        case Stack(element, size):
            if isinstance(actual, Stack):
                if size != actual.size:
                    return f"the stacks have {size} and {actual.size} elements"
                return fit(element, actual.element, implicit_enum)
            if isinstance(actual, Tuple) and actual.literal:
                return _items((element,) * size, actual, target)
        case List(element):
            if isinstance(actual, List):
                return fit(element, actual.element, implicit_enum)
        case Set(element):
            if isinstance(actual, Set):
                return fit(element, actual.element, implicit_enum)
        case Aggregate():
            return _aggregate(target, actual)
        case Extern(info, arguments):
            if isinstance(actual, Extern) and actual.info is info:
                return _all(arguments, actual.arguments)
        case Block():
            if isinstance(actual, Block):
                return _block(target, actual)
        case Int():
            if isinstance(actual, Bits):
                return None
    return f"{actual.show()} does not convert to {target.show()}"


def _bind(meta: Meta, to: Type) -> str | None:
    if isinstance(to, Tuple) and to.literal:
        to = Tuple(to.items, False)
    if any(part is meta for part in parts(to)):
        return f"{meta.name} would contain itself"
    meta.binding.append(to)
    return None


def widen(meta: Type, actual: Type) -> None:
    """A type argument inferred as `int` so far takes the width of a later argument."""
    while isinstance(meta, Meta) and meta.binding:
        inner = meta.binding[0]
        if isinstance(inner, Int) and isinstance(resolve(actual), Bits):
            meta.binding[0] = resolve(actual)
            return
        meta = inner


def _items(targets: tuple[Type, ...], actual: Tuple, whole: Type) -> str | None:
    given = actual.items
    if actual.literal and given and isinstance(given[-1], Dots):
        given = given[:-1]
        if len(given) > len(targets):
            return f"{whole.show()} has only {len(targets)} parts"
        for rest in targets[len(given) :]:
            if not has_default(rest):
                return f"{rest.show()} has no default value"
        targets = targets[: len(given)]
    if len(given) != len(targets):
        return f"{whole.show()} has {len(targets)} parts, the list has {len(given)}"
    return _all(targets, given)


def _all(targets: tuple[Type, ...], actuals: tuple[Type, ...]) -> str | None:
    if len(targets) != len(actuals):
        return f"{len(targets)} types are wanted, there are {len(actuals)}"
    for target, actual in zip(targets, actuals, strict=True):
        problem = fit(target, actual)
        if problem is not None:
            return problem
    return None


def _aggregate(target: Aggregate, actual: Type) -> str | None:
    if isinstance(actual, Aggregate):
        if actual.info is target.info:
            return _all(target.arguments, actual.arguments)
        return f"{actual.show()} and {target.show()} are different types"
    if target.kind == "header_union":
        return f"{actual.show()} does not convert to {target.show()}"
    fields = target.fields()
    if isinstance(actual, Tuple) and actual.literal:
        return _items(tuple(fields.values()), actual, target)
    if isinstance(actual, StructLiteral):
        given = dict(actual.fields)
        for name, type_ in given.items():
            if name not in fields:
                return f"{target.show()} has no field '{name}'"
            problem = fit(fields[name], type_)
            if problem is not None:
                return f"field '{name}': {problem}"
        for name, type_ in fields.items():
            if name in given:
                continue
            if not actual.dots:
                return f"field '{name}' of {target.show()} has no value"
            if not has_default(type_):
                return f"field '{name}' has type {type_.show()}, which has no default value"
        return None
    return f"{actual.show()} does not convert to {target.show()}"


def _block(target: Block, actual: Block) -> str | None:
    if actual.info.kind != target.info.kind:
        return f"a {actual.info.kind} cannot stand for a {target.info.kind}"
    if actual.info.kind == "package":
        if actual.info is not target.info:
            return f"package {actual.info.name} is not package {target.info.name}"
        return _all(target.arguments, actual.arguments)
    wanted, given = target.apply_signature(), actual.apply_signature()
    if wanted is None or given is None:
        return None
    return fit_signature(wanted, given)


def fit_signature(wanted: Signature, given: Signature) -> str | None:
    """Whether `given` can be used where `wanted` is declared: same parameters, directions and types."""
    metas = {v: Meta(v.show()) for v in (*wanted.type_parameters, *given.type_parameters)}
    if metas:
        replaced_wanted, replaced_given = substitute(wanted, metas), substitute(given, metas)
        assert isinstance(replaced_wanted, Signature) and isinstance(replaced_given, Signature)
        wanted, given = replaced_wanted, replaced_given
    mine = list(given.params)
    for param in wanted.params:
        if not mine:
            if param.optional or param.has_default:
                continue
            return f"{given.name} lacks a parameter for '{param.name}'"
        other = mine.pop(0)
        if other.direction != param.direction:
            shown = [d or "none" for d in (other.direction, param.direction)]
            return f"parameter '{other.name}' has direction {shown[0]} where {shown[1]} is wanted"
        problem = fit(param.type, other.type, implicit_enum=False)
        if problem is not None:
            return f"parameter '{other.name}': {problem}"
    for other in mine:
        if not other.optional and not other.has_default:
            return f"{given.name} has the parameter '{other.name}' too many"
    return fit(wanted.result, given.result, implicit_enum=False)


def has_default(type_: Type) -> bool:
    """Types for which `...` stands for a value."""
    type_ = resolve(type_)
    match type_:
        case Bits() | Bool() | Int() | Unknown() | Meta() | DontCare() | Enum():
            return True
        case NewType(info, _):
            return has_default(info.underlying)
        case Tuple(items, _):
            return all(has_default(i) for i in items)
        case Stack(element, _):
            return has_default(element)
        case Aggregate():
            return type_.kind != "struct" or all(has_default(t) for t in type_.fields().values())
    return isinstance(type_, Error)
