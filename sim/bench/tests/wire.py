# SPDX-License-Identifier: Apache-2.0
"""Reads a frame byte by byte, without scapy and without bench.packets: the tests' second opinion on both."""

from __future__ import annotations

import ipaddress
import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Segment:
    """What a frame holds: 5-tuple, checks of lengths and checksums, TCP flags and options."""

    ethertype: int
    tags: tuple[int, ...]
    src: str
    dst: str
    protocol: int
    ttl: int
    sport: int = 0
    dport: int = 0
    flags: int = 0
    sequence: int = 0
    acknowledged: int = 0
    options: tuple[bytes, ...] = ()
    option_block: bytes = b""
    payload: bytes = b""
    padding: bytes = b""
    network_checksum_ok: bool = True
    transport_checksum_ok: bool = True

    @property
    def mptcp(self) -> list[bytes]:
        return [option for option in self.options if option[0] == 30]

    @property
    def flow(self) -> tuple[str, int, str, int]:
        return (self.src, self.sport, self.dst, self.dport)


def words_sum(data: bytes) -> int:
    """RFC 1071, the slow way: 0xffff for bytes that include their own right checksum."""
    total = 0
    for high, low in zip(data[::2], (data + b"\0")[1::2], strict=False):
        total += high << 8 | low
        total = (total & 0xFFFF) + (total >> 16)
    return total


def walk_options(block: bytes) -> tuple[bytes, ...]:
    options = []
    at = 0
    while at < len(block) and block[at] != 0:
        if block[at] == 1:
            options.append(block[at : at + 1])
            at += 1
            continue
        length = block[at + 1]
        assert 2 <= length <= len(block) - at
        options.append(block[at : at + length])
        at += length
    return tuple(options)


def read(frame: bytes) -> Segment:
    at, tags = 12, []
    while (ethertype := int.from_bytes(frame[at : at + 2], "big")) in (0x8100, 0x88A8):
        tags.append(int.from_bytes(frame[at + 2 : at + 4], "big") & 0xFFF)
        at += 4
    packet = frame[at + 2 :]
    if ethertype == 0x0800:
        header = packet[: (packet[0] & 0xF) * 4]
        total = int.from_bytes(packet[2:4], "big")
        addresses, protocol, ttl = packet[12:20], packet[9], packet[8]
        body, padding, header_ok = packet[len(header) : total], packet[total:], words_sum(header) == 0xFFFF
        assert packet[0] >> 4 == 4
        assert len(header) <= total <= len(packet)
    else:
        assert ethertype == 0x86DD
        assert packet[0] >> 4 == 6
        total = 40 + int.from_bytes(packet[4:6], "big")
        addresses, protocol, ttl = packet[8:40], packet[6], packet[7]
        assert total <= len(packet)
        body, padding, header_ok = packet[40:total], packet[total:], True
    half = len(addresses) // 2
    src, dst = (str(ipaddress.ip_address(part)) for part in (addresses[:half], addresses[half:]))
    pseudo = addresses + struct.pack("!II", len(body), protocol)
    common = (ethertype, tuple(tags), src, dst, protocol, ttl)
    if protocol == 6:
        sport, dport, sequence, acknowledged = struct.unpack("!HHII", body[:12])
        header_bytes = (body[12] >> 4) * 4
        assert 20 <= header_bytes <= len(body)
        block = body[20:header_bytes]
        return Segment(
            *common,
            sport,
            dport,
            body[13],
            sequence,
            acknowledged,
            walk_options(block),
            block,
            body[header_bytes:],
            padding,
            header_ok,
            words_sum(pseudo + body) == 0xFFFF,
        )
    if protocol == 17:
        sport, dport, length, checksum = struct.unpack("!HHHH", body[:8])
        assert length == len(body)
        right = checksum == 0 or words_sum(pseudo + body) == 0xFFFF
        return Segment(
            *common,
            sport,
            dport,
            payload=body[8:],
            padding=padding,
            network_checksum_ok=header_ok,
            transport_checksum_ok=right,
        )
    right = words_sum(body) == 0xFFFF if protocol == 1 else True
    if protocol == 58:
        right = words_sum(pseudo + body) == 0xFFFF
    return Segment(
        *common,
        payload=body,
        padding=padding,
        network_checksum_ok=header_ok,
        transport_checksum_ok=right,
    )
