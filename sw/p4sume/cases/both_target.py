# SPDX-License-Identifier: Apache-2.0
"""Model and RTL as one target: both are asked everything, and where they differ is kept.

What a case expects is held against the model; as long as there is no difference, it holds for the RTL too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from p4sume.cases.ports import bits_of, port_name
from p4sume.cases.target import Emitted, Fate, Outcome, Stimulus, Target, TargetRefusedError
from p4sume.control.plane import KeyValue, TableInfo

SHOWN_BYTES = 16  # of a packet around the first byte that differs


class BothTarget:
    name = "both"

    def __init__(self, model: Target, rtl: Target) -> None:
        self.model = model
        self.rtl = rtl
        self.port_bits = model.port_bits
        self.metadata_widths = model.metadata_widths
        self.differences: list[str] = []
        self._packets = 0
        if rtl.metadata_widths != model.metadata_widths:
            self.differences.append("model and RTL have different fields in sume_metadata")

    # ---- packets

    def process(self, packets: Sequence[Stimulus]) -> Outcome:
        expected, found = self.model.process(packets), self.rtl.process(packets)
        for packet, ours, theirs in zip(packets, expected.fates, found.fates, strict=True):
            self._packets += 1
            told = list(differences(ours, theirs))
            if told:
                self.differences.append(f"packet {self._packets} ({shown(packet)}):\n" + "\n".join(told))
        return expected

    # ---- the control plane

    def table(self, name: str) -> TableInfo:
        return self.model.table(name)

    def tables(self) -> Sequence[TableInfo]:
        return self.model.tables()

    def change(
        self,
        operation: str,
        table: TableInfo,
        key: Sequence[KeyValue],
        priority: int,
        action: str,
        arguments: Sequence[int],
    ) -> None:
        self._ask(
            f"{operation} {table.name}",
            lambda on: on.change(operation, on.table(table.name), key, priority, action, arguments),
        )

    def set_default(self, table: TableInfo, action: str, arguments: Sequence[int]) -> None:
        self._ask(f"setdefault {table.name}", lambda on: on.set_default(on.table(table.name), action, arguments))

    def entry_count(self, table: TableInfo) -> int:
        return int(self._ask(f"entries of {table.name}", lambda on: on.entry_count(on.table(table.name))))

    def read_register(self, name: str, index: int) -> int:
        return int(self._ask(f"register {name}({index})", lambda on: on.read_register(name, index)))

    def write_register(self, name: str, index: int, value: int) -> None:
        self._ask(f"write register {name}({index})", lambda on: on.write_register(name, index, value))

    def configure(self, name: str, setting: str, index: int, value: int) -> None:
        self._ask(f"{setting}({index}) of {name}", lambda on: on.configure(name, setting, index, value))

    def counter(self, name: str) -> int | None:
        expected, found = self.model.counter(name), self.rtl.counter(name)
        if found is not None and expected != found:
            self.differences.append(f"counter {name}: model {expected}, rtl {found}")
        return expected

    def _ask(self, what: str, question: Callable[[Target], Any]) -> Any:
        """The model's answer, or its refusal."""
        answers: list[tuple[Any, TargetRefusedError | None]] = []
        for target in (self.model, self.rtl):
            try:
                answers.append((question(target), None))
            except TargetRefusedError as refused:
                answers.append((None, refused))
        (expected, refusal), (found, other) = answers
        if expected != found or (refusal and refusal.reason) != (other and other.reason):
            self.differences.append(f"{what}: model {_answer(expected, refusal)}, rtl {_answer(found, other)}")
        if refusal is not None:
            raise refusal
        return expected


def _answer(value: Any, refusal: TargetRefusedError | None) -> str:
    if refusal is not None:
        return f"refuses ({refusal.reason})"
    return "does it" if value is None else f"{value:#x}"


def shown(packet: Stimulus) -> str:
    """A packet in, so that it can be sent again."""
    extra = "".join(f" {name}={value:#x}" for name, value in packet.metadata.items())
    return f"{len(packet.data)} bytes at {port_name(packet.port)}{extra}: {packet.data.hex()}"


def differences(expected: Fate, found: Fate) -> Iterator[str]:
    """One line for each thing in which the RTL's packet is not the model's."""
    if expected.reason != found.reason:
        yield f"  the model {_fate(expected)}, the RTL {_fate(found)}"
        return
    if expected.emitted is None or found.emitted is None:
        return
    if expected.reason is None:
        yield from _different_data(expected.emitted, found.emitted)
    yield from _different_fields("metadata", expected.emitted.metadata, found.emitted.metadata)
    yield from _different_fields("digest", expected.emitted.digest, found.emitted.digest)


def _fate(fate: Fate) -> str:
    if fate.reason is not None:
        return f"drops it ({fate.reason})"
    assert fate.emitted is not None
    ports = ", ".join(port_name(bit) for bit in bits_of(fate.emitted.ports)) or "no port"
    return f"sends it to {ports}"


def _different_data(expected: Emitted, found: Emitted) -> Iterator[str]:
    ours, theirs = expected.data, found.data
    if ours == theirs:
        return
    place = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    begin = max(0, place - SHOWN_BYTES // 2)
    yield f"  data: byte {place} is the first that differs; the model has {len(ours)} bytes, the RTL {len(theirs)}"
    for name, data in (("model", ours), ("rtl", theirs)):
        part = data[begin : begin + SHOWN_BYTES].hex(" ")
        yield f"    {name:5} {begin:4}: {part}"
    yield " " * (16 + 3 * (place - begin)) + "^^"


def _different_fields(what: str, expected: Mapping[str, int], found: Mapping[str, int]) -> Iterator[str]:
    for name, value in expected.items():
        if found.get(name) != value:
            yield f"  {what} {name}: model {value:#x}, rtl {found.get(name, 0):#x}"
