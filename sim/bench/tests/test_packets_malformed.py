# SPDX-License-Identifier: Apache-2.0
"""Malformed frames: each is wrong in the way its name says and in no other, and none upsets the reader.

- every header of every stack is cut at each byte
- IPv4 lengths, IHL, version, TTL and checksum; IPv6 lengths; UDP length; TCP data offset; option lengths
- option blocks are whole words, at most 40 bytes, and hold no legal handshake option
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable

import pytest
from scapy.layers.l2 import Ether

from bench.packets import mptcp
from bench.packets.malformed import Malformed, malformed, malformed_option_blocks
from bench.tests import wire


@pytest.fixture(scope="module")
def frames() -> list[Malformed]:
    return malformed(random.Random(int(os.environ["SEED"])))


def named(frames: list[Malformed], pattern: str) -> list[tuple[re.Match[str], bytes]]:
    found = [(match, frame.frame) for frame in frames if (match := re.fullmatch(pattern, frame.name))]
    assert found, pattern
    return found


def test_every_stack_is_cut_at_each_byte(frames: list[Malformed]) -> None:
    lengths: dict[str, list[int]] = {}
    for match, frame in named(frames, r"(.*) cut to (\d+) bytes"):
        assert len(frame) == int(match[2])
        lengths.setdefault(match[1], []).append(len(frame))
    assert len(lengths) == 6
    for cuts in lengths.values():
        assert cuts == list(range(1, max(cuts) + 1))
        assert len(cuts) >= 59


def test_ipv4_is_wrong_in_one_field_only(frames: list[Malformed]) -> None:
    for match, frame in named(frames, r"IPv4 IHL (\d), \d+ bytes"):
        assert frame[14] == 0x40 | int(match[1])
        assert wire.words_sum(frame[14:34]) == 0xFFFF
    for match, frame in named(frames, r"IPv4 with version (\d+), \d+ bytes"):
        assert frame[14] == int(match[1]) << 4 | 5
        assert wire.words_sum(frame[14:34]) == 0xFFFF
    for match, frame in named(frames, r"IPv4 total length (\d+) of (\d+)"):
        assert int.from_bytes(frame[16:18], "big") == int(match[1]) != int(match[2]) == len(frame) - 14
        assert wire.words_sum(frame[14:34]) == 0xFFFF
    for match, frame in named(frames, r"IPv4 TTL (\d), \d+ bytes"):
        assert wire.read(frame).ttl == int(match[1])
        assert wire.read(frame).network_checksum_ok and wire.read(frame).transport_checksum_ok
    for _, frame in named(frames, r"IPv4 checksum bit \d+, \d+ bytes"):
        assert not wire.read(frame).network_checksum_ok
        assert wire.read(frame).transport_checksum_ok


def test_ihl_names_every_value_below_five(frames: list[Malformed]) -> None:
    assert {int(match[1]) for match, _ in named(frames, r"IPv4 IHL (\d), \d+ bytes")} == set(range(5))


def test_total_lengths_are_too_long_and_too_short(frames: list[Malformed]) -> None:
    found = named(frames, r"IPv4 total length (\d+) of (\d+)")
    assert {int(match[1]) > int(match[2]) for match, _ in found} == {True, False}
    assert any(int(match[1]) < 20 for match, _ in found)


def test_transport_is_wrong_in_one_field_only(frames: list[Malformed]) -> None:
    for match, frame in named(frames, r"UDP over IPv\d, length (\d+) of (\d+)"):
        start = 34 if frame[12:14] == b"\x08\0" else 54
        assert int.from_bytes(frame[start + 4 : start + 6], "big") == int(match[1]) != int(match[2])
        assert len(frame) - start == int(match[2])
    for match, frame in named(frames, r"TCP over IPv\d, data offset (\d+)"):
        start = 34 if frame[12:14] == b"\x08\0" else 54
        assert frame[start + 12] >> 4 == int(match[1])
        words = (len(frame) - start) // 4
        assert int(match[1]) < 5 or int(match[1]) > words
    for name in (r"UDP over IPv\d, checksum", r"TCP over IPv\d, checksum"):
        for _, frame in named(frames, name):
            assert wire.read(frame).network_checksum_ok
            assert not wire.read(frame).transport_checksum_ok


def test_ipv6_is_wrong_in_one_field_only(frames: list[Malformed]) -> None:
    fields: dict[str, Callable[[bytes], int]] = {
        r"IPv6 payload length (\d+) of \d+": lambda frame: int.from_bytes(frame[18:20], "big"),
        r"IPv6 hop limit (\d)": lambda frame: frame[21],
        r"IPv6 with version (\d+)": lambda frame: frame[14] >> 4,
        r"IPv6 next header (\d+), not there": lambda frame: frame[20],
    }
    right = [0x60, 66, 17, 64]
    for index, (pattern, field) in enumerate(fields.items()):
        for match, frame in named(frames, pattern):
            assert field(frame) == int(match[1])
            others = [frame[14] & 0xF0, int.from_bytes(frame[18:20], "big"), frame[20], frame[21]]
            assert sum(a != b for a, b in zip(others, right, strict=True)) == 1, (index, others)


def test_tags_marks_and_probes_are_what_they_say(frames: list[Malformed]) -> None:
    for match, frame in named(frames, r"(\d) VLAN tags"):
        assert frame[12::4][: int(match[1]) + 1] == b"\x81" * int(match[1]) + b"\x08"
    for _, frame in named(frames, "probe with IP options it lacks"):
        assert frame[14] == 0x46
        assert wire.words_sum(frame[14:38]) == 0xFFFF
    for _, frame in named(frames, "two MP-HULA headers"):
        assert (frame[12:14], frame[24:26], frame[36:38]) == (b"\x88\xb5", b"\x88\xb5", b"\x08\0")
    for _, frame in named(frames, "VLAN tag behind the MP-HULA header"):
        assert (frame[12:14], frame[24:30]) == (b"\x88\xb5", bytes.fromhex("810000050800"))
    for _, frame in named(frames, "nothing behind the MP-HULA header"):
        assert (frame[12:14], len(frame)) == (b"\x88\xb5", 26)
    for match, frame in named(frames, r"MP-HULA version (\d+)"):
        assert frame[22] == 2 << 4 | int(match[1])
    for match, frame in named(frames, r"probe with IPv4 total length (\d+)"):
        assert int.from_bytes(frame[16:18], "big") == int(match[1]) != 24
        assert (frame[23], len(frame)) == (253, 60)


def test_option_blocks_break_as_they_say(rng: random.Random) -> None:
    blocks = malformed_option_blocks(rng)
    assert {len(block) % 4 for _, block in blocks} == {0}
    assert max(len(block) for _, block in blocks) == 40
    for name, block in blocks:
        if match := re.fullmatch(r"kind (\d+) length (\d+) behind (\d+) NOPs", name):
            kind, length, at = (int(text) for text in match.groups())
            assert block[:at] == b"\x01" * at
            assert block[at : at + 2] == bytes([kind, length])
            assert length < 2 or at + length > len(block)
        elif match := re.fullmatch(r"(\w+) of length (\d+)", name):
            option = wire.walk_options(block)[0]
            assert len(option) == int(match[2])
            assert isinstance(mptcp.MPTCPOption(option), mptcp.MPTCPUnknown)
        elif "EOL" in name:
            assert 30 not in [option[0] for option in wire.walk_options(block)]
            assert b"\x1e\x0c\x10" in block
        else:
            assert block[-1] == 30


def test_frames_with_broken_options_are_otherwise_right(frames: list[Malformed], rng: random.Random) -> None:
    blocks = {block.name for block in malformed_option_blocks(rng)}
    found = named(frames, r"TCP (?:S|SA|A) over IPv\d: (.*)")
    assert {match[1] for match, _ in found} == blocks
    for _, frame in found:
        start = 34 if frame[12:14] == b"\x08\0" else 54
        assert 20 < (frame[start + 12] >> 4) * 4 <= len(frame) - start
        end = 14 + int.from_bytes(frame[16:18], "big") if start == 34 else len(frame)
        body = frame[start:end]
        addresses = frame[26:34] if start == 34 else frame[22:54]
        pseudo = addresses + len(body).to_bytes(4, "big") + (6).to_bytes(4, "big")
        assert wire.words_sum(pseudo + body) == 0xFFFF


def test_a_name_finds_one_frame(frames: list[Malformed]) -> None:
    assert all(frame.frame for frame in frames)
    assert len({frame.name for frame in frames}) == len(frames)


def test_the_option_layers_survive_all_of_them(frames: list[Malformed]) -> None:
    whole_ethernet_header = [frame for frame in frames if len(frame.frame) >= 14]
    assert len(whole_ethernet_header) > 1000
    for frame in whole_ethernet_header:
        mptcp.mptcp_options(Ether(frame.frame))


def test_the_same_seed_makes_the_same_frames() -> None:
    assert malformed(random.Random(1)) == malformed(random.Random(1))
