# SPDX-License-Identifier: Apache-2.0
"""What the tests of packet_merge and pipeline_shell share: packets with what becomes of them, and the judge.

The judge is a line of Python on bytes: header[:header_length] + packet[strip_length:], or nothing.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

from bench.stream import BeatFormat, parameters
from rtl.axis_traffic.traffic import split


@dataclass(frozen=True)
class Case:
    packet: bytes
    header: bytes  # as wide as the port
    length: int  # of it that are put
    strip: int
    drop: bool
    user: int

    @property
    def result(self) -> bytes:
        return b"" if self.drop else self.header[: self.length] + self.packet[self.strip :]

    @property
    def beats(self) -> tuple[int, int]:
        """In and out."""
        return beats_of(len(self.packet)), beats_of(len(self.result))


def lanes() -> int:
    return parameters()["DATA_BYTES"]


def beats_of(length: int) -> int:
    return -(-length // lanes())


def shifts() -> int:
    """SHIFTS, which the bench has as a sized literal."""
    literal = json.loads(os.environ["BENCH_PARAMETERS"])["SHIFTS"]
    match = re.fullmatch(r"\d+'([bdh])(\w+)", literal)
    assert match, literal
    return int(match[2], {"b": 2, "d": 10, "h": 16}[match[1]])


def pairs() -> list[tuple[int, int]]:
    """Every (header_length, strip_length) that SHIFTS allows."""
    heads, strips, mask, lane = parameters()["MAX_HEADER_BYTES"], parameters()["WINDOW_BYTES"], shifts(), lanes()
    return [(h, s) for h in range(heads + 1) for s in range(strips + 1) if mask >> (h - s) % lane & 1]


def longest() -> int:
    """Bytes of a packet that goes two beats beyond the window."""
    return parameters()["WINDOW_BYTES"] + 2 * lanes() + 1


def case(packet: int, length: int, strip: int, drop: bool = False) -> Case:
    """Random bytes of these lengths."""
    limits = parameters()
    user_bits = limits.get("RESULT_USER_BITS", limits["USER_BITS"])
    header = random.randbytes(limits["MAX_HEADER_BYTES"])
    return Case(random.randbytes(packet), header, length, strip, drop, random.getrandbits(user_bits))


def some_cases(count: int, drops: float = 0.2) -> list[Case]:
    made = []
    for length, strip in random.choices(pairs(), k=count):
        packet = random.choice((random.randint(1, longest()), random.randint(1, 300)))
        made.append(case(packet, length, strip, random.random() < drops))
    return made


def compare(form: BeatFormat, beats: list[int], cases: Iterable[Case]) -> None:
    """Fails unless the beats are the results of the cases, in order, tuser on every beat."""
    packets = split(form, beats)
    wanted = [c for c in cases if c.result]
    assert len(packets) == len(wanted)
    for packet, c in zip(packets, wanted, strict=True):
        fields = [form.unpack(beat) for beat in packet]
        parts = [f["data"].to_bytes(lanes(), "little")[: f["keep"].bit_length()] for f in fields]
        assert b"".join(parts) == c.result, f"{c}: {b''.join(parts).hex()}"
        assert all(f["user"] == c.user for f in fields), f"{c}: tuser"


def beats_out(cases: Iterable[Case]) -> int:
    return sum(c.beats[1] for c in cases)
