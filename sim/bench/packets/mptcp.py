# SPDX-License-Identifier: Apache-2.0
"""The MPTCP options (TCP option kind 30) as scapy layers, version 0 (RFC 6824) and version 1 (RFC 8684).

    TCP(options=[("NOP", None), ("NOP", None), ("Timestamp", (1, 2)), ("MPTCP", MPJoinSyn(token=7, nonce=9))])
    [value for name, value in frame[TCP].options if name == "MPTCP"]

Importing this module calls `install()`: an option of kind 30 is then `("MPTCP", layer)` in scapy's list, one
class per subtype, and per form where forms share no layout. A length that no RFC gives its subtype makes it
an `MPTCPUnknown`, with its bytes kept. What is no option at all is `("RAW", bytes)`, see tcp_options.

A field that an option may lack is None unless given; `length` follows from the fields that are given. With
`length` set, it decides which fields are there. Fields carry the numbers as they stand in the option.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any

from scapy.fields import (
    BitEnumField,
    BitField,
    ByteEnumField,
    ByteField,
    ConditionalField,
    Field,
    FieldListField,
    FlagsField,
    IntField,
    ShortField,
    StrFixedLenField,
    StrLenField,
    XIntField,
    XLongField,
    XShortField,
)
from scapy.layers.inet import TCP
from scapy.packet import Packet

from bench.packets import tcp_options
from bench.packets.mptcp_hash import (
    add_addr_hmac,
    dss_checksum,
    idsn,
    join_ack_hmac,
    join_syn_ack_hmac,
    key_digest,
    token,
)
from bench.packets.protocols import (
    MPTCP_ADD_ADDR,
    MPTCP_DSS,
    MPTCP_EXPERIMENTAL,
    MPTCP_MP_CAPABLE,
    MPTCP_MP_FAIL,
    MPTCP_MP_FASTCLOSE,
    MPTCP_MP_JOIN,
    MPTCP_MP_PRIO,
    MPTCP_MP_TCPRST,
    MPTCP_REMOVE_ADDR,
    MPTCP_V0,
    TCP_OPTION_MPTCP,
)

__all__ = [
    "DSS",
    "AddAddrV0",
    "AddAddrV1",
    "MPCapable",
    "MPExperimental",
    "MPFail",
    "MPFastclose",
    "MPJoin",
    "MPJoinAck",
    "MPJoinSyn",
    "MPJoinSynAck",
    "MPPrio",
    "MPTCPOption",
    "MPTCPUnknown",
    "MPTcpRst",
    "RemoveAddr",
    "add_addr_hmac",
    "dss_checksum",
    "dss_option",
    "idsn",
    "install",
    "join_ack_hmac",
    "join_syn_ack_hmac",
    "key_digest",
    "mptcp_options",
    "token",
]

SUBTYPES = {
    MPTCP_MP_CAPABLE: "MP_CAPABLE",
    MPTCP_MP_JOIN: "MP_JOIN",
    MPTCP_DSS: "DSS",
    MPTCP_ADD_ADDR: "ADD_ADDR",
    MPTCP_REMOVE_ADDR: "REMOVE_ADDR",
    MPTCP_MP_PRIO: "MP_PRIO",
    MPTCP_MP_FAIL: "MP_FAIL",
    MPTCP_MP_FASTCLOSE: "MP_FASTCLOSE",
    MPTCP_MP_TCPRST: "MP_TCPRST",
    MPTCP_EXPERIMENTAL: "EXPERIMENTAL",
}

OPTION_NAME = "MPTCP"


def _present(name: str, *lengths: int) -> Callable[[Any], bool]:
    """The field is there when the length says so or, with no length set, when it was given a value."""

    def is_present(option: Any) -> bool:
        if option.length is not None:
            return option.length in lengths
        return option.getfieldval(name) is not None

    return is_present


def _head(subtype: int, length: int | None = None) -> list[Any]:
    return [
        ByteField("kind", TCP_OPTION_MPTCP),
        ByteField("length", length),
        BitEnumField("subtype", subtype, 4, SUBTYPES),
    ]


class _AddressField(Field):  # type: ignore[misc]
    """An IPv4 or IPv6 address in its own notation; the option's length tells which."""

    def i2m(self, pkt: Any, x: Any) -> bytes:
        return ipaddress.ip_address(x).packed if x is not None else b""

    def addfield(self, pkt: Any, s: bytes, val: Any) -> bytes:
        return s + self.i2m(pkt, val)

    def getfield(self, pkt: Any, s: bytes) -> tuple[bytes, str]:
        size = 16 if pkt.length in _IPV6_ADD_ADDR_LENGTHS else 4
        return s[size:], str(ipaddress.ip_address(s[:size]))


class MPTCPOption(Packet):  # type: ignore[misc]
    """One option of kind 30, kind and length included."""

    name = "MPTCP option"
    fields_desc: list[Any] = []
    SUBTYPE: int | None = None

    @classmethod
    def legal(cls, block: bytes) -> bool:
        """Whether this class describes the block: its subtype and a length the RFC gives it."""
        raise NotImplementedError

    @classmethod
    def dispatch_hook(cls, _pkt: bytes = b"", *_: Any, **__: Any) -> type[Packet]:
        return next((form for form in _FORMS if _subtype(_pkt) == form.SUBTYPE and form.legal(_pkt)), MPTCPUnknown)

    def post_build(self, p: bytes, pay: bytes) -> bytes:
        if self.length is None:
            p = p[:1] + bytes([len(p) & 0xFF]) + p[2:]
        return p + pay

    def extract_padding(self, s: bytes) -> tuple[bytes, bytes]:
        return b"", s


def _subtype(block: bytes) -> int | None:
    return block[2] >> 4 if len(block) > 2 else None


class MPCapable(MPTCPOption):
    """MP_CAPABLE. v0: 12 bytes on SYN and SYN/ACK, 20 on the ACK. v1: 4 on the SYN, 12 on the SYN/ACK, 20 on
    the ACK, 22 on the first data, 24 when checksums are in use. Higher versions are read as v1."""

    name = "MP_CAPABLE"
    SUBTYPE = MPTCP_MP_CAPABLE
    fields_desc = [
        *_head(MPTCP_MP_CAPABLE),
        BitField("version", 1, 4),
        FlagsField("flags", "H", 8, "HGFEDCBA"),
        ConditionalField(XLongField("sender_key", None), _present("sender_key", 12, 20, 22, 24)),
        ConditionalField(XLongField("receiver_key", None), _present("receiver_key", 20, 22, 24)),
        ConditionalField(ShortField("data_length", None), _present("data_length", 22, 24)),
        ConditionalField(XShortField("checksum", None), _present("checksum", 24)),
    ]

    @classmethod
    def legal(cls, block: bytes) -> bool:
        return len(block) in ((12, 20) if block[2] & 0xF == MPTCP_V0 else (4, 12, 20, 22, 24))


class MPJoin(MPTCPOption):
    """MP_JOIN, whichever of the three packets it is on."""

    SUBTYPE = MPTCP_MP_JOIN
    BYTES = 0

    @classmethod
    def legal(cls, block: bytes) -> bool:
        return len(block) == cls.BYTES


class MPJoinSyn(MPJoin):
    name = "MP_JOIN SYN"
    BYTES = 12
    fields_desc = [
        *_head(MPTCP_MP_JOIN),
        BitField("reserved", 0, 3),
        BitField("backup", 0, 1),
        ByteField("address_id", 0),
        XIntField("token", 0),
        XIntField("nonce", 0),
    ]


class MPJoinSynAck(MPJoin):
    name = "MP_JOIN SYN/ACK"
    BYTES = 16
    fields_desc = [
        *_head(MPTCP_MP_JOIN),
        BitField("reserved", 0, 3),
        BitField("backup", 0, 1),
        ByteField("address_id", 0),
        StrFixedLenField("hmac", bytes(8), 8),
        XIntField("nonce", 0),
    ]


class MPJoinAck(MPJoin):
    name = "MP_JOIN ACK"
    BYTES = 24
    fields_desc = [
        *_head(MPTCP_MP_JOIN),
        BitField("reserved", 0, 12),
        StrFixedLenField("hmac", bytes(20), 20),
    ]


_ACK, _ACK8, _MAP, _DSN8, _FIN = 0x01, 0x02, 0x04, 0x08, 0x10


def _dss_bytes(flags: int) -> int:
    """Without a checksum."""
    ack = (8 if flags & _ACK8 else 4) if flags & _ACK else 0
    mapping = (8 if flags & _DSN8 else 4) + 6 if flags & _MAP else 0
    return 4 + ack + mapping


def _dss_has(wanted: int, unwanted: int = 0) -> Callable[[Any], bool]:
    return lambda option: int(option.flags) & (wanted | unwanted) == wanted


def _dss_has_checksum(option: Any) -> bool:
    if not int(option.flags) & _MAP:
        return False
    if option.length is not None:
        return bool(option.length == _dss_bytes(int(option.flags)) + 2)
    return option.getfieldval("checksum") is not None


class DSS(MPTCPOption):
    """Data sequence signal. The flags A, a, M, m, F decide which fields are there; `dss_option` sets them."""

    name = "DSS"
    SUBTYPE = MPTCP_DSS
    fields_desc = [
        *_head(MPTCP_DSS),
        BitField("reserved", 0, 4),
        FlagsField("flags", 0, 8, "AaMmFxyz"),
        ConditionalField(XIntField("data_ack", 0), _dss_has(_ACK, _ACK8)),
        ConditionalField(XLongField("data_ack8", 0), _dss_has(_ACK | _ACK8)),
        ConditionalField(XIntField("dsn", 0), _dss_has(_MAP, _DSN8)),
        ConditionalField(XLongField("dsn8", 0), _dss_has(_MAP | _DSN8)),
        ConditionalField(IntField("subflow_sequence", 0), _dss_has(_MAP)),
        ConditionalField(ShortField("data_length", 0), _dss_has(_MAP)),
        ConditionalField(XShortField("checksum", None), _dss_has_checksum),
    ]

    @classmethod
    def legal(cls, block: bytes) -> bool:
        extra = len(block) - _dss_bytes(block[3]) if len(block) > 3 else -1
        return extra == 0 or (extra == 2 and bool(block[3] & _MAP))


def dss_option(
    *,
    data_ack: int | None = None,
    dsn: int | None = None,
    subflow_sequence: int = 0,
    data_length: int = 0,
    checksum: int | None = None,
    wide_ack: bool = False,
    wide_dsn: bool = False,
    fin: bool = False,
) -> Any:
    """A DSS with the flags that fit: `wide_*` for eight octets, a mapping when there is a `dsn`."""
    fields: dict[str, Any] = {"flags": _FIN if fin else 0}
    if data_ack is not None:
        fields["flags"] |= _ACK | (_ACK8 if wide_ack else 0)
        fields["data_ack8" if wide_ack else "data_ack"] = data_ack & (2**64 - 1 if wide_ack else 2**32 - 1)
    if dsn is not None:
        fields["flags"] |= _MAP | (_DSN8 if wide_dsn else 0)
        fields["dsn8" if wide_dsn else "dsn"] = dsn & (2**64 - 1 if wide_dsn else 2**32 - 1)
        fields |= {"subflow_sequence": subflow_sequence, "data_length": data_length, "checksum": checksum}
    return DSS(**fields)


_IPV6_ADD_ADDR_LENGTHS = (20, 22, 28, 30)


class AddAddrV0(MPTCPOption):
    """ADD_ADDR of RFC 6824: the IP version where v1 has flags, and no HMAC."""

    name = "ADD_ADDR (v0)"
    SUBTYPE = MPTCP_ADD_ADDR
    fields_desc = [
        *_head(MPTCP_ADD_ADDR),
        BitField("ip_version", 4, 4),
        ByteField("address_id", 0),
        _AddressField("address", "0.0.0.0"),
        ConditionalField(ShortField("port", None), _present("port", 10, 22)),
    ]

    @classmethod
    def legal(cls, block: bytes) -> bool:
        return len(block) in {4: (8, 10), 6: (20, 22)}.get(block[2] & 0xF, ())


class AddAddrV1(MPTCPOption):
    """ADD_ADDR of RFC 8684: with an HMAC, or as an echo without."""

    name = "ADD_ADDR (v1)"
    SUBTYPE = MPTCP_ADD_ADDR
    fields_desc = [
        *_head(MPTCP_ADD_ADDR),
        BitField("reserved", 0, 3),
        BitField("echo", 0, 1),
        ByteField("address_id", 0),
        _AddressField("address", "0.0.0.0"),
        ConditionalField(ShortField("port", None), _present("port", 10, 18, 22, 30)),
        ConditionalField(StrFixedLenField("hmac", None, 8), _present("hmac", 16, 18, 28, 30)),
    ]

    @classmethod
    def legal(cls, block: bytes) -> bool:
        return len(block) in ((8, 10, 20, 22) if block[2] & 1 else (16, 18, 28, 30))


class RemoveAddr(MPTCPOption):
    name = "REMOVE_ADDR"
    SUBTYPE = MPTCP_REMOVE_ADDR
    fields_desc = [
        *_head(MPTCP_REMOVE_ADDR),
        BitField("reserved", 0, 4),
        FieldListField("address_ids", [0], ByteField("", 0), count_from=lambda option: option.length - 3),
    ]

    @classmethod
    def legal(cls, block: bytes) -> bool:
        return len(block) > 3


class MPPrio(MPTCPOption):
    """MP_PRIO: 3 bytes; v0 may name an address in a fourth."""

    name = "MP_PRIO"
    SUBTYPE = MPTCP_MP_PRIO
    fields_desc = [
        *_head(MPTCP_MP_PRIO),
        BitField("reserved", 0, 3),
        BitField("backup", 0, 1),
        ConditionalField(ByteField("address_id", None), _present("address_id", 4)),
    ]

    @classmethod
    def legal(cls, block: bytes) -> bool:
        return len(block) in (3, 4)


class MPFail(MPTCPOption):
    name = "MP_FAIL"
    SUBTYPE = MPTCP_MP_FAIL
    fields_desc = [*_head(MPTCP_MP_FAIL), BitField("reserved", 0, 12), XLongField("dsn", 0)]

    @classmethod
    def legal(cls, block: bytes) -> bool:
        return len(block) == 12


class MPFastclose(MPTCPOption):
    """MP_FASTCLOSE with the key of who receives it."""

    name = "MP_FASTCLOSE"
    SUBTYPE = MPTCP_MP_FASTCLOSE
    fields_desc = [*_head(MPTCP_MP_FASTCLOSE), BitField("reserved", 0, 12), XLongField("receiver_key", 0)]

    @classmethod
    def legal(cls, block: bytes) -> bool:
        return len(block) == 12


class MPTcpRst(MPTCPOption):
    """MP_TCPRST, version 1 only; flag T: the condition is transient."""

    name = "MP_TCPRST"
    SUBTYPE = MPTCP_MP_TCPRST
    fields_desc = [
        *_head(MPTCP_MP_TCPRST),
        FlagsField("flags", 0, 4, "TWVU"),
        ByteEnumField(
            "reason",
            0,
            [
                "unspecified",
                "mptcp",
                "resources",
                "prohibited",
                "outstanding data",
                "performance",
                "middlebox",
            ],
        ),
    ]

    @classmethod
    def legal(cls, block: bytes) -> bool:
        return len(block) == 4


class MPExperimental(MPTCPOption):
    """Subtype 0xf, for private use (RFC 8684 §8.2): what follows the subtype is nobody's."""

    name = "MPTCP experimental"
    SUBTYPE = MPTCP_EXPERIMENTAL
    fields_desc = [
        *_head(MPTCP_EXPERIMENTAL),
        BitField("flags", 0, 4),
        StrLenField("body", b"", length_from=lambda option: option.length - 3),
    ]

    @classmethod
    def legal(cls, block: bytes) -> bool:
        return True


class MPTCPUnknown(MPTCPOption):
    """Kind 30 with a subtype or a length nobody defined; `body` is all that follows the length."""

    name = "MPTCP unknown"
    fields_desc = [
        ByteField("kind", TCP_OPTION_MPTCP),
        ByteField("length", None),
        StrLenField("body", b"", length_from=lambda option: option.length - 2),
    ]

    @classmethod
    def legal(cls, block: bytes) -> bool:
        return True


_FORMS: tuple[type[MPTCPOption], ...] = (
    MPCapable,
    MPJoinSyn,
    MPJoinSynAck,
    MPJoinAck,
    DSS,
    AddAddrV0,
    AddAddrV1,
    RemoveAddr,
    MPPrio,
    MPFail,
    MPFastclose,
    MPTcpRst,
    MPExperimental,
)


def install() -> None:
    """Makes scapy's TCP layer read and write MPTCP options. Calling it again changes nothing."""
    tcp_options.install(TCP_OPTION_MPTCP, OPTION_NAME, MPTCPOption)


def mptcp_options(packet: Any) -> list[Any]:
    """The MPTCP options of a dissected packet, in order; empty when there is no TCP header."""
    tcp = packet.getlayer(TCP)
    return [] if tcp is None else [value for name, value in tcp.options if name == OPTION_NAME]


install()
