# SPDX-License-Identifier: Apache-2.0
"""Valid frames of every kind a switch meets, of a given length, from a seeded generator.

    factory = PacketFactory(random.Random(seed))
    frame = factory.udp(length=1514)
    frame = factory.tcp_syn(factory.flow(family=6), link=Link(tags=(Tag(100),)))

A builder returns the frame as bytes, its lengths and checksums right. `length` is that of the frame with its
tags and without FCS; the payload is filled up with random bytes. Without `length` the payload is as given, and
zeros behind the packet bring the frame to the shortest that Ethernet allows. What is not given (addresses,
ports, sequence numbers, identification) is drawn from the generator.
"""

from __future__ import annotations

import enum
import ipaddress
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import (
    ICMPv6EchoRequest,
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6NDOptDstLLAddr,
    ICMPv6NDOptSrcLLAddr,
    ICMPv6TimeExceeded,
    IPv6,
    IPv6ExtHdrFragment,
)
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw
from scapy.utils6 import in6_getnsma, in6_getnsmac

from bench.packets import tcp_options
from bench.packets.protocols import (
    ETHERTYPE_ARP,
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    ETHERTYPE_QINQ,
    ETHERTYPE_VLAN,
    FRAME_MIN_BYTES,
    IP_PROTOCOL_UDP,
)

_MACS_BYTES = 12
_TCP_OPTIONS_MAX_BYTES = 40

Options = Sequence[tuple[Any, Any]]


@dataclass(frozen=True)
class Flow:
    """Both ends, as seen by who sends."""

    src: str
    sport: int
    dst: str
    dport: int

    @property
    def family(self) -> int:
        return ipaddress.ip_address(self.src).version

    def reversed(self) -> Flow:
        return Flow(self.dst, self.dport, self.src, self.sport)


@dataclass(frozen=True)
class Tag:
    """One VLAN tag."""

    vid: int
    priority: int = 0
    drop_eligible: bool = False
    ethertype: int = ETHERTYPE_VLAN

    def __bytes__(self) -> bytes:
        control = self.priority << 13 | self.drop_eligible << 12 | self.vid
        return self.ethertype.to_bytes(2, "big") + control.to_bytes(2, "big")


@dataclass(frozen=True)
class Link:
    """What stands around the packet: MACs and tags, the outermost tag first."""

    src_mac: str = "02:00:00:00:00:01"
    dst_mac: str = "02:00:00:00:00:02"
    tags: tuple[Tag, ...] = ()

    def reversed(self) -> Link:
        return replace(self, src_mac=self.dst_mac, dst_mac=self.src_mac)


@dataclass(frozen=True)
class Network:
    """The IP header's other fields. `options` are scapy's IPv4 options, `extensions` IPv6 extension headers."""

    ttl: int = 64
    traffic_class: int = 0
    dont_fragment: bool = True
    options: tuple[Any, ...] = ()
    extensions: tuple[Any, ...] = ()


PLAIN_LINK = Link()
PLAIN_NETWORK = Network()


class OptionStyle(enum.Enum):
    """Which TCP options a host sends, and how it lays them out; the first three are Linux's layouts."""

    TIMESTAMPS = "MSS SACKOK TS NOP WS, then NOP NOP TS"
    NO_TIMESTAMPS = "MSS NOP NOP SACKOK NOP WS, then nothing"
    MSS_ONLY = "MSS, then nothing"
    SCATTERED = "timestamps, in any order and with NOPs anywhere, hence unaligned"


def vlan(frame: bytes, vid: int, priority: int = 0) -> bytes:
    """The frame with one more tag, outermost."""
    return frame[:_MACS_BYTES] + bytes(Tag(vid, priority)) + frame[_MACS_BYTES:]


def qinq(frame: bytes, service_vid: int, customer_vid: int) -> bytes:
    tags = bytes(Tag(service_vid, ethertype=ETHERTYPE_QINQ)) + bytes(Tag(customer_vid))
    return frame[:_MACS_BYTES] + tags + frame[_MACS_BYTES:]


def block_bytes(options: Options) -> int:
    """How long the options are, without the padding behind them."""
    return len(tcp_options.unpadded(options))


class PacketFactory:
    """Draws from `rng` alone: the same seed and the same calls make the same bytes."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def address(self, family: int = 4) -> str:
        if family == 4:
            return f"10.{self.rng.randrange(256)}.{self.rng.randrange(256)}.{self.rng.randrange(1, 255)}"
        return str(ipaddress.IPv6Address(0xFD << 120 | self.rng.getrandbits(120)))

    def port(self) -> int:
        return self.rng.randrange(1024, 65536)

    def flow(self, family: int = 4) -> Flow:
        return Flow(self.address(family), self.port(), self.address(family), self.port())

    def udp(
        self,
        flow: Flow | None = None,
        *,
        payload: bytes = b"",
        length: int | None = None,
        network: Network = PLAIN_NETWORK,
        link: Link = PLAIN_LINK,
        checksum: bool = True,
    ) -> bytes:
        """`checksum=False` sends zero, which IPv4 allows."""
        flow = flow or self.flow()
        header = UDP(sport=flow.sport, dport=flow.dport, **({} if checksum else {"chksum": 0}))
        return self.ip(flow.src, flow.dst, header, payload=payload, length=length, network=network, link=link)

    def tcp(
        self,
        flow: Flow | None = None,
        *,
        flags: str = "PA",
        seq: int | None = None,
        ack: int | None = None,
        window: int = 512,
        options: Options = (),
        payload: bytes = b"",
        length: int | None = None,
        network: Network = PLAIN_NETWORK,
        link: Link = PLAIN_LINK,
    ) -> bytes:
        flow = flow or self.flow()
        if block_bytes(options) > _TCP_OPTIONS_MAX_BYTES:
            raise ValueError(f"{block_bytes(options)} bytes of TCP options do not fit a TCP header")
        header = TCP(
            sport=flow.sport,
            dport=flow.dport,
            flags=flags,
            seq=self.rng.getrandbits(32) if seq is None else seq,
            ack=(self.rng.getrandbits(32) if "A" in flags else 0) if ack is None else ack,
            window=window,
            options=list(options),
        )
        return self.ip(flow.src, flow.dst, header, payload=payload, length=length, network=network, link=link)

    def tcp_syn(self, flow: Flow | None = None, **fields: Any) -> bytes:
        return self.tcp(flow, **{"flags": "S", "options": self.syn_options()} | fields)

    def tcp_syn_ack(self, flow: Flow | None = None, **fields: Any) -> bytes:
        return self.tcp(flow, **{"flags": "SA", "options": self.syn_options()} | fields)

    def tcp_ack(self, flow: Flow | None = None, **fields: Any) -> bytes:
        return self.tcp(flow, **{"flags": "A", "options": self.options()} | fields)

    def tcp_fin(self, flow: Flow | None = None, **fields: Any) -> bytes:
        return self.tcp(flow, **{"flags": "FA", "options": self.options()} | fields)

    def tcp_rst(self, flow: Flow | None = None, **fields: Any) -> bytes:
        return self.tcp(flow, **{"flags": "R"} | fields)

    def syn_options(
        self,
        style: OptionStyle = OptionStyle.TIMESTAMPS,
        mptcp: Sequence[Any] = (),
        timestamps: tuple[int, int] | None = None,
        mss: int = 1460,
    ) -> Options:
        """The option block of a SYN or SYN/ACK with these MPTCP options."""
        stamp = ("Timestamp", timestamps or (self.rng.getrandbits(32), 0))
        wanted = [("MPTCP", option) for option in mptcp]
        no_op = ("NOP", None)
        if style is OptionStyle.MSS_ONLY:
            return [("MSS", mss), *wanted]
        if style is OptionStyle.NO_TIMESTAMPS:
            return [("MSS", mss), no_op, no_op, ("SAckOK", b""), no_op, ("WScale", 7), *wanted]
        if style is OptionStyle.TIMESTAMPS:
            return [("MSS", mss), ("SAckOK", b""), stamp, no_op, ("WScale", 7), *wanted]
        return self._scatter([("MSS", mss), ("SAckOK", b""), stamp, ("WScale", 7), *wanted])

    def options(
        self,
        style: OptionStyle = OptionStyle.TIMESTAMPS,
        mptcp: Sequence[Any] = (),
        timestamps: tuple[int, int] | None = None,
        sack: Sequence[int] = (),
    ) -> Options:
        """The option block of a segment without SYN; `sack` are the edges of its blocks.

        Where it does not fit, the timestamp is left out, as Linux does for a long ADD_ADDR.
        """
        stamp = ("Timestamp", timestamps or (self.rng.getrandbits(32), self.rng.getrandbits(32)))
        no_op = ("NOP", None)
        wanted = [("MPTCP", option) for option in mptcp]
        edges: list[tuple[Any, Any]] = [("SAck", tuple(sack))] if sack else []
        if style is OptionStyle.SCATTERED:
            stamped = [stamp, *edges, *wanted]
            fits = block_bytes(stamped) <= _TCP_OPTIONS_MAX_BYTES
            return self._scatter(stamped if fits else stamped[1:])
        plain = [*([no_op, no_op, *edges] if sack else []), *wanted]
        plain += [no_op] * (-block_bytes(plain) % 4)
        stamped = [no_op, no_op, stamp, *plain]
        fits = block_bytes(stamped) <= _TCP_OPTIONS_MAX_BYTES
        return stamped if style is OptionStyle.TIMESTAMPS and fits else plain

    def _scatter(self, block: list[tuple[Any, Any]]) -> Options:
        self.rng.shuffle(block)
        spare = _TCP_OPTIONS_MAX_BYTES - block_bytes(block)
        for _ in range(self.rng.randint(0, spare)):
            block.insert(self.rng.randint(0, len(block)), ("NOP", None))
        return block

    def icmp_echo(
        self, family: int = 4, *, length: int | None = None, network: Network = PLAIN_NETWORK, link: Link = PLAIN_LINK
    ) -> bytes:
        header = (ICMP if family == 4 else ICMPv6EchoRequest)(id=self.rng.getrandbits(16), seq=self.rng.getrandbits(16))
        src, dst = self.address(family), self.address(family)
        return self.ip(src, dst, header, payload=b"", length=length, network=network, link=link)

    def icmp_ttl_exceeded(self, frame: bytes, router: str, *, link: Link = PLAIN_LINK) -> bytes:
        """What `router` answers to the sender of an untagged `frame` whose TTL ran out."""
        packet = Ether(frame)
        layer, start = (IP, ICMP(type=11)) if IP in packet else (IPv6, ICMPv6TimeExceeded())
        quoted = bytes(packet[layer])[: 28 if layer is IP else 1232]
        return self.ip(router, packet[layer].src, start, payload=quoted, length=None, link=link)

    def arp_request(self, sender: str, target: str, *, link: Link = PLAIN_LINK) -> bytes:
        link = replace(link, dst_mac="ff:ff:ff:ff:ff:ff")
        body = ARP(op="who-has", hwsrc=link.src_mac, psrc=sender, hwdst="00:00:00:00:00:00", pdst=target)
        return self._framed(link, ETHERTYPE_ARP, bytes(body), pad=True)

    def arp_reply(self, sender: str, target: str, *, link: Link = PLAIN_LINK) -> bytes:
        body = ARP(op="is-at", hwsrc=link.src_mac, psrc=sender, hwdst=link.dst_mac, pdst=target)
        return self._framed(link, ETHERTYPE_ARP, bytes(body), pad=True)

    def neighbour_solicitation(self, sender: str, target: str, *, link: Link = PLAIN_LINK) -> bytes:
        group = in6_getnsma(ipaddress.IPv6Address(target).packed)
        link = replace(link, dst_mac=in6_getnsmac(group))
        body = ICMPv6ND_NS(tgt=target) / ICMPv6NDOptSrcLLAddr(lladdr=link.src_mac)
        destination = str(ipaddress.IPv6Address(group))
        return self.ip(sender, destination, body, payload=b"", length=None, network=Network(ttl=255), link=link)

    def neighbour_advertisement(self, sender: str, target: str, *, link: Link = PLAIN_LINK) -> bytes:
        body = ICMPv6ND_NA(tgt=sender, R=0, S=1, O=1) / ICMPv6NDOptDstLLAddr(lladdr=link.src_mac)
        return self.ip(sender, target, body, payload=b"", length=None, network=Network(ttl=255), link=link)

    def fragments(
        self,
        flow: Flow | None = None,
        *,
        payload_bytes: int = 4000,
        mtu: int = 1500,
        link: Link = PLAIN_LINK,
    ) -> list[bytes]:
        """A UDP datagram in pieces, in order; only the first has the ports."""
        flow = flow or self.flow()
        payload = self.rng.randbytes(payload_bytes)
        whole = self._ip_header(flow.src, flow.dst, Network()) / UDP(sport=flow.sport, dport=flow.dport) / payload
        datagram = bytes(whole)[20 if flow.family == 4 else 40 :]
        identification = self.rng.getrandbits(16)
        header_bytes = 20 if flow.family == 4 else 48
        step = (mtu - header_bytes) // 8 * 8
        frames = []
        for start in range(0, len(datagram), step):
            more = start + step < len(datagram)
            head: Any
            if flow.family == 4:
                head = IP(src=flow.src, dst=flow.dst, id=identification, proto=IP_PROTOCOL_UDP, frag=start // 8)
                head.flags = "MF" if more else 0
            else:
                head = IPv6(src=flow.src, dst=flow.dst) / IPv6ExtHdrFragment(
                    nh=IP_PROTOCOL_UDP, offset=start // 8, m=int(more), id=identification
                )
            packet = bytes(head / Raw(datagram[start : start + step]))
            frames.append(self._framed(link, _ethertype(flow.family), packet, pad=True))
        return frames

    def ip(
        self,
        src: str,
        dst: str,
        transport: Any,
        *,
        payload: bytes = b"",
        length: int | None = None,
        network: Network = PLAIN_NETWORK,
        link: Link = PLAIN_LINK,
    ) -> bytes:
        """Any transport header of scapy behind IPv4 or IPv6, whichever the addresses are."""
        ethertype = _ethertype(ipaddress.ip_address(src).version)
        headers = self._ip_header(src, dst, network) / transport
        if length is not None:
            room = length - len(self._framed(link, ethertype, bytes(headers), pad=False)) - len(payload)
            if room < 0:
                raise ValueError(f"headers and payload need {-room} bytes more than the length of {length}")
            payload += self.rng.randbytes(room)
        packet = bytes(headers / Raw(payload)) if payload else bytes(headers)
        return self._framed(link, ethertype, packet, pad=length is None)

    def other(self, *, ethertype: int = 0x88CC, length: int = FRAME_MIN_BYTES, link: Link = PLAIN_LINK) -> bytes:
        """A frame that is not IP: random bytes behind the EtherType."""
        empty = self._framed(link, ethertype, b"", pad=False)
        return empty + self.rng.randbytes(length - len(empty))

    def any_frame(self, length: int | None = None) -> bytes:
        """UDP or TCP over either family, tagged or not; where IPv6 does not fit `length`, untagged IPv4."""
        tags = self.rng.choice(((), (), (Tag(self.rng.randrange(1, 4095)),)))
        build, transport_bytes = self.rng.choice(((self.udp, 8), (self.tcp, 20)))
        family = self.rng.choice((4, 6))
        if length is not None and length < 54 + transport_bytes + 4 * len(tags):
            family, tags = 4, ()
        return build(self.flow(family), length=length, link=Link(tags=tags))

    def _ip_header(self, src: str, dst: str, network: Network) -> Any:
        if ipaddress.ip_address(src).version == 4:
            return IP(
                src=src,
                dst=dst,
                ttl=network.ttl,
                tos=network.traffic_class,
                id=self.rng.getrandbits(16),
                flags="DF" if network.dont_fragment else 0,
                options=list(network.options),
            )
        header = IPv6(src=src, dst=dst, hlim=network.ttl, tc=network.traffic_class, fl=self.rng.getrandbits(20))
        for extension in network.extensions:
            header = header / extension
        return header

    def _framed(self, link: Link, ethertype: int, packet: bytes, *, pad: bool) -> bytes:
        macs = _mac(link.dst_mac) + _mac(link.src_mac)
        frame = macs + b"".join(bytes(tag) for tag in link.tags) + ethertype.to_bytes(2, "big") + packet
        return frame.ljust(FRAME_MIN_BYTES, b"\0") if pad else frame


def _ethertype(family: int) -> int:
    return ETHERTYPE_IPV4 if family == 4 else ETHERTYPE_IPV6


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))
