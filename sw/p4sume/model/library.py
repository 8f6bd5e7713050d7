# SPDX-License-Identifier: Apache-2.0
"""A compiled model as a Python object: the interface of sim/model/model_api.h through ctypes."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from p4sume.control.plane import ActionInfo, Field, KeyField, KeyValue, TableInfo, by_name

STATUS = (
    "done",
    "the table is full",
    "an entry with this key and priority exists",
    "not found",
    "the table's entries or default action are constant",
    "the key does not fit the table",
    "the table has no such action",
    "the arguments do not fit the action",
)


class ModelRefusedError(Exception):
    """The model did not do what the control plane wanted; `status` is the number of model_api.h."""

    def __init__(self, what: str, status: int) -> None:
        super().__init__(f"{what}: {STATUS[status]}")
        self.status = status


@dataclass(frozen=True)
class ExternInfo:
    name: str
    kind: str
    registers: int
    width: int


@dataclass(frozen=True)
class Result:
    """`drop_reason` is None when the packet goes on. `metadata` and `digest` are what the program left there."""

    drop_reason: str | None
    packet: bytes
    metadata: dict[str, int]
    digest: dict[str, int]


@dataclass(frozen=True)
class Row:
    key: tuple[tuple[int, int], ...]
    priority: int
    action: str
    arguments: tuple[int, ...]


class _Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class _Key(ctypes.Structure):
    _fields_ = [("value", _Bytes), ("second", _Bytes), ("prefix", ctypes.c_uint32)]


class _Input(ctypes.Structure):
    _fields_ = [("packet", _Bytes), ("cycle", ctypes.c_uint64), ("metadata", ctypes.c_char_p)]


class _OutBytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class _Output(ctypes.Structure):
    _fields_ = [
        ("drop_reason", ctypes.c_char_p),
        ("packet", _OutBytes),
        ("metadata", ctypes.c_void_p),
        ("digest", ctypes.c_void_p),
    ]


class Model:
    """One switch. Each object has tables and state of its own."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        self._declare()
        self._model = ctypes.c_void_p(self._library.p4m_create())
        found = json.loads(self._library.p4m_describe(self._model))
        self.program: str = found["program"]
        self.metadata_fields = tuple(Field(**f) for f in found["metadata"])
        self.digest_fields = tuple(Field(**f) for f in found["digest"])
        self._metadata_bytes: int = found["metadata_bytes"]
        self._digest_bytes: int = found["digest_bytes"]
        self.tables = {t["name"]: _table(t) for t in found["tables"]}
        self.externs = {e["name"]: ExternInfo(**e) for e in found["externs"]}

    def __del__(self) -> None:
        model = getattr(self, "_model", None)
        if model is not None:
            self._library.p4m_destroy(model)

    def _declare(self) -> None:
        handle, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
        key = [handle, text, ctypes.POINTER(_Key), size, ctypes.c_int64]
        action = [text, ctypes.POINTER(_Bytes), size]
        signatures: dict[str, tuple[object, list[object]]] = {
            "create": (handle, []),
            "destroy": (None, [handle]),
            "reset": (None, [handle]),
            "describe": (text, [handle]),
            "process": (None, [handle, ctypes.POINTER(_Input), ctypes.POINTER(_Output)]),
            "run": (ctypes.c_uint64, [handle, ctypes.POINTER(_Input), size, ctypes.c_uint64]),
            "table_add": (ctypes.c_int, [*key, *action]),
            "table_modify": (ctypes.c_int, [*key, *action]),
            "table_delete": (ctypes.c_int, key),
            "table_clear": (ctypes.c_int, [handle, text]),
            "table_set_default": (ctypes.c_int, [handle, text, *action]),
            "table_dump": (text, [handle, text]),
            "register_read": (ctypes.c_int, [handle, text, ctypes.c_uint64, text]),
            "register_write": (ctypes.c_int, [handle, text, ctypes.c_uint64, _Bytes]),
            "configure": (ctypes.c_int, [handle, text, text, ctypes.c_uint32, ctypes.c_uint64]),
            "counters": (text, [handle]),
        }
        for name, (result, arguments) in signatures.items():
            function = getattr(self._library, f"p4m_{name}")
            function.restype, function.argtypes = result, arguments

    # ---- packets

    def process(self, packet: bytes, metadata: Mapping[str, int] | None = None, cycle: int = 0) -> Result:
        given = _Input(_bytes(packet), cycle, self.pack_metadata(metadata or {}))
        out = _Output()
        self._library.p4m_process(self._model, ctypes.byref(given), ctypes.byref(out))
        reason = out.drop_reason.decode() if out.drop_reason is not None else None
        if not out.metadata:
            return Result(reason, b"", {}, {})
        return Result(
            reason,
            ctypes.string_at(out.packet.data, out.packet.length) if out.packet.length else b"",
            unpack(self.metadata_fields, ctypes.string_at(out.metadata, self._metadata_bytes)),
            unpack(self.digest_fields, ctypes.string_at(out.digest, self._digest_bytes)),
        )

    def run(self, packets: Sequence[tuple[bytes, Mapping[str, int]]], total: int) -> int:
        """Runs the packets in turn, `total` in all, inside the library; how many went on."""
        inputs = (_Input * len(packets))()
        for index, (packet, metadata) in enumerate(packets):
            inputs[index] = _Input(_bytes(packet), index, self.pack_metadata(metadata))
        return int(self._library.p4m_run(self._model, inputs, len(packets), total))

    def pack_metadata(self, metadata: Mapping[str, int]) -> bytes:
        unknown = set(metadata) - {f.name for f in self.metadata_fields}
        if unknown:
            raise ValueError(f"no metadata field {', '.join(sorted(unknown))}")
        return pack(self.metadata_fields, metadata)

    def reset(self) -> None:
        self._library.p4m_reset(self._model)

    # ---- tables

    def table(self, name: str) -> TableInfo:
        """By full name, or by an end of it that only one table has."""
        return by_name(self.tables, name, "table")

    def add(
        self, table: str, key: Sequence[KeyValue], action: str, arguments: Sequence[int] = (), priority: int = 0
    ) -> None:
        self._change("table_add", table, key, priority, action, arguments)

    def modify(
        self, table: str, key: Sequence[KeyValue], action: str, arguments: Sequence[int] = (), priority: int = 0
    ) -> None:
        self._change("table_modify", table, key, priority, action, arguments)

    def delete(self, table: str, key: Sequence[KeyValue], priority: int = 0) -> None:
        info = self.table(table)
        status = self._library.p4m_table_delete(
            self._model, info.name.encode(), self._keys(info, key), len(key), priority
        )
        _require(f"delete from {table}", status)

    def clear(self, table: str) -> None:
        _require(f"clear {table}", self._library.p4m_table_clear(self._model, self.table(table).name.encode()))

    def set_default(self, table: str, action: str, arguments: Sequence[int] = ()) -> None:
        info = self.table(table)
        status = self._library.p4m_table_set_default(
            self._model, info.name.encode(), *self._action(info, action, arguments)
        )
        _require(f"set default of {table}", status)

    def dump(self, table: str) -> list[Row]:
        text = self._library.p4m_table_dump(self._model, self.table(table).name.encode())
        return [_row(entry) for entry in json.loads(text)["entries"]]

    def _change(
        self,
        function: str,
        table: str,
        key: Sequence[KeyValue],
        priority: int,
        action: str,
        arguments: Sequence[int],
    ) -> None:
        info = self.table(table)
        status = getattr(self._library, f"p4m_{function}")(
            self._model,
            info.name.encode(),
            self._keys(info, key),
            len(key),
            priority,
            *self._action(info, action, arguments),
        )
        _require(f"{function.replace('_', ' ')} {table}", status)

    def _keys(self, info: TableInfo, key: Sequence[KeyValue]) -> ctypes.Array[_Key]:
        made = (_Key * max(len(key), 1))()
        for index, given in enumerate(key):
            width = info.keys[index].width if index < len(info.keys) else 0
            prefix = width if given.prefix is None else given.prefix
            made[index] = _Key(_number(given.value), _number(given.second), prefix)
        return made

    def _action(
        self, info: TableInfo, action: str, arguments: Sequence[int]
    ) -> tuple[bytes, ctypes.Array[_Bytes], int]:
        found = info.action(action)
        made = (_Bytes * max(len(arguments), 1))()
        for index, argument in enumerate(arguments):
            made[index] = _number(argument)
        return (found.name if found is not None else action).encode(), made, len(arguments)

    # ---- registers and counters

    def extern(self, name: str) -> ExternInfo:
        return by_name(self.externs, name, "extern")

    def read_register(self, extern: str, index: int) -> int:
        info = self.extern(extern)
        buffer = ctypes.create_string_buffer((info.width + 7) // 8 + 1)
        status = self._library.p4m_register_read(self._model, info.name.encode(), index, buffer)
        _require(f"read {extern}[{index}]", status)
        return int.from_bytes(buffer.raw[: (info.width + 7) // 8], "big")

    def write_register(self, extern: str, index: int, value: int) -> None:
        info = self.extern(extern)
        status = self._library.p4m_register_write(self._model, info.name.encode(), index, _number(value))
        _require(f"write {extern}[{index}]", status)

    def configure(self, extern: str, setting: str, value: int, index: int = 0) -> None:
        """A setting of the extern's engine; `index` where there is one for each port."""
        name = self.extern(extern).name
        status = self._library.p4m_configure(self._model, name.encode(), setting.encode(), index, value)
        _require(f"set {setting}[{index}] of {extern}", status)

    def counters(self) -> dict[str, int]:
        found: dict[str, int] = json.loads(self._library.p4m_counters(self._model))
        return found


def pack(fields: Sequence[Field], values: Mapping[str, int]) -> bytes:
    """A struct's bits, the first field first, with zeros to the next byte."""
    number = width = 0
    for field in fields:
        value = values.get(field.name, 0)
        if not 0 <= value < 1 << field.width:
            raise ValueError(f"{value} does not fit the {field.width} bits of {field.name}")
        number = number << field.width | value
        width += field.width
    padding = -width % 8
    return (number << padding).to_bytes((width + padding) // 8, "big")


def unpack(fields: Sequence[Field], data: bytes) -> dict[str, int]:
    number, left = int.from_bytes(data, "big"), 8 * len(data)
    found: dict[str, int] = {}
    for field in fields:
        left -= field.width
        found[field.name] = number >> left & ((1 << field.width) - 1)
    return found


def _bytes(data: bytes) -> _Bytes:
    return _Bytes(data, len(data))


def _number(value: int | None) -> _Bytes:
    if value is None:
        return _Bytes(None, 0)
    if value < 0:
        raise ValueError(f"{value} is negative")
    return _bytes(value.to_bytes(max((value.bit_length() + 7) // 8, 1), "big"))


def _require(what: str, status: int) -> None:
    if status:
        raise ModelRefusedError(what, status)


def _table(found: dict[str, Any]) -> TableInfo:
    actions = tuple(
        ActionInfo(a["name"], tuple(Field(**p) for p in a["parameters"]), a["in_entries"], a["as_default"])
        for a in found["actions"]
    )
    keys = tuple(KeyField(**k) for k in found["keys"])
    return TableInfo(found["name"], found["size"], keys, actions, found["constant_entries"], found["constant_default"])


def _row(entry: dict[str, Any]) -> Row:
    key = tuple((int(first, 16), int(second, 16)) for first, second in entry["key"])
    return Row(key, entry["priority"], entry["action"], tuple(int(a, 16) for a in entry["arguments"]))
