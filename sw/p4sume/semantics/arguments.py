# SPDX-License-Identifier: Apache-2.0
"""Arguments to parameters: by name or place, overloads, inference of type arguments, directions.

Requires: the signatures that a callee may have. Ensures: the one that the arguments select, with its type
arguments filled in and each parameter bound; or None with an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from p4sume.semantics.base import Typed, unknown
from p4sume.semantics.expressions import Expressions
from p4sume.semantics.types import (
    ActionRun,
    ApplyResult,
    Block,
    DontCare,
    Int,
    List,
    Meta,
    Param,
    Signature,
    String,
    StructLiteral,
    TableType,
    Type,
    Variable,
    is_module,
    parts,
    resolve,
    substitute,
)
from p4sume.semantics.unify import fit, widen
from p4sume.syntax import ast

Binding = tuple[ast.Parameter, ast.Expression | None]


@dataclass(frozen=True)
class Bound:
    """A call whose arguments fit."""

    signature: Signature
    node: ast.Declaration
    type_arguments: tuple[Type, ...]
    bindings: tuple[Binding, ...]


class Arguments(Expressions):
    def argument_values(self, arguments: Sequence[ast.Argument]) -> list[Typed | None]:
        """The typed value of each argument; None for `_`. Names are checked for being all or none, and distinct."""
        named = [a for a in arguments if a.name is not None]
        if named and len(named) != len(arguments):
            first = next(a for a in arguments if a.name is None)
            self.error("mixed-arguments", first, "either all or none of the arguments of a call are named")
        seen: set[str] = set()
        for argument in named:
            assert argument.name is not None
            if argument.name.text in seen:
                self.error("duplicate-argument", argument.name, f"'{argument.name.text}' is given twice")
            seen.add(argument.name.text)
        return [None if a.value is None else self.expression(a.value) for a in arguments]

    def select(
        self,
        node: ast.Node,
        what: str,
        candidates: Sequence[tuple[Signature, ast.Declaration]],
        arguments: Sequence[ast.Argument],
    ) -> tuple[Signature, ast.Declaration] | None:
        """The one overload that takes these arguments, by number and names."""
        if len(candidates) == 1:
            return candidates[0]
        fitting = [c for c in candidates if takes(c[0], arguments)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            self.error("ambiguous-call", node, f"the call fits more than one declaration of {what}")
        else:
            self.error(
                "no-such-overload",
                node,
                f"no declaration of {what} takes these {len(arguments)} arguments",
                "the number and the names of the arguments select the declaration",
            )
        return None

    def bind(
        self,
        node: ast.Expression | ast.Declaration,
        what: str,
        candidates: Sequence[tuple[Signature, ast.Declaration]],
        type_arguments: Sequence[ast.TypeNode],
        arguments: Sequence[ast.Argument],
        values: list[Typed | None] | None = None,
        inferred_later: bool = False,
    ) -> Bound | None:
        """`inferred_later`: what the made object is used for may still fix its type arguments."""
        if values is None:
            values = self.argument_values(arguments)
        chosen = self.select(node, what, candidates, arguments)
        if chosen is None:
            return None
        signature, declaration = chosen
        written = [self.type_(t) for t in type_arguments]
        variables = signature.type_parameters
        if written and len(written) != len(variables):
            self.error(
                "type-argument-count",
                type_arguments[0],
                f"{what} takes {len(variables)} type arguments, not {len(written)}",
            )
            return None
        fresh: list[Type] = []
        for index, variable in enumerate(variables):
            meta = Meta(variable.show())
            if written and not isinstance(written[index], DontCare):
                meta.binding.append(written[index])
            fresh.append(meta)
        mapping = dict(zip(variables, fresh, strict=True))
        params = self._pair_up(node, what, signature, arguments)
        if params is None:
            return None
        by_param: dict[Param, tuple[ast.Argument, Typed | None]] = {}
        good = True
        for param, argument, value in zip(params, arguments, values, strict=True):
            type_ = _replace(param.type, mapping)
            by_param[param] = (argument, value)
            good = self._first_fit(param, type_, argument, value, what) and good
        if not good:
            return None
        for open_type, variable in zip(fresh, variables, strict=True):
            found = resolve(open_type)
            if inferred_later or not isinstance(found, Meta):
                continue
            if not self._default_for(variable, signature, by_param, found):
                self.error(
                    "cannot-infer",
                    node,
                    f"the type argument '{variable.show()}' of {what} does not follow from the arguments",
                    f"give it, as in {signature.name}<…>(…)",
                )
                return None
        bindings: list[Binding] = []
        for param in signature.params:
            entry = by_param.get(param)
            if entry is None:
                bindings.append((param.node, param.node.default))
                continue
            argument, value = entry
            bindings.append((param.node, argument.value))
            if argument.value is not None and value is not None:
                good = self._settle_argument(param, _replace(param.type, mapping), argument, value) and good
        if not good:
            return None
        final = substitute(_replace(signature, mapping), {})
        assert isinstance(final, Signature)
        if signature.result != final.result and any(isinstance(p, Int) for p in parts(final.result)):
            self.error(
                "no-width",
                node,
                f"the width of what {what} returns does not follow from the arguments",
                "write the arguments with a width, as in 8w1, or give the type argument",
            )
            return None
        return Bound(final, declaration, tuple(substitute(f, {}) for f in fresh), tuple(bindings))

    def _default_for(
        self,
        variable: Variable,
        signature: Signature,
        by_param: dict[Param, tuple[ast.Argument, Typed | None]],
        meta: Meta,
    ) -> bool:
        """A type that only omitted optional parameters mention does not matter."""
        using = [p for p in signature.params if any(part == variable for part in parts(p.type))]
        if using and all(p not in by_param and p.optional for p in using):
            meta.binding.append(DontCare())
            return True
        return False

    def _pair_up(
        self, node: ast.Node, what: str, signature: Signature, arguments: Sequence[ast.Argument]
    ) -> list[Param] | None:
        found: list[Param] = []
        by_name = {p.name: p for p in signature.params}
        for index, argument in enumerate(arguments):
            if argument.name is not None:
                param = by_name.get(argument.name.text)
                if param is None:
                    hint = self._suggest(argument.name.text, list(by_name))
                    self.error(
                        "no-such-parameter",
                        argument.name,
                        f"{what} has no parameter '{argument.name.text}'",
                        hint,
                    )
                    return None
                found.append(param)
            elif index < len(signature.params):
                found.append(signature.params[index])
            else:
                self.error(
                    "too-many-arguments",
                    argument,
                    f"{what} takes {len(signature.params)} arguments, not {len(arguments)}",
                )
                return None
        for param in signature.params:
            if param not in found and not param.optional and not param.has_default:
                self.error("missing-argument", node, f"{what} needs an argument for parameter '{param.name}'")
                return None
        if len(set(found)) != len(found):
            return None
        return found

    def _first_fit(self, param: Param, type_: Type, argument: ast.Argument, value: Typed | None, what: str) -> bool:
        if value is None:
            if param.direction == "out":
                return True
            self.error(
                "illegal-dont-care",
                argument,
                f"'_' cannot stand for parameter '{param.name}', which is not an out parameter",
            )
            return False
        if unknown(value.type, type_):
            return True
        actual = resolve(value.type)
        runs = what.startswith(("function", "method", "action"))
        if isinstance(actual, (TableType, ActionRun, ApplyResult)) or (runs and isinstance(actual, Block)):
            self.error("illegal-argument", argument, f"{actual.show()} cannot be an argument")
            return False
        if param.direction in ("out", "inout") and not value.lvalue:
            self.error(
                "not-assignable",
                argument,
                f"the argument for {param.direction} parameter '{param.name}' cannot be assigned"
                + (f": {value.readonly}" if value.readonly else ""),
                "pass a variable, or a field of one",
            )
            return False
        if param.direction == "" and not value.known:
            self.error(
                "not-constant",
                argument,
                f"the argument for parameter '{param.name}', which has no direction, has to be known at compile time",
                "use a constant, or give the parameter the direction 'in'",
            )
            return False
        widen(type_, actual)
        problem = fit(type_, actual, implicit_enum=param.direction not in ("out", "inout"))
        if problem is not None:
            shown = substitute(type_, {}).show()
            self.error(
                "type-mismatch",
                argument,
                f"parameter '{param.name}' of {what} has type {shown}: {problem}",
            )
            return False
        return True

    def _settle_argument(self, param: Param, type_: Type, argument: ast.Argument, value: Typed) -> bool:
        assert argument.value is not None
        type_ = substitute(type_, {})
        if param.direction and any(isinstance(p, (String, StructLiteral, List)) for p in parts(type_)):
            self.error(
                "illegal-argument",
                argument,
                f"the argument for parameter '{param.name}', which has a direction, cannot have type {type_.show()}",
                "cast it, or give the type argument",
            )
            return False
        if param.direction and any(isinstance(p, Int) for p in parts(type_)):
            self.error(
                "no-width",
                argument,
                f"the width of the argument for parameter '{param.name}' is not known",
                "write the number with a width, as in 8w1",
            )
            return False
        if isinstance(type_, DontCare):
            self.error("cannot-infer", argument, f"the type of parameter '{param.name}' does not follow from the call")
            return False
        if not is_module(type_):
            self.settle(argument.value, value.type, type_)
        return True


def takes(signature: Signature, arguments: Sequence[ast.Argument]) -> bool:
    if len(arguments) > len(signature.params):
        return False
    names = {a.name.text for a in arguments if a.name is not None}
    if names - {p.name for p in signature.params}:
        return False
    for index, param in enumerate(signature.params):
        given = param.name in names if names else index < len(arguments)
        if not given and not param.optional and not param.has_default:
            return False
    return True


def _replace(type_: Type, mapping: dict[Variable, Type]) -> Type:
    """Like substitute, but keeps inferred types open."""
    if isinstance(type_, Variable):
        return mapping.get(type_, type_)
    return substitute(type_, mapping)
