# SPDX-License-Identifier: Apache-2.0
"""Connections: the frames say what the truth says, as a reader finds it who knows RFC 6824 and 8684 and no more.

`follow` reads the frames byte by byte and recomputes tokens and HMACs with hashlib; its findings are compared
to the truth that the conversation states. Sequence numbers and data sequence numbers have no gaps.
"""

from __future__ import annotations

import hashlib
import hmac
import random
from collections import defaultdict
from typing import Any

import pytest

from bench.packets.connection import Conversation, Join, Side, handshake
from bench.packets.factory import Link, OptionStyle, Tag
from bench.tests import wire

HASH: dict[int, Any] = {0: hashlib.sha1, 1: hashlib.sha256}
ALL_JOINS = [Join(), Join("server"), Join(family=6), Join("server", backup=True)]


def token(key: bytes, version: int) -> int:
    return int.from_bytes(HASH[version](key).digest()[:4], "big")


def hmac_of(version: int, first: bytes, second: bytes, message: bytes) -> bytes:
    return hmac.new(first + second, message, HASH[version]).digest()


def follow(talk: Conversation) -> dict[str, Any]:
    """What the frames alone tell: keys, version, and per join the 5-tuple, nonces, HMACs judged."""
    found: dict[str, Any] = {"joins": {}, "capable": defaultdict(list)}
    for frame in talk.frames:
        segment = wire.read(frame.data)
        assert segment.network_checksum_ok and segment.transport_checksum_ok
        for option in segment.mptcp:
            kind = {0x02: "syn", 0x12: "syn_ack"}.get(segment.flags & 0x12, "ack")
            if option[2] >> 4 == 0:
                found["capable"][kind].append((frame.number, option))
            if option[2] >> 4 == 1:
                back = (segment.dst, segment.dport, segment.src, segment.sport)
                flow = back if kind == "syn_ack" else segment.flow
                found["joins"].setdefault(flow, {}).setdefault(kind, []).append((frame.number, option))
    return found


def check_against_truth(talk: Conversation) -> None:
    truth = talk.truth
    found = follow(talk)
    key = {side: value.to_bytes(8, "big") for side, value in truth.key.items()}
    for _, option in found["capable"]["syn_ack"]:
        assert option[4:12] == key["server"]
    for _, option in found["capable"]["syn"]:
        assert option[4:12] == (key["client"] if truth.version == 0 else b"")
    for _, option in found["capable"]["ack"]:
        assert option[4:20] == key["client"] + key["server"]
    for option in (option for options in found["capable"].values() for _, option in options):
        assert option[2] & 0xF == truth.version
        assert option[3] == (0x81 if truth.checksum else 0x01)
    for side in ("client", "server"):
        assert truth.token[side] == token(key[side], truth.version)
        digest = HASH[truth.version](key[side]).digest()
        assert truth.idsn[side] == int.from_bytes(digest[-8:], "big")
    assert truth.mp_id == truth.token["client"] << 32 | truth.token["server"]

    joined = [made for made in truth.subflows if made.kind == "MP_JOIN"]
    assert len(found["joins"]) == len(joined)
    for made in joined:
        flow = made.flow
        join = found["joins"][flow.src, flow.sport, flow.dst, flow.dport]
        far: Side = "server" if made.initiator == "client" else "client"
        assert [number for number, _ in join["syn"]] == made.syn_frames
        assert [number for number, _ in join.get("syn_ack", [])] == made.syn_ack_frames
        assert [number for number, _ in join.get("ack", [])] == made.ack_frames
        syn = join["syn"][0][1]
        assert len(syn) == 12
        assert int.from_bytes(syn[4:8], "big") == made.token == truth.token[far]
        assert syn[3] == made.address_id_initiator
        assert syn[2] & 1 == made.backup
        nonce = syn[8:12]
        assert int.from_bytes(nonce, "big") == made.nonce_initiator
        assert all(option == syn for _, option in join["syn"])
        if "syn_ack" not in join:
            continue
        syn_ack = join["syn_ack"][0][1]
        answer = syn_ack[12:16]
        assert int.from_bytes(answer, "big") == made.nonce_responder
        keys = (key[far], key[made.initiator])
        assert syn_ack[4:12] == made.hmac_syn_ack == hmac_of(truth.version, *keys, answer + nonce)[:8]
        if "ack" in join:
            expected = hmac_of(truth.version, *keys[::-1], nonce + answer)[:20]
            assert join["ack"][0][1][4:24] == made.hmac_ack == expected


def check_sequences(talk: Conversation) -> None:
    """Each direction of each sub-flow: no gap, and what is acknowledged is what was sent."""
    following: dict[tuple[str, int, str, int], int] = {}
    for frame in talk.frames:
        segment = wire.read(frame.data)
        back = (segment.dst, segment.dport, segment.src, segment.sport)
        if segment.flags & 0x02:
            assert frame.repeated == (segment.flow in following)
        else:
            assert segment.sequence == following[segment.flow]
        if segment.flags & 0x10:
            assert segment.acknowledged == following[back]
        length = len(segment.payload) + bool(segment.flags & 0x02) + bool(segment.flags & 0x01)
        following[segment.flow] = (segment.sequence + length) % 2**32


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("style", OptionStyle)
@pytest.mark.parametrize("family", [4, 6])
def test_frames_say_what_the_truth_says(version: int, style: OptionStyle, family: int, rng: random.Random) -> None:
    for checksum, repeat in [(False, 0.0), (True, 0.5)]:
        talk = handshake(
            rng,
            version=version,
            family=family,
            joins=ALL_JOINS,
            style=style,
            checksum=checksum,
            repeat=repeat,
        )
        talk.data(1, "server", 700)
        talk.prio(1, "client", backup=True)
        talk.remove_addr("client", 1)
        talk.close_fin()
        check_against_truth(talk)
        check_sequences(talk)
        states = [(made.state, made.number) for made in talk.truth.subflows]
        assert states == [("closed", number) for number in range(1, 6)]


def mptcp_at(talk: Conversation, what: str) -> list[list[bytes]]:
    return [wire.read(frame.data).mptcp for frame in talk.frames if frame.what == what]


def test_v1_handshake_has_the_lengths_of_the_rfc(rng: random.Random) -> None:
    talk = handshake(rng, version=1, joins=1)
    lengths = [[len(option) for option in wire.read(frame.data).mptcp] for frame in talk.frames]
    assert lengths == [[4], [12], [20], [22], [12], [12], [16], [24], [12]]
    talk = handshake(rng, version=1, checksum=True)
    assert [len(option) for option in mptcp_at(talk, "data")[0]] == [24]


def test_v0_handshake_has_the_lengths_of_the_rfc(rng: random.Random) -> None:
    talk = handshake(rng, version=0, joins=1)
    lengths = [[len(option) for option in wire.read(frame.data).mptcp] for frame in talk.frames]
    assert lengths == [[12], [12], [20], [22], [12], [12], [16], [24], [12]]


@pytest.mark.parametrize("version", [0, 1])
def test_data_sequence_numbers_begin_behind_the_idsn_and_have_no_gap(version: int, rng: random.Random) -> None:
    talk = handshake(rng, version=version, joins=1, first_data=50, checksum=True)
    for subflow, size in [(0, 10), (1, 20), (0, 30)]:
        talk.data(subflow, "client", size)
    talk.close_fin()
    idsn = talk.truth.idsn["client"]
    expected = idsn + 1 + (50 if version == 1 else 0)
    sent = [(frame, option) for frame in talk.frames for option in wire.read(frame.data).mptcp]
    mapped = [(frame, option) for frame, option in sent if frame.sender == "client" and option[2] >> 4 == 2]
    sizes = []
    for frame, option in ((frame, option) for frame, option in mapped if option[3] & 0x04):
        payload = wire.read(frame.data).payload
        at = 4 + 4
        assert option[3] & 0x0F == 0x0D
        assert int.from_bytes(option[at : at + 8], "big") == expected % 2**64
        length = int.from_bytes(option[at + 12 : at + 14], "big")
        assert length == len(payload) + (option[3] >> 4 & 1)
        covered = option[at : at + 14] + option[at + 14 : at + 16] + payload
        assert wire.words_sum(covered) == 0xFFFF
        expected += length
        sizes.append(length)
    assert sizes == [*([50] if version == 0 else []), 10, 20, 30, 1]
    acknowledged = [option for options in mptcp_at(talk, "data_ack") for option in options][-1]
    assert int.from_bytes(acknowledged[4:12], "big") == (talk.truth.idsn["server"] + 2) % 2**64


def test_repeated_handshake_packets_are_marked_and_equal(rng: random.Random) -> None:
    talk = handshake(rng, joins=2, repeat=1.0)
    for made in talk.truth.subflows:
        assert [len(frames) for frames in (made.syn_frames, made.syn_ack_frames, made.ack_frames)] == [2] * 3
        for first, second in (made.syn_frames, made.syn_ack_frames, made.ack_frames):
            sent, again = talk.frames[first - 1], talk.frames[second - 1]
            assert (sent.repeated, again.repeated) == (False, True)
            one, two = wire.read(sent.data), wire.read(again.data)
            assert (one.flow, one.sequence, one.mptcp) == (two.flow, two.sequence, two.mptcp)


def test_server_joins_only_where_the_client_announced(rng: random.Random) -> None:
    for version in (0, 1):
        talk = handshake(rng, version=version, joins=[Join("server"), Join("server", family=6)])
        for made in talk.truth.subflows[1:]:
            before = talk.frames[: made.syn_frames[0] - 1]
            announced = [wire.read(frame.data).mptcp[0] for frame in before if frame.what == "add_addr"][-1]
            assert announced[3] == made.address_id_responder
            assert made.flow.dport.to_bytes(2, "big") in announced
            assert made.token == talk.truth.token["client"]
            if version == 1:
                address_and_port = announced[4:-8]
                keys = [talk.truth.key[side].to_bytes(8, "big") for side in ("client", "server")]
                message = announced[3:4] + address_and_port
                assert announced[-8:] == hmac_of(1, keys[0], keys[1], message)[-8:]
                echo = wire.read(before[-1].data).mptcp[0]
                assert (echo[2], echo[3:]) == (0x31, announced[3:-8])


@pytest.mark.parametrize(("fallback", "answers"), [("syn_ack", 0), ("ack", 1)])
def test_fallback_leaves_the_option_out_from_that_packet_on(fallback: Any, answers: int, rng: random.Random) -> None:
    talk = handshake(rng, fallback=fallback)
    talk.data(0, "server")
    talk.close_fin()
    carried = [frame.what for frame in talk.frames if wire.read(frame.data).mptcp]
    assert carried == ["syn", "syn_ack"][: 1 + answers]
    assert talk.truth.fallback == fallback
    with pytest.raises(ValueError, match="fell back"):
        talk.join()


def test_join_may_stop_half_way(rng: random.Random) -> None:
    talk = handshake(rng)
    assert [talk.truth.subflows[talk.join(until=until)].state for until in ("syn", "syn_ack", "ack")] == [
        "syn",
        "syn_ack",
        "established",
    ]
    assert [made.number for made in talk.truth.subflows] == [1, None, None, 2]
    check_against_truth(talk)


def test_numbers_of_closed_subflows_are_given_again(rng: random.Random) -> None:
    talk = handshake(rng, joins=3)
    talk.reset(1, "server", reason=3)
    assert mptcp_at(talk, "rst") == [[bytes.fromhex("1e048003")]]
    again = talk.join()
    assert talk.truth.subflows[again].number == 2
    assert [made.number for made in talk.truth.subflows] == [1, 2, 3, 4, 2]


def test_v1_fastclose_resets_every_subflow(rng: random.Random) -> None:
    talk = handshake(rng, joins=2)
    talk.fastclose("server")
    closing = [frame for frame in talk.frames if frame.what == "fastclose"]
    assert {frame.subflow for frame in closing} == {0, 1, 2}
    for frame in closing:
        segment = wire.read(frame.data)
        assert segment.flags == 0x14
        assert segment.mptcp[0] == bytes.fromhex("1e0c7000") + talk.truth.key["client"].to_bytes(8, "big")
        assert segment.mptcp[1] == bytes.fromhex("1e048001")
    assert {made.state for made in talk.truth.subflows} == {"closed"}


def test_v0_fastclose_is_an_ack_and_resets(rng: random.Random) -> None:
    talk = handshake(rng, version=0, joins=1)
    start = len(talk.frames)
    talk.fastclose("client")
    assert [(frame.what, wire.read(frame.data).flags) for frame in talk.frames[start:]] == [
        ("fastclose", 0x10),
        ("rst", 0x04),
        ("rst", 0x14),
    ]
    assert mptcp_at(talk, "fastclose") == [[bytes.fromhex("1e0c7000") + talk.truth.key["server"].to_bytes(8, "big")]]


def test_tags_time_and_keys_are_as_asked_for(rng: random.Random) -> None:
    link = Link("02:00:00:00:00:0a", "02:00:00:00:00:0b", (Tag(100),))
    talk = handshake(rng, joins=1, link=link, keys=(1, 2), start_ns=10**18)
    times = [frame.time_ns for frame in talk.frames]
    assert times[0] > 10**18 and times == sorted(set(times))
    assert talk.truth.key == {"client": 1, "server": 2}
    for frame in talk.frames:
        sender_mac = "02000000000a" if frame.sender == "client" else "02000000000b"
        assert frame.data[6:12].hex() == sender_mac
        assert wire.read(frame.data).tags == (100,)
    check_against_truth(talk)


def test_the_same_seed_makes_the_same_connection() -> None:
    def made(seed: int) -> list[bytes]:
        talk = handshake(random.Random(seed), joins=ALL_JOINS, style=OptionStyle.SCATTERED, repeat=0.3)
        return [frame.data for frame in talk.frames]

    assert made(1) == made(1)
    assert made(1) != made(2)
