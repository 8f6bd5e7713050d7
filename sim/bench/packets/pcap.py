# SPDX-License-Identifier: Apache-2.0
"""Capture files: pcap with microseconds or nanoseconds in either byte order, and pcapng for reading.

Only Ethernet. A file that ends in the middle of a packet is an error: a test that goes on with less than it
was given would pass for the wrong reason.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

LINKTYPE_ETHERNET = 1
_MICROSECONDS, _NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D
_PCAPNG = b"\x0a\x0d\x0d\x0a"
_FILE_HEADER = "IHHiIII"
_PACKET_HEADER = "IIII"


class CaptureError(ValueError):
    """The file is not a capture this module reads."""


class Captured(NamedTuple):
    """A packet as captured: `wire_length` exceeds `len(data)` when the capture cut it."""

    time_ns: int
    data: bytes
    wire_length: int


def read(path: Path | str) -> list[Captured]:
    content = Path(path).read_bytes()
    if content.startswith(_PCAPNG):
        return _read_pcapng(path)
    return _read_pcap(content, path)


def _read_pcap(content: bytes, path: Path | str) -> list[Captured]:
    size = struct.calcsize("<" + _FILE_HEADER)
    if len(content) < size:
        raise CaptureError(f"{path}: {len(content)} bytes are too few for a capture file")
    for order in "<>":
        magic, _, _, _, _, _, linktype = struct.unpack_from(order + _FILE_HEADER, content)
        if magic in (_MICROSECONDS, _NANOSECONDS):
            break
    else:
        raise CaptureError(f"{path}: not a pcap or pcapng file")
    # The upper 16 bits may tell the length of an FCS.
    _require_ethernet(linktype & 0xFFFF, path)
    tick_ns = 1 if magic == _NANOSECONDS else 1000
    header = struct.Struct(order + _PACKET_HEADER)
    frames: list[Captured] = []
    while size < len(content):
        if size + header.size > len(content):
            raise CaptureError(f"{path}: ends inside the header of packet {len(frames) + 1}")
        seconds, ticks, kept, wire_length = header.unpack_from(content, size)
        size += header.size
        if size + kept > len(content):
            raise CaptureError(f"{path}: ends inside packet {len(frames) + 1}")
        time_ns = seconds * 10**9 + ticks * tick_ns
        frames.append(Captured(time_ns, content[size : size + kept], wire_length))
        size += kept
    return frames


def _read_pcapng(path: Path | str) -> list[Captured]:
    from scapy.utils import RawPcapNgReader

    frames: list[Captured] = []
    with RawPcapNgReader(str(path)) as reader:
        for data, about in reader:
            _require_ethernet(about.linktype, path)
            ticks = (about.tshigh or 0) << 32 | (about.tslow or 0)
            frames.append(Captured(ticks * 10**9 // about.tsresol, data, about.wirelen))
    return frames


def _require_ethernet(linktype: int, path: Path | str) -> None:
    if linktype != LINKTYPE_ETHERNET:
        raise CaptureError(f"{path}: link type {linktype} is not Ethernet")


def write(path: Path | str, frames: Iterable[Captured], *, nanoseconds: bool = True, big_endian: bool = False) -> None:
    """Writes a pcap file; microseconds cut what is finer."""
    order = ">" if big_endian else "<"
    magic, tick_ns = (_NANOSECONDS, 1) if nanoseconds else (_MICROSECONDS, 1000)
    header = struct.Struct(order + _PACKET_HEADER)
    parts = [struct.pack(order + _FILE_HEADER, magic, 2, 4, 0, 0, 262144, LINKTYPE_ETHERNET)]
    for frame in frames:
        seconds, rest = divmod(frame.time_ns, 10**9)
        parts += [header.pack(seconds, rest // tick_ns, len(frame.data), frame.wire_length), frame.data]
    Path(path).write_bytes(b"".join(parts))
