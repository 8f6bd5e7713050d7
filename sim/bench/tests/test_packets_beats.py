# SPDX-License-Identifier: Apache-2.0
"""Frames as beats: order of the bytes, keep, last, packing, and every breach of the stream contract named.

- widths 1, 8, 32 and 64 bytes; lengths 1, lanes - 1, lanes, lanes + 1, the longest, then random
- packing fits the format of the stream driver, fields in any order and missing fields included
- a keep with a hole, an empty beat, a short beat before the last, a missing last, a second frame: refused
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from bench.packets import beats
from bench.packets.beats import Beat, BeatError, StreamFrame, frames_from_beats, from_beats, to_beats
from bench.stream import BeatFormat
from bench.wrapper import StreamShape


@dataclass(frozen=True)
class Fields:
    fields: Mapping[str, tuple[int, int]]


WIDE = Fields({"data": (0, 256), "keep": (256, 32), "last": (288, 1), "user": (289, 128)})
OTHER_ORDER = Fields({"user": (0, 128), "last": (128, 1), "data": (129, 256), "keep": (385, 32)})
NO_USER = Fields({"data": (0, 256), "keep": (256, 32), "last": (288, 1)})
DATA_ONLY = Fields({"data": (0, 256)})


def test_first_byte_on_the_wire_is_the_lowest() -> None:
    assert to_beats(bytes([1, 2, 3, 4, 5, 6]), 4, user=9) == [
        Beat(0x04030201, 0b1111, False, 9),
        Beat(0x0605, 0b0011, True, 9),
    ]


def test_lanes_behind_the_end_carry_the_unused_byte() -> None:
    (beat,) = to_beats(b"\x01\x02", 4, unused=0xEE)
    assert beat == Beat(0xEEEE0201, 0b0011, True)
    assert from_beats([beat], 4) == b"\x01\x02"


@pytest.mark.parametrize("data_bytes", [1, 8, 32, 64])
def test_frames_come_back(data_bytes: int, rng: random.Random) -> None:
    edges = [1, data_bytes - 1, data_bytes, data_bytes + 1, 2 * data_bytes, 60, 1514]
    lengths = [length for length in edges if length] + [rng.randrange(1, 300) for _ in range(50)]
    sent = [StreamFrame(rng.randbytes(length), rng.getrandbits(16)) for length in lengths]
    stream: list[Beat] = []
    for frame, user in sent:
        made = to_beats(frame, data_bytes, user)
        assert len(made) == -(-len(frame) // data_bytes)
        assert [beat.last for beat in made] == [False] * (len(made) - 1) + [True]
        assert sum(beat.keep.bit_count() for beat in made) == len(frame)
        assert from_beats(made, data_bytes) == frame
        stream += made
    assert frames_from_beats(stream, data_bytes) == sent


def test_the_sideband_of_a_frame_is_that_of_its_first_beat() -> None:
    first, last = to_beats(bytes(range(8)), 4, user=7)
    changed = [first, last._replace(user=8)]
    assert frames_from_beats(changed * 2, 4) == [StreamFrame(bytes(range(8)), 7)] * 2


@pytest.mark.parametrize("layout", [WIDE, OTHER_ORDER], ids=["data first", "user first"])
def test_packed_beats_put_each_field_in_its_place(layout: Fields, rng: random.Random) -> None:
    frame = rng.randbytes(33)
    packed = to_beats(frame, 32, 0xABC, format=layout)
    assert len(packed) == 2
    for beat, keep, last, chunk in zip(packed, [2**32 - 1, 1], [0, 1], [frame[:32], frame[32:]], strict=True):
        wanted = {"data": int.from_bytes(chunk, "little"), "keep": keep, "last": last, "user": 0xABC}
        total = sum(value << layout.fields[name][0] for name, value in wanted.items())
        assert beat == total
    assert from_beats(packed, 32, layout) == frame
    assert frames_from_beats(packed, 32, layout) == [StreamFrame(frame, 0xABC)]


def test_packing_is_that_of_the_stream_driver() -> None:
    driver = BeatFormat(StreamShape("s_axis", True, WIDE.fields, 417, True))
    frame = bytes(range(40))
    for packed, beat in zip(to_beats(frame, 32, 5, format=driver), to_beats(frame, 32, 5), strict=True):
        assert packed == driver.pack(data=beat.data, keep=beat.keep, last=int(beat.last), user=beat.user)
        assert beats.unpack(packed, driver) == beat


def test_fields_that_a_stream_lacks() -> None:
    assert from_beats(to_beats(bytes(40), 32, format=NO_USER), 32, NO_USER) == bytes(40)
    assert from_beats(to_beats(b"x" * 32, 32, format=DATA_ONLY), 32, DATA_ONLY) == b"x" * 32
    with pytest.raises(BeatError, match="no user field"):
        to_beats(bytes(40), 32, 1, format=NO_USER)
    with pytest.raises(BeatError, match="no keep field"):
        to_beats(bytes(31), 32, format=DATA_ONLY)
    with pytest.raises(BeatError, match="no last field"):
        to_beats(bytes(64), 32, format=DATA_ONLY)
    with pytest.raises(BeatError, match="user=0x1.* needs more than 128 bits"):
        to_beats(bytes(32), 32, 1 << 128, format=WIDE)


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        ([Beat(0, 0b1011, True)], "not contiguous"),
        ([Beat(0, 0b1110, True)], "not contiguous"),
        ([Beat(0, 0b11111, True)], "not contiguous"),
        ([Beat(0, 0, True)], "keeps no byte"),
        ([Beat(0, 0b0111, False), Beat(0, 0b0001, True)], "keeps 3 of 4 bytes but is not the last"),
        ([Beat(0, 0b1111, False)], "no last"),
        ([Beat(0, 0b1111, True), Beat(0, 0b1111, False)], "no last"),
        ([Beat(0, 0b1111, True)] * 2, "2 frames"),
        ([], "0 frames"),
    ],
)
def test_beats_that_break_the_contract_are_refused(stream: list[Beat], reason: str) -> None:
    with pytest.raises(BeatError, match=reason):
        from_beats(stream, 4)


def test_misuse_is_refused() -> None:
    with pytest.raises(BeatError, match="no bytes"):
        to_beats(b"", 4)
    with pytest.raises(BeatError, match="need a format"):
        from_beats([1], 4)
