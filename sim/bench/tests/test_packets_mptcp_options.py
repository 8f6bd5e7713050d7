# SPDX-License-Identifier: Apache-2.0
"""The MPTCP option layers against bytes written by hand from RFC 6824 and RFC 8684.

- each legal form of each option: built to the bytes, and the bytes read back to the same class and fields
- every combination of the DSS flags
- lengths no RFC gives: kept as unknown, byte for byte
- option blocks: several options, NOP anywhere, unaligned, broken lengths, EOL, random bytes, all rebuilt
- fields drawn at random survive building and dissecting
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.inet import IP, TCP, TCPOptionsField
from scapy.layers.inet6 import IPv6

from bench.packets import mptcp, tcp_options
from bench.packets.mptcp import (
    DSS,
    AddAddrV0,
    AddAddrV1,
    MPCapable,
    MPExperimental,
    MPFail,
    MPFastclose,
    MPJoinAck,
    MPJoinSyn,
    MPJoinSynAck,
    MPPrio,
    MPTCPOption,
    MPTcpRst,
    MPTCPUnknown,
    RemoveAddr,
    dss_option,
)

KEY_A, KEY_B = 0x0102030405060708, 0x1112131415161718
V4, V6 = "192.0.2.1", "2001:db8::5"
V4_HEX, V6_HEX = "c0000201", "20010db8000000000000000000000005"
HMAC8, HMAC20 = bytes(range(0xA0, 0xA8)), bytes(range(0xB0, 0xC4))
HMAC8_HEX, HMAC20_HEX = "a0a1a2a3a4a5a6a7", "b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3"
ACK8, DSN8 = 0xA1A2A3A4A5A6A7A8, 0xD1D2D3D4D5D6D7D8

FORMS: dict[str, tuple[Any, str]] = {
    "MP_CAPABLE v0 SYN and SYN/ACK": (MPCapable(version=0, sender_key=KEY_A), "1e0c0001" + "0102030405060708"),
    "MP_CAPABLE v0 ACK": (
        MPCapable(version=0, flags=0x81, sender_key=KEY_A, receiver_key=KEY_B),
        "1e140081" + "0102030405060708" + "1112131415161718",
    ),
    "MP_CAPABLE v1 SYN": (MPCapable(), "1e040101"),
    "MP_CAPABLE v1 SYN/ACK, no joins to this address": (
        MPCapable(flags="CH", sender_key=KEY_B),
        "1e0c0121" + "1112131415161718",
    ),
    "MP_CAPABLE v1 ACK": (
        MPCapable(sender_key=KEY_A, receiver_key=KEY_B),
        "1e140101" + "0102030405060708" + "1112131415161718",
    ),
    "MP_CAPABLE v1 data": (
        MPCapable(sender_key=KEY_A, receiver_key=KEY_B, data_length=0x1234),
        "1e160101" + "0102030405060708" + "1112131415161718" + "1234",
    ),
    "MP_CAPABLE v1 data with checksum": (
        MPCapable(flags=0x81, sender_key=KEY_A, receiver_key=KEY_B, data_length=0x1234, checksum=0xBEEF),
        "1e180181" + "0102030405060708" + "1112131415161718" + "1234" + "beef",
    ),
    "MP_JOIN SYN": (MPJoinSyn(address_id=2, token=0xCAFEF00D, nonce=0x55667788), "1e0c1002cafef00d55667788"),
    "MP_JOIN SYN, backup": (
        MPJoinSyn(backup=1, address_id=3, token=0xCAFEF00D, nonce=0x55667788),
        "1e0c1103cafef00d55667788",
    ),
    "MP_JOIN SYN/ACK": (
        MPJoinSynAck(address_id=4, hmac=HMAC8, nonce=0x99AABBCC),
        "1e101004" + HMAC8_HEX + "99aabbcc",
    ),
    "MP_JOIN SYN/ACK, backup": (
        MPJoinSynAck(backup=1, address_id=4, hmac=HMAC8, nonce=0x99AABBCC),
        "1e101104" + HMAC8_HEX + "99aabbcc",
    ),
    "MP_JOIN ACK": (MPJoinAck(hmac=HMAC20), "1e181000" + HMAC20_HEX),
    "DSS nothing": (dss_option(), "1e042000"),
    "DSS ack 4": (dss_option(data_ack=0xA5A6A7A8), "1e082001a5a6a7a8"),
    "DSS ack 8": (dss_option(data_ack=ACK8, wide_ack=True), "1e0c2003a1a2a3a4a5a6a7a8"),
    "DSS map, DSN 4": (
        dss_option(dsn=0xD5D6D7D8, subflow_sequence=9, data_length=0x0102),
        "1e0e2004d5d6d7d8" + "00000009" + "0102",
    ),
    "DSS ack 4, DSN 8": (
        dss_option(data_ack=0xA5A6A7A8, dsn=DSN8, subflow_sequence=9, data_length=0x0102, wide_dsn=True),
        "1e16200da5a6a7a8" + "d1d2d3d4d5d6d7d8" + "00000009" + "0102",
    ),
    "DSS ack 8, DSN 8, FIN, checksum": (
        dss_option(
            data_ack=ACK8,
            dsn=DSN8,
            data_length=1,
            checksum=0xBEEF,
            wide_ack=True,
            wide_dsn=True,
            fin=True,
        ),
        "1e1c201fa1a2a3a4a5a6a7a8" + "d1d2d3d4d5d6d7d8" + "00000000" + "0001" + "beef",
    ),
    "ADD_ADDR v0 IPv4": (AddAddrV0(address_id=5, address=V4), "1e083405" + V4_HEX),
    "ADD_ADDR v0 IPv4 port": (AddAddrV0(address_id=5, address=V4, port=0x2329), "1e0a3405" + V4_HEX + "2329"),
    "ADD_ADDR v0 IPv6": (AddAddrV0(ip_version=6, address_id=5, address=V6), "1e143605" + V6_HEX),
    "ADD_ADDR v0 IPv6 port": (
        AddAddrV0(ip_version=6, address_id=5, address=V6, port=0x2329),
        "1e163605" + V6_HEX + "2329",
    ),
    "ADD_ADDR v1 IPv4": (AddAddrV1(address_id=5, address=V4, hmac=HMAC8), "1e103005" + V4_HEX + HMAC8_HEX),
    "ADD_ADDR v1 IPv4 port": (
        AddAddrV1(address_id=5, address=V4, port=0x2329, hmac=HMAC8),
        "1e123005" + V4_HEX + "2329" + HMAC8_HEX,
    ),
    "ADD_ADDR v1 IPv6": (AddAddrV1(address_id=5, address=V6, hmac=HMAC8), "1e1c3005" + V6_HEX + HMAC8_HEX),
    "ADD_ADDR v1 IPv6 port": (
        AddAddrV1(address_id=5, address=V6, port=0x2329, hmac=HMAC8),
        "1e1e3005" + V6_HEX + "2329" + HMAC8_HEX,
    ),
    "ADD_ADDR echo IPv4": (AddAddrV1(echo=1, address_id=5, address=V4), "1e083105" + V4_HEX),
    "ADD_ADDR echo IPv4 port": (
        AddAddrV1(echo=1, address_id=5, address=V4, port=0x2329),
        "1e0a3105" + V4_HEX + "2329",
    ),
    "ADD_ADDR echo IPv6": (AddAddrV1(echo=1, address_id=5, address=V6), "1e143105" + V6_HEX),
    "ADD_ADDR echo IPv6 port": (
        AddAddrV1(echo=1, address_id=5, address=V6, port=0x2329),
        "1e163105" + V6_HEX + "2329",
    ),
    "REMOVE_ADDR one": (RemoveAddr(address_ids=[7]), "1e044007"),
    "REMOVE_ADDR three": (RemoveAddr(address_ids=[7, 8, 255]), "1e06400708ff"),
    "MP_PRIO": (MPPrio(backup=1), "1e0351"),
    "MP_PRIO v0 with address": (MPPrio(address_id=6), "1e045006"),
    "MP_FAIL": (MPFail(dsn=DSN8), "1e0c6000d1d2d3d4d5d6d7d8"),
    "MP_FASTCLOSE": (MPFastclose(receiver_key=KEY_B), "1e0c70001112131415161718"),
    "MP_TCPRST": (MPTcpRst(reason=3), "1e048003"),
    "MP_TCPRST transient": (MPTcpRst(flags="T", reason=6), "1e048106"),
    "experimental, empty": (MPExperimental(), "1e03f0"),
    "experimental": (MPExperimental(flags=0xA, body=b"\x01\x02\x03"), "1e06fa010203"),
}


def rebuilt(option: Any) -> bytes:
    """Built anew from the fields, not from the bytes that scapy kept."""
    option.clear_cache()
    return bytes(option)


@pytest.mark.parametrize("name", FORMS)
def test_form_is_built_as_the_rfc_draws_it(name: str) -> None:
    option, expected = FORMS[name]
    assert bytes(option).hex() == expected


@pytest.mark.parametrize("name", FORMS)
def test_form_is_read_back(name: str) -> None:
    option, expected = FORMS[name]
    read = MPTCPOption(bytes.fromhex(expected))
    assert type(read) is type(option)
    assert read.length == len(expected) // 2
    for field in option.fields_desc:
        if field.name != "length" and option.getfieldval(field.name) is not None:
            assert read.getfieldval(field.name) == option.getfieldval(field.name), field.name
    assert rebuilt(read).hex() == expected


def test_every_layer_has_a_form_written_by_hand() -> None:
    tested = {type(option) for option, _ in FORMS.values()}
    assert tested == set(mptcp._FORMS)


@pytest.mark.parametrize("flags", range(32))
@pytest.mark.parametrize("checksum", [None, 0xC5C6])
def test_dss_layout_follows_its_flags(flags: int, checksum: int | None) -> None:
    expected = f"20{flags:02x}"
    if flags & 0x01:
        expected += "a1a2a3a4a5a6a7a8" if flags & 0x02 else "b1b2b3b4"
    if flags & 0x04:
        expected += ("d1d2d3d4d5d6d7d8" if flags & 0x08 else "e1e2e3e4") + "00010203" + "0405"
        expected += "c5c6" if checksum is not None else ""
    expected = f"1e{len(expected) // 2 + 2:02x}" + expected
    values = {"data_ack": 0xB1B2B3B4, "data_ack8": ACK8, "dsn": 0xE1E2E3E4, "dsn8": DSN8}
    option = DSS(flags=flags, **values, subflow_sequence=0x10203, data_length=0x405, checksum=checksum)
    assert bytes(option).hex() == expected
    read = MPTCPOption(bytes.fromhex(expected))
    assert isinstance(read, DSS)
    assert int(read.flags) == flags
    assert read.checksum == (checksum if flags & 0x04 else None)
    assert rebuilt(read).hex() == expected


def test_flags_go_by_the_letters_of_the_rfc() -> None:
    assert [str(DSS(flags=1 << place).flags) for place in range(5)] == ["A", "a", "M", "m", "F"]
    assert [str(MPCapable(flags=0x80 >> place).flags) for place in range(8)] == list("ABCDEFGH")
    assert [str(MPTcpRst(flags=8 >> place).flags) for place in range(4)] == ["U", "V", "W", "T"]


LEGAL_LENGTHS = {
    "MP_CAPABLE v0": ("00", {12, 20}),
    "MP_CAPABLE v1": ("01", {4, 12, 20, 22, 24}),
    "MP_JOIN": ("10", {12, 16, 24}),
    "DSS without fields": ("2000", {4}),
    "DSS ack 8, map 8": ("200f", {26, 28}),
    "DSS ack 4": ("2001", {8}),
    "ADD_ADDR v0 IPv4": ("34", {8, 10, 16, 18, 28, 30}),
    "ADD_ADDR v0 IPv6": ("36", {20, 22, 16, 18, 28, 30}),
    "ADD_ADDR v1": ("30", {16, 18, 28, 30}),
    "ADD_ADDR v1 echo": ("31", {8, 10, 20, 22}),
    "REMOVE_ADDR": ("40", set(range(4, 41))),
    "MP_PRIO": ("50", {3, 4}),
    "MP_FAIL": ("60", {12}),
    "MP_FASTCLOSE": ("70", {12}),
    "MP_TCPRST": ("80", {4}),
    "undefined 9": ("90", set()),
    "undefined e": ("e0", set()),
    "experimental": ("f0", set(range(3, 41))),
}


@pytest.mark.parametrize("name", LEGAL_LENGTHS)
def test_only_the_lengths_of_the_rfc_are_understood(name: str) -> None:
    start, legal = LEGAL_LENGTHS[name]
    for length in range(2, 41):
        block = (bytes([30, length]) + bytes.fromhex(start) + bytes(range(40)))[:length]
        read = MPTCPOption(block)
        assert (not isinstance(read, MPTCPUnknown)) == (length in legal), length
        assert rebuilt(read) == block
        if isinstance(read, MPTCPUnknown):
            assert read.body == block[2:]


def test_length_that_is_set_decides_which_fields_are_there() -> None:
    assert bytes(MPCapable(length=12)).hex() == "1e0c0101" + "00" * 8
    assert bytes(MPCapable(length=4, sender_key=KEY_A)).hex() == "1e040101"
    assert bytes(MPTCPUnknown(length=0, body=b"\x10\x01")).hex() == "1e001001"


TIMESTAMP = ("Timestamp", (0x01020304, 0x05060708))
TIMESTAMP_HEX = "080a0102030405060708"
JOIN_HEX = FORMS["MP_JOIN SYN"][1]

BLOCKS: dict[str, tuple[list[tuple[Any, Any]], str]] = {
    "as Linux sends a JOIN SYN": (
        [
            ("MSS", 1460),
            ("SAckOK", b""),
            TIMESTAMP,
            ("NOP", None),
            ("WScale", 7),
            ("MPTCP", FORMS["MP_JOIN SYN"][0]),
        ],
        "020405b4" + "0402" + TIMESTAMP_HEX + "01" + "030307" + JOIN_HEX,
    ),
    "unaligned behind one NOP": (
        [("NOP", None), ("MPTCP", FORMS["MP_JOIN SYN"][0])],
        "01" + JOIN_HEX + "000000",
    ),
    "behind timestamps and SACK": (
        [
            ("NOP", None),
            ("NOP", None),
            TIMESTAMP,
            ("NOP", None),
            ("NOP", None),
            ("SAck", (1, 2)),
            ("MPTCP", FORMS["DSS ack 8"][0]),
        ],
        "0101" + TIMESTAMP_HEX + "0101" + "050a0000000100000002" + FORMS["DSS ack 8"][1],
    ),
    "three in one segment, NOPs between": (
        [
            ("MPTCP", FORMS["MP_PRIO"][0]),
            ("NOP", None),
            ("MPTCP", FORMS["DSS ack 4"][0]),
            ("NOP", None),
            ("MPTCP", FORMS["MP_FASTCLOSE"][0]),
        ],
        "1e0351" + "01" + FORMS["DSS ack 4"][1] + "01" + FORMS["MP_FASTCLOSE"][1] + "000000",
    ),
    "length 0": ([("NOP", None), ("RAW", bytes.fromhex("1e0010"))], "011e0010"),
    "length 1": ([("RAW", bytes.fromhex("1e0110ff"))], "1e0110ff"),
    "beyond the block": ([("NOP", None), ("RAW", bytes.fromhex("1e0c10"))], "011e0c10"),
    "no length byte": ([("MPTCP", FORMS["MP_PRIO"][0]), ("RAW", b"\x1e")], "1e03511e"),
    "other kind with length 0": ([("RAW", bytes.fromhex("08000000"))], "08000000"),
    "bytes behind EOL": ([("EOL", None), ("RAW", bytes.fromhex("1e0351"))], "001e0351"),
    "zeros behind EOL": ([("EOL", None), ("RAW", bytes(7))], "0000000000000000"),
    "odd length of a known kind": ([(25, b"\x05"), ("NOP", None)], "19030501"),
}


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("network", [IP, IPv6])
def test_option_block_is_built_and_read_back(name: str, network: Any) -> None:
    options, expected = BLOCKS[name]
    built = bytes(network() / TCP(options=options) / b"payload")
    start = 60 if network is IPv6 else 40
    assert built[start : -len(b"payload")].hex() == expected
    assert built[start - 8] >> 4 == 5 + len(expected) // 8
    read = network(built)[TCP]
    assert bytes(read.payload) == b"payload"
    assert [(kind, as_bytes(value)) for kind, value in read.options if kind != "EOL"] == [
        (kind, as_bytes(value)) for kind, value in options if kind != "EOL"
    ]


def as_bytes(value: Any) -> Any:
    return bytes(value) if isinstance(value, MPTCPOption) else value


def test_installing_again_changes_nothing() -> None:
    before = (TCPOptionsField.m2i, TCPOptionsField.i2m)
    mptcp.install()
    mptcp.install()
    assert (TCPOptionsField.m2i, TCPOptionsField.i2m) == before
    options, expected = BLOCKS["as Linux sends a JOIN SYN"]
    assert tcp_options.unpadded(options).hex() == expected


def test_plain_options_are_what_scapy_makes_of_them() -> None:
    block = bytes.fromhex("020405b4" + "0402" + TIMESTAMP_HEX + "01" + "030307")
    read = TCP(bytes(12) + b"\xa0" + bytes(7) + block)
    expected = [("MSS", 1460), ("SAckOK", b""), TIMESTAMP, ("NOP", None), ("WScale", 7)]
    assert read.options == expected
    assert TCP(bytes(TCP(options=[(254, b"xy")]))).options[0] == (254, b"xy")


@given(st.binary(max_size=40))
def test_any_option_block_is_rebuilt_to_the_same_bytes(block: bytes) -> None:
    block = block[: len(block) // 4 * 4]
    header = bytes(12) + bytes([(5 + len(block) // 4) << 4]) + bytes(7)
    read = TCP(header + block)
    for value in mptcp.mptcp_options(read):
        value.clear_cache()
    read.options = list(read.options)
    read.clear_cache()
    read.chksum = 0
    assert bytes(read) == header + block


@given(st.binary(max_size=38), st.sampled_from(range(16)), st.sampled_from(range(16)))
def test_any_option_is_rebuilt_to_the_same_bytes(body: bytes, subtype: int, nibble: int) -> None:
    start = bytes([subtype << 4 | nibble])
    block = bytes([30, min(40, len(body) + 3)]) + start + body[:37]
    assert rebuilt(MPTCPOption(block)) == block


u8, u16, u32, u64 = (st.integers(0, 2**bits - 1) for bits in (8, 16, 32, 64))
bit = st.integers(0, 1)


def optional(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), values)


addresses = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)).map(str)


@st.composite
def options(draw: st.DrawFn) -> Any:
    """An option of any class with random fields."""
    kind = draw(st.sampled_from(mptcp._FORMS))
    if kind is MPCapable:
        depth = draw(st.integers(0, 4))
        names = ("sender_key", "receiver_key", "data_length", "checksum")[:depth]
        keys = {name: draw(u64 if "key" in name else u16) for name in names}
        version = 0 if depth in (1, 2) and draw(bit) else draw(st.integers(1, 15))
        return MPCapable(version=version, flags=draw(u8), **keys)
    if kind is DSS:
        wide, map_wide = draw(bit), draw(bit)
        return dss_option(
            data_ack=draw(optional(u64 if wide else u32)),
            dsn=draw(optional(u64 if map_wide else u32)),
            subflow_sequence=draw(u32),
            data_length=draw(u16),
            checksum=draw(optional(u16)),
            wide_ack=bool(wide),
            wide_dsn=bool(map_wide),
            fin=bool(draw(bit)),
        )
    if kind is AddAddrV0:
        address = draw(addresses)
        version = 6 if ":" in address else 4
        return AddAddrV0(ip_version=version, address_id=draw(u8), address=address, port=draw(optional(u16)))
    if kind is AddAddrV1:
        hmac = draw(optional(st.binary(min_size=8, max_size=8)))
        return AddAddrV1(
            echo=int(hmac is None),
            address_id=draw(u8),
            address=draw(addresses),
            port=draw(optional(u16)),
            hmac=hmac,
        )
    fields: dict[Any, dict[str, st.SearchStrategy[Any]]] = {
        MPJoinSyn: {"backup": bit, "address_id": u8, "token": u32, "nonce": u32},
        MPJoinSynAck: {
            "backup": bit,
            "address_id": u8,
            "hmac": st.binary(min_size=8, max_size=8),
            "nonce": u32,
        },
        MPJoinAck: {"hmac": st.binary(min_size=20, max_size=20)},
        RemoveAddr: {"address_ids": st.lists(u8, min_size=1, max_size=10)},
        MPPrio: {"backup": bit, "address_id": optional(u8)},
        MPFail: {"dsn": u64},
        MPFastclose: {"receiver_key": u64},
        MPTcpRst: {"flags": st.integers(0, 15), "reason": u8},
        MPExperimental: {"flags": st.integers(0, 15), "body": st.binary(max_size=20)},
    }
    return kind(**{name: draw(values) for name, values in fields[kind].items()})


@given(st.lists(options(), min_size=1, max_size=3), st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_random_fields_survive_a_segment(chosen: list[Any], nops: list[int]) -> None:
    block: list[tuple[Any, Any]] = []
    for option, gap in zip(chosen, itertools.cycle(nops), strict=False):
        block += [("NOP", None)] * gap + [("MPTCP", option)]
    while len(tcp_options.unpadded(block)) > 40:
        block.pop()
    sent = [value for name, value in block if name == "MPTCP"]
    read = IP(bytes(IP() / TCP(options=block)))
    found = mptcp.mptcp_options(read)
    assert [type(value) for value in found] == [type(value) for value in sent]
    for wanted, got in zip(sent, found, strict=True):
        given_fields = {name: value for name, value in wanted.fields.items() if value is not None}
        for name, value in given_fields.items():
            if wanted.get_field(name) and got.getfieldval(name) is not None:
                assert got.getfieldval(name) == value
        assert rebuilt(got) == bytes(wanted)
