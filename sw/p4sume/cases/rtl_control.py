# SPDX-License-Identifier: Apache-2.0
"""A program's tables, registers and counters over AXI-Lite, by the names of its manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from p4sume.cases.target import TargetRefusedError
from p4sume.control import (
    ActionError,
    ArgumentsError,
    ConstantError,
    DuplicateError,
    FullError,
    NotFoundError,
    PrefixError,
    TableError,
    WidthError,
)
from p4sume.control.entries import Entries
from p4sume.control.plane import ActionInfo, Field, KeyField, KeyValue, TableInfo, by_name
from p4sume.control.registers import Bus, Registers
from p4sume.control.windows import ExternWindow, TableWindow
from p4sume.hardware.registers import ALL_PACKETS, PACKET_COUNTS, drop_count

_REASONS: dict[type[TableError], str] = {
    FullError: "full",
    DuplicateError: "exists",
    NotFoundError: "missing",
    ConstantError: "constant",
    PrefixError: "key",
    WidthError: "key",
    ActionError: "action",
    ArgumentsError: "arguments",
}


class RtlControl:
    name = "rtl"

    def __init__(self, bus: Bus, manifest: Mapping[str, Any], base: int = 0) -> None:
        """`base`: where on the bus the program's registers begin."""
        self.manifest = manifest
        self.metadata_widths: dict[str, int] = {f["name"]: f["bits"] for f in manifest["metadata"]}
        self.port_bits = self.metadata_widths["src_port"]
        self.registers = Registers(bus, [{**r, "address": base + r["address"]} for r in manifest["registers"]])
        self._infos = {t["name"]: _table_info(t) for t in manifest["tables"]}
        self._externs = {
            e["name"]: ExternWindow(self.registers, e["window"]) for e in manifest["externs"] if e["window"]
        }
        self._settings = {e["name"]: e["settings"] for e in manifest["externs"] if e["settings"]}
        self.restart()

    def restart(self) -> None:
        """What the hardware holds after a reset. It takes packets only when every state is clear."""
        self._entries = {
            t["name"]: Entries(
                self._infos[t["name"]],
                {a["name"]: a["code"] for a in t["actions"]},
                TableWindow(self.registers, t["window"]) if t["window"] else None,
            )
            for t in self.manifest["tables"]
        }
        for extern in self._externs.values():
            extern.restart()

    # ---- tables

    def table(self, name: str) -> TableInfo:
        return by_name(self._infos, name, "table")

    def tables(self) -> Sequence[TableInfo]:
        return tuple(self._infos.values())

    def change(
        self,
        operation: str,
        table: TableInfo,
        key: Sequence[KeyValue],
        priority: int,
        action: str,
        arguments: Sequence[int],
    ) -> None:
        entries = self._entries[table.name]
        try:
            match operation:
                case "add":
                    entries.add(key, priority, action, arguments)
                case "modify":
                    entries.modify(key, priority, action, arguments)
                case "delete":
                    entries.delete(key, priority)
                case _:
                    entries.clear()
        except TableError as refused:
            raise _refusal(refused) from refused

    def set_default(self, table: TableInfo, action: str, arguments: Sequence[int]) -> None:
        try:
            self._entries[table.name].set_default(action, arguments)
        except TableError as refused:
            raise _refusal(refused) from refused

    def entry_count(self, table: TableInfo) -> int:
        return self._entries[table.name].count()

    # ---- registers and counters

    def read_register(self, name: str, index: int) -> int:
        return self._extern(name, index).read(index)

    def write_register(self, name: str, index: int, value: int) -> None:
        self._extern(name, index).write(index, value)

    def configure(self, name: str, setting: str, index: int, value: int) -> None:
        self.registers.write(self._setting(name, setting, index), value)

    def setting(self, name: str, setting: str, index: int = 0) -> int:
        return self.registers.read(self._setting(name, setting, index))

    def _setting(self, name: str, setting: str, index: int) -> str:
        path = f"{by_name(self._settings, name, 'extern with settings')}.{setting}"
        fitting = [one for one in (path, f"{path}[{index}]") if self.registers.is_one(one)]
        if not fitting or (index and path in fitting):
            raise ValueError(f"{name} has no setting {setting}({index})")
        return fitting[0]

    def _extern(self, name: str, index: int) -> ExternWindow:
        found = by_name(self._externs, name, "register extern")
        if not 0 <= index < found.entries:
            raise ValueError(f"{name} has {found.entries} registers, none of number {index}")
        return found

    def counter(self, name: str) -> int | None:
        """The hardware counts packets and drops; lookups and calls it does not."""
        if name == "packets":
            return self._count(ALL_PACKETS)
        if name.startswith("drop."):
            register = drop_count(name.removeprefix("drop."))
            return self._count(register) if self.registers.has(f"{PACKET_COUNTS}.{register}") else 0
        known = [f"table.{table}.{what}" for table in self._infos for what in ("hit", "miss")]
        known += [f"extern.{extern['name']}" for extern in self.manifest["externs"]]
        if name not in known:
            raise KeyError(f"there is no counter {name}")
        return None

    def _count(self, register: str) -> int:
        return self.registers.read(f"{PACKET_COUNTS}.{register}")


def _refusal(refused: TableError) -> TargetRefusedError:
    return TargetRefusedError(_REASONS.get(type(refused), ""), str(refused))


def _table_info(table: Mapping[str, Any]) -> TableInfo:
    return TableInfo(
        table["name"],
        table["size"],
        tuple(KeyField(k["name"], k["bits"], k["match_kind"]) for k in table["keys"]),
        tuple(
            ActionInfo(
                a["name"],
                tuple(Field(p["name"], p["bits"]) for p in a["parameters"]),
                a["in_entries"],
                a["as_default"],
            )
            for a in table["actions"]
        ),
        table["window"] is None,
        table["default_is_const"],
    )
