# SPDX-License-Identifier: Apache-2.0
"""The layers against captures of real hosts; the truth files are the judge.

The captures beside this file always run; those of ../shared/data/mptcp, next to the repository, are added
where they are.

- every segment: each MPTCP option becomes the class its first bytes call for, and the frame is rebuilt
- keys, tokens, IDSN, 5-tuples, nonces, address ids and HMACs are those of the truth file
- the HMAC of every ADD_ADDR is right
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from scapy.layers.inet import TCP
from scapy.layers.l2 import Ether

from bench.packets import mptcp, pcap
from bench.packets.mptcp_hash import add_addr_hmac, join_ack_hmac, join_syn_ack_hmac, key_digest
from bench.tests import wire
from flow.paths import ROOT

HERE = Path(__file__).parent / "captures"
SHARED = ROOT.parent / "shared" / "data" / "mptcp"
LARGEST_BYTES = 80_000  # the few larger ones hold more of the same
CAPTURES = {
    path.stem: path
    for folder in (SHARED, HERE)
    for path in sorted(folder.glob("*.pcap"))
    if path.stat().st_size < LARGEST_BYTES
}

EXPECTED_CLASS = {
    (0, None): mptcp.MPCapable,
    (1, 12): mptcp.MPJoinSyn,
    (1, 16): mptcp.MPJoinSynAck,
    (1, 24): mptcp.MPJoinAck,
    (2, None): mptcp.DSS,
    (4, None): mptcp.RemoveAddr,
    (5, None): mptcp.MPPrio,
    (6, None): mptcp.MPFail,
    (7, None): mptcp.MPFastclose,
    (8, None): mptcp.MPTcpRst,
}


def expected_class(option: bytes) -> Any:
    subtype, nibble = option[2] >> 4, option[2] & 0xF
    if subtype == 3:
        return mptcp.AddAddrV0 if nibble in (4, 6) else mptcp.AddAddrV1
    return EXPECTED_CLASS[subtype, len(option) if subtype == 1 else None]


@cache
def truth_of(name: str) -> Any:
    return json.loads(CAPTURES[name].with_suffix(".truth.json").read_text())


@cache
def frames_of(name: str) -> list[pcap.Captured]:
    return pcap.read(CAPTURES[name])


def options_at(name: str, frame_number: int) -> list[Any]:
    return mptcp.mptcp_options(Ether(frames_of(name)[frame_number - 1].data))


def one(name: str, frame_number: int, kind: Any) -> Any:
    (found,) = (option for option in options_at(name, frame_number) if isinstance(option, kind))
    return found


def test_the_shipped_captures_are_here() -> None:
    assert len(list(HERE.glob("*.pcap"))) == 5
    assert len(list(HERE.glob("*.truth.json"))) == 5


@pytest.mark.parametrize("name", CAPTURES)
def test_every_segment_is_understood_and_rebuilt(name: str) -> None:
    assert len(frames_of(name)) == truth_of(name)["packets"]
    for frame in frames_of(name):
        packet = Ether(frame.data)
        found = mptcp.mptcp_options(packet)
        raw = wire_options(frame.data)
        assert [bytes(option) for option in found] == raw
        assert [type(option) for option in found] == [expected_class(option) for option in raw]
        for option in found:
            option.clear_cache()
        packet[TCP].options = list(packet[TCP].options)
        packet.clear_cache()
        assert bytes(packet) == frame.data


def wire_options(frame: bytes) -> list[bytes]:
    """The MPTCP options as bytes; the capture may have cut the payload, which lengths still count."""
    at = 12
    while frame[at : at + 2] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    at += 2
    at += (frame[at] & 0xF) * 4 if frame[at] >> 4 == 4 else 40
    block = frame[at + 20 : at + (frame[at + 12] >> 4) * 4]
    return [option for option in wire.walk_options(block) if option[0] == 30]


def connections() -> Iterator[tuple[str, int]]:
    for name in CAPTURES:
        for index, connection in enumerate(truth_of(name)["connections"]):
            if connection.get("key_client") and connection.get("key_server"):
                yield name, index


def number(text: str) -> int:
    return int(text, 16)


@pytest.mark.parametrize("name", sorted({name for name, _ in connections()}))
def test_keys_tokens_and_idsn_are_the_true_ones(name: str) -> None:
    for index in (index for other, index in connections() if other == name):
        truth = truth_of(name)["connections"][index]
        first = truth["subflows"][0]
        version = truth["version"]
        if first["ack_frame"]:
            both = one(name, first["mpc_ack_frames"][0]["frame"], mptcp.MPCapable)
            assert both.sender_key == number(truth["key_client"])
            assert both.receiver_key == number(truth["key_server"])
        answer = one(name, first["synack_frames"][0], mptcp.MPCapable)
        assert answer.sender_key == number(truth["key_server"])
        assert answer.version == version
        for side in ("client", "server"):
            digest = key_digest(number(truth[f"key_{side}"]), version)
            assert digest == (number(truth[f"token_{side}"]), number(truth[f"idsn_{side}"]))


@pytest.mark.parametrize("name", sorted({name for name, _ in connections()}))
def test_joins_carry_the_true_token_nonces_and_hmacs(name: str) -> None:
    for index in (index for other, index in connections() if other == name):
        truth = truth_of(name)["connections"][index]
        for subflow in truth["subflows"]:
            packet = Ether(frames_of(name)[subflow["syn_frames"][0] - 1].data)
            assert (packet[TCP].sport, packet[TCP].dport) == (subflow["sport"], subflow["dport"])
            if subflow["kind"] != "MP_JOIN":
                continue
            join = subflow["join"]
            for frame_number in subflow["syn_frames"]:
                syn = one(name, frame_number, mptcp.MPJoinSyn)
                assert (syn.token, syn.nonce) == (number(join["token"]), number(join["nonce_init"]))
                assert (syn.address_id, syn.backup) == (join["addr_id_syn"], join["backup_syn"])
            if not subflow["synack_frames"] or not subflow["ack_frame"]:
                continue
            near = subflow["initiator"]
            far = "server" if near == "client" else "client"
            assert join["token"] == truth[f"token_{far}"]
            keys = (number(truth[f"key_{near}"]), number(truth[f"key_{far}"]))
            secrets = (truth["version"], *keys, number(join["nonce_init"]), number(join["nonce_resp"]))
            syn_ack = one(name, subflow["synack_frames"][0], mptcp.MPJoinSynAck)
            assert syn_ack.nonce == number(join["nonce_resp"])
            assert (syn_ack.address_id, syn_ack.backup) == (join["addr_id_synack"], join["backup_synack"])
            assert (syn_ack.hmac == join_syn_ack_hmac(*secrets)) == join["hmac_synack_ok"]
            third = one(name, subflow["ack_frame"], mptcp.MPJoinAck)
            assert (third.hmac == join_ack_hmac(*secrets)) == join["hmac_ack_ok"]
            assert join["hmac_synack_ok"] and join["hmac_ack_ok"]


def test_announced_addresses_carry_the_hmac_of_the_connection() -> None:
    name = "v1-mixed46"
    truth = truth_of(name)["connections"][0]
    key_server, key_client = number(truth["key_server"]), number(truth["key_client"])
    checked = 0
    for frame_number in range(1, len(frames_of(name)) + 1):
        for option in options_at(name, frame_number):
            if isinstance(option, mptcp.AddAddrV1) and not option.echo:
                named = (option.address_id, option.address, option.port or 0)
                assert option.hmac == add_addr_hmac(key_server, key_client, *named)
                assert option.hmac != add_addr_hmac(key_client, key_server, *named)
                checked += 1
    assert checked == 2


def test_fastclose_carries_the_receivers_key_on_every_subflow() -> None:
    name = "v1-close-fastclose"
    truth = truth_of(name)["connections"][0]
    keys = {number(truth["key_client"]), number(truth["key_server"])}
    segments = [options_at(name, frame_number) for frame_number in range(1, len(frames_of(name)) + 1)]
    closing = [found for found in segments if any(isinstance(option, mptcp.MPFastclose) for option in found)]
    assert len(closing) >= truth["n_established"]
    for fastclose, reset in closing:
        assert fastclose.receiver_key in keys
        assert isinstance(reset, mptcp.MPTcpRst)
