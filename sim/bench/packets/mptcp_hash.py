# SPDX-License-Identifier: Apache-2.0
"""Tokens, initial data sequence numbers and HMACs of MPTCP, from hashlib alone.

Version 0 (RFC 6824) hashes with SHA-1, version 1 (RFC 8684) with SHA-256. A key is the 64-bit number that
its eight bytes make in network order; nonces are 32-bit numbers; HMACs are bytes.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from typing import NamedTuple

from bench.packets.protocols import MPTCP_V0, MPTCP_V1

_ALGORITHM = {MPTCP_V0: "sha1", MPTCP_V1: "sha256"}


class KeyDigest(NamedTuple):
    """What both ends derive from a key."""

    token: int
    idsn: int


def key_digest(key: int, version: int) -> KeyDigest:
    """Token: most significant 32 bits; IDSN: least significant 64 bits of the hash (RFC 8684 §3.1, §3.2)."""
    digest = hashlib.new(_ALGORITHM[version], key.to_bytes(8, "big")).digest()
    return KeyDigest(int.from_bytes(digest[:4], "big"), int.from_bytes(digest[-8:], "big"))


def token(key: int, version: int) -> int:
    return key_digest(key, version).token


def idsn(key: int, version: int) -> int:
    return key_digest(key, version).idsn


def hmac_digest(version: int, first_key: int, second_key: int, message: bytes) -> bytes:
    """The whole HMAC with `first_key || second_key` as its key."""
    secret = first_key.to_bytes(8, "big") + second_key.to_bytes(8, "big")
    return hmac.new(secret, message, _ALGORITHM[version]).digest()


def _nonces(first: int, second: int) -> bytes:
    return first.to_bytes(4, "big") + second.to_bytes(4, "big")


def join_syn_ack_hmac(
    version: int, key_initiator: int, key_responder: int, nonce_initiator: int, nonce_responder: int
) -> bytes:
    """HMAC-B of RFC 8684 §3.2, leftmost 64 bits. The initiator is who sent the JOIN SYN."""
    message = _nonces(nonce_responder, nonce_initiator)
    return hmac_digest(version, key_responder, key_initiator, message)[:8]


def join_ack_hmac(
    version: int, key_initiator: int, key_responder: int, nonce_initiator: int, nonce_responder: int
) -> bytes:
    """HMAC-A of RFC 8684 §3.2, leftmost 160 bits. The initiator is who sent the JOIN SYN."""
    message = _nonces(nonce_initiator, nonce_responder)
    return hmac_digest(version, key_initiator, key_responder, message)[:20]


def add_addr_hmac(key_sender: int, key_receiver: int, address_id: int, address: str, port: int = 0) -> bytes:
    """Rightmost 64 bits, version 1 only (RFC 8684 §3.4.1). Port 0 stands for an option without a port."""
    message = bytes([address_id]) + ipaddress.ip_address(address).packed + port.to_bytes(2, "big")
    return hmac_digest(MPTCP_V1, key_sender, key_receiver, message)[-8:]


def dss_checksum(dsn: int, subflow_sequence: int, data_length: int, payload: bytes) -> int:
    """The checksum over payload and pseudo-header (RFC 8684 §3.3.1); the DSN counts with all 64 bits."""
    pseudo = dsn.to_bytes(8, "big") + subflow_sequence.to_bytes(4, "big") + data_length.to_bytes(2, "big")
    covered = pseudo + bytes(2) + payload + bytes(len(payload) % 2)
    return ~_ones_complement_sum(covered) & 0xFFFF


def _ones_complement_sum(covered: bytes) -> int:
    """Folding is taking the remainder of 2^16 - 1, except that only all-zero bytes sum to zero."""
    value = int.from_bytes(covered, "big")
    return value % 0xFFFF or (0xFFFF if value else 0)
