# SPDX-License-Identifier: Apache-2.0
"""The C++ model as a target of packet cases."""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.cases.target import Emitted, Fate, Outcome, Stimulus, TargetRefusedError
from p4sume.control.plane import KeyValue, TableInfo
from p4sume.model.library import Model, ModelRefusedError

_REASONS = ("", "full", "exists", "missing", "constant", "key", "action", "arguments")


class ModelTarget:
    name = "model"

    def __init__(self, model: Model) -> None:
        self.model = model
        self.metadata_widths = {f.name: f.width for f in model.metadata_fields}
        self.port_bits = self.metadata_widths["src_port"]

    def process(self, packets: Sequence[Stimulus]) -> Outcome:
        return Outcome(tuple(self._fate(packet) for packet in packets))

    def _fate(self, packet: Stimulus) -> Fate:
        metadata = {"src_port": 1 << packet.port, "pkt_len": len(packet.data) & 0xFFFF, **packet.metadata}
        result = self.model.process(packet.data, metadata, packet.cycle)
        if not result.metadata:
            return Fate(result.drop_reason, None)
        ports = result.metadata["dst_port"]
        emitted = Emitted(ports, result.packet, result.metadata, result.digest, packet.cycle)
        return Fate(result.drop_reason, emitted)

    def table(self, name: str) -> TableInfo:
        return self.model.table(name)

    def tables(self) -> Sequence[TableInfo]:
        return tuple(self.model.tables.values())

    def change(
        self,
        operation: str,
        table: TableInfo,
        key: Sequence[KeyValue],
        priority: int,
        action: str,
        arguments: Sequence[int],
    ) -> None:
        try:
            match operation:
                case "add":
                    self.model.add(table.name, key, action, arguments, priority)
                case "modify":
                    self.model.modify(table.name, key, action, arguments, priority)
                case "delete":
                    self.model.delete(table.name, key, priority)
                case _:
                    self.model.clear(table.name)
        except ModelRefusedError as refused:
            raise TargetRefusedError(_REASONS[refused.status], str(refused)) from refused

    def set_default(self, table: TableInfo, action: str, arguments: Sequence[int]) -> None:
        try:
            self.model.set_default(table.name, action, arguments)
        except ModelRefusedError as refused:
            raise TargetRefusedError(_REASONS[refused.status], str(refused)) from refused

    def entry_count(self, table: TableInfo) -> int:
        return len(self.model.dump(table.name))

    def read_register(self, name: str, index: int) -> int:
        try:
            return self.model.read_register(name, index)
        except ModelRefusedError as refused:
            raise ValueError(str(refused)) from refused

    def write_register(self, name: str, index: int, value: int) -> None:
        try:
            self.model.write_register(name, index, value)
        except ModelRefusedError as refused:
            raise ValueError(str(refused)) from refused

    def configure(self, name: str, setting: str, index: int, value: int) -> None:
        try:
            self.model.configure(name, setting, value, index)
        except ModelRefusedError as refused:
            raise ValueError(str(refused)) from refused

    def counter(self, name: str) -> int | None:
        counters = self.model.counters()
        if name not in counters:
            raise KeyError(f"there is no counter {name}")
        return counters[name]
