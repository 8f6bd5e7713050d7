# SPDX-License-Identifier: Apache-2.0
"""Builders: exact lengths, right checksums, the fields asked for, the same bytes from the same seed.

`wire.read` judges lengths and checksums; it knows neither scapy nor the builders.
"""

from __future__ import annotations

import ipaddress
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from scapy.layers.inet import IPOption_NOP, IPOption_Router_Alert
from scapy.layers.inet6 import IPv6ExtHdrHopByHop

from bench.packets.factory import Flow, Link, Network, OptionStyle, PacketFactory, Tag, qinq, vlan
from bench.packets.mptcp import AddAddrV1, MPCapable, MPJoinSyn, dss_option
from bench.tests import wire

TAGS = [(), (Tag(100, priority=5),), (Tag(200, ethertype=0x88A8), Tag(100))]


@pytest.fixture
def factory(rng: random.Random) -> PacketFactory:
    return PacketFactory(rng)


def check(frame: bytes) -> wire.Segment:
    segment = wire.read(frame)
    assert segment.network_checksum_ok
    assert segment.transport_checksum_ok
    assert not any(segment.padding)
    return segment


@pytest.mark.parametrize("length", [78, 79, 100, 101, 1513, 1514, 9000])
@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.parametrize("tags", TAGS, ids=len)
def test_frames_have_the_length_asked_for(
    factory: PacketFactory, length: int, family: int, tags: tuple[Tag, ...]
) -> None:
    link = Link("02:00:00:00:0a:01", "02:00:00:00:0a:02", tags)
    length += 4 * len(tags)
    frames = {
        17: factory.udp(factory.flow(family), length=length, link=link),
        6: factory.tcp(factory.flow(family), length=length, link=link),
        {4: 1, 6: 58}[family]: factory.icmp_echo(family, length=length, link=link),
    }
    for protocol, frame in frames.items():
        assert len(frame) == length
        assert frame[:12].hex() == "020000000a02" + "020000000a01"
        segment = check(frame)
        assert segment.protocol == protocol
        assert segment.tags == tuple(tag.vid for tag in tags)
        assert segment.padding == b""


def test_a_length_too_small_is_refused(factory: PacketFactory) -> None:
    assert len(factory.udp(length=42)) == 42
    with pytest.raises(ValueError, match="1 bytes more than the length of 41"):
        factory.udp(length=41)


def test_without_a_length_the_frame_is_padded_to_the_shortest(factory: PacketFactory) -> None:
    frame = factory.udp(payload=b"hello")
    assert len(frame) == 60
    assert (check(frame).payload, len(check(frame).padding)) == (b"hello", 60 - 42 - 5)
    assert len(factory.tcp_syn(factory.flow(6))) == 14 + 40 + 40


def test_fields_asked_for_are_in_the_frame(factory: PacketFactory) -> None:
    flow = Flow("192.0.2.1", 1234, "198.51.100.2", 80)
    frame = factory.tcp(flow, flags="SA", seq=7, ack=9, payload=b"x", network=Network(ttl=3, traffic_class=0xB8))
    segment = check(frame)
    assert segment.flow == ("192.0.2.1", 1234, "198.51.100.2", 80)
    assert (segment.flags, segment.sequence, segment.acknowledged) == (0x12, 7, 9)
    assert (segment.ttl, frame[15], segment.payload) == (3, 0xB8, b"x")
    assert check(factory.tcp(flow.reversed())).flow == ("198.51.100.2", 80, "192.0.2.1", 1234)
    assert frame[20] == 0x40
    assert factory.udp(network=Network(dont_fragment=False))[20] == 0


@pytest.mark.parametrize(
    ("build", "flags"),
    [("tcp_syn", 0x02), ("tcp_syn_ack", 0x12), ("tcp_ack", 0x10), ("tcp_fin", 0x11), ("tcp_rst", 0x04)],
)
def test_tcp_segments_have_their_flags(factory: PacketFactory, build: str, flags: int) -> None:
    segment = check(getattr(factory, build)())
    assert segment.flags == flags
    assert (segment.acknowledged != 0) == bool(flags & 0x10)
    assert check(getattr(factory, build)(factory.flow(6), seq=5)).sequence == 5


def test_zero_udp_checksum_is_sent_when_asked_for(factory: PacketFactory) -> None:
    assert factory.udp(length=80, checksum=False)[40:42] == b"\0\0"
    assert factory.udp(length=80)[40:42] != b"\0\0"


def test_ip_options_and_extension_headers(factory: PacketFactory) -> None:
    options = (IPOption_Router_Alert(), *[IPOption_NOP()] * 3)
    frame = factory.udp(length=100, network=Network(options=options))
    assert frame[14] == 0x47
    assert check(frame).protocol == 17
    extended = factory.udp(factory.flow(6), length=120, network=Network(extensions=(IPv6ExtHdrHopByHop(),)))
    assert extended[20] == 0
    assert extended[54] == 17
    assert len(extended) == 120


def test_tags_are_put_outermost() -> None:
    frame = bytes(range(14)) + b"payload"
    assert vlan(frame, 0xABC, 5) == frame[:12] + bytes.fromhex("8100aabc") + frame[12:]
    assert qinq(frame, 2, 1) == frame[:12] + bytes.fromhex("88a80002" + "81000001") + frame[12:]
    assert bytes(Tag(1, drop_eligible=True)).hex() == "81001001"


@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.parametrize(("payload_bytes", "mtu"), [(4000, 1500), (1480, 1500), (100, 1500), (3000, 576)])
def test_fragments_make_the_datagram(factory: PacketFactory, family: int, payload_bytes: int, mtu: int) -> None:
    flow = factory.flow(family)
    frames = factory.fragments(flow, payload_bytes=payload_bytes, mtu=mtu)
    datagram = b""
    for index, frame in enumerate(frames):
        segment_bytes = frame[14:]
        last = index == len(frames) - 1
        if family == 4:
            assert wire.words_sum(segment_bytes[:20]) == 0xFFFF
            field = int.from_bytes(segment_bytes[6:8], "big")
            assert (field & 0x1FFF) * 8 == len(datagram)
            assert bool(field & 0x2000) != last
            piece = segment_bytes[20 : int.from_bytes(segment_bytes[2:4], "big")]
        else:
            assert segment_bytes[6] == 44
            field = int.from_bytes(segment_bytes[42:44], "big")
            assert field & 0xFFF8 == len(datagram)
            assert bool(field & 1) != last
            piece = segment_bytes[48 : 40 + int.from_bytes(segment_bytes[4:6], "big")]
        assert len(segment_bytes) <= mtu
        datagram += piece
    addresses = b"".join(ipaddress.ip_address(text).packed for text in (flow.src, flow.dst))
    pseudo = addresses + len(datagram).to_bytes(4, "big") + (17).to_bytes(4, "big")
    assert len(datagram) == payload_bytes + 8
    assert datagram[:2] == flow.sport.to_bytes(2, "big")
    assert wire.words_sum(pseudo + datagram) == 0xFFFF


def test_arp(factory: PacketFactory) -> None:
    link = Link("02:00:00:00:0a:01", "02:00:00:00:0a:02")
    request = factory.arp_request("10.0.0.1", "10.0.0.2", link=link)
    body = "0001" + "0800" + "06" + "04"
    assert request.hex() == (
        ("f" * 12 + "020000000a01" + "0806")
        + (body + "0001" + "020000000a01" + "0a000001" + "000000000000" + "0a000002")
        + "00" * 18
    )
    reply = factory.arp_reply("10.0.0.2", "10.0.0.1", link=link)
    assert reply.hex()[:84] == (
        ("020000000a02" + "020000000a01" + "0806")
        + (body + "0002" + "020000000a01" + "0a000002" + "020000000a02" + "0a000001")
    )


def test_neighbour_discovery(factory: PacketFactory) -> None:
    link = Link("02:00:00:00:0a:01", "02:00:00:00:0a:02")
    asked = factory.neighbour_solicitation("2001:db8::1", "2001:db8::12:3456", link=link)
    assert asked[:6].hex() == "3333ff123456"
    segment = check(asked)
    assert (segment.dst, segment.ttl) == ("ff02::1:ff12:3456", 255)
    target = ipaddress.ip_address("2001:db8::12:3456").packed
    assert segment.payload[0] == 135
    assert segment.payload[8:] == target + bytes.fromhex("0101020000000a01")
    answer = check(factory.neighbour_advertisement("2001:db8::12:3456", "2001:db8::1", link=link))
    assert (answer.payload[0], answer.payload[4], answer.ttl) == (136, 0x60, 255)
    assert answer.payload[8:] == target + bytes.fromhex("0201020000000a01")


@pytest.mark.parametrize(("family", "kind"), [(4, 11), (6, 3)])
def test_ttl_exceeded_quotes_the_packet(factory: PacketFactory, family: int, kind: int) -> None:
    flow = factory.flow(family)
    frame = factory.udp(flow, length=200)
    router = factory.address(family)
    segment = check(factory.icmp_ttl_exceeded(frame, router))
    assert (segment.src, segment.dst) == (router, flow.src)
    assert segment.payload[:2] == bytes([kind, 0])
    assert segment.payload[8:] == frame[14:][: 28 if family == 4 else None]


def test_frames_that_are_not_ip(factory: PacketFactory) -> None:
    frame = factory.other(ethertype=0x88CC, length=77, link=Link(tags=(Tag(9),)))
    assert len(frame) == 77
    assert frame[12:18].hex() == "81000009" + "88cc"


JOIN = MPJoinSyn(token=1, nonce=2)
LAYOUTS = {
    OptionStyle.TIMESTAMPS: [2, 4, 8, 1, 3, 30],
    OptionStyle.NO_TIMESTAMPS: [2, 1, 1, 4, 1, 3, 30],
    OptionStyle.MSS_ONLY: [2, 30],
}


@pytest.mark.parametrize("style", LAYOUTS)
def test_syn_options_lie_as_linux_lays_them(factory: PacketFactory, style: OptionStyle) -> None:
    segment = check(factory.tcp_syn(options=factory.syn_options(style, [JOIN])))
    assert [option[0] for option in segment.options] == LAYOUTS[style]
    assert segment.mptcp == [bytes(JOIN)]


def test_options_of_later_segments_are_aligned_or_leave_the_timestamp_out(factory: PacketFactory) -> None:
    def kinds(style: OptionStyle, *mptcp: Any, sack: tuple[int, ...] = ()) -> list[int]:
        segment = check(factory.tcp_ack(options=factory.options(style, list(mptcp), sack=sack)))
        assert len(segment.option_block) == sum(len(option) for option in segment.options)
        return [option[0] for option in segment.options]

    wide = dss_option(data_ack=1, wide_ack=True)
    assert kinds(OptionStyle.TIMESTAMPS, wide) == [1, 1, 8, 30]
    assert kinds(OptionStyle.TIMESTAMPS, wide, sack=(1, 2)) == [1, 1, 8, 1, 1, 5, 30]
    assert kinds(OptionStyle.TIMESTAMPS, MPCapable(sender_key=1, receiver_key=2, data_length=3)) == [
        *(1, 1, 8, 30),
        *(1, 1),
    ]
    assert kinds(OptionStyle.NO_TIMESTAMPS, wide) == [30]
    long = AddAddrV1(address="2001:db8::1", port=1, hmac=bytes(8))
    assert kinds(OptionStyle.TIMESTAMPS, long) == [30, 1, 1]


def test_scattered_options_are_unaligned_and_whole(factory: PacketFactory) -> None:
    places, orders, counts = set(), set(), set()
    for _ in range(200):
        segment = check(factory.tcp_syn(options=factory.syn_options(OptionStyle.SCATTERED, [JOIN])))
        assert segment.mptcp == [bytes(JOIN)]
        kinds = [option[0] for option in segment.options if option[0] != 1]
        assert sorted(kinds) == [2, 3, 4, 8, 30]
        orders.add(tuple(kinds))
        counts.add(len(segment.options) - len(kinds))
        places.add(segment.option_block.index(bytes(JOIN)))
    assert {place % 4 for place in places} == {0, 1, 2, 3}
    assert len(places) > 8 and len(orders) > 20 and len(counts) > 4


def test_options_that_do_not_fit_are_refused(factory: PacketFactory) -> None:
    with pytest.raises(ValueError, match="44 bytes of TCP options"):
        factory.tcp(options=[("RAW", bytes(44))])


@pytest.mark.parametrize("length", [None, 60, 61, 64, 90, 1514])
def test_any_frame_is_a_valid_one(factory: PacketFactory, length: int | None) -> None:
    frames = [factory.any_frame(length) for _ in range(60)]
    assert all(length is None or len(frame) == length for frame in frames)
    seen = {(check(frame).ethertype, check(frame).protocol) for frame in frames}
    assert {protocol for _, protocol in seen} == {6, 17}
    assert length in (60, 61) or {ethertype for ethertype, _ in seen} == {0x0800, 0x86DD}


def test_the_same_seed_makes_the_same_frames() -> None:
    def made(seed: int) -> list[bytes]:
        factory = PacketFactory(random.Random(seed))
        builders: list[Callable[[], Any]] = [factory.udp, factory.tcp_syn, factory.any_frame, factory.fragments]
        return [frame for build in builders for frame in [build()] if isinstance(frame, bytes)]

    assert made(5) == made(5)
    assert made(5) != made(6)


def test_packets_need_no_simulator() -> None:
    names = ", ".join(
        f"bench.packets.{name}" for name in ("beats", "connection", "factory", "hula", "malformed", "mptcp", "pcap")
    )
    code = f"import sys; import {names}; sys.exit('cocotb' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
