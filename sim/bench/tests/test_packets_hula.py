# SPDX-License-Identifier: Apache-2.0
"""The probe and the MP-HULA header against bytes written by hand.

- the probe: 24 bits of ToR, 8 of utilisation, behind IPv4 of protocol 253, 64 bytes on the wire with FCS
- the header: 12 bytes behind EtherType 0x88b5, behind no, one and two tags; dissecting goes on into IPv4,
  IPv6, ARP and tags
- marking and unmarking are each other's inverse, and say so when there is nothing to remove
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Raw

from bench.packets import hula, protocols
from bench.packets.factory import Link, PacketFactory, Tag
from bench.packets.hula import HulaProbe, MPHula
from bench.tests import wire


def test_probe_is_the_bytes_of_the_paper() -> None:
    frame = hula.probe(0xABCDEF, 0x5A, src="10.0.0.1", dst="10.0.0.2", ttl=9)
    assert frame[:14].hex() == "ffffffffffff" + "020000000001" + "0800"
    assert frame[14:24].hex()[:4] == "4500"
    assert frame[16:18] == (24).to_bytes(2, "big")
    assert frame[22:24].hex() == "09fd"
    assert frame[26:34].hex() == "0a0000010a000002"
    assert frame[34:38].hex() == "abcdef5a"
    assert frame[38:] == bytes(22)
    assert wire.read(frame).network_checksum_ok


def test_probe_is_64_bytes_with_the_fcs_that_streams_lack() -> None:
    assert hula.PROBE_WIRE_BYTES == 64
    assert hula.PROBE_STREAM_BYTES == 60
    assert len(hula.probe(1, 2)) + protocols.FCS_BYTES == hula.PROBE_WIRE_BYTES
    assert len(bytes(HulaProbe())) == hula.PROBE_HEADER_BYTES == 4


def test_probe_is_dissected() -> None:
    packet = Ether(hula.probe(0xABCDEF, 0x5A))
    assert (packet[HulaProbe].tor_id, packet[HulaProbe].min_util) == (0xABCDEF, 0x5A)
    assert bytes(packet[IP])[20:24].hex() == "abcdef5a"
    assert bytes(packet) == hula.probe(0xABCDEF, 0x5A)
    assert HulaProbe().min_util == 255


def test_mp_hula_header_is_twelve_bytes() -> None:
    header = MPHula(mptcp_id=0x0102030405060708, subflow=0xA, version=0x5, flags=0x01, ethertype=0x0800)
    assert bytes(header).hex() == "0102030405060708" + "a5" + "01" + "0800"
    assert len(bytes(header)) == hula.MP_HULA_HEADER_BYTES == 12
    assert int(MPHula(flags="R").flags) == hula.MP_HULA_FLAG_REVERSE == 1


@pytest.mark.parametrize(
    "tags", [(), (Tag(100),), (Tag(200, ethertype=0x88A8), Tag(100, priority=3))], ids=["none", "one", "two"]
)
@pytest.mark.parametrize(("family", "layer"), [(4, IP), (6, IPv6)])
def test_header_stands_behind_the_tags_and_dissecting_goes_on(
    tags: tuple[Tag, ...], family: int, layer: Any, rng: random.Random
) -> None:
    frame = PacketFactory(rng).tcp(PacketFactory(rng).flow(family), length=200, link=Link(tags=tags))
    at = 12 + 4 * len(tags)
    marked = hula.mark(frame, 0x1122334455667788, 3, reverse=True)
    assert marked[:at] == frame[:at]
    assert marked[at : at + 14].hex() == "88b5" + "1122334455667788" + "31" + "01" + frame[at : at + 2].hex()
    assert marked[at + 14 :] == frame[at + 2 :]
    assert hula.is_marked(marked) and not hula.is_marked(frame)
    assert hula.unmark(marked) == frame
    packet = Ether(marked)
    assert packet[MPHula].mptcp_id == 0x1122334455667788
    assert (packet[MPHula].subflow, packet[MPHula].version) == (3, protocols.MP_HULA_VERSION)
    assert packet[MPHula].flags.R
    assert bytes(packet[layer]) == frame[at + 2 :]
    assert packet[TCP].dport == wire.read(frame).dport


def test_forward_direction_has_no_flag() -> None:
    frame = bytes(Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01") / IP(src="1.2.3.4", dst="1.2.3.5"))
    assert hula.mark(frame, 1, 15)[22:24].hex() == "f100"


@pytest.mark.parametrize("inner", [IP(), IPv6(), ARP(), Dot1Q(vlan=5), Dot1AD(vlan=6)], ids=lambda p: p.name)
def test_building_from_layers_fills_in_the_ethertype(inner: Any) -> None:
    ethers = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    built = bytes(ethers / MPHula(mptcp_id=7) / inner)
    assert built[12:14].hex() == "88b5"
    assert built[24:26] == bytes(ethers / inner)[12:14]
    assert type(Ether(built)[MPHula].payload) is type(inner)


def test_unknown_ethertype_behind_the_header_is_kept_as_bytes() -> None:
    packet = MPHula(bytes(MPHula(ethertype=0x1234)) + b"rest")
    assert packet[Raw].load == b"rest"


def test_unmarking_a_plain_or_cut_frame_is_an_error(rng: random.Random) -> None:
    frame = PacketFactory(rng).udp(length=60)
    with pytest.raises(ValueError, match="no MP-HULA header"):
        hula.unmark(frame)
    with pytest.raises(ValueError, match="no MP-HULA header"):
        hula.unmark(hula.mark(frame, 1, 2)[:25])
