# SPDX-License-Identifier: Apache-2.0
"""Tokens, IDSN, HMACs and checksums against published vectors, packets of real hosts and hashlib by hand."""

from __future__ import annotations

import hashlib
import random

import pytest

from bench.packets import mptcp_hash

PUBLISHED_V0_TOKENS = {
    # README of the mptcp-assignment project, in decimal there.
    0xC58478A9DD4BDC20: 0x46C7CD1A,
    0x1D1D262C4CB328FD: 0xCDD0BE2A,
    0x5686675606032088: 0x899CF6F6,
    0x0DA4D294F8B537F8: 0xD744EB4C,
}

KERNEL_SELF_TEST = [
    # Linux net/mptcp/crypto_test.c: both keys as 16 characters, the message as 8, HMAC-SHA256.
    (b"0b0b0b0b0b0b0b0b", b"48692054", "8385e24fb4235ac37556b6b886db106284a1da671699f46db1f235ec622dcafa"),
    (b"aaaaaaaaaaaaaaaa", b"dddddddd", "2c5e219164ff1dca1c4a92318d847bb6b9d44492984e1eb71aff9022f71046e9"),
    (b"0102030405060708", b"cdcdcdcd", "e73b9ba9969969cefb04aa0d6df18ec2fcc075b6f23b4d8c4da736a5dbbc6e7d"),
]

# Key of the sender, 24 bytes of data, checksum in the MP_CAPABLE option of length 24: Linux 6.18.
CHECKSUMMED = (
    0x93DAC3CE069B7DB7,
    bytes.fromhex("0000000000004e20000000000000ea603fd999999999999a"),
    0x8F88,
)


@pytest.mark.parametrize("key", PUBLISHED_V0_TOKENS, ids=hex)
def test_v0_token_is_the_published_one(key: int) -> None:
    assert mptcp_hash.token(key, 0) == PUBLISHED_V0_TOKENS[key]


def test_token_and_idsn_of_both_versions_on_the_wire() -> None:
    assert mptcp_hash.key_digest(0x63E5B1000A37A318, 0) == (0x304C27FA, 0x916F7A31D2B30B59)
    assert mptcp_hash.key_digest(0x6B1F0C5FF961A3A6, 0) == (0xD6EF0A17, 0x50B53BD39C3746D1)
    assert mptcp_hash.key_digest(0xC5D38E3EAB4C173B, 1) == (0xB24A5308, 0x4A3B6D2D6385882D)
    assert mptcp_hash.key_digest(0x5632B7E08CEBD70A, 1) == (0x2A324F69, 0xE21E6A7AF8B60203)


@pytest.mark.parametrize(("version", "algorithm"), [(0, hashlib.sha1), (1, hashlib.sha256)])
def test_token_and_idsn_are_both_ends_of_the_hash(version: int, algorithm: object, rng: random.Random) -> None:
    single_bits = [1 << bit for bit in range(64)]
    for key in [0, 2**64 - 1, *single_bits, *(rng.getrandbits(64) for _ in range(200))]:
        digest = algorithm(key.to_bytes(8, "big")).hexdigest()  # type: ignore[operator]
        assert f"{mptcp_hash.token(key, version):08x}" == digest[:8]
        assert f"{mptcp_hash.idsn(key, version):016x}" == digest[-16:]


@pytest.mark.parametrize(("keys", "message", "expected"), KERNEL_SELF_TEST)
def test_hmac_agrees_with_the_kernels_own_test(keys: bytes, message: bytes, expected: str) -> None:
    first, second = int.from_bytes(keys[:8], "big"), int.from_bytes(keys[8:], "big")
    assert mptcp_hash.hmac_digest(1, first, second, message).hex() == expected
    nonces = int.from_bytes(message[:4], "big"), int.from_bytes(message[4:], "big")
    assert mptcp_hash.join_ack_hmac(1, first, second, *nonces).hex() == expected[:40]
    assert mptcp_hash.join_syn_ack_hmac(1, second, first, *nonces[::-1]).hex() == expected[:16]


def test_v0_join_of_a_public_capture() -> None:
    secrets = (0, 0x63E5B1000A37A318, 0x6B1F0C5FF961A3A6, 0xE8312F0B, 0x471E7B95)
    assert mptcp_hash.join_syn_ack_hmac(*secrets).hex() == "889f88a15cbb3c41"
    assert mptcp_hash.join_ack_hmac(*secrets).hex() == "e2503523b79f4c0ee342b93c61b29904c426337a"


def test_dss_checksum_of_a_linux_data_segment() -> None:
    key, payload, sent = CHECKSUMMED
    dsn = int.from_bytes(hashlib.sha256(key.to_bytes(8, "big")).digest()[-8:], "big") + 1
    assert mptcp_hash.dss_checksum(dsn, 1, len(payload), payload) == sent


def test_dss_checksum_by_hand() -> None:
    assert mptcp_hash.dss_checksum(0, 0, 0, b"") == 0xFFFF
    assert mptcp_hash.dss_checksum(1, 2, 3, b"\x01") == ~(1 + 2 + 3 + 0x0100) & 0xFFFF
    assert mptcp_hash.dss_checksum(0xFFFF, 0, 0, b"") == 0
    assert mptcp_hash.dss_checksum(0xFFFF, 1, 0, b"") == ~1 & 0xFFFF
