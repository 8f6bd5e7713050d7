# SPDX-License-Identifier: Apache-2.0
"""Tables: keys, actions, entries, default actions and other properties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from p4sume.semantics.base import Place, Typed, unknown
from p4sume.semantics.blocks import Blocks
from p4sume.semantics.checked import CallTarget, Checked, Symbol, Value
from p4sume.semantics.types import (
    BOOL,
    MATCH_KIND,
    UNKNOWN,
    VOID,
    Bits,
    Bool,
    Enum,
    Error,
    Int,
    Param,
    Signature,
    TableType,
    resolve,
    strip_new,
)
from p4sume.semantics.values import shown
from p4sume.syntax import ast

_PRIORITY_LIMIT = 1 << 31
_UNORDERED = ("exact", "lpm")


class Tables(Blocks):
    def table(self, node: ast.Table) -> None:
        self.check_annotations(node.annotations)
        type_ = TableType(node)
        symbol = Symbol(node.name.text, "table", node, type_, incomplete=True)
        self.declare(symbol, node.name)
        self.checked.declared_types[node] = type_
        with self.at(Place("table", node)):
            self._properties(node)
        symbol.incomplete = False

    def _properties(self, node: ast.Table) -> None:
        seen: set[str] = set()
        key: ast.Key | None = None
        actions: dict[str, tuple[ast.ActionRef, Symbol]] | None = None
        has_actions = any(isinstance(p, ast.ActionList) for p in node.properties)
        for item in node.properties:
            name = item.name.text
            if name in seen:
                self.error("duplicate-property", item.name, f"the table has two properties '{name}'")
            seen.add(name)
            self.check_annotations(item.annotations)
            match item:
                case ast.Key():
                    key = item
                    self._key(item)
                case ast.ActionList():
                    actions = self._actions(item)
                case ast.Entries():
                    if key is None and any(isinstance(p, ast.Key) for p in node.properties):
                        self.error("property-order", item.name, "the entries stand after the key", "move them down")
                    elif (key is None or not key.elements) and item.entries:
                        self.error(
                            "entries-without-key",
                            item.name,
                            f"table '{node.name.text}' has entries but no key",
                        )
                    elif key is not None:
                        self._entries(item, key, actions or {}, node)
                case ast.Property(name=ast.Name(text="default_action")):
                    self._default_action(node, item, actions)
                case ast.Property():
                    self._other(item)
        if not has_actions:
            self.error(
                "no-actions",
                node.name,
                f"table '{node.name.text}' has no property 'actions'",
                "list the actions: actions = { …; }",
            )
        elif "default_action" not in seen:
            self._no_default(node)

    def _no_default(self, node: ast.Table) -> None:
        symbol = self.find("NoAction", absolute=True)
        hint = "#include <core.p4>, or write a default_action"
        if symbol is None:
            self.error(
                "no-default-action",
                node.name,
                f"table '{node.name.text}' has no default_action, and NoAction is not declared",
                hint,
            )
        elif symbol.kind == "action":
            symbol.used = True
        if symbol is not None and (symbol.kind != "action" or symbol.overloads[0][0].params):
            self.error(
                "no-default-action",
                symbol.node or node,
                "NoAction, the default of tables without default_action, is not an action without parameters",
                hint,
            )

    # ---- key

    def _key(self, node: ast.Key) -> None:
        for element in node.elements:
            self.check_annotations(element.annotations)
            typed = self.expression(element.value)
            type_ = strip_new(resolve(typed.type))
            if not isinstance(type_, (Bits, Bool, Enum, Error)) and not unknown(type_):
                hint = "give the number a width" if isinstance(type_, Int) else "match on its fields"
                self.error("bad-key", element.value, f"a key cannot have type {type_.show()}", hint)
            elif typed.known and not unknown(type_):
                self.warn("constant-key", element.value, "this key element is a constant")
            if not self._nameable(element.value) and not _has_name(element.annotations):
                self.error(
                    "key-without-name",
                    element.value,
                    "the control plane has no name for this expression",
                    'add @name("…") after the kind of match',
                )
            kind = element.match_kind
            symbol = self.find(kind.text)
            if symbol is None:
                self.not_found(kind, kind.text, "the kind of match")
            elif symbol.type != MATCH_KIND:
                if not unknown(symbol.type):
                    self.error("not-a-match-kind", kind, f"'{kind.text}' is not a kind of match")
            else:
                self.checked.symbols[kind] = symbol

    def _nameable(self, node: ast.Expression) -> bool:
        """Whether the expression has a name that the control plane can use: a path, member, index or slice."""
        match node:
            case ast.PathExpression():
                return True
            case ast.Member(base=base):
                return self._nameable(base)
            case ast.Index(base=base, index=index):
                return self._nameable(base) and (index in self.checked.constants or self._nameable(index))
            case ast.Slice(base=base):
                return self._nameable(base)
            case ast.Call(callee=ast.Member(base=base, name=name)):
                return name.text == "isValid" and self._nameable(base)
            case ast.TypeExpression() | ast.IntLiteral() | ast.BoolLiteral():
                return True
            case ast.Binary(operator="&", left=left, right=right):
                return (self._nameable(left) and right in self.checked.constants) or (
                    self._nameable(right) and left in self.checked.constants
                )
        return node in self.checked.constants

    # ---- actions

    def _actions(self, node: ast.ActionList) -> dict[str, tuple[ast.ActionRef, Symbol]]:
        found: dict[str, tuple[ast.ActionRef, Symbol]] = {}
        for ref in node.actions:
            self.check_annotations(ref.annotations)
            symbol = self._action_symbol(ref.path)
            if symbol is None:
                for argument in ref.arguments or ():
                    if argument.value is not None:
                        self.expression(argument.value)
                continue
            name = ref.path.name
            if name in found:
                self.error("duplicate-name", ref.path, f"action '{name}' is listed twice")
            found[name] = (ref, symbol)
            self._bound_arguments(ref, symbol)
        return found

    def _action_symbol(self, path: ast.PathExpression) -> Symbol | None:
        symbol = self.find(path.name, path.absolute)
        if symbol is None:
            self.not_found(path, path.name, "the action")
            return None
        self.checked.symbols[path] = symbol
        symbol.used = True
        if symbol.kind != "action":
            if symbol.kind == "table" and symbol.node is self.place.node:
                self.error("self-reference", path, f"table '{path.name}' refers to itself")
            else:
                self.error("not-an-action", path, f"'{path.name}' is a {symbol.kind}, not an action")
            return None
        return symbol

    def _bound_arguments(self, ref: ast.ActionRef, symbol: Symbol) -> None:
        """In the list of actions, exactly the parameters with a direction have arguments."""
        signature = symbol.overloads[0][0]
        directed = [p for p in signature.params if p.direction]
        arguments = ref.arguments or ()
        values = self.argument_values(arguments)
        bound: set[str] = set()
        for index, (argument, value) in enumerate(zip(arguments, values, strict=True)):
            param = _param_for(signature, index, argument)
            if param is None:
                self.error("too-many-arguments", argument, f"action '{symbol.name}' has no such parameter")
                return
            bound.add(param.name)
            if not param.direction:
                self.error(
                    "control-plane-parameter",
                    argument,
                    f"parameter '{param.name}' of action '{symbol.name}' is set by the control plane",
                    "remove the argument",
                )
                continue
            self._action_argument(param, argument, value)
        for param in directed:
            if param.name not in bound and not param.has_default:
                self.error(
                    "missing-argument",
                    ref,
                    f"parameter '{param.name}' of action '{symbol.name}' needs an argument",
                    "parameters with a direction are bound in the list of actions",
                )

    def _action_argument(self, param: Param, argument: ast.Argument, value: Typed | None) -> None:
        if argument.value is None or value is None:
            if param.direction != "out":
                self.error("illegal-dont-care", argument, f"'_' cannot stand for parameter '{param.name}'")
            return
        if param.direction in ("out", "inout") and not value.lvalue:
            self.error("not-assignable", argument, f"the argument for '{param.name}' cannot be assigned")
            return
        if self._applies_table(argument.value):
            self.error("illegal-call", argument, "a table cannot be applied in an argument of an action")
        self.convert(argument.value, value, param.type, f"parameter '{param.name}'", param.direction == "in")

    def _applies_table(self, node: ast.Node) -> bool:
        """Whether a table is applied anywhere in the expression."""
        if isinstance(node, ast.Call):
            target = self.checked.calls.get(node)
            if target is not None and target.kind == "table":
                return True
        return any(self._applies_table(child) for child in ast.children(node))

    def _action_use(
        self,
        node: ast.Expression,
        actions: dict[str, tuple[ast.ActionRef, Symbol]],
        what: str,
    ) -> tuple[ast.ActionRef, Symbol] | None:
        """An action that a default_action or entry invokes: it is in the list, its arguments are complete."""
        path = node.callee if isinstance(node, ast.Call) else node
        if isinstance(node, ast.Call) and isinstance(path, ast.Call):
            self.error("not-callable", node, "what an action gives cannot be called")
            return None
        if not isinstance(path, ast.PathExpression):
            self.expression(node)
            self.error("not-an-action", node, f"{what} is the name of an action, perhaps with arguments")
            return None
        symbol = self._action_symbol(path)
        arguments = node.arguments if isinstance(node, ast.Call) else ()
        values = self.argument_values(arguments)
        if symbol is None:
            return None
        entry = actions.get(path.name)
        if entry is None:
            self.error(
                "action-not-listed",
                path,
                f"action '{path.name}' is not in the table's list of actions",
                "add it to actions = { … }",
            )
            return None
        if entry[1] is not symbol:
            self.error("action-not-listed", path, f"'{path.name}' here and in the list are different actions")
            return None
        self._complete_arguments(node, entry, arguments, values)
        return entry

    def _complete_arguments(
        self,
        node: ast.Expression,
        entry: tuple[ast.ActionRef, Symbol],
        arguments: Sequence[ast.Argument],
        values: Sequence[Typed | None],
    ) -> None:
        ref, symbol = entry
        signature, declaration = symbol.overloads[0]
        listed = {p.name: a for p, a in _pairs(signature, ref.arguments or ())}
        given: dict[str, ast.Expression | None] = {}
        for index, (argument, value) in enumerate(zip(arguments, values, strict=True)):
            param = _param_for(signature, index, argument)
            if param is None:
                self.error("too-many-arguments", argument, f"action '{symbol.name}' has no such parameter")
                return
            given[param.name] = argument.value
            if param.direction:
                if argument.value is not None and value is not None:
                    self.convert(
                        argument.value, value, param.type, f"parameter '{param.name}'", param.direction == "in"
                    )
                first = listed.get(param.name)
                if first is None or not same_expression(self.checked, argument.value, first.value):
                    self.error(
                        "bound-argument",
                        argument,
                        f"parameter '{param.name}' is bound to something else in the list of actions",
                        "repeat the argument of the list",
                    )
                continue
            if argument.value is None or value is None:
                self.error("illegal-dont-care", argument, f"'_' cannot stand for parameter '{param.name}'")
                continue
            if not value.known and not unknown(value.type):
                self.error("not-constant", argument, f"the argument for '{param.name}' has to be known at compile time")
                continue
            self.convert(argument.value, value, param.type, f"parameter '{param.name}'")
        for param in signature.params:
            if param.name not in given and not param.has_default:
                self.error(
                    "missing-argument",
                    node,
                    f"parameter '{param.name}' of action '{symbol.name}' needs an argument",
                )
        if isinstance(node, ast.Call):
            self.remember(node, Typed(VOID))
            bindings = tuple((p.node, given.get(p.name, p.node.default)) for p in signature.params)
            self.checked.calls[node] = CallTarget("action", symbol.name, declaration, signature, (), bindings)

    def _default_action(
        self,
        table: ast.Table,
        node: ast.Property,
        actions: dict[str, tuple[ast.ActionRef, Symbol]] | None,
    ) -> None:
        if actions is None:
            later = any(isinstance(p, ast.ActionList) for p in table.properties)
            if later:
                self.error(
                    "property-order", node.name, "default_action stands after the list of actions", "move it down"
                )
            else:
                self.error(
                    "no-actions",
                    node.value,
                    f"table '{table.name.text}' has no list of actions to take the default from",
                )
            return
        entry = self._action_use(node.value, actions, "default_action")
        if entry is not None and _has(entry[0].annotations, "tableonly"):
            self.error(
                "table-only-action",
                node.value,
                f"action '{entry[1].name}' is @tableonly and cannot be the default",
            )

    # ---- entries

    def _entries(
        self,
        node: ast.Entries,
        key: ast.Key,
        actions: dict[str, tuple[ast.ActionRef, Symbol]],
        table: ast.Table,
    ) -> None:
        types = [self.checked.types.get(e.value, UNKNOWN) for e in key.elements]
        for entry in node.entries:
            self.check_annotations(entry.annotations)
            if entry.priority is not None:
                self.constant_int(entry.priority, "the priority of an entry")
            self.keyset(entry.keyset, types, "the key")
            self._entry_items(entry, key)
            found = self._action_use(entry.action, actions, "what an entry runs")
            if found is not None and _has(found[0].annotations, "defaultonly"):
                self.error(
                    "default-only-action",
                    entry.action,
                    f"action '{found[1].name}' is @defaultonly and cannot stand in an entry",
                )
        self._check_priorities(node, key, table)
        if all(e.match_kind.text == "exact" for e in key.elements):
            self._duplicate_entries(node)

    def _duplicate_entries(self, node: ast.Entries) -> None:
        seen: dict[tuple[Value | None, ...], ast.Entry] = {}
        for entry in node.entries:
            items = entry.keyset.items if isinstance(entry.keyset, ast.ListExpression) else (entry.keyset,)
            values = tuple(self.checked.constants.get(i) for i in items)
            if None in values:
                continue
            other = seen.setdefault(values, entry)
            if other is not entry:
                line = other.span.location()[1]
                self.error_if_used(
                    "duplicate-entry", entry, f"the entry in line {line} has the same key", "remove one of the two"
                )

    def _entry_items(self, entry: ast.Entry, key: ast.Key) -> None:
        """What each kind of match takes: a mask no range, and so on."""
        items: Sequence[ast.Expression] = (
            entry.keyset.items if isinstance(entry.keyset, ast.ListExpression) else (entry.keyset,)
        )
        if len(items) != len(key.elements):
            if isinstance(entry.keyset, ast.DefaultKeyset):
                return
            return
        for item, element in zip(items, key.elements, strict=True):
            kind = element.match_kind.text
            typed = self.checked.types.get(item, UNKNOWN)
            if not unknown(typed) and not self._is_constant(item):
                self.error("not-constant", item, "an entry's keyset has to be known at compile time")
            if kind == "exact" and isinstance(item, (ast.Mask, ast.Range, ast.DefaultKeyset)):
                self.error_if_used("bad-keyset", item, "an exact key takes one value", "make the key ternary")
            elif kind == "lpm" and isinstance(item, ast.Range):
                self.error("bad-keyset", item, "an lpm key takes no range")
            elif kind == "lpm" and isinstance(item, ast.Mask):
                mask = self.checked.constants.get(item.mask)
                type_ = strip_new(resolve(self.checked.types.get(element.value, UNKNOWN)))
                if isinstance(mask, int) and isinstance(type_, Bits) and not _is_prefix(mask, type_.width):
                    self.error("bad-keyset", item, "the mask of an lpm key is a prefix: ones, then zeros")
            elif kind == "ternary" and isinstance(item, ast.Range):
                self.error("bad-keyset", item, "a ternary key takes no range", "make the key range")
            elif kind == "range" and isinstance(item, ast.Mask):
                self.error("bad-keyset", item, "a range key takes no mask", "make the key ternary")
            elif kind == "optional" and isinstance(item, (ast.Mask, ast.Range)):
                self.error("bad-keyset", item, "an optional key takes a value or _", "make the key ternary")

    def _is_constant(self, node: ast.Expression) -> bool:
        match node:
            case ast.DefaultKeyset():
                return True
            case ast.Mask(value=first, mask=second) | ast.Range(low=first, high=second):
                return self._is_constant(first) and self._is_constant(second)
        return node in self.checked.constants

    def _check_priorities(self, node: ast.Entries, key: ast.Key, table: ast.Table) -> None:
        kinds = {e.match_kind.text for e in key.elements}
        ordered = bool(kinds - set(_UNORDERED))
        given = [e for e in node.entries if e.priority is not None]
        if node.constant or not ordered:
            for entry in given:
                why = (
                    "entries of a const list are in order of priority"
                    if node.constant
                    else "entries of this key do not overlap"
                )
                self.error("illegal-priority", entry, f"this entry cannot have a priority: {why}", "remove it")
            return
        if given:
            self._compute_priorities(node, table)

    def _compute_priorities(self, node: ast.Entries, table: ast.Table) -> None:
        """Entries without a priority follow the one before them, `priority_delta` away."""
        larger_wins, delta = True, 1
        for item in table.properties:
            if isinstance(item, ast.Property):
                value = self.checked.constants.get(item.value)
                if item.name.text == "largest_priority_wins" and isinstance(value, bool):
                    larger_wins = value
                elif item.name.text == "priority_delta" and isinstance(value, int):
                    delta = value
        current: int | None = None
        for entry in node.entries:
            if entry.priority is not None:
                value = self.checked.constants.get(entry.priority)
                if not isinstance(value, int):
                    return
                current = value
            elif current is None:
                self.error(
                    "missing-priority",
                    entry,
                    "the first entry has no priority, and a later one has",
                    "give the first entry a priority too",
                )
                return
            else:
                current += -delta if larger_wins else delta
            if not 0 <= current < _PRIORITY_LIMIT:
                self.error(
                    "bad-priority",
                    entry.priority or entry,
                    f"the priority of this entry would be {shown(current)}",
                    "priorities are not negative; start higher or use a smaller priority_delta",
                )
                return

    # ---- other properties

    def _other(self, node: ast.Property) -> None:
        name = node.name.text
        typed = self.expression(node.value)
        if unknown(typed.type):
            return
        type_ = resolve(typed.type)
        value: Value | None = self.checked.constants.get(node.value)
        if name == "size":
            if not isinstance(type_, (Int, Bits)) or not typed.known:
                self.error("bad-property", node.value, "the size of a table is a constant number")
            elif isinstance(value, int) and value < 0:
                self.error("bad-property", node.value, "the size of a table is not negative")
        elif name == "largest_priority_wins" and type_ != BOOL:
            self.error("bad-property", node.value, "largest_priority_wins is true or false")
        elif name == "priority_delta" and (not isinstance(value, int) or isinstance(value, bool) or value <= 0):
            self.error("bad-property", node.value, "priority_delta is a positive constant")


def _pairs(signature: Signature, arguments: Sequence[ast.Argument]) -> list[tuple[Param, ast.Argument]]:
    found: list[tuple[Param, ast.Argument]] = []
    for index, argument in enumerate(arguments):
        param = _param_for(signature, index, argument)
        if param is not None:
            found.append((param, argument))
    return found


def _param_for(signature: Signature, index: int, argument: ast.Argument) -> Param | None:
    if argument.name is not None:
        return next((p for p in signature.params if p.name == argument.name.text), None)
    return signature.params[index] if index < len(signature.params) else None


def same_expression(checked: Checked, first: object, second: object) -> bool:
    """Whether two expressions, or parts of them, are written alike and mean the same."""
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(
            same_expression(checked, a, b) for a, b in zip(first, second, strict=True)
        )
    if not isinstance(first, ast.Node) or type(first) is not type(second):
        return first == second
    assert isinstance(second, type(first))
    if isinstance(first, ast.Expression) and isinstance(second, ast.Expression):
        values = checked.constants.get(first), checked.constants.get(second)
        if values != (None, None):
            return values[0] == values[1]
    if isinstance(first, ast.PathExpression):
        return checked.symbols.get(first) is checked.symbols.get(second)
    if isinstance(first, ast.StructExpression) and isinstance(second, ast.StructExpression):
        return same_expression(checked, _by_name(first), _by_name(second))
    return all(
        same_expression(checked, getattr(first, f.name), getattr(second, f.name))
        for f in fields(first)
        if f.name != "span"
    )


def _by_name(node: ast.StructExpression) -> tuple[ast.NamedExpression, ...]:
    return tuple(sorted(node.fields, key=lambda field: field.name.text))


def _is_prefix(mask: int, width: int) -> bool:
    full = (1 << width) - 1
    inverse = ~mask & full
    return mask >= 0 and inverse & (inverse + 1) == 0


def _has(annotations: Sequence[ast.Annotation], name: str) -> bool:
    return any(a.name == name for a in annotations)


def _has_name(annotations: Sequence[ast.Annotation]) -> bool:
    return _has(annotations, "name")
