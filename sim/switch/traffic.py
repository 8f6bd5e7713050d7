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
from pathlib import Path
from typing import Any

from bench.packets.protocols import ETHERTYPE_IPV4, IP_PROTOCOL_HULA
from flow.paths import HW
from p4sume.cases import stf
from p4sume.cases.ports import port_bit
from p4sume.cases.rtl_build import build_switch
from p4sume.cases.rtl_control import RtlControl
from p4sume.cases.runner import run_case
from p4sume.frontend import Options
from switch.library import BuiltSwitch, Departure, SimulatedSwitch

PROGRAM = HW / "p4" / "ecmp.p4"
CASE = "line_rate.stf"
Builder = Callable[[Path, Options], BuiltSwitch]  # build_switch or build_model_switch
CYCLE_NS = 5
BYTES_A_CYCLE = 6.25  # of a wire
OVERHEAD_BYTES = 24  # preamble, checksum and gap
FCS_BYTES = 4
LONGEST_BYTES = 1518
SERIAL_BYTES = 6
FIRST_CYCLES = 500  # for each of the packets that come before all others
PROBE_CYCLES = 4000  # from a wire's probe to its next, of a switch that makes some

Wires = tuple[int, ...]


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
    probes: int = 0  # that the switch has made, and that have left

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


@dataclass(frozen=True)
class Template:
    """The front of a frame, and by how many bytes it leaves longer than it came."""

    data: bytes
    growth: int


class Setup:
    """What it takes to have a program carry frames: entries, and a frame of each sort, by source and targets. Both
    come from a packet case. Packets that it drops are what the program has to have seen before the others."""

    def __init__(self, program: Path = PROGRAM, case: Path | None = None) -> None:
        self.program = program
        self.case = case or HW / "p4" / "cases" / program.stem / CASE
        self.entries: list[stf.Statement] = []
        self.templates: dict[tuple[int, Wires], Template] = {}
        self.first: list[tuple[int, bytes]] = []
        ways: list[tuple[int, bytes, list[stf.ExpectPacket]]] = []
        for statement in stf.parse_file(self.case):
            match statement:
                case stf.SendPacket(port=port, data=data):
                    ways.append((port_bit(port, 64) // 2, data, []))
                case stf.ExpectPacket():
                    ways[-1][2].append(statement)
                case stf.ExpectDrop():
                    self.first.append(ways.pop()[:2])
                case stf.TableChange() | stf.SetDefault() | stf.WriteRegister() | stf.Configure():
                    self.entries.append(statement)
        for source, data, expected in ways:
            targets = tuple(port_bit(one.port, 64) // 2 for one in expected)
            lengths = {len(one.pattern or "") // 2 for one in expected}
            if len(lengths) != 1:
                raise ValueError(f"{self.case}: a packet leaves nowhere, or in several lengths")
            self.templates[source, targets] = Template(data, lengths.pop() - len(data))
        if not self.templates:
            raise ValueError(f"{self.case}: no packet leaves")

    def apply(self, control: RtlControl) -> None:
        report = run_case(self.entries, control, str(self.case))  # type: ignore[arg-type]
        assert report.passed, report.failures

    def to(self, source: int) -> list[Wires]:
        """To where a source can send."""
        return [targets for origin, targets in self.templates if origin == source]


def configured(seed: int, setup: Setup | None = None, build: Builder = build_switch) -> SimulatedSwitch:
    setup = setup or Setup()
    switch = SimulatedSwitch(build(setup.program, Options("sume")), seed)
    setup.apply(switch.program)
    if switch.registers.has("probes.control"):
        switch.registers.write("probes.uplinks", (1 << switch.device.ports) - 1)
        switch.registers.write("probes.period", PROBE_CYCLES)
    return switch


def _is_probe(frame: bytes) -> bool:
    return frame[12:14] == ETHERTYPE_IPV4.to_bytes(2, "big") and frame[23] == IP_PROTOCOL_HULA


class Frames:
    """Frames made of templates: random bytes behind, and a serial number at the end."""

    def __init__(self, setup: Setup, seed: int) -> None:
        self._setup = setup
        self._fill = random.Random(seed).randbytes(LONGEST_BYTES)

    def make(self, source: int, targets: Wires, size: int, serial: int) -> bytes:
        front = self._setup.templates[source, targets].data
        return front + self.behind(source, targets, size, serial)

    def behind(self, source: int, targets: Wires, size: int, serial: int) -> bytes:
        """What the program leaves as it is."""
        free = size - FCS_BYTES - len(self._setup.templates[source, targets].data) - SERIAL_BYTES
        if free < 0:
            raise ValueError(f"a frame of {size} bytes has no room for the headers of {self._setup.case}")
        return self._fill[:free] + serial.to_bytes(SERIAL_BYTES, "big")


@dataclass
class _Sent:
    source: int
    targets: Wires
    size: int
    first_beat: float  # when it can be in


class Traffic:
    """Frames on their way through one switch, each known by its serial number."""

    def __init__(self, switch: SimulatedSwitch, seed: int = 1, setup: Setup | None = None) -> None:
        self.switch = switch
        self.device = switch.device
        self.setup = setup or Setup()
        self._frames = Frames(self.setup, seed)
        self._serials = itertools.count()
        self.sent: dict[int, _Sent] = {}

    def run(
        self,
        name: str,
        cycles: int,
        sizes: Callable[[], int],
        choose: Callable[[int], Wires | None],
        held: Collection[int] = (),
    ) -> Case:
        """Every wire for which `choose` gives targets brings frames without a pause for so many cycles. A port that is
        `held` takes nothing meanwhile."""
        wires = range(self.device.ports)
        for source, data in self.setup.first:  # each time: what a program has seen it may forget
            self.device.send(source, data)
            self.device.run(FIRST_CYCLES)
        before = self.counters()
        self._make_probes(True)
        start = self.device.cycle
        self.sent, offered = {}, 0
        all_sizes = set()
        for source in wires:
            at = 0.0
            while at < cycles and (targets := choose(source)) is not None:
                size = sizes()
                all_sizes.add(size)
                offered += size - FCS_BYTES + OVERHEAD_BYTES
                self._send(source, targets, size, start, at)
                at += (size - FCS_BYTES + OVERHEAD_BYTES) / BYTES_A_CYCLE
        for wire in held:
            self.device.hold(wire, True)
        self.device.run(cycles)
        for wire in held:
            self.device.hold(wire, False)
        came = {wire: list(self.device.received(wire)) for wire in wires}
        in_time = sum(len(d.data) + OVERHEAD_BYTES for all_ in came.values() for d in all_)
        frames = sum(map(len, came.values()))
        self._make_probes(False)
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

    def _make_probes(self, enabled: bool) -> None:
        """A switch that makes probes makes them while it is measured, for every wire."""
        if self.switch.registers.has("probes.control"):
            self.switch.registers.write("probes.control", int(enabled))

    def _send(self, source: int, targets: Wires, size: int, start: int, at: float) -> None:
        serial = next(self._serials)
        frame = self._frames.make(source, targets, size, serial)
        first = start + at + (OVERHEAD_BYTES + min(32, len(frame))) / BYTES_A_CYCLE
        self.sent[serial] = _Sent(source, targets, size, first)
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
        """Each frame that came was sent, to that wire, is whole, comes once and behind those its source sent before;
        or is a probe, which the switch has made."""
        case.lost = Counter((sent.source, target) for sent in self.sent.values() for target in sent.targets)
        wanted = case.lost.total()
        for wire, departures in came.items():
            last: dict[int, int] = {}
            for departure in departures:
                if _is_probe(departure.data):
                    case.probes += 1
                    continue
                serial = int.from_bytes(departure.data[-SERIAL_BYTES:], "big")
                sent = self.sent.get(serial)
                assert sent is not None, f"wire {wire}: a frame left that nobody sent, {departure.data.hex()}"
                assert wire in sent.targets, f"a frame for {sent.targets} left by wire {wire}"
                behind = self._frames.behind(sent.source, sent.targets, sent.size, serial)
                length = sent.size - FCS_BYTES + self.setup.templates[sent.source, sent.targets].growth
                assert len(departure.data) == length, f"wire {wire}: frame {serial} has another length"
                assert departure.data.endswith(behind), f"wire {wire}: frame {serial} has other bytes"
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
