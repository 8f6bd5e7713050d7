# SPDX-License-Identifier: Apache-2.0
"""What the tests of hw/rtl/switch share: counting status pulses, and packets as bytes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator

from bench.stream import BeatFormat, StreamBench
from rtl.axis_traffic.traffic import beat, lanes, split


class Pulses:
    """Counts, cycle by cycle, how often each bit of the named outputs is up."""

    def __init__(self, bench: StreamBench, names: Iterable[str]) -> None:
        self.handles = {name: getattr(bench.dut, name)._handle for name in names}
        self.count: dict[str, Counter[int]] = {name: Counter() for name in self.handles}
        bench.on_cycle(self.step)

    def step(self) -> None:
        for name, handle in self.handles.items():
            value = int(handle.get_signal_val_binstr(), 2)
            bit = 0
            while value:
                if value & 1:
                    self.count[name][bit] += 1
                value >>= 1
                bit += 1

    def of(self, name: str, bit: int = 0) -> int:
        return self.count[name][bit]

    def total(self, name: str) -> int:
        return sum(self.count[name].values())


def frame(form: BeatFormat, payload: bytes, first: dict[str, int] | None = None, **last: int) -> list[int]:
    """A packet of these bytes; `first` sets fields of the first beat, `last` of the last; other fields are random."""
    lane = lanes(form)
    chunks = [payload[i : i + lane] for i in range(0, len(payload), lane)]
    beats = []
    for number, chunk in enumerate(chunks):
        ends = number == len(chunks) - 1
        fields = {**((first or {}) if number == 0 else {}), **(last if ends else {})}
        data = int.from_bytes(chunk.ljust(lane, b"\xa5"), "little")
        beats.append(beat(form, len(chunk), int(ends), **{"data": data, **fields}))
    return beats


def payload(form: BeatFormat, beats: list[int]) -> bytes:
    """The bytes of a packet."""
    parts = []
    for one in beats:
        count = form.field(one, "keep").bit_length()
        parts.append(form.field(one, "data").to_bytes(lanes(form), "little")[:count])
    return b"".join(parts)


def payloads(form: BeatFormat, beats: list[int]) -> list[bytes]:
    return [payload(form, packet) for packet in split(form, beats)]


def numbered(source: int, number: int, length: int) -> bytes:
    """Random bytes that say where they come from, as far as there is room: 1 byte source, 4 bytes number."""
    head = bytes([source]) + number.to_bytes(4, "big")
    return (head + random.randbytes(max(0, length - 5)))[:length]


def every(period: float, busy: int) -> Iterator[bool]:
    """Pauses that let a source send `busy` beats in a row once every `period` cycles, on average exactly."""
    due = 0.0
    now = 0
    while True:
        due += period
        for _ in range(busy):
            now += 1
            yield False
        while now < due:
            now += 1
            yield True
