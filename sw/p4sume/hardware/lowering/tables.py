# SPDX-License-Identifier: Apache-2.0
"""Tables: a lookup and the actions it chooses from, or, with const entries, comparisons.

Actions have codes from 1 in the order of the table's list; a code that no action has does nothing. A table without
key runs its default action. A table is looked up at one place of the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from p4sume.hardware import graph as g
from p4sume.hardware.lowering.arithmetic import is_signed
from p4sume.hardware.lowering.context import Frame
from p4sume.hardware.lowering.keysets import Keysets
from p4sume.hardware.lowering.state import Bundle, State
from p4sume.semantics.checked import CallTarget, Checked
from p4sume.semantics.key_names import key_name
from p4sume.syntax import ast
from p4sume.targets.sume import annotation_number

DEFAULT_SIZE = 1024
NO_ACTION = "NoAction"


@dataclass(frozen=True, eq=False)
class Listed:
    """An action of a table: `ref` is None for a default action that is not in the list."""

    name: str  # as in the list
    layout: g.ActionLayout
    node: ast.Action
    ref: ast.ActionRef | None


@dataclass(frozen=True)
class Use:
    """One way in which an action comes to run: the predicate and the values of its own parameters."""

    when: g.Value
    action: Listed
    data: tuple[int, ...]


@dataclass
class Declared:
    """The parts of a table's declaration."""

    node: ast.Table
    name: str
    key: tuple[ast.KeyElement, ...] = ()
    actions: list[Listed] = field(default_factory=list)
    entries: ast.Entries | None = None
    size: int = DEFAULT_SIZE
    default: Listed | None = None
    default_data: tuple[int, ...] = ()
    default_is_const: bool = False


@dataclass(frozen=True)
class Applied:
    """What applying a table gives: whether an entry was hit, and for each action whether it ran."""

    hit: g.Value
    ran: dict[str, g.Value]


class Tables(Keysets):
    def apply_table(self, node: ast.Call, target: CallTarget, state: State) -> Applied:
        assert isinstance(target.node, ast.Table)
        table = self._declared(target.node)
        keys = [self._key_bits(e, state) for e in table.key]
        if table.entries is not None or not table.key:
            self.fixed_tables[table.name] = replace(self._described(table, keys), default_is_const=True)
        if table.entries is not None and table.key:
            return self._constant(node, table, keys, state)
        if not table.key:
            assert table.default is not None
            return self._run(
                node, [Use(self.make.one, table.default, table.default_data)], self.make.zero, table, state
            )
        return self._looked_up(node, table, keys, state)

    def _key_bits(self, element: ast.KeyElement, state: State) -> g.Value:
        if element.match_kind.text == "range" and is_signed(self.type_of(element.value)):
            raise self.refuse("signed-range", element, "ranges are of unsigned numbers", "cast the key to bit<…>")
        return self.scalar(element.value, state)

    # ---- the declaration

    def _declared(self, node: ast.Table) -> Declared:
        owner = self.frame_of(node)
        found = Declared(node, self._plane_path(owner, node))
        for item in node.properties:
            match item:
                case ast.Key(elements=elements):
                    found.key = elements
                case ast.ActionList(actions=actions):
                    found.actions = [self._listed(ref, code) for code, ref in enumerate(actions, 1)]
                case ast.Entries():
                    if not item.constant:
                        raise self.refuse(
                            "initial-entries",
                            item,
                            "entries that the control plane may change are not built into the hardware",
                            "write 'const entries', or leave them to the control plane",
                        )
                    found.entries = item
                case ast.Property(name=ast.Name(text="size")):
                    found.size = self.number(item.value)
        for item in node.properties:
            if isinstance(item, ast.Property) and item.name.text == "default_action":
                found.default_is_const = item.constant
                found.default, found.default_data = self._use(item.value, found)
        if found.default is None:
            found.default = self._no_action(found)
        return found

    def _plane_path(self, owner: Frame | None, node: ast.Declaration) -> str:
        name = self.control_name(node)
        if name.startswith("."):
            return name[1:]
        return f"{owner.path}.{name}" if owner is not None else name

    def _listed(self, ref: ast.ActionRef, code: int) -> Listed:
        node = self.checked.symbols[ref.path].node
        assert isinstance(node, ast.Action)
        annotations = {a.name for a in ref.annotations}
        layout = replace(
            self._layout(node, code),
            in_entries="defaultonly" not in annotations,
            as_default="tableonly" not in annotations,
        )
        return Listed(ref.path.name, layout, node, ref)

    def _layout(self, node: ast.Action, code: int) -> g.ActionLayout:
        parameters = tuple((p.name.text, self.layouts.width(self.checked.declared_types[p], p)) for p in _own(node))
        return g.ActionLayout(self._plane_path(self.frame_of(node), node), code, parameters)

    def _no_action(self, table: Declared) -> Listed:
        for listed in table.actions:
            if listed.name == NO_ACTION:
                return listed
        node = self.checked.top_level[NO_ACTION].node
        assert isinstance(node, ast.Action)
        layout = replace(self._layout(node, len(table.actions) + 1), in_entries=False)
        listed = Listed(NO_ACTION, layout, node, None)
        table.actions.append(listed)
        return listed

    def _use(self, node: ast.Expression, table: Declared) -> tuple[Listed, tuple[int, ...]]:
        """The action that an entry or default_action names, and its arguments."""
        path = node.callee if isinstance(node, ast.Call) else node
        assert isinstance(path, ast.PathExpression)
        listed = next(a for a in table.actions if a.name == path.name)
        target = self.checked.calls.get(node) if isinstance(node, ast.Call) else None
        given = dict(target.bindings) if target is not None else {}
        return listed, tuple(self._constant_bits(node, p, given.get(p, p.default)) for p in _own(listed.node))

    def _constant_bits(self, node: ast.Node, parameter: ast.Parameter, argument: ast.Expression | None) -> int:
        type_ = self.actual(self.checked.declared_types[parameter])
        if argument is None:
            return 0
        found = self.make.known(self.pack(self.value(argument, State(self.make.one)), type_, node))
        if found is None:
            raise self.refuse("not-constant", argument, "this argument is not known at compile time")
        return found

    # ---- looking up

    def _looked_up(self, node: ast.Call, table: Declared, keys: Sequence[g.Value], state: State) -> Applied:
        make = self.make
        if table.name in self.tables:
            raise self.refuse(
                "table-applied-twice",
                node,
                f"table '{table.node.name.text}' is applied at a second place, and it has one lookup port",
                "apply it once, before the branches that use it, or declare a second table",
            )
        declared = self._described(table, keys)
        self._check_keys(table)
        self.tables[table.name] = declared
        make.name = f"{table.name}.key"
        hit, value = make.lookup(declared, make.concat(*keys), make.and_(self.guard, state.path))
        make.name = f"{table.name}.action"
        code = make.slice(value, value.width - 1, declared.data_bits)
        ran = {a.name: make.equals(code, a.layout.code) for a in table.actions}
        arms: list[tuple[g.Value, State]] = []
        for listed in table.actions:
            if not listed.node.body.body:
                continue
            data: dict[ast.Parameter, Bundle] = {}
            high = declared.data_bits - 1
            for parameter in _own(listed.node):
                type_ = self.actual(self.checked.declared_types[parameter])
                width = self.layouts.width(type_, parameter)
                make.name = f"{listed.layout.name}.{parameter.name.text}"
                data[parameter] = self.unpack(make.slice(value, high, high - width + 1), type_, parameter)
                high -= width
            arms.append(self._arm(node, listed, ran[listed.name], data, state))
        self.join_arms(arms, state)
        return Applied(hit, ran)

    def _described(self, table: Declared, keys: Sequence[g.Value]) -> g.Table:
        """The table as the control plane sees it."""
        assert table.default is not None
        layouts = tuple(a.layout for a in table.actions)
        default_data = 0
        for (_, width), number in zip(table.default.layout.parameters, table.default_data, strict=True):
            default_data = default_data << width | number
        return g.Table(
            table.name,
            tuple(
                g.KeyField(key_name(e, self.checked), k.width, e.match_kind.text)
                for e, k in zip(table.key, keys, strict=True)
            ),
            layouts,
            table.size,
            table.default.layout.name,
            default_data,
            table.default_is_const,
            table.node.span,
        )

    def _check_keys(self, table: Declared) -> None:
        kinds = [e.match_kind.text for e in table.key]
        for element in table.key:
            if element.match_kind.text not in ("exact", "lpm", "ternary", "range", "optional"):
                raise self.refuse(
                    "match-kind",
                    element.match_kind,
                    f"there is no table for the kind of match '{element.match_kind.text}'",
                    "use exact, lpm, ternary or range",
                )
        if kinds.count("lpm") > 1:
            raise self.refuse("two-lpm-keys", table.node, "a table has one lpm key at most", "make the others ternary")

    # ---- const entries, default actions

    def _constant(self, node: ast.Call, table: Declared, keys: Sequence[g.Value], state: State) -> Applied:
        assert table.entries is not None and table.default is not None
        make = self.make
        types = [self.type_of(e.value) for e in table.key]
        entries = self._by_priority(table)
        sets = [self.keyset(e.keyset, keys, types, state) for e in entries]
        make.name = f"{table.name}.entry"
        uses = [
            Use(first, *self._use(entry.action, table))
            for entry, first in zip(entries, self.first_of(sets), strict=True)
        ]
        hit = make.or_(*(s.matches for s in sets)) if sets else make.zero
        uses.append(Use(make.not_(hit), table.default, table.default_data))
        return self._run(node, uses, hit, table, state)

    def _by_priority(self, table: Declared) -> list[ast.Entry]:
        """In the order written; where nothing but a prefix decides, the longest first. Where entries have p4c's
        @priority(n), the lowest first, and an entry without one has its number in the list, from 1."""
        assert table.entries is not None
        kinds = [e.match_kind.text for e in table.key]
        entries = list(table.entries.entries)
        if not set(kinds) <= {"exact", "lpm"}:
            priorities = [_annotated_priority(e, self.checked) for e in entries]
            if all(p is None for p in priorities):
                return entries
            places = {e: i if p is None else p for i, (e, p) in enumerate(zip(entries, priorities, strict=True), 1)}
            return sorted(entries, key=lambda e: places[e])
        if "lpm" not in kinds:
            return entries
        place = kinds.index("lpm")

        def length(entry: ast.Entry) -> int:
            items = entry.keyset.items if isinstance(entry.keyset, ast.ListExpression) else (entry.keyset,)
            item = items[min(place, len(items) - 1)]
            if isinstance(item, ast.DefaultKeyset):
                return 0
            if isinstance(item, ast.Mask):
                return self.number(item.mask).bit_count()
            return self.width_of(self.type_of(table.key[place].value), item)

        return sorted(entries, key=length, reverse=True)

    def _run(self, node: ast.Call, uses: Sequence[Use], hit: g.Value, table: Declared, state: State) -> Applied:
        """Run each action under the predicates of its uses, its parameters chosen among theirs."""
        make = self.make
        ran: dict[str, g.Value] = {}
        arms: list[tuple[g.Value, State]] = []
        for listed in table.actions:
            mine = [u for u in uses if u.action is listed]
            ran[listed.name] = make.or_(*(u.when for u in mine)) if mine else make.zero
            if not mine or not listed.node.body.body:
                continue
            data: dict[ast.Parameter, Bundle] = {}
            for index, parameter in enumerate(_own(listed.node)):
                type_ = self.actual(self.checked.declared_types[parameter])
                width = self.layouts.width(type_, parameter)
                make.name = f"{listed.layout.name}.{parameter.name.text}"
                values = {make.constant(width, u.data[index]) for u in mine}
                only = values.pop()
                bits = make.select([(u.when, make.constant(width, u.data[index])) for u in mine], width)
                data[parameter] = self.unpack(bits if values else only, type_, parameter)
            arms.append(self._arm(node, listed, ran[listed.name], data, state))
        self.join_arms(arms, state)
        return Applied(hit, ran)

    def _arm(
        self, node: ast.Call, listed: Listed, when: g.Value, data: dict[ast.Parameter, Bundle], state: State
    ) -> tuple[g.Value, State]:
        arm = self.arm(when, state)
        arguments: dict[ast.Parameter, ast.Expression | None] = {}
        if listed.ref is not None:
            given = listed.ref.arguments or ()
            for index, argument in enumerate(given):
                name = argument.name.text if argument.name is not None else listed.node.parameters[index].name.text
                parameter = next(p for p in listed.node.parameters if p.name.text == name)
                arguments[parameter] = argument.value
        self.action(node, listed.node, arguments, data, arm)
        return when, arm

    # ---- results

    def applied(self, node: ast.Member, state: State) -> Bundle | None:
        if not isinstance(node.base, ast.Call):
            return None
        target = self.checked.calls.get(node.base)
        if target is None or target.kind != "table":
            return None
        result = self.apply_table(node.base, target, state)
        return {(): result.hit if node.name.text == "hit" else self.make.not_(result.hit)}

    def action_predicates(self, node: ast.Switch, state: State) -> list[g.Value]:
        assert isinstance(node.subject, ast.Member) and isinstance(node.subject.base, ast.Call)
        result = self.apply_table(node.subject.base, self.checked.calls[node.subject.base], state)
        found: list[g.Value] = []
        for case in node.cases:
            if isinstance(case.label, ast.PathExpression):
                found.append(result.ran.get(case.label.name, self.make.zero))
            else:
                found.append(self.make.not_(self.make.or_(*found)) if found else self.make.one)
        return found


def _annotated_priority(entry: ast.Entry, checked: Checked) -> int | None:
    for annotation in entry.annotations:
        if annotation.name == "priority":
            return annotation_number(annotation, checked)
    return None


def _own(node: ast.Action) -> list[ast.Parameter]:
    """The parameters that the control plane sets."""
    return [p for p in node.parameters if not p.direction]
