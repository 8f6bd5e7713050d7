# SPDX-License-Identifier: Apache-2.0
"""MPTCP connections frame by frame, with what is true about them.

    talk = handshake(random.Random(seed), version=1, joins=[Join(), Join("server")])
    talk.data(subflow=1, payload_bytes=500)
    talk.close_fin()
    for frame in talk.frames: ...            # bytes, time, what it is
    talk.truth.subflows[1].hmac_ack          # keys, tokens, nonces, HMACs, 5-tuples, address ids

The client opens the connection; a sub-flow's initiator sends its SYN. Frames count from 1, as capture files
and the truth files of the captures do. A frame that is to be lost is left out by the test, which sees all of
them: the hosts here do not react to loss.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bench.packets import mptcp
from bench.packets.factory import PLAIN_LINK, Flow, Link, OptionStyle, PacketFactory
from bench.packets.mptcp_hash import (
    add_addr_hmac,
    dss_checksum,
    join_ack_hmac,
    join_syn_ack_hmac,
    key_digest,
)
from bench.packets.protocols import MPTCP_V0, TCPRST_MPTCP, TCPRST_UNSPECIFIED

Side = Literal["client", "server"]
State = Literal["syn", "syn_ack", "established", "fallback", "closed"]
Fallback = Literal["syn_ack", "ack"]

_M32 = 2**32 - 1
_M64 = 2**64 - 1
_CHECKSUM_FLAG = 0x80
_HMAC_FLAG = 0x01


def other(side: Side) -> Side:
    return "server" if side == "client" else "client"


@dataclass(frozen=True)
class ConnectionFrame:
    """One frame; `what` is a word such as syn, syn_ack, ack, data, add_addr, fin, rst."""

    number: int
    time_ns: int
    data: bytes
    what: str
    subflow: int
    sender: Side
    repeated: bool


@dataclass
class Subflow:
    """What is true about one sub-flow. `flow` is as its initiator sends; the join's fields are None on the first.

    `number` is the lowest that was free when the third packet established it, counted from 1.
    """

    kind: Literal["MP_CAPABLE", "MP_JOIN"]
    initiator: Side
    flow: Flow
    backup: bool = False
    address_id_initiator: int = 0
    address_id_responder: int = 0
    token: int | None = None
    nonce_initiator: int | None = None
    nonce_responder: int | None = None
    hmac_syn_ack: bytes | None = None
    hmac_ack: bytes | None = None
    state: State = "syn"
    number: int | None = None
    syn_frames: list[int] = field(default_factory=list)
    syn_ack_frames: list[int] = field(default_factory=list)
    ack_frames: list[int] = field(default_factory=list)


@dataclass
class Truth:
    """What is true about one connection. `fallback` names the packet that came without the option."""

    version: int
    checksum: bool
    key: dict[Side, int]
    token: dict[Side, int]
    idsn: dict[Side, int]
    fallback: Fallback | None = None
    subflows: list[Subflow] = field(default_factory=list)

    @property
    def mp_id(self) -> int:
        return self.token["client"] << 32 | self.token["server"]


@dataclass(frozen=True)
class Join:
    """A sub-flow to be joined. The server may join only to an address that the client announced first."""

    initiator: Side = "client"
    family: int | None = None
    backup: bool = False


@dataclass
class _Socket:
    """One end of one sub-flow."""

    start: int
    sequence: int
    clock: int
    heard: int = 0
    expected: int = 0


class Conversation:
    """A connection as its hosts would carry it on; every method appends frames and keeps `truth` true."""

    def __init__(
        self,
        rng: random.Random,
        *,
        version: int = 1,
        family: int = 4,
        style: OptionStyle = OptionStyle.TIMESTAMPS,
        checksum: bool = False,
        repeat: float = 0.0,
        link: Link = PLAIN_LINK,
        flow: Flow | None = None,
        keys: tuple[int, int] | None = None,
        start_ns: int = 0,
    ) -> None:
        """`repeat` is the chance that a packet of a handshake is sent twice; `link` as the client sends."""
        self.rng = rng
        self.style = style
        self.repeat = repeat
        self.link = link
        self.frames: list[ConnectionFrame] = []
        self.time_ns = start_ns
        self._factory = PacketFactory(rng)
        self._first_flow = flow or self._factory.flow(family)
        self._sockets: list[dict[Side, _Socket]] = []
        client, server = keys or (rng.getrandbits(64), rng.getrandbits(64))
        digests = {"client": key_digest(client, version), "server": key_digest(server, version)}
        self.truth = Truth(
            version,
            checksum,
            {"client": client, "server": server},
            {"client": digests["client"].token, "server": digests["server"].token},
            {"client": digests["client"].idsn, "server": digests["server"].idsn},
        )
        self._dsn: dict[Side, int] = {side: (idsn + 1) & _M64 for side, idsn in self.truth.idsn.items()}
        self._next_address_id: dict[Side, int] = {"client": 1, "server": 1}

    def open(self, *, fallback: Fallback | None = None, first_data: int | None = 100) -> None:
        """The first sub-flow; `fallback` makes that packet and all later ones plain TCP.

        The client's first data follow, and the server's answer, without which no join may come.
        """
        truth, key = self.truth, self.truth.key
        flags = _HMAC_FLAG | (_CHECKSUM_FLAG if truth.checksum else 0)
        capable = {"version": truth.version, "flags": flags}
        subflow = self._add_subflow(Subflow("MP_CAPABLE", "client", self._first_flow))
        v0 = truth.version == MPTCP_V0
        self._send_syn(subflow, mptcp.MPCapable(**capable, **({"sender_key": key["client"]} if v0 else {})))
        answer = mptcp.MPCapable(**capable, sender_key=key["server"])
        self._send_syn_ack(subflow, [] if fallback == "syn_ack" else [answer])
        both = {**capable, "sender_key": key["client"], "receiver_key": key["server"]}
        self._send_ack(subflow, [] if fallback else [mptcp.MPCapable(**both)])
        truth.fallback = fallback
        if fallback:
            truth.subflows[subflow].state = "fallback"
        if first_data is None:
            return
        payload = self.rng.randbytes(first_data)
        if fallback or v0:
            self.data(subflow, "client", payload=payload)
        else:
            mapping = self._mapping(subflow, "client", payload)
            carried = {name: mapping[name] for name in ("data_length", "checksum")}
            option = mptcp.MPCapable(**both, **carried)
            self._segment(subflow, "client", "data", "PA", [option], payload)
            self._dsn["client"] = (self._dsn["client"] + len(payload)) & _M64
        self.ack(subflow, "server")

    def join(
        self, join: Join = Join(), *, flow: Flow | None = None, until: Literal["syn", "syn_ack", "ack"] = "ack"
    ) -> int:
        """One more sub-flow, whose index it returns; `until` leaves its handshake unfinished."""
        truth = self.truth
        if truth.fallback:
            raise ValueError("a connection that fell back to TCP has no further sub-flows")
        near, far = join.initiator, other(join.initiator)
        family = join.family or self._first_flow.family
        first = truth.subflows[0]
        if flow is None:
            target = self._first_flow.dst if near == "client" else self._first_flow.src
            port = self._first_flow.dport if near == "client" else self._first_flow.sport
            address_id = 0
            if near == "server" or family != self._first_flow.family:
                target = self._factory.address(family)
                port = self._factory.port()
                address_id = self.add_addr(far, target, port)
            flow = Flow(self._factory.address(family), self._factory.port(), target, port)
        else:
            known = (first.flow.dst, first.flow.src)[near == "server"]
            address_id = 0 if flow.dst == known else self._take_address_id(far)
        nonce, answer = self.rng.getrandbits(32), self.rng.getrandbits(32)
        secrets = (truth.version, truth.key[near], truth.key[far], nonce, answer)
        subflow = self._add_subflow(
            Subflow(
                "MP_JOIN",
                near,
                flow,
                join.backup,
                self._take_address_id(near),
                address_id,
                truth.token[far],
                nonce,
                answer,
                join_syn_ack_hmac(*secrets),
                join_ack_hmac(*secrets),
            )
        )
        made = truth.subflows[subflow]
        ids = {"backup": int(join.backup)}
        self._send_syn(
            subflow,
            mptcp.MPJoinSyn(**ids, address_id=made.address_id_initiator, token=made.token, nonce=nonce),
        )
        if until == "syn":
            return subflow
        answering = mptcp.MPJoinSynAck(
            **ids, address_id=made.address_id_responder, hmac=made.hmac_syn_ack, nonce=answer
        )
        self._send_syn_ack(subflow, [answering])
        if until == "syn_ack":
            return subflow
        self._send_ack(subflow, [mptcp.MPJoinAck(hmac=made.hmac_ack)])
        self.ack(subflow, far)
        return subflow

    def data(
        self, subflow: int = 0, sender: Side = "client", payload_bytes: int = 100, *, payload: bytes | None = None
    ) -> None:
        """One segment, with a mapping and the other direction's acknowledgement."""
        content = self.rng.randbytes(payload_bytes) if payload is None else payload
        options = []
        if not self.truth.fallback:
            acknowledged = self._dsn[other(sender)]
            options = [mptcp.dss_option(data_ack=acknowledged, **self._mapping(subflow, sender, content))]
            self._dsn[sender] = (self._dsn[sender] + len(content)) & _M64
        self._segment(subflow, sender, "data", "PA", options, content)

    def ack(self, subflow: int, sender: Side, *more: Any) -> None:
        """An acknowledgement without data; `more` options go behind its DSS."""
        options = [] if self.truth.fallback else [self._acknowledging(sender)]
        self._segment(subflow, sender, "data_ack", "A", [*options, *more])

    def add_addr(self, sender: Side, address: str, port: int | None = None, *, subflow: int = 0) -> int:
        """Announces an address; in version 1 the other side echoes it. Returns the address id."""
        address_id = self._take_address_id(sender)
        named = {"address_id": address_id, "address": address, "port": port}
        if self.truth.version == MPTCP_V0:
            option = mptcp.AddAddrV0(ip_version=6 if ":" in address else 4, **named)
            self._segment(subflow, sender, "add_addr", "A", [option])
            return address_id
        key = self.truth.key
        proof = add_addr_hmac(key[sender], key[other(sender)], address_id, address, port or 0)
        self._segment(subflow, sender, "add_addr", "A", [mptcp.AddAddrV1(hmac=proof, **named)])
        self._segment(subflow, other(sender), "add_addr_echo", "A", [mptcp.AddAddrV1(echo=1, **named)])
        return address_id

    def remove_addr(self, sender: Side, *address_ids: int, subflow: int = 0) -> None:
        option = mptcp.RemoveAddr(address_ids=list(address_ids))
        self._segment(subflow, sender, "remove_addr", "A", [self._acknowledging(sender), option])

    def prio(self, subflow: int, sender: Side, *, backup: bool) -> None:
        option = mptcp.MPPrio(backup=int(backup))
        self._segment(subflow, sender, "prio", "A", [self._acknowledging(sender), option])

    def close_fin(self) -> None:
        """DATA_FIN both ways on the first live sub-flow, then FIN both ways on each."""
        live = self._live()
        sides: tuple[Side, Side] = ("client", "server")
        if not self.truth.fallback:
            for side in sides:
                closing = mptcp.dss_option(
                    data_ack=self._dsn[other(side)],
                    dsn=self._dsn[side],
                    data_length=1,
                    checksum=self._fin_checksum(side),
                    wide_dsn=True,
                    fin=True,
                )
                self._segment(live[0], side, "data_fin", "A", [closing])
                self._dsn[side] = (self._dsn[side] + 1) & _M64
                self.ack(live[0], other(side))
        for subflow in live:
            for side in sides:
                options = [] if self.truth.fallback else [self._acknowledging(side)]
                self._segment(subflow, side, "fin", "FA", options)
            self._segment(subflow, "client", "last_ack", "A", [])
            self._close(subflow)

    def reset(self, subflow: int, sender: Side, reason: int = TCPRST_UNSPECIFIED) -> None:
        """Ends one sub-flow; the connection goes on."""
        v1 = self.truth.version != MPTCP_V0 and not self.truth.fallback
        self._segment(subflow, sender, "rst", "RA", [mptcp.MPTcpRst(reason=reason)] if v1 else [])
        self._close(subflow)

    def fastclose(self, sender: Side) -> None:
        """Ends all sub-flows: version 1 as Linux does, on an RST of each; version 0 on one ACK, then RSTs."""
        farewell = mptcp.MPFastclose(receiver_key=self.truth.key[other(sender)])
        live = self._live()
        if self.truth.version == MPTCP_V0:
            self._segment(live[0], sender, "fastclose", "A", [farewell])
            self._segment(live[0], other(sender), "rst", "R", [])
            self._close(live.pop(0))
        for subflow in live:
            v1 = self.truth.version != MPTCP_V0
            options = [farewell, mptcp.MPTcpRst(reason=TCPRST_MPTCP)] if v1 else []
            self._segment(subflow, sender, "fastclose" if v1 else "rst", "RA", options)
            self._close(subflow)

    def _live(self) -> list[int]:
        usable = ("established", "fallback")
        return [index for index, made in enumerate(self.truth.subflows) if made.state in usable]

    def _close(self, subflow: int) -> None:
        self.truth.subflows[subflow].state = "closed"

    def _take_address_id(self, side: Side) -> int:
        self._next_address_id[side] += 1
        return self._next_address_id[side] - 1

    def _add_subflow(self, made: Subflow) -> int:
        sockets: dict[Side, _Socket] = {}
        for side in ("client", "server"):
            start = self.rng.getrandbits(32)
            sockets[side] = _Socket(start, start, self.rng.getrandbits(32))
        self._sockets.append(sockets)
        self.truth.subflows.append(made)
        return len(self._sockets) - 1

    def _mapping(self, subflow: int, sender: Side, payload: bytes) -> dict[str, Any]:
        socket = self._sockets[subflow][sender]
        relative = (socket.sequence - socket.start) & _M32
        dsn = self._dsn[sender]
        checksum = dss_checksum(dsn, relative, len(payload), payload) if self.truth.checksum else None
        return {
            "dsn": dsn,
            "subflow_sequence": relative,
            "data_length": len(payload),
            "checksum": checksum,
            "wide_dsn": True,
        }

    def _fin_checksum(self, sender: Side) -> int | None:
        return dss_checksum(self._dsn[sender], 0, 1, b"") if self.truth.checksum else None

    def _acknowledging(self, sender: Side) -> Any:
        return mptcp.dss_option(data_ack=self._dsn[other(sender)], wide_ack=True)

    def _send_syn(self, subflow: int, option: Any) -> None:
        made = self.truth.subflows[subflow]
        made.syn_frames += self._handshake_segment(subflow, made.initiator, "syn", "S", [option])
        made.state = "syn"

    def _send_syn_ack(self, subflow: int, options: Sequence[Any]) -> None:
        made = self.truth.subflows[subflow]
        made.syn_ack_frames += self._handshake_segment(subflow, other(made.initiator), "syn_ack", "SA", options)
        made.state = "syn_ack"

    def _send_ack(self, subflow: int, options: Sequence[Any]) -> None:
        made = self.truth.subflows[subflow]
        made.ack_frames += self._handshake_segment(subflow, made.initiator, "ack", "A", options)
        made.state = "established"
        taken = {each.number for each in self.truth.subflows if each.state == "established"}
        made.number = next(number for number in range(1, len(taken) + 2) if number not in taken)

    def _handshake_segment(
        self, subflow: int, sender: Side, what: str, flags: str, options: Sequence[Any]
    ) -> list[int]:
        socket = self._sockets[subflow][sender]
        before = socket.sequence
        numbers = [self._segment(subflow, sender, what, flags, options)]
        if self.rng.random() < self.repeat:
            socket.sequence = before
            numbers.append(self._segment(subflow, sender, what, flags, options, repeated=True))
        return numbers

    def _segment(
        self,
        subflow: int,
        sender: Side,
        what: str,
        flags: str,
        options: Sequence[Any],
        payload: bytes = b"",
        *,
        repeated: bool = False,
    ) -> int:
        near, far = self._sockets[subflow][sender], self._sockets[subflow][other(sender)]
        made = self.truth.subflows[subflow]
        self.time_ns += self.rng.randrange(10_000, 100_000)
        stamps = ((near.clock + self.time_ns // 1_000_000) & _M32, near.heard)
        block = self._factory.syn_options if "S" in flags else self._factory.options
        frame = self._factory.tcp(
            made.flow if sender == made.initiator else made.flow.reversed(),
            flags=flags,
            seq=near.sequence,
            ack=near.expected if "A" in flags else 0,
            options=block(self.style, options, stamps),
            payload=payload,
            link=self.link if sender == "client" else self.link.reversed(),
        )
        near.sequence = (near.sequence + len(payload) + ("S" in flags) + ("F" in flags)) & _M32
        far.expected, far.heard = near.sequence, stamps[0]
        number = len(self.frames) + 1
        self.frames.append(ConnectionFrame(number, self.time_ns, frame, what, subflow, sender, repeated))
        return number


def handshake(
    rng: random.Random,
    *,
    version: int = 1,
    joins: int | Sequence[Join] = 0,
    fallback: Fallback | None = None,
    first_data: int | None = 100,
    **settings: Any,
) -> Conversation:
    """A connection opened and joined; a number of joins means that many by the client. `settings`: Conversation."""
    talk = Conversation(rng, version=version, **settings)
    talk.open(fallback=fallback, first_data=first_data)
    for join in [Join()] * joins if isinstance(joins, int) else joins:
        talk.join(join)
    return talk
