# SPDX-License-Identifier: Apache-2.0
"""Capture files: both byte orders, both resolutions, pcapng, cut packets; what is no capture is refused.

scapy's reader and writer are the second opinion; the headers are also written by hand here.
"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from scapy.layers.l2 import Ether
from scapy.utils import PcapNgWriter, rdpcap

from bench.packets import pcap
from bench.packets.pcap import Captured, CaptureError

FRAMES = [
    Captured(1_795_271_137_424_381_536, bytes(range(60)), 60),
    Captured(1_795_271_137_999_999_999, b"\x01" * 64, 1514),
    Captured(1_795_271_138_000_000_000, b"\x02" * 14, 14),
]


@pytest.mark.parametrize("big_endian", [False, True])
def test_nanoseconds_survive(tmp_path: Path, big_endian: bool) -> None:
    pcap.write(tmp_path / "a.pcap", FRAMES, big_endian=big_endian)
    assert pcap.read(tmp_path / "a.pcap") == FRAMES


@pytest.mark.parametrize("big_endian", [False, True])
def test_microseconds_cut_the_rest(tmp_path: Path, big_endian: bool) -> None:
    pcap.write(tmp_path / "a.pcap", FRAMES, nanoseconds=False, big_endian=big_endian)
    cut = [frame._replace(time_ns=frame.time_ns // 1000 * 1000) for frame in FRAMES]
    assert pcap.read(str(tmp_path / "a.pcap")) == cut


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(("magic", "tick_ns"), [(0xA1B2C3D4, 1000), (0xA1B23C4D, 1)])
def test_a_file_made_by_hand(tmp_path: Path, order: str, magic: int, tick_ns: int) -> None:
    content = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
    content += struct.pack(order + "IIII", 7, 123, 3, 90) + b"abc"
    (tmp_path / "a.pcap").write_bytes(content)
    assert pcap.read(tmp_path / "a.pcap") == [Captured(7 * 10**9 + 123 * tick_ns, b"abc", 90)]
    pcap.write(
        tmp_path / "b.pcap",
        pcap.read(tmp_path / "a.pcap"),
        nanoseconds=tick_ns == 1,
        big_endian=order == ">",
    )
    assert (tmp_path / "b.pcap").read_bytes()[24:] == content[24:]


def test_scapy_reads_what_is_written(tmp_path: Path) -> None:
    pcap.write(tmp_path / "a.pcap", FRAMES)
    read = rdpcap(str(tmp_path / "a.pcap"))
    assert [bytes(packet) for packet in read] == [frame.data for frame in FRAMES]
    assert [int(packet.time * 10**9) for packet in read] == [frame.time_ns for frame in FRAMES]
    assert [packet.wirelen for packet in read] == [frame.wire_length for frame in FRAMES]


def test_pcapng_is_read(tmp_path: Path) -> None:
    writer = PcapNgWriter(str(tmp_path / "a.pcapng"))
    for frame in FRAMES:
        packet = Ether(frame.data)
        packet.time, packet.wirelen = frame.time_ns / 10**9, frame.wire_length
        writer.write(packet)
    writer.close()
    read = pcap.read(tmp_path / "a.pcapng")
    assert [(frame.data, frame.wire_length) for frame in read] == [(frame.data, frame.wire_length) for frame in FRAMES]
    for frame, wanted in zip(read, FRAMES, strict=True):
        assert abs(frame.time_ns - wanted.time_ns) < 2000


def test_a_shipped_capture_starts_where_its_truth_says() -> None:
    frames = pcap.read(Path(__file__).parent / "captures" / "v1-sf2-v4-small.pcap")
    assert len(frames) == 36
    assert frames[0].time_ns == 1_795_271_137_424_381_536


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "too few"),
        (b"not a capture file at all", "not a pcap"),
        (struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 113), "link type 113"),
        (struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + b"short", "header of packet 1"),
        (
            struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + struct.pack("<IIII", 0, 0, 9, 9) + b"12345678",
            "inside packet 1",
        ),
    ],
)
def test_what_is_no_whole_capture_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "a.pcap").write_bytes(content)
    with pytest.raises(CaptureError, match=reason):
        pcap.read(tmp_path / "a.pcap")
