# SPDX-License-Identifier: Apache-2.0
"""What a packet case runs on. The model is one such target; RTL in a simulator is another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from p4sume.control.plane import KeyValue, TableInfo


class BuildError(Exception):
    """A target could not be made of the program; the message is for the user. `internal`: our fault, not his."""

    def __init__(self, message: str, internal: bool = False) -> None:
        super().__init__(message)
        self.internal = internal


class DeviceError(Exception):
    """A target broke a promise while it ran: an assertion, the contract of a stream, an answer that never came."""


class TargetRefusedError(Exception):
    """A target refused a change of the control plane; `reason` is a word of STF's `refused`."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Stimulus:
    """A packet in. `port` is the number of the bit in src_port; `metadata` what the case sets besides."""

    port: int
    data: bytes
    cycle: int
    metadata: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Emitted:
    """A packet out. `ports` is the mask of dst_port; 0 where only its digest goes to the CPU."""

    ports: int
    data: bytes
    metadata: dict[str, int]
    digest: dict[str, int]
    cycle: int = 0


@dataclass(frozen=True)
class Fate:
    """What became of one packet in: why it was dropped, or None, and as what it ended.

    That is known of all that left, and, but for the data, of those that the program itself dropped (`no_port`).
    """

    reason: str | None
    emitted: Emitted | None


@dataclass(frozen=True)
class Outcome:
    """What came of packets sent one after the other, in their order."""

    fates: tuple[Fate, ...]

    @property
    def emitted(self) -> tuple[Emitted, ...]:
        """Packets that left."""
        return tuple(f.emitted for f in self.fates if f.emitted is not None and f.reason is None)

    @property
    def drops(self) -> dict[str, int]:
        """How many packets were dropped for each reason."""
        return dict(Counter(f.reason for f in self.fates if f.reason is not None))


class Target(Protocol):
    name: str
    port_bits: int
    metadata_widths: dict[str, int]

    def process(self, packets: Sequence[Stimulus]) -> Outcome:
        """All packets in and everything out that they cause."""
        ...

    def table(self, name: str) -> TableInfo:
        """KeyError with a sentence if there is none of that name, or several."""
        ...

    def tables(self) -> Sequence[TableInfo]: ...

    def change(
        self,
        operation: str,
        table: TableInfo,
        key: Sequence[KeyValue],
        priority: int,
        action: str,
        arguments: Sequence[int],
    ) -> None:
        """add, modify, delete or clear; of priorities the lowest wins. Raises TargetRefusedError."""
        ...

    def set_default(self, table: TableInfo, action: str, arguments: Sequence[int]) -> None: ...

    def entry_count(self, table: TableInfo) -> int: ...

    def read_register(self, name: str, index: int) -> int: ...

    def write_register(self, name: str, index: int, value: int) -> None: ...

    def configure(self, name: str, setting: str, index: int, value: int) -> None:
        """A setting of an extern's engine; ValueError with a sentence if it has none of that name and index."""
        ...

    def counter(self, name: str) -> int | None:
        """KeyError with a sentence if there is no such counter; None if this target does not keep it."""
        ...
