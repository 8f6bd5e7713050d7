# SPDX-License-Identifier: Apache-2.0
"""A table: its description for the control plane, and the lambda that applies it."""

from __future__ import annotations

from dataclasses import dataclass

from p4sume.model.calls import Calls
from p4sume.model.cpp_types import plain
from p4sume.model.keysets import key_row
from p4sume.model.literals import number
from p4sume.model.refusal import RefusedError
from p4sume.semantics.checked import CallTarget, EnumValue, Symbol, Value
from p4sume.semantics.key_names import key_name
from p4sume.semantics.types import Bits, Bool, Enum, Error, Param, Signature, Type, resolve
from p4sume.syntax import ast

MATCH_KINDS = ("exact", "lpm", "ternary", "range", "optional")
DEFAULT_SIZE = 1024
LARGEST_PRIORITY = (1 << 31) - 1


@dataclass(frozen=True)
class Key:
    name: str
    width: int
    match: str
    node: ast.KeyElement


@dataclass(frozen=True)
class TableAction:
    """An action of a table's list. `free`: the parameters that an entry sets."""

    ref: ast.ActionRef
    symbol: Symbol
    node: ast.Action
    signature: Signature
    free: tuple[Param, ...]


def key_width(type_: Type, at: ast.Node) -> int:
    type_ = plain(type_)
    match type_:
        case Bits(width, _):
            return width
        case Bool():
            return 1
        case Enum() | Error():
            return 32
    raise RefusedError(at, f"the model has no keys of type {type_.show()}")


class TableParts:
    """What the properties of a table say."""

    def __init__(self, body: Calls, table: ast.Table) -> None:
        self.body = body
        self.table = table
        self.checked = body.checked
        self.keys = [self._key(e) for p in table.properties if isinstance(p, ast.Key) for e in p.elements]
        self.actions = [self._action(a) for p in table.properties if isinstance(p, ast.ActionList) for a in p.actions]
        self.entries = next((p for p in table.properties if isinstance(p, ast.Entries)), None)
        for name in ("implementation", "counters", "meters"):
            if self.named(name) is not None and not body.program.architecture.ignores_property(name):
                raise RefusedError(table.name, f"the model has no table property '{name}'")

    def named(self, name: str) -> ast.Property | None:
        found = (p for p in self.table.properties if isinstance(p, ast.Property) and p.name.text == name)
        return next(found, None)

    def value_of(self, name: str) -> Value | None:
        found = self.named(name)
        return None if found is None else self.checked.constants.get(found.value)

    @property
    def size(self) -> int:
        value = self.value_of("size")
        entries = len(self.entries.entries) if self.entries is not None else 0
        return max(value if isinstance(value, int) else DEFAULT_SIZE, entries)

    def _key(self, node: ast.KeyElement) -> Key:
        match = node.match_kind.text
        if match == "selector":
            raise RefusedError(node.match_kind, "the model has no action selectors")
        if match not in MATCH_KINDS:
            raise RefusedError(
                node.match_kind, f"the model has no kind of match '{match}'", "use " + ", ".join(MATCH_KINDS)
            )
        type_ = self.body.type_of(node.value)
        own = plain(type_)
        if isinstance(own, Bits) and own.signed and match == "range":
            raise RefusedError(node, "a range of signed numbers is not supported", "cast the key to bit<…>")
        return Key(key_name(node, self.checked), key_width(type_, node), match, node)

    def _action(self, ref: ast.ActionRef) -> TableAction:
        symbol = self.checked.symbols[ref.path]
        assert isinstance(symbol.node, ast.Action)
        signature = symbol.overloads[0][0]
        free = tuple(p for p in signature.params if not p.direction)
        return TableAction(ref, symbol, symbol.node, signature, free)

    def default(self) -> tuple[int, list[str]]:
        """Index and arguments of the default action; NoAction where there is none is added to the list."""
        found = self.named("default_action")
        if found is not None:
            return self._use(found.value)
        for index, action in enumerate(self.actions):
            if action.symbol.name == "NoAction":
                return index, []
        return len(self.actions), []

    @property
    def adds_no_action(self) -> bool:
        return self.named("default_action") is None and all(a.symbol.name != "NoAction" for a in self.actions)

    @property
    def constant_default(self) -> bool:
        found = self.named("default_action")
        return found is not None and found.constant

    def _use(self, node: ast.Expression) -> tuple[int, list[str]]:
        """The index of an action in the list, and its data as limbs."""
        path = node.callee if isinstance(node, ast.Call) else node
        assert isinstance(path, ast.PathExpression)
        index = next((i for i, a in enumerate(self.actions) if a.ref.path.name == path.name), None)
        if index is None:
            raise RefusedError(node, f"'{path.name}' is not in the table's list of actions")
        action = self.actions[index]
        target = self.checked.calls.get(node) if isinstance(node, ast.Call) else None
        given = self._given(target)
        limbs: list[str] = []
        for param in action.free:
            argument = given.get(param.name, param.node.default)
            if argument is None:
                raise RefusedError(node, f"parameter '{param.name}' needs an argument")
            limbs += self.limbs(argument, param.type)
        return index, limbs

    def _given(self, target: CallTarget | None) -> dict[str, ast.Expression]:
        if target is None:
            return {}
        return {p.name.text: a for p, a in target.bindings if a is not None}

    def number(self, node: ast.Expression, type_: Type) -> int:
        value = self.checked.constants.get(node)
        own = resolve(type_)
        if isinstance(value, EnumValue) and isinstance(value.type, Enum):
            members = value.type.info.members
            stated = members[value.member]
            value = list(members).index(value.member) if stated is None else stated
        elif isinstance(value, EnumValue):
            value = self.body.program.error_number(value.member)
        if not isinstance(value, int):
            raise RefusedError(node, f"a value of type {own.show()} that is known at compile time is needed here")
        return int(value) & ((1 << key_width(type_, node)) - 1)

    def limbs(self, node: ast.Expression, type_: Type) -> list[str]:
        return limbs_of(self.number(node, type_), key_width(type_, node))

    # ---- entries

    def rows(self) -> list[str]:
        """C++ initialisers of the rows that the program brings along."""
        if self.entries is None:
            return []
        priorities = self._priorities(self.entries)
        rows: list[str] = []
        for entry, priority in zip(self.entries.entries, priorities, strict=True):
            first, second = key_row(self, entry.keyset)
            index, data = self._use(entry.action)
            rows.append(
                f"{{.a = {{{', '.join(first)}}}, .b = {{{', '.join(second)}}}, .priority = {priority}, "
                f".action = {index}, .data = {{{', '.join(data)}}}}}"
            )
        return rows

    @property
    def kind(self) -> str:
        """The class of sim/model/lookup.hpp that does the lookup."""
        matches = [k.match for k in self.keys]
        if not matches:
            return "KeylessTable"
        limbs = sum(len(limbs_of(0, k.width)) for k in self.keys)
        if all(m == "exact" for m in matches):
            return f"ExactTable<{limbs}>"
        if matches.count("lpm") == 1 and matches.count("exact") == len(matches) - 1:
            return f"LpmTable<{limbs}>"
        return f"PriorityTable<{limbs}>"

    def _priorities(self, entries: ast.Entries) -> list[int]:
        """The lowest wins. Entries without a stated priority are in the order of the text; beside entries with
        p4c's @priority(n), which is no part of the language, they have their number in it, from 1."""
        if not self.kind.startswith("PriorityTable"):
            return [0] * len(entries.entries)
        annotated = [self._annotated_priority(e) for e in entries.entries]
        if any(a is not None for a in annotated):
            return [i if a is None else a for i, a in enumerate(annotated, 1)]
        if entries.constant:
            return list(range(len(entries.entries)))
        return self._stated_priorities(entries)

    def _annotated_priority(self, entry: ast.Entry) -> int | None:
        for annotation in entry.annotations:
            if annotation.name == "priority":
                for token in annotation.tokens:
                    if token.text.isdigit():
                        return int(token.text)
                for item in annotation.items:
                    value = self.checked.constants.get(item)
                    if isinstance(value, int):
                        return value
        return None

    def _stated_priorities(self, entries: ast.Entries) -> list[int]:
        """As the specification numbers entries that are not const; turned round where the largest wins."""
        largest = self.value_of("largest_priority_wins") is not False
        delta = self.value_of("priority_delta")
        step = delta if isinstance(delta, int) else 1
        found: list[int] = []
        for index, entry in enumerate(entries.entries):
            stated = None if entry.priority is None else self.checked.constants.get(entry.priority)
            if isinstance(stated, int):
                found.append(stated)
            elif index == 0:
                found.append(1 + (len(entries.entries) - 1) * step if largest else 1)
            else:
                found.append(found[-1] - step if largest else found[-1] + step)
        return [LARGEST_PRIORITY - p for p in found] if largest else found


def limbs_of(value: int, width: int) -> list[str]:
    count = 1 if width <= 64 else (width + 63) // 64
    return [number(value >> 64 * i & ((1 << 64) - 1)) for i in range(count)]


class TableWriter:
    """Writes what a control holds of a table, and how it is applied."""

    def __init__(self, body: Calls, table: ast.Table, member: str, full_name: str) -> None:
        self.body, self.table, self.member = body, table, member
        self.parts = TableParts(body, table)
        self.full_name = full_name

    def constructor_arguments(self) -> str:
        parts = self.parts
        keys = ", ".join(f'{{"{k.name}", {k.width}, p4::Match::{k.match}}}' for k in parts.keys)
        actions = [self._action_info(a) for a in parts.actions]
        if parts.adds_no_action:
            actions.append('{"NoAction", {}, false, true}')
        default, data = parts.default()
        constant_entries = "true" if parts.entries is not None and parts.entries.constant else "false"
        constant_default = "true" if parts.constant_default else "false"
        info = (
            f"{{.name = {self.full_name}",
            f" .size = {parts.size}",
            f" .keys = {{{keys}}}",
            f" .actions = {{{', '.join(actions)}}}",
            f" .constant_entries = {constant_entries}",
            f" .constant_default = {constant_default}}}",
        )
        rows = ",".join(f"\n           {row}" for row in parts.rows())
        return ",\n          ".join((*info, f"{default}, {{{', '.join(data)}}}, {{{rows}}}"))

    def _action_info(self, action: TableAction) -> str:
        params = ", ".join(f'{{"{p.name}", {key_width(p.type, p.node)}}}' for p in action.free)
        name = self.body.program.control_plane_name(action.node)
        names = {a.name for a in action.ref.annotations}
        entries = "false" if "defaultonly" in names else "true"
        default = "false" if "tableonly" in names else "true"
        return f'{{"{name}", {{{params}}}, {entries}, {default}}}'

    def write_lambda(self, name: str) -> None:
        body, parts = self.body, self.parts
        body.out.source(self.table)
        with body.out.block(f"const auto {name} = [&]() -> p4::Applied", "};"):
            outer = body.on_exit, body.on_return
            limbs = sum(len(limbs_of(0, k.width)) for k in parts.keys)
            texts = body.values([k.node.value for k in parts.keys])
            fields = "".join(f".field({self._as_key(k, t)})" for k, t in zip(parts.keys, texts, strict=True))
            if parts.keys:
                body.line(f"p4::Applied applied_ = {self.member}.lookup(p4::KeyBuilder<{limbs}>(){fields}.key());")
            else:
                body.line(f"p4::Applied applied_ = {self.member}.lookup({{}});")
            if any(a.free for a in parts.actions):
                body.line("p4::Arguments arguments_(*applied_.row);")
            body.on_exit = "{ applied_.exited = true; return applied_; }"
            with body.block("switch (applied_.row->action)"):
                for index, action in enumerate(parts.actions):
                    with body.block(f"case {index}:"):
                        self._run(action)
                        body.line("break;")
            body.on_exit, body.on_return = outer
            body.line("return applied_;")

    def _as_key(self, key: Key, text: str) -> str:
        if isinstance(plain(self.body.type_of(key.node.value)), (Enum, Error)):
            return f"p4::bit<32>(static_cast<uint64_t>({text}))"
        return text

    def _run(self, action: TableAction) -> None:
        """The action with the arguments of the list and of the entry."""
        body = self.body
        given = _listed(action)
        target = CallTarget(
            "action",
            action.symbol.name,
            action.node,
            action.signature,
            (),
            tuple((p.node, given.get(p.name, p.node.default)) for p in action.signature.params),
        )
        taken = {p.name: body.temporary(self._take(p), p.name) for p in action.free}
        directed = [p for p in action.signature.params if p.direction]
        passed = body.pass_arguments(_only(target, directed), closure=True)
        by_name = dict(zip((p.name for p in directed), passed.arguments, strict=True)) | taken
        arguments = ", ".join(by_name[p.name] for p in action.signature.params)
        text = f"{body.program.action(action.node, body.known, action.ref)}({arguments})"
        body.leave_if(text, passed, body.effects.may_exit(action.node), body.on_exit)

    def _take(self, param: Param) -> str:
        own = plain(param.type)
        text = f"arguments_.take<{key_width(param.type, param.node)}>()"
        match own:
            case Bits(width, True):
                return f"p4::sint<{width}>({text})"
            case Bool():
                return f"!{text}.zero()"
            case Enum() | Error():
                return f"static_cast<{self.body.cpp(own, param.node)}>({text}.low())"
        return text


def _listed(action: TableAction) -> dict[str, ast.Expression]:
    given: dict[str, ast.Expression] = {}
    for index, argument in enumerate(action.ref.arguments or ()):
        name = argument.name.text if argument.name is not None else action.signature.params[index].name
        if argument.value is not None:
            given[name] = argument.value
    return given


def _only(target: CallTarget, params: list[Param]) -> CallTarget:
    """The call with these parameters alone."""
    assert target.signature is not None
    wanted = {p.name for p in params}
    signature = Signature(target.signature.name, (), tuple(params), target.signature.result)
    bindings = tuple(b for b in target.bindings if b[0].name.text in wanted)
    return CallTarget(target.kind, target.name, target.node, signature, (), bindings)
