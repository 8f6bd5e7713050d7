# SPDX-License-Identifier: Apache-2.0
"""Traffic through a simulated switch, and what became of each frame.

Every wire brings frames as fast as it can. Each frame has a serial number at its end, so that each that leaves is
known: none is torn, doubled, or comes before one that its source sent earlier. The counters have to add up.
"""

from __future__ import annotations

import itertools
import random
import statistics
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bench.packets.factory import Flow, Link, PacketFactory
from flow.paths import HW
from p4sume.cases.rtl_build import build_switch
from p4sume.control.plane import KeyValue
from p4sume.frontend import Options
from switch.library import BuiltSwitch, Departure, SimulatedSwitch

PROGRAM = HW / "p4" / "ecmp.p4"
Builder = Callable[[Path, Options], BuiltSwitch]  # build_switch or build_model_switch
GATEWAY = bytes.fromhex("020000000001")
CYCLE_NS = 5
BYTES_A_CYCLE = 6.25  # of a wire
OVERHEAD_BYTES = 24  # preamble, checksum and gap
FCS_BYTES = 4
SERIAL_BYTES = 8
TO_ALL = 9  # the next hop that is every wire


@dataclass
class Case:
    """What a case measured. Rates count what wires carry: frames with checksum, preamble and gap."""

    name: str
    size: int
    offered_gbps: float = 0
    gbps: float = 0
    mpps: float = 0
    loss: float = 0
    latencies: list[int] = field(default_factory=list)  # from when the first beat can be there to the first beat out
    counters: dict[str, int] = field(default_factory=dict)
    received: Counter[tuple[int, int]] = field(default_factory=Counter)  # frames, by source and target
    lost: Counter[tuple[int, int]] = field(default_factory=Counter)

    def latency(self) -> dict[str, float]:
        if len(self.latencies) < 2:
            return {}
        cuts = statistics.quantiles(self.latencies, n=100, method="inclusive")
        return {"min": min(self.latencies), "p50": cuts[49], "p99": cuts[98]}

    def result(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "size": self.size,
            "offered_gbps": round(self.offered_gbps, 3),
            "gbps": round(self.gbps, 3),
            "mpps": round(self.mpps, 3),
            "loss": self.loss,
            "latency_cycles": self.latency(),
        }


def configured(seed: int, program: Path = PROGRAM, build: Builder = build_switch) -> SimulatedSwitch:
    switch = SimulatedSwitch(build(program, Options("sume")), seed)
    configure(switch)
    return switch


def configure(switch: SimulatedSwitch) -> None:
    """Next hop i is wire i, with a network behind each."""
    control = switch.program
    wires = range(switch.device.ports)
    add = partial(control.change, "add")
    add(control.table("router_mac"), [KeyValue(int.from_bytes(GATEWAY, "big"))], 0, "NoAction", [])
    for hop, ports in [*((wire, 1 << 2 * wire) for wire in wires), (TO_ALL, sum(1 << 2 * wire for wire in wires))]:
        add(control.table("next_hops"), [KeyValue(hop)], 0, "send", [ports, 0x020000000100 + hop, 0x020000000200 + hop])
        add(control.table("ipv4_route"), [KeyValue(0x0A000000 | hop << 8, prefix=24)], 0, "route_to_next_hop", [hop])


class Frames:
    """Frames to a target of a size, with a serial number at the end."""

    def __init__(self, seed: int) -> None:
        self._factory = PacketFactory(random.Random(seed))
        self._templates: dict[tuple[int, int, int], bytes] = {}

    def make(self, source: int, target: int, size: int, serial: int) -> bytes:
        key = (source, target, size)
        if key not in self._templates:
            flow = Flow(f"10.1.{source}.1", 1024 + source, f"10.0.{target}.1", 2048)
            link = Link(dst_mac=":".join(f"{b:02x}" for b in GATEWAY))
            self._templates[key] = self._factory.udp(flow, link=link, length=size - FCS_BYTES, checksum=False)[
                :-SERIAL_BYTES
            ]
        return self._templates[key] + serial.to_bytes(SERIAL_BYTES, "big")


@dataclass
class _Sent:
    source: int
    targets: tuple[int, ...]
    first_beat: float  # when it can be in
    bytes: int


class Traffic:
    """Frames on their way through one switch, each known by its serial number."""

    def __init__(self, switch: SimulatedSwitch, seed: int = 1) -> None:
        self.switch = switch
        self.device = switch.device
        self._frames = Frames(seed)
        self._serials = itertools.count()
        self.sent: dict[int, _Sent] = {}

    def run(
        self,
        name: str,
        cycles: int,
        sizes: Callable[[], int],
        choose: Callable[[int], int | None],
        held: Collection[int] = (),
    ) -> Case:
        """Every wire for which `choose` gives a target brings frames without a pause for so many cycles. A port that is
        `held` takes nothing meanwhile."""
        wires = range(self.device.ports)
        before = self.counters()
        start = self.device.cycle
        self.sent, offered = {}, 0
        all_sizes = set()
        for source in wires:
            at = 0.0
            while at < cycles and (target := choose(source)) is not None:
                size = sizes()
                all_sizes.add(size)
                offered += size - FCS_BYTES + OVERHEAD_BYTES
                self._send(source, target, size, start, at)
                at += (size - FCS_BYTES + OVERHEAD_BYTES) / BYTES_A_CYCLE
        for wire in held:
            self.device.hold(wire, True)
        self.device.run(cycles)
        for wire in held:
            self.device.hold(wire, False)
        came = {wire: list(self.device.received(wire)) for wire in wires}
        in_time = sum(len(d.data) + OVERHEAD_BYTES for all_ in came.values() for d in all_)
        frames = sum(map(len, came.values()))
        self.drain(came)
        case = Case(name, all_sizes.pop() if len(all_sizes) == 1 else 0)
        case.offered_gbps = offered * 8 / (cycles * CYCLE_NS)
        case.gbps = in_time * 8 / (cycles * CYCLE_NS)
        case.mpps = frames * 1000 / (cycles * CYCLE_NS)
        self._judge(case, came)
        after = self.counters()
        case.counters = {name: after[name] - before[name] for name in after}
        self._conserve(case, came)
        return case

    def _send(self, source: int, target: int, size: int, start: int, at: float) -> None:
        serial = next(self._serials)
        frame = self._frames.make(source, target, size, serial)
        targets = tuple(range(self.device.ports)) if target == TO_ALL else (target,)
        first = start + at + (OVERHEAD_BYTES + min(32, len(frame))) / BYTES_A_CYCLE
        self.sent[serial] = _Sent(source, targets, first, len(frame))
        self.device.send(source, frame, start)

    def drain(self, came: dict[int, list[Departure]], patience: int = 4000) -> None:
        """Until nothing has left for so long."""
        quiet = 0
        while quiet < patience:
            self.device.run(500)
            news = {wire: list(self.device.received(wire)) for wire in came}
            for wire, departures in news.items():
                came[wire] += departures
            quiet = 0 if any(news.values()) or self.device.waiting else quiet + 500

    def _judge(self, case: Case, came: dict[int, list[Departure]]) -> None:
        """Each frame that came was sent, to that wire, is whole, comes once and behind those its source sent before."""
        case.lost = Counter((sent.source, target) for sent in self.sent.values() for target in sent.targets)
        wanted = case.lost.total()
        for wire, departures in came.items():
            last: dict[int, int] = {}
            for departure in departures:
                serial = int.from_bytes(departure.data[-SERIAL_BYTES:], "big")
                sent = self.sent.get(serial)
                assert sent is not None, f"wire {wire}: a frame left that nobody sent, {departure.data.hex()}"
                assert wire in sent.targets, f"a frame for {sent.targets} left by wire {wire}"
                assert len(departure.data) == sent.bytes, f"wire {wire}: frame {serial} has another length"
                assert serial > last.get(sent.source, -1), f"wire {wire}: frame {serial} is doubled or out of its turn"
                last[sent.source] = serial
                case.received[sent.source, wire] += 1
                case.lost[sent.source, wire] -= 1
                case.latencies.append(round(departure.first - sent.first_beat))
        case.loss = case.lost.total() / wanted if wanted else 0

    def counters(self) -> dict[str, int]:
        return {name: self.switch.counter(name) for name in self.switch.counter_names}

    def _conserve(self, case: Case, came: dict[int, list[Departure]]) -> None:
        """What came in has left or is counted, source by source and queue by queue."""
        count = case.counters
        ports = self.device.ports
        ways_in = ("rx_packets", "rx_bad", "rx_long", "rx_full")
        for source in range(ports):
            sent = sum(s.source == source for s in self.sent.values())
            assert sum(count[f"{way}[{source}]"] for way in ways_in) == sent, f"source {source}: {count}"
        refused = ("queue_full", "queue_share", "queue_down")
        taken = sum(count[f"rx_packets[{source}]"] for source in range(ports + 2))
        multicast = sum(len(s.targets) - 1 for s in self.sent.values())
        copies = sum(count[f"{name}[{queue}]"] for name in ("queue_packets", *refused) for queue in range(ports + 1))
        if not any(count[f"rx_full[{source}]"] for source in range(ports)):
            assert copies + count["queue_nowhere"] == taken + multicast, f"{copies} copies of {taken} packets: {count}"
        for wire, departures in came.items():
            assert count[f"tx_packets[{wire}]"] == len(departures), f"wire {wire}: {count}"
            assert count[f"queue_packets[{wire}]"] == len(departures) + count[f"queue_discarded[{wire}]"]
