# SPDX-License-Identifier: Apache-2.0
"""Entries as a P4 program has them, put into the tables of the hardware.

    key fields, action and arguments  ->  key, mask or prefix, value, rows  ->  commands of the table's window

An entry's value is the action's code, then its arguments, the first the most significant; what a shorter action
leaves over is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from p4sume.control.commands import (
    ActionError,
    ArgumentsError,
    Code,
    Command,
    ConstantError,
    FullError,
    Op,
    PrefixError,
    TableError,
    WidthError,
    check_width,
)
from p4sume.control.exact import ExactTable
from p4sume.control.lpm import LpmTable
from p4sume.control.plane import ActionInfo, KeyField, KeyValue, TableInfo
from p4sume.control.ranges import Match, joined, prefixes
from p4sume.control.ternary import TernaryTable


class Window(Protocol):
    """What carries commands out: `windows.TableWindow`."""

    def run(self, command: Command) -> Code: ...


class Entries:
    """The entries of one table. Requests that are refused raise a TableError and change nothing."""

    def __init__(self, info: TableInfo, codes: dict[str, int], window: Window | None) -> None:
        """`codes`: of each action. Without a window the table is part of the pipeline, and nothing can change."""
        self.info = info
        self._codes = codes
        self._window = window
        self._data_bits = max((sum(p.width for p in a.parameters) for a in info.actions), default=0)
        self._kind = None if window is None else _kind_of(info, self._value_bits)

    @property
    def _value_bits(self) -> int:
        return max(1, max(self._codes.values(), default=0).bit_length()) + self._data_bits

    def add(self, key: Sequence[KeyValue], priority: int, action: str, arguments: Sequence[int]) -> None:
        kind = self._changeable()
        commands = kind.add(key, priority, self._entry_value(action, arguments))
        self._carry_out(commands, lambda: kind.withdraw(key))

    def modify(self, key: Sequence[KeyValue], priority: int, action: str, arguments: Sequence[int]) -> None:
        kind = self._changeable()
        self._carry_out(kind.modify(key, priority, self._entry_value(action, arguments)))

    def delete(self, key: Sequence[KeyValue], priority: int) -> None:
        self._carry_out(self._changeable().delete(key, priority))

    def clear(self) -> None:
        self._carry_out(self._changeable().clear())

    def set_default(self, action: str, arguments: Sequence[int]) -> None:
        if self.info.constant_default or self._window is None:
            raise ConstantError(f"the default action of {self.info.name} cannot be changed")
        found = self._action(action)
        if not found.as_default:
            raise ActionError(f"action {found.name} of {self.info.name} stands in entries only")
        self._carry_out([Command(Op.DEFAULT, value=self._value(found, arguments))])

    def count(self) -> int:
        """Entries that were put in and not taken out."""
        return 0 if self._kind is None else self._kind.count()

    def _changeable(self) -> _Kind:
        if self._kind is None:
            raise ConstantError(f"the entries of {self.info.name} are constant")
        return self._kind

    def _carry_out(self, commands: Sequence[Command], withdraw: Callable[[], None] = lambda: None) -> None:
        assert self._window is not None
        for command in commands:
            code = self._window.run(command)
            if code is Code.FULL:
                withdraw()
                raise FullError(f"{self.info.name} finds no room for this key")
            if code is not Code.OK:
                raise TableError(f"{self.info.name} answers {code.name} to {command.op.name}")

    # ---- values

    def _entry_value(self, action: str, arguments: Sequence[int]) -> int:
        found = self._action(action)
        if not found.in_entries:
            raise ActionError(f"action {found.name} of {self.info.name} can only be the default")
        return self._value(found, arguments)

    def _action(self, name: str) -> ActionInfo:
        found = self.info.action(name)
        if found is None:
            raise ActionError(f"{self.info.name} has no action {name}")
        return found

    def _value(self, action: ActionInfo, arguments: Sequence[int]) -> int:
        if len(arguments) != len(action.parameters):
            raise ArgumentsError(f"action {action.name} takes {len(action.parameters)} arguments, not {len(arguments)}")
        made, left = self._codes[action.name], self._data_bits
        for parameter, argument in zip(action.parameters, arguments, strict=True):
            if argument < 0 or argument >> parameter.width:
                raise ArgumentsError(f"{argument:#x} does not fit the {parameter.width} bits of {parameter.name}")
            made, left = made << parameter.width | argument, left - parameter.width
        return made << left


class _Kind(Protocol):
    """One kind of table: what of a key its hardware wants, and which commands that makes."""

    def add(self, key: Sequence[KeyValue], priority: int, value: int) -> list[Command]: ...

    def modify(self, key: Sequence[KeyValue], priority: int, value: int) -> list[Command]: ...

    def delete(self, key: Sequence[KeyValue], priority: int) -> list[Command]: ...

    def clear(self) -> list[Command]: ...

    def withdraw(self, key: Sequence[KeyValue]) -> None:
        """The hardware has found no room for a key that was just added."""
        ...

    def count(self) -> int: ...


def _kind_of(info: TableInfo, value_bits: int) -> _Kind:
    kinds = [k.match for k in info.keys]
    if all(k == "exact" for k in kinds):
        return _Exact(info, value_bits)
    return _Lpm(info, value_bits) if kinds == ["lpm"] else _Ternary(info, value_bits)


class _Exact:
    def __init__(self, info: TableInfo, value_bits: int) -> None:
        self._fields = info.keys
        self._table = ExactTable(sum(k.width for k in info.keys), value_bits, info.size)

    def add(self, key: Sequence[KeyValue], priority: int, value: int) -> list[Command]:
        return self._table.add(self._number(key), value)

    def modify(self, key: Sequence[KeyValue], priority: int, value: int) -> list[Command]:
        return self._table.modify(self._number(key), value)

    def delete(self, key: Sequence[KeyValue], priority: int) -> list[Command]:
        return self._table.delete(self._number(key))

    def clear(self) -> list[Command]:
        return self._table.clear()

    def withdraw(self, key: Sequence[KeyValue]) -> None:
        self._table.withdraw(self._number(key))

    def count(self) -> int:
        return len(self._table.dump())

    def _number(self, key: Sequence[KeyValue]) -> int:
        number = 0
        for field, given in _paired(self._fields, key):
            [(value, _)] = _matches(field, given)
            number = number << field.width | value
        return number


class _Lpm:
    def __init__(self, info: TableInfo, value_bits: int) -> None:
        [self._field] = info.keys
        self._table = LpmTable(self._field.width, value_bits, info.size)

    def add(self, key: Sequence[KeyValue], priority: int, value: int) -> list[Command]:
        return self._table.add(*self._prefix(key), value)

    def modify(self, key: Sequence[KeyValue], priority: int, value: int) -> list[Command]:
        return self._table.modify(*self._prefix(key), value)

    def delete(self, key: Sequence[KeyValue], priority: int) -> list[Command]:
        return self._table.delete(*self._prefix(key))

    def clear(self) -> list[Command]:
        return self._table.clear()

    def withdraw(self, key: Sequence[KeyValue]) -> None:
        raise AssertionError("an lpm table finds room for as many prefixes as it has places")

    def count(self) -> int:
        return len(self._table.dump())

    def _prefix(self, key: Sequence[KeyValue]) -> tuple[int, int]:
        [(field, given)] = _paired((self._field,), key)
        [(value, mask)] = _matches(field, given)
        return value, mask.bit_count()


class _Ternary:
    """Also for ranges, for keys of several kinds, and for keys of which one is a prefix: the longest then wins."""

    def __init__(self, info: TableInfo, value_bits: int) -> None:
        self._fields = info.keys
        kinds = [k.match for k in info.keys]
        self._by_prefix = kinds.count("lpm") == 1 and kinds.count("exact") == len(kinds) - 1
        self._table = TernaryTable(sum(k.width for k in info.keys), value_bits, info.size)

    def add(self, key: Sequence[KeyValue], priority: int, value: int) -> list[Command]:
        return self._table.add(*self._rows(key, priority), value)

    def modify(self, key: Sequence[KeyValue], priority: int, value: int) -> list[Command]:
        return self._table.modify(*self._rows(key, priority), value)

    def delete(self, key: Sequence[KeyValue], priority: int) -> list[Command]:
        return self._table.delete(*self._rows(key, priority))

    def clear(self) -> list[Command]:
        return self._table.clear()

    def withdraw(self, key: Sequence[KeyValue]) -> None:
        raise AssertionError("a ternary table puts an entry into the row that it is given")

    def count(self) -> int:
        return len(self._table.dump())

    def _rows(self, key: Sequence[KeyValue], priority: int) -> tuple[list[Match], int]:
        fields = [(field, _matches(field, given)) for field, given in _paired(self._fields, key)]
        if self._by_prefix:
            [(width, mask)] = [(f.width, m) for f, matches in fields for _, m in matches if f.match == "lpm"]
            priority = width - mask.bit_count()
        return joined([(field.width, matches) for field, matches in fields]), priority


def _paired(fields: Sequence[KeyField], key: Sequence[KeyValue]) -> list[tuple[KeyField, KeyValue]]:
    if len(fields) != len(key):
        raise WidthError(f"the key has {len(fields)} fields, and {len(key)} are given")
    return list(zip(fields, key, strict=True))


def _matches(field: KeyField, given: KeyValue) -> list[Match]:
    """What a field of a key may be: values and masks that exclude each other."""
    width, every = field.width, (1 << field.width) - 1
    if given.value is None:
        if field.match == "exact":
            raise WidthError(f"key field {field.name} is exact and has no value")
        return [(0, 0)]
    check_width(field.name, given.value, width)
    if given.second is not None:
        check_width(field.name, given.second, width)
    if field.match == "exact":
        return [(given.value, every)]
    if field.match == "range":
        return prefixes(given.value, given.value if given.second is None else given.second, width)
    mask = every
    if given.second is not None:
        mask = given.second
    elif given.prefix is not None:
        if not 0 <= given.prefix <= width:
            raise PrefixError(f"a prefix of {given.prefix} bits does not fit the {width} bits of {field.name}")
        mask = every >> (width - given.prefix) << (width - given.prefix)
    if field.match == "lpm" and (mask | mask - 1) & every != every:
        raise PrefixError(f"the mask {mask:#x} of {field.name} is no prefix")
    if field.match == "optional" and mask not in (0, every):
        raise WidthError(f"key field {field.name} is optional: it matches one value or all")
    return [(given.value & mask, mask)]
