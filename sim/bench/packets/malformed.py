# SPDX-License-Identifier: Apache-2.0
"""Frames that no host should send, each with its name: what a parser must survive.

In each only what its name says is wrong; the IPv4 checksum, for one, is right unless it is the fault itself.
`malformed` gives all of them for a seed, `malformed_option_blocks` the TCP option blocks alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from scapy.layers.inet import IPOption_NOP

from bench.packets import hula, mptcp
from bench.packets.factory import Link, Network, OptionStyle, PacketFactory, Tag, qinq, vlan
from bench.packets.protocols import (
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    ETHERTYPE_MP_HULA,
    FRAME_MAX_BYTES,
    FRAME_MIN_BYTES,
    MPTCP_MP_CAPABLE,
    MPTCP_MP_JOIN,
    TCP_OPTION_EOL,
    TCP_OPTION_MPTCP,
    TCP_OPTION_NOP,
)

_ETHERNET, _IPV4, _IPV6 = 14, 20, 40  # header lengths
_OPTIONS_MAX = 40
_TIMESTAMP_KIND = 8


class Malformed(NamedTuple):
    """A frame and what is wrong with it."""

    name: str
    frame: bytes


class MalformedBlock(NamedTuple):
    """A TCP option block, its length a multiple of four, and what is wrong with it."""

    name: str
    block: bytes


def malformed(rng: random.Random) -> list[Malformed]:
    factory = PacketFactory(rng)
    return [
        *_truncated(factory),
        *_ipv4(factory),
        *_ipv6(factory),
        *_udp(factory),
        *_tcp(factory),
        *_tags_and_marks(factory),
        *_probes(factory),
        *_garbage(factory),
    ]


def malformed_option_blocks(rng: random.Random) -> list[MalformedBlock]:
    """Broken lengths of MPTCP and other options at several offsets, and lengths no form of a subtype has."""
    blocks = []
    for ahead in (0, 1, 2, 3, 12):
        nops = bytes([TCP_OPTION_NOP]) * ahead
        for kind in (TCP_OPTION_MPTCP, _TIMESTAMP_KIND):
            room = _OPTIONS_MAX - ahead
            for length in (0, 1, room + 1, 255):
                block = nops + bytes([kind, length]) + rng.randbytes(room - 2)
                blocks.append(MalformedBlock(f"kind {kind} length {length} behind {ahead} NOPs", block))
        blocks.append(MalformedBlock(f"MPTCP behind EOL and {ahead} NOPs", _behind_eol(nops, rng)))
    cut = bytes([TCP_OPTION_NOP]) * (_OPTIONS_MAX - 1) + bytes([TCP_OPTION_MPTCP])
    blocks.append(MalformedBlock("the length byte lies beyond the block", cut))
    legal = {MPTCP_MP_CAPABLE: (4, 12, 20, 22, 24), MPTCP_MP_JOIN: (12, 16, 24)}
    for subtype, lengths in legal.items():
        for length in range(2, _OPTIONS_MAX + 1):
            if length not in lengths:
                body = bytes([subtype << 4 | 1]) + rng.randbytes(_OPTIONS_MAX)
                option = bytes([TCP_OPTION_MPTCP, length]) + body[: length - 2]
                padded = option + bytes([TCP_OPTION_NOP]) * (-length % 4)
                blocks.append(MalformedBlock(f"{mptcp.SUBTYPES[subtype]} of length {length}", padded))
    return blocks


def _behind_eol(nops: bytes, rng: random.Random) -> bytes:
    join = bytes(mptcp.MPJoinSyn(token=rng.getrandbits(32), nonce=rng.getrandbits(32)))
    block = nops + bytes([TCP_OPTION_EOL]) + join
    return block + bytes(-len(block) % 4)


def _put(frame: bytes, offset: int, value: bytes) -> bytes:
    return frame[:offset] + value + frame[offset + len(value) :]


def _put_ipv4(frame: bytes, offset: int, value: bytes) -> bytes:
    """Changes the IPv4 header of an untagged frame and makes its checksum right over what IHL claims."""
    changed = _put(_put(frame, _ETHERNET + offset, value), _ETHERNET + 10, b"\0\0")
    words = max(5, changed[_ETHERNET] & 0xF) * 4
    header = changed[_ETHERNET : _ETHERNET + words]
    total = sum(int.from_bytes(header[at : at + 2], "big") for at in range(0, len(header), 2))
    return _put(changed, _ETHERNET + 10, (-total % 0xFFFF or 0xFFFF).to_bytes(2, "big"))


def _truncated(factory: PacketFactory) -> Iterator[Malformed]:
    join = factory.syn_options(OptionStyle.TIMESTAMPS, [mptcp.MPJoinSyn(token=1, nonce=2)])
    nops = Network(options=(IPOption_NOP(),) * 8)
    cases = {
        "UDP over IPv4": factory.udp(length=64),
        "UDP over IPv4 with options": factory.udp(network=nops, length=72),
        "JOIN SYN over IPv4": factory.tcp_syn(options=join),
        "JOIN SYN over IPv6, double tagged": qinq(factory.tcp_syn(factory.flow(6), options=join), 10, 20),
        "probe": hula.probe(5, 6),
        "marked TCP": hula.mark(factory.tcp(length=80, link=Link(tags=(Tag(7),))), 1 << 40, 2),
    }
    for name, frame in cases.items():
        for length in range(1, len(frame)):
            yield Malformed(f"{name} cut to {length} bytes", frame[:length])


def _ipv4(factory: PacketFactory) -> Iterator[Malformed]:
    for length in (100, FRAME_MAX_BYTES):
        frame = factory.udp(length=length)
        packet_bytes = length - _ETHERNET
        for ihl in range(5):
            yield Malformed(f"IPv4 IHL {ihl}, {length} bytes", _put_ipv4(frame, 0, bytes([0x40 | ihl])))
        for version in (0, 5, 6, 15):
            yield Malformed(
                f"IPv4 with version {version}, {length} bytes", _put_ipv4(frame, 0, bytes([version << 4 | 5]))
            )
        for total in (0, 1, _IPV4 - 1, _IPV4, _IPV4 + 7, packet_bytes + 1, 0xFFFF):
            named = f"IPv4 total length {total} of {packet_bytes}"
            yield Malformed(named, _put_ipv4(frame, 2, total.to_bytes(2, "big")))
        for ttl in (0, 1):
            yield Malformed(f"IPv4 TTL {ttl}, {length} bytes", _put_ipv4(frame, 8, bytes([ttl])))
        yield Malformed(f"IPv4 fragment past 65535, {length} bytes", _put_ipv4(frame, 6, b"\x1f\xff"))
        checksum = frame[_ETHERNET + 10 : _ETHERNET + 12]
        for bit in (0, 7, 15):
            wrong = (int.from_bytes(checksum, "big") ^ 1 << bit).to_bytes(2, "big")
            yield Malformed(f"IPv4 checksum bit {bit}, {length} bytes", _put(frame, _ETHERNET + 10, wrong))
    yield Malformed("IPv4 IHL 15 beyond the packet", _put_ipv4(factory.udp(length=60), 0, b"\x4f"))


def _ipv6(factory: PacketFactory) -> Iterator[Malformed]:
    frame = factory.udp(factory.flow(6), length=120)
    payload = len(frame) - _ETHERNET - _IPV6
    for length in (0, 1, 7, payload + 1, 0xFFFF):
        value = length.to_bytes(2, "big")
        yield Malformed(f"IPv6 payload length {length} of {payload}", _put(frame, _ETHERNET + 4, value))
    for limit in (0, 1):
        yield Malformed(f"IPv6 hop limit {limit}", _put(frame, _ETHERNET + 7, bytes([limit])))
    for version in (0, 4, 5, 15):
        yield Malformed(f"IPv6 with version {version}", _put(frame, _ETHERNET, bytes([version << 4])))
    for header in (0, 43, 44, 60, 59):
        yield Malformed(f"IPv6 next header {header}, not there", _put(frame, _ETHERNET + 6, bytes([header])))


def _udp(factory: PacketFactory) -> Iterator[Malformed]:
    for family, start in ((4, _ETHERNET + _IPV4), (6, _ETHERNET + _IPV6)):
        frame = factory.udp(factory.flow(family), length=100)
        datagram = len(frame) - start
        for length in (0, 1, 7, datagram - 1, datagram + 1, 0xFFFF):
            value = length.to_bytes(2, "big")
            yield Malformed(f"UDP over IPv{family}, length {length} of {datagram}", _put(frame, start + 4, value))
        checksum = int.from_bytes(frame[start + 6 : start + 8], "big")
        wrong = (checksum ^ 0x0100) or 0x0200  # zero would mean that there is none
        yield Malformed(f"UDP over IPv{family}, checksum", _put(frame, start + 6, wrong.to_bytes(2, "big")))


def _tcp(factory: PacketFactory) -> Iterator[Malformed]:
    for family, start in ((4, _ETHERNET + _IPV4), (6, _ETHERNET + _IPV6)):
        frame = factory.tcp_ack(factory.flow(family))
        for words in (0, 1, 4, 15):
            value = bytes([words << 4 | frame[start + 12] & 0xF])
            yield Malformed(f"TCP over IPv{family}, data offset {words}", _put(frame, start + 12, value))
        checksum = int.from_bytes(frame[start + 16 : start + 18], "big")
        wrong = checksum ^ 0x8000
        yield Malformed(f"TCP over IPv{family}, checksum", _put(frame, start + 16, wrong.to_bytes(2, "big")))
        for flags in (0x00, 0x03, 0x06, 0x3F):
            yield Malformed(f"TCP over IPv{family}, flags {flags:#04x}", _put(frame, start + 13, bytes([flags])))
        for name, block in malformed_option_blocks(factory.rng):
            for syn in ("S", "SA", "A"):
                broken = factory.tcp(factory.flow(family), flags=syn, options=[("RAW", block)])
                yield Malformed(f"TCP {syn} over IPv{family}: {name}", broken)


def _tags_and_marks(factory: PacketFactory) -> Iterator[Malformed]:
    frame = factory.tcp(length=80)
    deep = frame
    for count in range(1, 9):
        deep = vlan(deep, count)
        if count > 2:
            yield Malformed(f"{count} VLAN tags", deep)
    marked = hula.mark(frame, 1, 2)
    yield Malformed("two MP-HULA headers", hula.mark(marked, 3, 4))
    for version in (0, 2, 15):
        yield Malformed(f"MP-HULA version {version}", hula.mark(frame, 1, 2, version=version))
    yield Malformed("MP-HULA header with every flag", _put(marked, _ETHERNET + 9, b"\xff"))
    inner = _ETHERNET + hula.MP_HULA_HEADER_BYTES
    yield Malformed("VLAN tag behind the MP-HULA header", marked[: inner - 2] + bytes(Tag(5)) + marked[inner - 2 :])
    yield Malformed("nothing behind the MP-HULA header", marked[:inner])


def _probes(factory: PacketFactory) -> Iterator[Malformed]:
    frame = hula.probe(9, 10)
    for total in (0, _IPV4, _IPV4 + 1, _IPV4 + 3, 0xFFFF):
        yield Malformed(f"probe with IPv4 total length {total}", _put_ipv4(frame, 2, total.to_bytes(2, "big")))
    yield Malformed("probe with IP options it lacks", _put_ipv4(frame, 0, b"\x46"))
    yield Malformed("probe as a fragment", _put_ipv4(frame, 6, b"\x20\x01"))
    yield Malformed("probe with a wrong IPv4 checksum", _put(frame, _ETHERNET + 10, b"\xde\xad"))


def _garbage(factory: PacketFactory) -> Iterator[Malformed]:
    rng = factory.rng
    for length in (1, 13, 14, 31, 32, 33, FRAME_MIN_BYTES, 64, 128, FRAME_MAX_BYTES):
        yield Malformed(f"{length} random bytes", rng.randbytes(length))
        for ethertype in (ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_MP_HULA):
            if length > _ETHERNET:
                frame = factory.other(ethertype=ethertype, length=length)
                yield Malformed(f"{length} random bytes as EtherType {ethertype:#06x}", frame)
