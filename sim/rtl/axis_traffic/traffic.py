# SPDX-License-Identifier: Apache-2.0
"""What the tests of hw/rtl/axis share: random packets, pauses, and the cycles in which beats pass.

Random numbers come from `random`, which cocotb seeds before each test from the seed that the run prints.
"""

from __future__ import annotations

import itertools
import json
import os
import random
from collections.abc import Iterator
from enum import Enum
from typing import Any

from cocotb.triggers import ReadOnly, Timer

from bench.stream import BeatFormat, Sink, StreamBench


class Mood(Enum):
    """How source and sink behave: share of pauses of either, and whether ready waits for valid."""

    flowing = (0, 0, False)
    idle = (0.5, 0, False)
    backpressure = (0, 0.5, False)
    idle_and_backpressure = (0.5, 0.5, False)
    ready_after_valid = (0, 0, True)


def flag(parameter: str) -> bool:
    """A parameter of type bit, which slang prints as 1'b1."""
    value: str = json.loads(os.environ["BENCH_PARAMETERS"])[parameter]
    return value.endswith("1")


def lanes(form: BeatFormat) -> int:
    """Bytes a beat."""
    return form.fields["keep"][1]


def beat(form: BeatFormat, length: int = 0, last: int = 1, **fields: int) -> int:
    """A beat whose first `length` bytes count (0: all of them); every field not given is random."""
    keep = (1 << (length or lanes(form))) - 1
    values = {name: random.getrandbits(width) for name, (_, width) in form.fields.items()}
    return form.pack(**{**values, "keep": keep, "last": last, **fields})


def packet(form: BeatFormat, length: int, **last: int) -> list[int]:
    """The beats of a packet of `length` bytes; `last` sets fields of the last beat."""
    full, rest = divmod(length - 1, lanes(form))
    return [beat(form, last=0) for _ in range(full)] + [beat(form, rest + 1, **last)]


def packet_of_beats(form: BeatFormat, count: int, **last: int) -> list[int]:
    return packet(form, (count - 1) * lanes(form) + random.randint(1, lanes(form)), **last)


def lengths(form: BeatFormat, count: int, longest_beats: int = 6) -> list[int]:
    """Lengths in bytes: those around a beat first, then random ones."""
    lane = lanes(form)
    corners = [1, lane - 1, lane, lane + 1, 2 * lane - 1, 2 * lane, 2 * lane + 1, longest_beats * lane]
    drawn = [random.randint(1, longest_beats * lane) for _ in range(count)]
    return [length for length in corners if length > 0] + drawn


def joined(packets: list[list[int]]) -> list[int]:
    return list(itertools.chain.from_iterable(packets))


def split(form: BeatFormat, beats: list[int]) -> list[list[int]]:
    """Whole packets; fails if the last one is cut."""
    packets: list[list[int]] = [[]]
    for one in beats:
        packets[-1].append(one)
        if form.field(one, "last"):
            packets.append([])
    assert not packets[-1], "the last packet is cut"
    return packets[:-1]


def contents(form: BeatFormat, beats: list[int]) -> list[tuple[bytes, int, int]]:
    """(bytes, tuser, tlast) of each beat, without what lies where tkeep is zero."""
    made = []
    for one in beats:
        count = form.field(one, "keep").bit_length()
        data = form.field(one, "data") & ((1 << 8 * count) - 1)
        made.append((data.to_bytes(count, "little"), form.field(one, "user"), form.field(one, "last")))
    return made


def recut(form: BeatFormat, beats: list[int], width: int) -> list[tuple[bytes, int, int]]:
    """The contents of a packet in beats of another width; tuser is that of the beat which holds the first byte."""
    text = b"".join(data for data, _, _ in contents(form, beats))
    users = [form.field(one, "user") for one in beats]
    starts = range(0, len(text), width)
    return [(text[i : i + width], users[i // lanes(form)], int(i + width >= len(text))) for i in starts]


def pauses(share: float) -> Iterator[bool]:
    """Pauses that take `share` of the time, in runs of random length, from `random`."""
    while True:
        paused = random.random() < share
        yield from itertools.repeat(paused, random.choice((1, 1, 2, 7)))


def stall() -> Iterator[bool]:
    return itertools.repeat(True)


def set_mood(bench: StreamBench, mood: Mood) -> None:
    source_share, sink_share, after_valid = mood.value
    for source in bench.source.values():
        source.pause = pauses(source_share) if source_share else None
    for sink in bench.sink.values():
        sink.pause = pauses(sink_share) if sink_share else None
        sink.after_valid = after_valid


def watch(bench: StreamBench, source: str = "s_axis", sink: str = "m_axis") -> tuple[list[int], list[int]]:
    """From now on, the cycles in which beats go in and come out."""
    into, out = bench.source[source], bench.sink[sink]
    accepted: list[int] = []
    out.arrivals = []
    before = into.sent

    def step() -> None:
        nonlocal before
        if into.sent != before:
            accepted.append(out.cycle)
            before = into.sent

    bench.on_cycle(step)
    return accepted, out.arrivals


async def started(dut: Any, mood: Mood = Mood.flowing) -> StreamBench:
    bench = StreamBench(dut)
    await bench.start()
    set_mood(bench, mood)
    await bench.cycles(2)
    return bench


async def finish(bench: StreamBench, cycles: int = 40) -> None:
    """Everything has been taken, nothing comes after it, and the contract held."""
    set_mood(bench, Mood.flowing)
    await bench.cycles(cycles)
    bench.check()


async def ready_leads_to_ready(dut: Any) -> bool:
    """Whether m_axis_ready, raised within a cycle, raises s_axis_ready in the same cycle."""
    assert not dut.s_axis_ready.value
    dut.m_axis_ready.value = 1
    await ReadOnly()
    follows = bool(dut.s_axis_ready.value)
    await Timer(1, "ns")
    dut.m_axis_ready.value = 0
    return follows


async def wait_packets(sink: Sink, count: int, cycles: int = 1_000_000) -> list[list[int]]:
    """The next `count` packets."""
    packets = []
    for _ in range(count):
        beats = await sink.wait_for(1, cycles)
        while not sink.format.field(beats[-1], "last"):
            beats += await sink.wait_for(1, cycles)
        packets.append(beats)
    return packets
