# SPDX-License-Identifier: Apache-2.0
"""Frames as beats of an AXI stream, and back.

The first byte on the wire is data[7:0]; `keep` has a bit per byte, the lowest for the lowest byte; every beat
but the last keeps all its bytes. A beat is a `Beat` or, when a format is given, the integer that the stream
driver moves: `bench.stream.BeatFormat` fits `Format`, its fields being named data, keep, user and last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol, overload


class BeatError(ValueError):
    """The beats break the stream contract."""


class Beat(NamedTuple):
    data: int
    keep: int
    last: bool
    user: int = 0


class Format(Protocol):
    """Where each field lies in a packed beat: name -> (lowest bit, bits)."""

    @property
    def fields(self) -> Mapping[str, tuple[int, int]]: ...


class StreamFrame(NamedTuple):
    """A frame with the sideband of its first beat."""

    data: bytes
    user: int


@overload
def to_beats(
    frame: bytes, data_bytes: int, user: int = ..., format: None = ..., *, unused: int = ...
) -> list[Beat]: ...


@overload
def to_beats(frame: bytes, data_bytes: int, user: int = ..., *, format: Format, unused: int = ...) -> list[int]: ...


def to_beats(
    frame: bytes, data_bytes: int, user: int = 0, format: Format | None = None, *, unused: int = 0
) -> list[Beat] | list[int]:
    """The beats of a frame. `user` goes with every beat; `unused` is the byte in the lanes behind its end."""
    if not frame:
        raise BeatError("a frame of no bytes has no beats")
    beats = []
    for start in range(0, len(frame), data_bytes):
        chunk = frame[start : start + data_bytes]
        data = int.from_bytes(chunk.ljust(data_bytes, bytes([unused])), "little")
        beats.append(Beat(data, (1 << len(chunk)) - 1, start + data_bytes >= len(frame), user))
    return beats if format is None else [pack(beat, format) for beat in beats]


def pack(beat: Beat, format: Format) -> int:
    """A field that the stream lacks may be left out as long as nothing is lost."""
    fields = format.fields
    packed = 0
    for name, value in zip(beat._fields, beat, strict=True):
        if name in fields:
            place, width = fields[name]
            if value >> width:
                raise BeatError(f"{name}={value:#x} needs more than {width} bits")
            packed |= value << place
    if "user" not in fields and beat.user:
        raise BeatError("the stream has no user field")
    if "last" not in fields and not beat.last:
        raise BeatError("the stream has no last field; a frame has to fit one beat")
    if "keep" not in fields and beat.keep != _all_kept(fields["data"][1] // 8):
        raise BeatError("the stream has no keep field; a frame has to fill its beats")
    return packed


def unpack(packed: int, format: Format) -> Beat:
    fields = format.fields
    values = {name: packed >> place & ((1 << width) - 1) for name, (place, width) in fields.items()}
    return Beat(
        values["data"],
        values.get("keep", _all_kept(fields["data"][1] // 8)),
        bool(values.get("last", 1)),
        values.get("user", 0),
    )


def from_beats(beats: Iterable[Beat | int], data_bytes: int, format: Format | None = None) -> bytes:
    """The one frame these beats are."""
    frames = frames_from_beats(beats, data_bytes, format)
    if len(frames) != 1:
        raise BeatError(f"{len(frames)} frames where one was expected")
    return frames[0].data


def frames_from_beats(beats: Iterable[Beat | int], data_bytes: int, format: Format | None = None) -> list[StreamFrame]:
    """All frames of a stream. Raises on a keep with a hole, a short beat before the last, a missing last."""
    frames: list[StreamFrame] = []
    parts: list[bytes] = []
    first_user = 0
    for index, item in enumerate(beats):
        beat = _as_beat(item, format)
        kept = beat.keep.bit_length()
        if beat.keep != (1 << kept) - 1 or kept > data_bytes:
            raise BeatError(f"beat {index}: keep {beat.keep:#x} is not contiguous from the lowest byte")
        if not kept:
            raise BeatError(f"beat {index} keeps no byte")
        if kept < data_bytes and not beat.last:
            raise BeatError(f"beat {index} keeps {kept} of {data_bytes} bytes but is not the last")
        if not parts:
            first_user = beat.user
        parts.append(beat.data.to_bytes(data_bytes, "little")[:kept])
        if beat.last:
            frames.append(StreamFrame(b"".join(parts), first_user))
            parts = []
    if parts:
        raise BeatError(f"no last: {len(parts)} beats at the end belong to a frame that does not end")
    return frames


def _as_beat(item: Beat | int, format: Format | None) -> Beat:
    if isinstance(item, Beat):
        return item
    if format is None:
        raise BeatError("packed beats need a format")
    return unpack(item, format)


def _all_kept(data_bytes: int) -> int:
    return (1 << data_bytes) - 1
