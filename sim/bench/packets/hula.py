# SPDX-License-Identifier: Apache-2.0
"""The HULA probe and the MP-HULA header as scapy layers.

Probe (HULA, §4.2): Ethernet, IPv4 of its own protocol number, then ToR id (24 bits) and the utilisation of
the best path towards it (8 bits).

    Ether / IP(proto=IP_PROTOCOL_HULA) / HulaProbe(tor_id=7, min_util=30)

The probe of 64 bytes that HULA's overhead is reckoned with is the shortest Ethernet frame, FCS included.
Streams carry no FCS, so there it has PROBE_STREAM_BYTES: the IPv4 packet ends behind the probe header and
zeros fill the frame, as a MAC fills any short frame.

MP-HULA header, behind Ethernet and any VLAN tags: connection (64 bits), sub-flow (4), version (4), flags (8),
EtherType of what follows (16).

    Ether / Dot1Q / MPHula(mptcp_id=1 << 63, subflow=2) / IP / TCP
"""

from __future__ import annotations

from typing import Any

from scapy.fields import BitField, ByteField, FlagsField, ThreeBytesField, XLongField, XShortEnumField
from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, bind_layers

from bench.packets.protocols import (
    ETHERTYPE_ARP,
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    ETHERTYPE_MP_HULA,
    ETHERTYPE_QINQ,
    ETHERTYPE_VLAN,
    FRAME_MIN_BYTES,
    IP_PROTOCOL_HULA,
    MP_HULA_VERSION,
    UTIL_INFINITE,
    WIRE_MIN_BYTES,
)

PROBE_WIRE_BYTES = WIRE_MIN_BYTES
PROBE_STREAM_BYTES = FRAME_MIN_BYTES
PROBE_HEADER_BYTES = 4
MP_HULA_HEADER_BYTES = 12
MP_HULA_FLAG_REVERSE = 0x01

_MACS_BYTES = 12
_TAG_BYTES = 4


class HulaProbe(Packet):  # type: ignore[misc]
    name = "HULA probe"
    fields_desc = [ThreeBytesField("tor_id", 0), ByteField("min_util", UTIL_INFINITE)]

    def extract_padding(self, s: bytes) -> tuple[bytes, bytes]:
        return b"", s


class MPHula(Packet):  # type: ignore[misc]
    """Flag R: the packet flows against the direction in which the connection was opened."""

    name = "MP-HULA"
    fields_desc = [
        XLongField("mptcp_id", 0),
        BitField("subflow", 0, 4),
        BitField("version", MP_HULA_VERSION, 4),
        FlagsField("flags", 0, 8, ["R", "1", "2", "3", "4", "5", "6", "7"]),
        XShortEnumField("ethertype", 0, {ETHERTYPE_IPV4: "IPv4", ETHERTYPE_IPV6: "IPv6"}),
    ]


bind_layers(IP, HulaProbe, proto=IP_PROTOCOL_HULA)
for _below in (Ether, Dot1Q, Dot1AD):
    bind_layers(_below, MPHula, type=ETHERTYPE_MP_HULA)
for _ethertype, _above in {
    ETHERTYPE_IPV4: IP,
    ETHERTYPE_IPV6: IPv6,
    ETHERTYPE_ARP: ARP,
    ETHERTYPE_VLAN: Dot1Q,
    ETHERTYPE_QINQ: Dot1AD,
}.items():
    bind_layers(MPHula, _above, ethertype=_ethertype)


def probe(
    tor_id: int,
    min_util: int,
    *,
    src_mac: str = "02:00:00:00:00:01",
    dst_mac: str = "ff:ff:ff:ff:ff:ff",
    src: str = "0.0.0.0",
    dst: str = "255.255.255.255",
    ttl: int = 64,
) -> bytes:
    """A probe as streams carry it. HULA leaves the addresses open; none of them tells a switch anything."""
    headers: Any = Ether(src=src_mac, dst=dst_mac) / IP(src=src, dst=dst, ttl=ttl, proto=IP_PROTOCOL_HULA)
    return bytes(headers / HulaProbe(tor_id=tor_id, min_util=min_util)).ljust(PROBE_STREAM_BYTES, b"\0")


def ethertype_offset(frame: bytes) -> int:
    """Where the EtherType behind the MACs and all VLAN tags stands."""
    offset = _MACS_BYTES
    while int.from_bytes(frame[offset : offset + 2], "big") in (ETHERTYPE_VLAN, ETHERTYPE_QINQ):
        offset += _TAG_BYTES
    return offset


def mark(frame: bytes, mptcp_id: int, subflow: int, *, reverse: bool = False, version: int = MP_HULA_VERSION) -> bytes:
    """The frame with an MP-HULA header, as the source ToR sends it on."""
    at = ethertype_offset(frame)
    header = (
        ETHERTYPE_MP_HULA.to_bytes(2, "big")
        + mptcp_id.to_bytes(8, "big")
        + bytes([subflow << 4 | version, MP_HULA_FLAG_REVERSE if reverse else 0])
    )
    return frame[:at] + header + frame[at:]


def is_marked(frame: bytes) -> bool:
    at = ethertype_offset(frame)
    return int.from_bytes(frame[at : at + 2], "big") == ETHERTYPE_MP_HULA


def unmark(frame: bytes) -> bytes:
    """The frame without its MP-HULA header, as the target ToR hands it to the host."""
    at = ethertype_offset(frame)
    if not is_marked(frame) or len(frame) < at + 2 + MP_HULA_HEADER_BYTES:
        raise ValueError("the frame has no MP-HULA header")
    return frame[:at] + frame[at + MP_HULA_HEADER_BYTES :]
