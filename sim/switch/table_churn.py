# SPDX-License-Identifier: Apache-2.0
"""Changes of tables while frames are under way, after which every lookup still answers as before.

- An entry is modified to what it is.
- A longest-prefix table gets a longer prefix that says what the prefix around it says; later it goes again.

So the model need not be told, and nobody has to know between which two frames a change took effect. A frame that misses
an entry while the hardware moves things about leaves otherwise than the model says.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from p4sume.cases.rtl_control import RtlControl
from p4sume.cases.target import TargetRefusedError
from p4sume.control.plane import KeyValue, TableInfo

Key = tuple[KeyValue, ...]


@dataclass(frozen=True)
class _Entry:
    table: TableInfo
    key: Key
    priority: int
    action: str
    arguments: tuple[int, ...]


class TableChurn:
    def __init__(self, control: RtlControl, rng: random.Random) -> None:
        self._control = control
        self._rng = rng
        self._entries: dict[tuple[str, Key], _Entry] = {}  # that the case has made
        self._extra: list[_Entry] = []  # that stand in the hardware alone

    def follow(
        self,
        operation: str,
        table: TableInfo,
        key: Sequence[KeyValue],
        priority: int,
        action: str,
        arguments: Sequence[int],
    ) -> None:
        """What the case has changed, and was not refused."""
        place = (table.name, tuple(key))
        if operation == "clear":
            self._entries = {at: entry for at, entry in self._entries.items() if at[0] != table.name}
        elif operation == "delete":
            self._entries.pop(place, None)
        else:
            self._entries[place] = _Entry(table, tuple(key), priority, action, tuple(arguments))

    def disturb(self) -> str:
        """One change; what it was, "" for none."""
        if self._extra and self._rng.random() < 0.4:
            self._remove(self._extra.pop(self._rng.randrange(len(self._extra))))
            return "prefix removed"
        if not self._entries:
            return ""
        entry = self._rng.choice(list(self._entries.values()))
        if not self._told("modify", entry):
            return ""
        longer = self._longer(entry)
        if longer is None:
            return "entry rewritten"
        if not self._told("add", longer):
            return ""
        self._extra.append(longer)
        return "prefix added"

    def settle(self) -> None:
        """The hardware holds what the case has made, and no more."""
        while self._extra:
            self._remove(self._extra.pop())

    def _told(self, operation: str, entry: _Entry) -> bool:
        try:
            self._control.change(
                operation, self._control.table(entry.table.name), entry.key, entry.priority, entry.action,
                entry.arguments,
            )  # fmt: skip
        except TargetRefusedError:  # full; or the case has named the entry in another way since
            return False
        return True

    def _remove(self, entry: _Entry) -> None:
        assert self._told("delete", entry), f"a prefix of {entry.table.name} is gone"

    def _longer(self, entry: _Entry) -> _Entry | None:
        """A longer prefix within; None where there is none, or another entry says something else of it."""
        fields = entry.table.keys
        if [field.match for field in fields] != ["lpm"]:
            return None
        [field], [around] = fields, entry.key
        length = _length(around, field.width)
        if length >= field.width:
            return None
        made = self._rng.randint(length + 1, field.width)
        low = field.width - made
        value = (
            (around.value or 0) >> field.width - length << made - length | self._rng.getrandbits(made - length)
        ) << low
        if self._longest_around(entry.table, value, made) != length:
            return None
        return _Entry(entry.table, (KeyValue(value, prefix=made),), entry.priority, entry.action, entry.arguments)

    def _longest_around(self, table: TableInfo, value: int, length: int) -> int:
        width = table.keys[0].width
        keys = [entry.key[0] for entry in self._entries.values() if entry.table.name == table.name]
        return max(
            known
            for key in keys
            if (known := _length(key, width)) <= length and (key.value or 0) >> width - known == value >> width - known
        )


def _length(key: KeyValue, width: int) -> int:
    """Of a prefix, however it was written."""
    if key.value is None:
        return 0
    if key.second is not None:
        return key.second.bit_count()
    return width if key.prefix is None else key.prefix
