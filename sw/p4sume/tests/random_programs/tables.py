# SPDX-License-Identifier: Apache-2.0
"""Random tables, and the ways of applying them."""

from __future__ import annotations

from dataclasses import dataclass

from p4sume.tests.random_programs.kinds import Bits, Bool, Function, Kind, Scope
from p4sume.tests.random_programs.parsers import Parsers

KINDS = (
    ("exact",),
    ("exact",),
    ("exact", "exact"),
    ("lpm",),
    ("exact", "lpm"),
    ("ternary",),
    ("ternary", "exact"),
    ("range",),
    ("range", "ternary", "exact"),
    ("optional",),
    ("optional", "exact"),
    (),
)
LEAST_LPM_BITS = 8  # that the hardware takes as the only key of a table


@dataclass(frozen=True)
class Table:
    name: str
    actions: tuple[Function, ...]


class Tables(Parsers):
    def table(self, scope: Scope, actions: list[Function]) -> tuple[list[str], Table | None]:
        """A table over some of the actions, those with direction bound to what `scope` has."""
        rng = self.rng
        name = self.fresh("t")
        kinds = rng.choice(KINDS)
        const_entries = bool(kinds) and self.chance(0.3)
        keys = []
        for match in kinds:
            kind = self._key_kind(match, LEAST_LPM_BITS if kinds == ("lpm",) and not const_entries else 1)
            keys.append((self.value(kind, scope, rng.choice((0, 0, 1))), kind, match))
            self.note(f"{match} key" + (" of const entries" if const_entries else ""))
        listed: list[tuple[str, Function]] = []
        for action in rng.sample(actions, rng.randint(1, min(3, len(actions)))):
            bound = self._bound(action, scope)
            if bound is not None:
                listed.append((bound, action))
        if not listed:
            return [], None
        if not keys:
            self.note("table without key")
            default = self._use(*rng.choice(listed))
            listed_names = "; ".join(text for text, _ in listed)
            lines = [
                f"table {name} {{",
                f"    actions = {{ {listed_names}; }}",
                f"    default_action = {default};",
                "}",
            ]
            return lines, Table(name, tuple(a for _, a in listed))
        lines = [f"table {name} {{", "    key = {"]
        lines += [f'        {text} : {match} @name("k{i}");' for i, (text, _, match) in enumerate(keys)]
        entry_names = [text for text, _ in listed]
        lines += ["    }", f"    actions = {{ {'; '.join([*entry_names, 'NoAction'])}; }}"]
        if const_entries:
            lines += self._entries(keys, listed)
        if self.chance(0.7):
            self.note("default action")
            prefix = "const " if self.chance(0.3) else ""
            lines.append(f"    {prefix}default_action = {self._use(*rng.choice(listed))};")
        if not const_entries:
            lines.append(f"    size = {rng.choice((16, 32, 64))};")
        return [*lines, "}"], Table(name, tuple(a for _, a in listed))

    def _key_kind(self, match: str, least_bits: int) -> Kind:
        if match == "exact" and self.chance(0.25):
            return self.rng.choice((Bool(), *[e for e in self.enums if e.width], Bits(5, True)))
        width = max(least_bits, self.rng.choice((3, 5, 8, 8, 9, 16, 16, 32)))
        return Bits(width, match in ("ternary", "exact") and self.chance(0.1))

    def _bound(self, action: Function, scope: Scope) -> str | None:
        """The action with arguments for its parameters with direction."""
        directed = Function(action.name, tuple(p for p in action.parameters if p.direction))
        if not directed.parameters:
            return action.name
        self.note("action with bound arguments")
        effects, self.effects = self.effects, False
        made = self.call(directed, scope, 1)
        self.effects = effects
        return made

    def _use(self, bound: str, action: Function) -> str:
        """The action with constants for the parameters that the control plane would set."""
        data = [self.constant(p.kind) for p in action.parameters if not p.direction]
        if data:
            self.note("default action or entry with arguments")
        if "(" in bound:
            head = bound[:-1] + (", " if data else "")
            return f"{head}{', '.join(data)})"
        return f"{bound}({', '.join(data)})"

    def _entries(self, keys: list[tuple[str, Kind, str]], listed: list[tuple[str, Function]]) -> list[str]:
        rng = self.rng
        lines = ["    const entries = {"]
        used = set()
        for _ in range(rng.randint(1, 5)):
            items = []
            for _, kind, match in keys:
                items.append(self._entry_key(kind, match))
            label = items[0] if len(items) == 1 else f"({', '.join(items)})"
            value = tuple(items)
            if value in used:
                continue
            used.add(value)
            lines.append(f"        {label} : {self._use(*rng.choice(listed))};")
        self.note("const entries")
        return [*lines, "    }"]

    def _entry_key(self, kind: Kind, match: str) -> str:
        if match == "exact" or not isinstance(kind, Bits):
            if isinstance(kind, Bits):
                return self.written(kind, self.numeral(kind, self.rng.getrandbits(kind.width) & 7))
            return self.constant(kind)
        if match == "optional" and self.chance(0.7):
            return self.literal(kind)
        if match == "optional":
            return "_"
        if match == "lpm":
            prefix = self.rng.randint(0, kind.width)
            mask = ((1 << kind.width) - 1) >> (kind.width - prefix) << (kind.width - prefix)
            value = self.rng.getrandbits(kind.width) & mask
            return f"{kind.width}w{value} &&& {kind.width}w{mask}"
        if self.chance(0.1):
            return "_"
        return self.keyset(kind, ranges=match == "range", masks=match == "ternary")

    # ---- use

    def apply_table(self, table: Table, scope: Scope, depth: int) -> list[str]:
        rng = self.rng
        match rng.randrange(5):
            case 0:
                self.note("hit")
                negated = "!" if self.chance(0.3) else ""
                lines = [f"if ({negated}{table.name}.apply().hit) {{", *self.block(scope, 2, depth), "} else {"]
                return [*lines, *self.block(scope, 1, depth), "}"]
            case 1:
                self.note("miss")
                return [f"if ({table.name}.apply().miss) {{", *self.block(scope, 2, depth), "}"]
            case 2:
                self.note("action_run")
                lines = [f"switch ({table.name}.apply().action_run) {{"]
                for action in table.actions:
                    lines += self._arm(action.name, scope, depth)
                    if self.chance(0.3):
                        break
                if self.chance(0.5):
                    lines += self._arm("default", scope, depth)
                return [*lines, "}"]
            case 3:
                name = self.fresh("hit")
                scope.declare(name, Bool())
                self.note("hit as value")
                return [f"bool {name} = {table.name}.apply().hit;"]
        return [f"{table.name}.apply();"]
