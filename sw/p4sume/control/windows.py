# SPDX-License-Identifier: Apache-2.0
"""The windows of tables and externs: a command is written word by word, begun by its last write, and waited for.

The names are those of hw/regs/table_window.rdl and extern_window.rdl.
"""

from __future__ import annotations

from enum import IntEnum

from p4sume.control.commands import Code, Command, Op
from p4sume.control.registers import BusError, Registers

# Reads of the status before a command counts as lost. The longest is the sweep of a large table behind a reset.
PATIENCE = 100_000

# What each command takes from the window; `mask` also holds the target of a node.
_TAKES = {
    Op.SET: ("key", "mask", "value", "index"),
    Op.DELETE: ("key", "index"),
    Op.READ: ("index",),
    Op.CLEAR: (),
    Op.NODE: ("key", "mask", "index"),
    Op.SWAP: ("index",),
    Op.DEFAULT: ("value",),
}


class _Window:
    def __init__(self, registers: Registers, name: str) -> None:
        self._registers = registers
        self._name = name
        self._written: dict[str, int] = {}  # what the window's registers hold

    def _put(self, register: str, value: int) -> None:
        """Writes what is not there already. A window without a mask is one of a table that takes none."""
        if self._written.get(register) == value:
            return
        if self._registers.has(f"{self._name}.{register}[0]"):
            self._registers.write_long(f"{self._name}.{register}", value)
        elif register != "mask":
            self._registers.write(f"{self._name}.{register}", value)
        self._written[register] = value

    def _wait(self) -> dict[str, int]:
        """The fields of the status as soon as it is not busy."""
        status = f"{self._name}.status"
        for _ in range(PATIENCE):
            found = self._registers.fields(status, self._registers.read(status))
            if not found["busy"]:
                return found
        raise BusError(f"{self._name} stays busy")


class TableWindow(_Window):
    """The window of a match table."""

    def run(self, command: Command) -> Code:
        """Carries a command out, and says how it went."""
        self._wait()
        for register in _TAKES[command.op]:
            value = command.target if register == "mask" and command.op is Op.NODE else getattr(command, register)
            self._put(register, value)
        self._registers.write(f"{self._name}.command", command.op)
        return Code(self._wait()["outcome"])

    def occupancy(self) -> int:
        """Entries that the hardware counts. An lpm table counts what SWAP told it."""
        return self._registers.read_field(f"{self._name}.occupancy", "entries")


class ExternOperation(IntEnum):
    READ = 0
    WRITE = 1
    CLEAR = 2


class ExternWindow(_Window):
    """The window of a register extern."""

    @property
    def entries(self) -> int:
        return self._registers.read_field(f"{self._name}.size", "entries")

    def read(self, index: int) -> int:
        self._run(ExternOperation.READ, index)
        return self._registers.read_long(f"{self._name}.found_value")

    def write(self, index: int, value: int) -> None:
        self._run(ExternOperation.WRITE, index, value)

    def clear(self) -> None:
        self._run(ExternOperation.CLEAR, 0)

    def restart(self) -> None:
        """After a reset: nothing stands in the window any more. Waits until the registers are clear."""
        self._written.clear()
        self._wait()

    def _run(self, operation: ExternOperation, index: int, value: int | None = None) -> None:
        self._wait()
        self._put("index", index)
        if value is not None:
            self._put("value", value)
        self._registers.write(f"{self._name}.command", operation)
        self._wait()
