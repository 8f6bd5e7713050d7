# SPDX-License-Identifier: Apache-2.0
"""Drives, takes and watches every stream of the module under test, one integer a beat.

    bench = StreamBench(dut)
    await bench.start()
    bench.source["s_axis"].send(beats)
    await bench.sink["m_axis"].wait_for(len(beats))

One coroutine wakes once a clock cycle and serves all streams, because in cocotb waking up is what costs.
It reads before the edge and writes after it, as a register of the design would.

The monitor is not optional. On each stream that leaves the module it checks the contract: valid, once up,
stays until ready; the beat holds meanwhile; packets are whole and have no holes (a stream that has `keep`
and `last`). That valid does not wait for ready is shown by a sink that raises ready only once it has seen
valid (`after_valid`).
"""

from __future__ import annotations

import json
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import Event, RisingEdge, with_timeout

from bench.wrapper import StreamShape

CLOCK_NS = 5  # 200 MHz, the clock of the SUME's data path

Pause = Iterator[bool]


def shapes() -> dict[str, StreamShape]:
    """The streams of the module under test, by name."""
    text = Path(os.environ["BENCH_STREAMS"]).read_text()
    made = (StreamShape(**{**s, "fields": {k: tuple(v) for k, v in s["fields"].items()}}) for s in json.loads(text))
    return {shape.name: shape for shape in made}


def parameters() -> dict[str, int]:
    """The integer parameters the module under test was built with."""
    found: dict[str, str] = json.loads(os.environ["BENCH_PARAMETERS"])
    return {name: number for name, text in found.items() if (number := _number(text)) is not None}


def _number(text: str) -> int | None:
    """A value as slang prints it: 12, -3, 40'h5."""
    match = re.fullmatch(r"(-?)(?:\d+'s?([bodh]))?([0-9a-fA-F_]+)", text)
    if not match:
        return None
    sign, base, digits = match.groups()
    return int(f"{sign}{digits}", {"b": 2, "o": 8, "h": 16}.get(base, 10))


class BeatFormat:
    """Packs named fields into a beat and back."""

    def __init__(self, shape: StreamShape) -> None:
        self.fields = shape.fields

    def pack(self, **values: int) -> int:
        beat = 0
        for name, value in values.items():
            place, width = self.fields[name]
            if value >> width:
                raise ValueError(f"{name}={value:#x} needs more than {width} bits")
            beat |= value << place
        return beat

    def field(self, beat: int, name: str) -> int:
        place, width = self.fields[name]
        return beat >> place & ((1 << width) - 1)

    def unpack(self, beat: int) -> dict[str, int]:
        return {name: self.field(beat, name) for name in self.fields}


class PacketRule:
    """Bytes of a packet are contiguous from the first: every beat but the last is full, the last is not empty."""

    def __init__(self, beat_format: BeatFormat) -> None:
        self._keep_place, width = beat_format.fields["keep"]
        self._full = (1 << width) - 1
        self._last = 1 << beat_format.fields["last"][0]
        self._legal_ends = {(1 << count) - 1 for count in range(1, width + 1)}
        self.inside = False

    def fault(self, beat: int) -> str:
        keep = beat >> self._keep_place & self._full
        self.inside = not beat & self._last
        if self.inside and keep != self._full:
            return f"keep {keep:#x} in a beat that is not the last"
        return "" if keep in self._legal_ends else f"keep {keep:#x} in a last beat"


class Source:
    """Sends beats into the module; between two beats it may pause, within one it never withdraws."""

    def __init__(self, dut: Any, shape: StreamShape) -> None:
        self.format = BeatFormat(shape)
        self.queue: deque[int] = deque()
        self.pause: Pause | None = None
        self.sent = 0
        self.idle = Event()
        self.idle.set()
        self._valid = 1 << shape.beat_bits
        self._write: Callable[[int], None] = _writer(dut, f"{shape.name}_beat", shape.beat_bits + 1)
        self._ready = _reader(dut, f"{shape.name}_ready", 1) if shape.has_ready else None
        self._now = 0
        self._write(0)

    def send(self, beats: Iterable[int]) -> None:
        self.queue.extend(beats)
        if self.queue:
            self.idle.clear()

    def clear(self) -> None:
        """Forgets what was not sent, as a reset of the sender would."""
        self.queue.clear()
        self._now = 0
        self._write(0)
        self.idle.set()

    def step(self) -> None:
        if self._now:
            if self._ready is not None and not self._ready():
                return
            self.sent += 1
        beat = 0
        if self.queue and not (self.pause is not None and next(self.pause)):
            beat = self.queue.popleft() | self._valid
        if beat or self._now:
            self._now = beat
            self._write(beat)
        if not beat and not self.queue:
            self.idle.set()

    async def wait_idle(self, cycles: int = 1_000_000) -> None:
        await with_timeout(self.idle.wait(), cycles * CLOCK_NS, "ns")


class Sink:
    """Takes beats from the module and holds it to the stream contract."""

    def __init__(self, dut: Any, shape: StreamShape) -> None:
        self.name = shape.name
        self.format = BeatFormat(shape)
        self.beats: list[int] = []
        self.pause: Pause | None = None
        self.after_valid = False
        self.broken: list[str] = []
        self.changed = Event()
        self.cycle = 0
        self.arrivals: list[int] | None = None
        self._valid = 1 << shape.beat_bits
        self._read = _reader(dut, f"{shape.name}_beat", shape.beat_bits + 1)
        self._write = _writer(dut, f"{shape.name}_ready", 1) if shape.has_ready else None
        self._ready = 0 if self._write else 1
        self._held: int | None = None
        self.packets = PacketRule(self.format) if {"keep", "last"} <= shape.fields.keys() else None
        if self._write:
            self._write(0)

    def step(self) -> None:
        self.cycle += 1
        seen = self._read()
        valid = seen >= self._valid
        if self._held is not None and seen != self._held:
            what = "beat changed" if valid else "valid fell"
            self.broken.append(f"{self.name}: {what} before ready, cycle {self.cycle}")
        if valid and self._ready:
            self.beats.append(seen - self._valid)
            if self.packets and (fault := self.packets.fault(seen)):
                self.broken.append(f"{self.name}: {fault}, cycle {self.cycle}")
            if self.arrivals is not None:
                self.arrivals.append(self.cycle)
            self.changed.set()
        self._held = seen if valid and not self._ready else None
        if self._write is None:
            return
        ready = 0 if self.pause is not None and next(self.pause) else 1
        if self.after_valid:
            ready &= int(valid and not self._ready)
        if ready != self._ready:
            self._ready = ready
            self._write(ready)

    def forget(self) -> None:
        """Starts anew, as after a reset: what was held need not be there any more."""
        self.beats.clear()
        self._held = None
        if self.packets:
            self.packets.inside = False

    async def wait_for(self, count: int, cycles: int = 1_000_000) -> list[int]:
        """The first `count` beats, which are taken out; fails when they do not come in time."""

        async def enough() -> None:
            while len(self.beats) < count:
                self.changed.clear()
                await self.changed.wait()

        try:
            await with_timeout(enough(), cycles * CLOCK_NS, "ns")
        except cocotb.triggers.SimTimeoutError:
            what = f"{self.name}: {len(self.beats)} of {count} beats came in {cycles} cycles"
            raise AssertionError("; ".join([what, *self.broken[:5]])) from None
        taken, self.beats = self.beats[:count], self.beats[count:]
        return taken


class StreamBench:
    """The clock, the reset and every stream of the module under test."""

    def __init__(self, dut: Any, clock: str = "clk", reset: str = "rst", streams: Iterable[str] | None = None):
        self.dut = dut
        self.source: dict[str, Source] = {}
        self.sink: dict[str, Sink] = {}
        for name, shape in shapes().items():
            if streams is not None and name not in streams:
                continue
            if shape.into_module:
                self.source[name] = Source(dut, shape)
            else:
                self.sink[name] = Sink(dut, shape)
        self._clock, self._reset = getattr(dut, clock), getattr(dut, reset)
        self._in_reset = True
        self._steps: list[Callable[[], None]] = [s.step for s in self.sink.values()]
        self._steps += [s.step for s in self.source.values()]
        self.cycle = 0

    async def start(self, period_ns: float = CLOCK_NS, run_clock: bool = True) -> None:
        # At once: the random state of the clock may bring a first edge before any other write.
        self._reset.value = Immediate(1)
        if run_clock:
            Clock(self._clock, period_ns, "ns", impl="gpi").start()
        cocotb.start_soon(self._serve())
        await self.reset()

    async def reset(self, cycles: int = 4) -> None:
        """Resets the module and forgets what was under way on every stream."""
        self._reset.value = 1
        self._in_reset = True
        await self.cycles(cycles)
        for source in self.source.values():
            source.clear()
        for sink in self.sink.values():
            sink.forget()
        self._reset.value = 0
        self._in_reset = False

    async def _serve(self) -> None:
        edge = RisingEdge(self._clock)
        steps = self._steps
        while True:
            await edge
            self.cycle += 1
            if not self._in_reset:
                for step in steps:
                    step()

    def on_cycle(self, step: Callable[[], None]) -> None:
        """Calls `step` once a cycle, before the edge, with the streams."""
        self._steps.append(step)

    async def cycles(self, count: int) -> None:
        edge = RisingEdge(self._clock)
        for _ in range(count):
            await edge

    def check(self) -> None:
        """Fails if the module broke the contract or something is left over that no test has taken."""
        for sink in self.sink.values():
            assert not sink.broken, "; ".join(sink.broken[:5])
            assert not sink.beats, f"{sink.name}: {len(sink.beats)} beats too many"
            assert not (sink.packets and sink.packets.inside), f"{sink.name}: the last packet has no end"


def _reader(dut: Any, name: str, width: int) -> Callable[[], int]:
    """Reads a signal as an integer, past cocotb's value types: two-state simulation has no X."""
    handle = getattr(dut, name)._handle
    if width <= 31:
        read_long: Callable[[], int] = handle.get_signal_val_long
        return read_long
    read: Callable[[], str] = handle.get_signal_val_binstr
    return lambda: int(read(), 2)


def _writer(dut: Any, name: str, width: int) -> Callable[[int], None]:
    """Writes an integer to a signal, past cocotb's value types; takes effect after the edge."""
    handle = getattr(dut, name)._handle
    if width <= 31:
        put_long: Callable[[int, int], None] = handle.set_signal_val_int
        return lambda value: put_long(0, value)
    put: Callable[[int, str], None] = handle.set_signal_val_binstr
    return lambda value: put(0, f"{value:0{width}b}")
