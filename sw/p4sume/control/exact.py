# SPDX-License-Identifier: Apache-2.0
"""Exact-match tables: the hardware finds the place of a key itself."""

from __future__ import annotations

from p4sume.control.commands import Command, DuplicateError, FullError, NotFoundError, Op, check_width


class ExactTable:
    def __init__(self, key_bits: int, value_bits: int, entries: int) -> None:
        self.key_bits, self.value_bits, self.entries = key_bits, value_bits, entries
        self._content: dict[int, int] = {}

    def add(self, key: int, value: int) -> list[Command]:
        self._check(key, value)
        if key in self._content:
            raise DuplicateError(f"key {key:#x} is in the table already")
        if len(self._content) >= self.entries:
            raise FullError(f"the table is full: it holds {self.entries} entries")
        self._content[key] = value
        return [Command(Op.SET, key=key, value=value)]

    def modify(self, key: int, value: int) -> list[Command]:
        self._check(key, value)
        self._find(key)
        self._content[key] = value
        return [Command(Op.SET, key=key, value=value)]

    def delete(self, key: int) -> list[Command]:
        check_width("key", key, self.key_bits)
        self._find(key)
        del self._content[key]
        return [Command(Op.DELETE, key=key)]

    def clear(self) -> list[Command]:
        self._content.clear()
        return [Command(Op.CLEAR)]

    def dump(self) -> list[tuple[int, int]]:
        """(key, value) of each entry, by key."""
        return sorted(self._content.items())

    def withdraw(self, key: int) -> None:
        """Forgets a key whose SET the hardware answered with FULL, which it may before all entries are in."""
        self._find(key)
        del self._content[key]

    def _find(self, key: int) -> None:
        if key not in self._content:
            raise NotFoundError(f"key {key:#x} is not in the table")

    def _check(self, key: int, value: int) -> None:
        check_width("key", key, self.key_bits)
        check_width("value", value, self.value_bits)
