# SPDX-License-Identifier: Apache-2.0
"""P4 expressions as C++ expressions.

Calls become statements before the one that uses them, in the order of the text; what was evaluated to the left of
a call is kept in a temporary.

Requires: a checked program. Ensures: the C++ expression has the type of `type_of`, and no side effects.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.model.body import Body
from p4sume.model.cpp_types import plain
from p4sume.model.literals import aggregate, stack
from p4sume.model.lvalues import Place, SlicePlace
from p4sume.model.names import cpp_name
from p4sume.model.refusal import RefusedError
from p4sume.semantics.checked import EnumValue
from p4sume.semantics.types import (
    Aggregate,
    ApplyResult,
    Bits,
    Bool,
    Int,
    Stack,
    Tuple,
    Type,
    is_header,
    is_union,
    resolve,
)
from p4sume.syntax import ast

_DIRECT = frozenset("+ - * / % & | ^ == != < > <= >=".split())
_METHODS = {"|+|": "add_saturating", "|-|": "subtract_saturating", "<<": "shift_left", ">>": "shift_right"}


class Expressions(Body):
    def value(self, node: ast.Expression) -> str:
        constant = self.constant(node)
        wanted = self.type_of(node)
        if constant is not None and not isinstance(resolve(wanted), Int):
            return self.literals.literal(constant, wanted, node)
        if isinstance(node, (ast.ListExpression, ast.StructExpression)):
            return self._composite(node, wanted)
        if isinstance(node, (ast.Dots, ast.InvalidHeader)):
            return f"{self.cpp(wanted, node)}{{}}"
        text = self._plain_value(node)
        return self._converted(node, text, self.own_type(node), wanted)

    def values(self, nodes: Sequence[ast.Expression]) -> list[str]:
        """The values in the order of the text, each as it was when its turn came."""
        found: list[str] = []
        for index, node in enumerate(nodes):
            text = self.value(node)
            later = any(self.effects.has_effects(n) for n in nodes[index + 1 :])
            if later and self.constant(node) is None:
                text = self.temporary(text)
            found.append(text)
        return found

    def _converted(self, node: ast.Expression, text: str, actual: Type, wanted: Type) -> str:
        if isinstance(node, ast.Ternary) or actual == wanted:
            return text
        first, second = plain(actual), plain(wanted)
        if isinstance(first, Int) and isinstance(second, Bits):
            made = f"p4::bit<{second.width}>(static_cast<uint64_t>({text}))"
            return f"p4::sint<{second.width}>({made})" if second.signed else made
        if isinstance(first, Tuple) and isinstance(second, Aggregate):
            held = self.temporary(text)
            parts = {f: f"std::get<{i}>({held})" for i, f in enumerate(second.fields())}
            return aggregate(self.cpp(second, node), second, parts)
        if self.cpp(actual, node) != self.cpp(wanted, node):
            raise RefusedError(node, f"the model does not convert {actual.show()} to {wanted.show()} here")
        return text

    def _composite(self, node: ast.ListExpression | ast.StructExpression, wanted: Type) -> str:
        type_ = resolve(wanted)
        given: dict[str, ast.Expression]
        match type_, node:
            case Aggregate(), ast.StructExpression(fields=fields):
                given = {f.name.text: f.value for f in fields}
                parts = dict(zip(given, self.values(list(given.values())), strict=True))
                return aggregate(self.cpp(type_, node), type_, parts)
            case Aggregate(), ast.ListExpression(items=items):
                given = dict(zip(type_.fields(), _without_dots(items), strict=False))
                parts = dict(zip(given, self.values(list(given.values())), strict=True))
                return aggregate(self.cpp(type_, node), type_, parts)
            case Tuple(), ast.ListExpression(items=items):
                if any(isinstance(i, ast.Dots) for i in items):
                    raise RefusedError(node, "the model does not fill a tuple with '...'", "write all its parts")
                return f"{self.cpp(type_, node)}{{{', '.join(self.values(items))}}}"
            case Stack(), ast.ListExpression(items=items):
                return stack(self.cpp(type_, node), self.values(_without_dots(items)))
        raise RefusedError(node, f"the model does not make a {type_.show()} of this")

    def _plain_value(self, node: ast.Expression) -> str:
        match node:
            case ast.PathExpression():
                return self._path(node)
            case ast.Member():
                return self._member(node)
            case ast.Index():
                return self._index(node)
            case ast.Slice():
                return self._slice(node)
            case ast.Unary(operator=operator, operand=operand):
                return f"({operator}{self.value(operand)})"
            case ast.Binary():
                return self._binary(node)
            case ast.Ternary():
                return self._ternary(node)
            case ast.Cast():
                return self._cast(node)
            case ast.Call():
                found = self.call(node)
                if found is None:
                    raise RefusedError(node, "this call gives no value", id_="model-internal")
                return found
            case ast.IntLiteral(value=value):
                return f"int64_t{{{value}}}"
        raise RefusedError(node, "the model does not evaluate this expression")

    def call(self, node: ast.Call) -> str | None:
        raise NotImplementedError

    # ---- names

    def _path(self, node: ast.PathExpression) -> str:
        symbol = self.symbol(node)
        if symbol.node is not None and symbol.node in self.known:
            return self.known[symbol.node]
        if symbol.kind == "constant" and isinstance(symbol.node, ast.Constant):
            return self.value(symbol.node.value)
        raise RefusedError(node, f"the model does not know '{node.name}' here")

    def _member(self, node: ast.Member) -> str:
        name = node.name.text
        type_ = resolve(self.own_type(node.base))
        match type_:
            case ApplyResult():
                applied = self.value_of_apply(node.base)
                return f"{'!' if name == 'miss' else ''}{applied}.hit"
            case Stack():
                if name == "lastIndex":
                    return f"{self.value(node.base)}.last_index()"
                return self.place(node).read()
        return f"{self.value(node.base)}.{cpp_name(name)}"

    def value_of_apply(self, node: ast.Expression) -> str:
        """The name of the p4::Applied that applying a table gives."""
        assert isinstance(node, ast.Call)
        found = self.call(node)
        assert found is not None
        return found

    def _index(self, node: ast.Index) -> str:
        type_ = resolve(self.own_type(node.base))
        number = self.constant_number(node.index)
        if isinstance(type_, Tuple):
            return f"std::get<{number}>({self.value(node.base)})"
        if number is not None:
            return f"{self.value(node.base)}.item[{number}]"
        base, index = self.values([node.base, node.index])
        return f"{base}.at({self._as_index(node.index, index)})"

    def _as_index(self, node: ast.Expression, text: str) -> str:
        type_ = plain(self.type_of(node))
        return f"{text}.raw" if isinstance(type_, Bits) and type_.signed else text

    def _slice(self, node: ast.Slice) -> str:
        low = self.constant_number(node.low)
        if node.width is not None:
            width = self.constant_number(node.width)
            assert width is not None
            if low is None:
                base, start = self.values([node.base, node.low])
                raw = ".raw" if self._signed(node.base) else ""
                return f"{base}{raw}.shift_right({self._as_index(node.low, start)}).resize<{width}>()"
            high = low + width - 1
        else:
            assert node.high is not None
            found = self.constant_number(node.high)
            if found is None or low is None:
                raise RefusedError(node, "the bounds of this slice are not known to the model")
            high = found
        return f"{self.value(node.base)}.slice<{high}, {low}>()"

    def _signed(self, node: ast.Expression) -> bool:
        type_ = plain(self.type_of(node))
        return isinstance(type_, Bits) and type_.signed

    # ---- operators

    def _binary(self, node: ast.Binary) -> str:
        operator = node.operator
        if operator in ("&&", "||"):
            return self._logic(node)
        if operator in ("<<", ">>"):
            return self.shift(node.left, operator, node.right)
        left, right = self.values([node.left, node.right])
        return self.combined(operator, left, right, node)

    def combined(self, operator: str, left: str, right: str, at: ast.Node) -> str:
        if operator in _DIRECT:
            return f"({left} {operator} {right})"
        if operator == "++":
            return f"p4::concat({left}, {right})"
        if operator in _METHODS:
            return f"{left}.{_METHODS[operator]}({right})"
        raise RefusedError(at, f"the model has no operator '{operator}'")

    def shift(self, left: ast.Expression, operator: str, right: ast.Expression) -> str:
        distance = self.constant_number(right)
        if distance is not None:
            clamped = min(distance, (1 << 63) - 1)
            return f"{self.value(left)}.{_METHODS[operator]}(uint64_t{{{clamped}}})"
        first, second = self.values([left, right])
        return self.combined(operator, first, second, right)

    def _logic(self, node: ast.Binary) -> str:
        left = self.value(node.left)
        if not self.effects.has_effects(node.right):
            return f"({left} {node.operator} {self.value(node.right)})"
        result = self.temporary(left, const=False)
        with self.block(f"if ({result if node.operator == '&&' else '!' + result})"):
            self.line(f"{result} = {self.value(node.right)};")
        return result

    def _ternary(self, node: ast.Ternary) -> str:
        condition = self.value(node.condition)
        if not self.effects.has_effects(node.chosen) and not self.effects.has_effects(node.other):
            return f"({condition} ? {self.value(node.chosen)} : {self.value(node.other)})"
        result = self.names.temporary()
        self.line(f"{self.cpp(self.type_of(node.chosen), node)} {result}{{}};")
        with self.block(f"if ({condition})"):
            self.line(f"{result} = {self.value(node.chosen)};")
        with self.block("else"):
            self.line(f"{result} = {self.value(node.other)};")
        return result

    def _cast(self, node: ast.Cast) -> str:
        actual, wanted = plain(self.type_of(node.operand)), plain(self.own_type(node))
        text = self.value(node.operand)
        match actual, wanted:
            case Bits(width, signed), Bits(new_width, new_signed):
                if signed == new_signed:
                    return text if width == new_width else f"{text}.resize<{new_width}>()"
                return f"p4::sint<{width}>({text})" if new_signed else f"{text}.raw"
            case Bool(), Bits():
                return f"p4::bit<1>({text} ? 1 : 0)"
            case Bits(), Bool():
                return f"!{text}.zero()"
        return self._converted(node, text, actual, wanted)

    # ---- places

    def place(self, node: ast.Expression) -> Place | SlicePlace:
        match node:
            case ast.PathExpression():
                name = self._path(node)
                return Place(name, name, True)
            case ast.Member():
                return self._member_place(node)
            case ast.Index():
                base = self._whole_place(node.base)
                number = self.constant_number(node.index)
                if isinstance(resolve(self.own_type(node.base)), Tuple):
                    return Place(f"std::get<{number}>({base.path})", base.root, False, base.guard)
                if number is not None:
                    return Place(f"{base.path}.item[{number}]", base.root, False, base.guard)
                index = self.temporary(self._as_index(node.index, self.value(node.index)))
                return Place(f"{base.path}.at({index})", base.root, False, base.guard)
            case ast.Slice():
                return self._slice_place(node)
        raise RefusedError(node, "the model cannot assign this")

    def _whole_place(self, node: ast.Expression) -> Place:
        found = self.place(node)
        if isinstance(found, SlicePlace):
            raise RefusedError(node, "the model cannot assign this")
        return found

    def _member_place(self, node: ast.Member) -> Place:
        base = self._whole_place(node.base)
        type_ = resolve(self.own_type(node.base))
        name = node.name.text
        if isinstance(type_, Stack) and name in ("next", "last"):
            return self._stack_end(node, base, name)
        path = f"{base.path}.{cpp_name(name)}"
        if is_union(type_):
            return Place(path, base.root, False, base.guard, base.path)
        if is_header(type_):
            return Place(path, base.root, False, f"{base.path}.valid_")
        return Place(path, base.root, base.direct, base.guard)

    def _stack_end(self, node: ast.Member, base: Place, name: str) -> Place:
        outside = f"{base.path}.next_index == 0" if name == "last" else f"{base.path}.next_index >= {base.path}.SIZE"
        self.line(f"if ({outside}) return context_.reject(p4::error_t::StackOutOfBounds);")
        offset = " - 1" if name == "last" else ""
        return Place(f"{base.path}.item[{base.path}.next_index{offset}]", base.root, False, base.guard)

    def _slice_place(self, node: ast.Slice) -> SlicePlace:
        base = self.place(node.base)
        signed = self._signed(node.base)
        low = self.constant_number(node.low)
        if node.width is not None:
            width = self.constant_number(node.width)
            assert width is not None
            if low is None:
                start = self.temporary(f"{self._as_index(node.low, self.value(node.low))}.clamped()")
                return SlicePlace(base, start, "", width, signed)
            return SlicePlace(base, str(low), str(low + width - 1), width, signed)
        assert node.high is not None
        high = self.constant_number(node.high)
        if low is None or high is None:
            raise RefusedError(node, "the bounds of this slice are not known to the model")
        return SlicePlace(base, str(low), str(high), high - low + 1, signed)

    # ---- keysets

    def matches(self, keyset: ast.Expression, subjects: list[tuple[str, Type]]) -> str:
        """The condition under which the subjects lie in the keyset; "true" if always."""
        if isinstance(keyset, ast.DefaultKeyset):
            return "true"
        if isinstance(keyset, ast.ListExpression):
            if len(subjects) == 1 and isinstance(resolve(subjects[0][1]), Tuple):
                text, type_ = subjects[0]
                tuple_type = resolve(type_)
                assert isinstance(tuple_type, Tuple)
                subjects = [(f"std::get<{i}>({text})", t) for i, t in enumerate(tuple_type.items)]
            parts = [self.matches(i, [s]) for i, s in zip(keyset.items, subjects, strict=True)]
            parts = [p for p in parts if p != "true"]
            return " && ".join(parts) or "true"
        if len(subjects) != 1:
            raise RefusedError(keyset, "the model does not match several values with one")
        text = subjects[0][0]
        if isinstance(keyset, ast.Mask):
            value, mask = self.values([keyset.value, keyset.mask])
            return f"({text} & {mask}) == ({value} & {mask})"
        if isinstance(keyset, ast.Range):
            low, high = self.values([keyset.low, keyset.high])
            return f"{text} >= {low} && {text} <= {high}"
        if isinstance(keyset, ast.PathExpression) and self.symbol(keyset).kind == "value_set":
            raise RefusedError(keyset, "the model has no value_set", "list the values in the select")
        value_type = plain(self.type_of(keyset))
        subject = plain(subjects[0][1])
        if isinstance(value_type, Bits) and isinstance(subject, Bits) and value_type != subject:
            constant = self.constant(keyset)
            if not isinstance(constant, (int, EnumValue)):
                raise RefusedError(keyset, f"the model does not compare {subject.show()} with {value_type.show()}")
            return f"{text} == {self.literals.literal(constant, subject, keyset)}"
        return f"{text} == {self.value(keyset)}"


def _without_dots(items: Sequence[ast.Expression]) -> list[ast.Expression]:
    return [i for i in items if not isinstance(i, ast.Dots)]
