# SPDX-License-Identifier: Apache-2.0
"""Registers by their names: where they lie says the manifest, how to reach them a bus.

A bus is whatever carries 32-bit reads and writes: a simulated AXI-Lite, a driver of the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

WORD_BITS = 32


class Bus(Protocol):
    def read(self, address: int) -> int: ...

    def write(self, address: int, value: int) -> None: ...


class BusError(Exception):
    """The device did not answer, or not as it should."""


@dataclass(frozen=True)
class Place:
    """Where a register lies, and its fields: lowest bit and bits of each."""

    address: int
    fields: Mapping[str, tuple[int, int]]

    @property
    def words(self) -> int:
        bits = max((low + width for low, width in self.fields.values()), default=WORD_BITS)
        return -(-bits // WORD_BITS)


class Registers:
    """The registers of one program behind a bus. Those with an index in their name make one long number together, the
    first the least significant."""

    def __init__(self, bus: Bus, listed: Iterable[Mapping[str, Any]]) -> None:
        """`listed`: what the manifest calls `registers`."""
        self._bus = bus
        self._places = {
            r["name"]: Place(r["address"], {name: (low, width) for name, low, width, *_ in r["fields"]}) for r in listed
        }
        self._words: dict[str, int] = {}
        for name in self._places:
            base, bracket, _ = name.partition("[")
            if bracket:
                self._words[base] = self._words.get(base, 0) + 1

    def has(self, name: str) -> bool:
        return name in self._places or name in self._words

    def is_one(self, name: str) -> bool:
        """Whether a single register has this name."""
        return name in self._places

    def read(self, name: str) -> int:
        """Of a register of several words the low one first, which keeps the others of the same moment."""
        place = self._places[name]
        return sum(self._bus.read(place.address + 4 * i) << WORD_BITS * i for i in range(place.words))

    def read_field(self, name: str, field: str) -> int:
        return self.fields(name, self.read(name))[field]

    def fields(self, name: str, word: int) -> dict[str, int]:
        """What the fields of a register are when it reads `word`."""
        return {f: word >> low & ((1 << width) - 1) for f, (low, width) in self._places[name].fields.items()}

    def write(self, name: str, value: int) -> None:
        self._bus.write(self._places[name].address, value)

    def read_long(self, name: str) -> int:
        return sum(self.read(f"{name}[{i}]") << WORD_BITS * i for i in range(self._words[name]))

    def write_long(self, name: str, value: int) -> None:
        for i in range(self._words[name]):
            self.write(f"{name}[{i}]", value >> WORD_BITS * i & 0xFFFFFFFF)
