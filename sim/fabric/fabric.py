# SPDX-License-Identifier: Apache-2.0
"""A fabric by names: switches, hosts, links and flows of a topology, in one simulation (docs/fabric.md)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.packets.factory import Flow as Ends
from bench.packets.factory import Link as Around
from bench.packets.factory import PacketFactory
from bench.packets.protocols import FCS_BYTES
from fabric import library, topology
from fabric.account import Account, examine
from fabric.build import build_fabric, build_node
from fabric.topology import DIRECTIONS, WAYS, Flow, Topology, read_data, read_file
from p4sume.cases import stf
from p4sume.cases.runner import run_case
from switch.library import SimulatedSwitch

CYCLE_PS = 5000
NEVER_PS = (1 << 63) - 1
DRAIN_CYCLES = 2000
PATIENCE_US = 10_000
FLOW_PORTS = range(1024, 65536)


class FabricError(Exception):
    """Something is missing, or the fabric does not come to rest."""


@dataclass(frozen=True)
class Arrival:
    """A frame at a host: when its last bit was there, and its length without check sequence."""

    serial: int
    at_ps: int
    length: int
    flow: str


@dataclass(frozen=True)
class Passed:
    """A frame and a link: `what` is began, came or lost. `direction`: forward or backward."""

    at_ps: int
    link: str
    direction: str
    serial: int
    what: str


class Fabric:
    def __init__(self, described: Topology | Mapping[str, object], trace: bool = False) -> None:
        self.topology = described if isinstance(described, Topology) else read_data(described)
        self._core = library.FabricLibrary(build_fabric(), self.topology.seed, trace)
        self._switches: dict[str, SimulatedSwitch] = {}
        for place, node in enumerate(self.topology.switches.values()):
            built = build_node(node.program, node.backend, node.ports)
            device = self._core.add_switch(built.library, self.topology.seed + place)
            self._switches[node.name] = SimulatedSwitch(built, device=device)
        self._hosts = {name: self._core.add_host() for name in self.topology.hosts}
        self._links = {name: self._add_link(link) for name, link in self.topology.links.items()}
        self._flows = {name: self._add_flow(flow) for name, flow in self.topology.flows.items()}
        for event in self.topology.events:
            self._core.add_event(self._event(event))
        for node in self.topology.switches.values():
            if node.entries is not None:
                self.apply(node.name, node.entries)

    @classmethod
    def from_yaml(cls, path: str | Path, trace: bool = False) -> Fabric:
        return cls(read_file(Path(path)), trace)

    # ---- what there is

    def switch(self, name: str) -> SimulatedSwitch:
        """Its tables, registers and counters, and the CPU's side; time is the fabric's."""
        return self._switches[name]

    def apply(self, switch: str, case: Path) -> None:
        """Table entries and registers as an STF file has them."""
        report = run_case(stf.parse_file(case), self._switches[switch].program, str(case))  # type: ignore[arg-type]
        if not report.passed:
            raise FabricError("\n".join(report.failures))

    # ---- time

    @property
    def cycle(self) -> int:
        return self._core.cycle

    @property
    def now_ps(self) -> int:
        return self.cycle * CYCLE_PS

    def run(self, *, ns: float = 0, us: float = 0, cycles: int = 0) -> None:
        """For so long; of a time that is no whole number of cycles, the next above."""
        self._core.run(cycles + -(-round((ns + us * 1000) * 1000) // CYCLE_PS))

    def drain(self, patience_us: float = PATIENCE_US) -> None:
        """Until nothing moves. No source begins a frame until the next `run`; what would have been sent is not sent
        later."""
        end = self.now_ps + round(patience_us * 1e6)
        while True:
            self._core.run(DRAIN_CYCLES, sending=False)
            if self._core.still:
                return
            if self.now_ps >= end:
                raise FabricError(f"after {patience_us} us frames still move")

    def cut(self, link: str, direction: str = "both", silent: bool = False) -> None:
        """Now. `silent`: no switch is told."""
        self._change(topology.Event(0, "cut", link, DIRECTIONS[direction], silent, 0))

    def repair(self, link: str, direction: str = "both") -> None:
        self._change(topology.Event(0, "repair", link, DIRECTIONS[direction], False, 0))

    def load(self, flow: str, rate_mbps: int) -> None:
        self._change(topology.Event(0, "load", flow, 0, False, rate_mbps))

    def fault(self, link: str, direction: str, kind: str) -> None:
        """For the tests of `check`: what happens to the link's next frame and is not counted; FAULTS of `library`."""
        self._core.fault(self._links[link], WAYS.index(direction), kind)

    # ---- what was

    def arrivals(self, host: str) -> list[Arrival]:
        flows, of_serial = list(self._flows), self._core.flows_of_serials()
        rows = self._core.arrivals(self._hosts[host])
        return [Arrival(serial, at, length, flows[of_serial[serial]]) for serial, at, length in rows]

    @property
    def trace(self) -> list[Passed]:
        """By time. Kept only if the fabric was made with `trace`."""
        links = list(self._links)
        return [
            Passed(at, links[link], WAYS[direction], serial, library.PASSINGS[what])
            for at, link, direction, serial, what in sorted(self._core.trace())
        ]

    def paths(self) -> dict[int, list[tuple[str, str]]]:
        """Of each serial number the links that have carried it to their end, and the direction, by time."""
        found: dict[int, list[tuple[str, str]]] = {}
        for row in self.trace:
            if row.what == "came":
                found.setdefault(row.serial, []).append((row.link, row.direction))
        return found

    def lane(self, link: str, direction: str) -> library.Lane:
        """What a link has carried in a direction: frames and bytes that began, came, were lost, by kind."""
        return self._core.lane(self._links[link], WAYS.index(direction))

    def account(self) -> Account:
        """Where every frame is; reading the counters takes time."""
        return examine(self._core, self.topology, self._switches)

    def check(self) -> Account:
        """The account, if nothing is missing; else FabricError says what."""
        account = self.account()
        if account.missing:
            raise FabricError("\n".join(map(str, account.missing)))
        return account

    # ---- making it

    def _end(self, end: topology.End) -> library.End:
        if end.port is None:
            return library.End(1, self._hosts[end.node], 0)
        return library.End(0, list(self.topology.switches).index(end.node), end.port)

    def _add_link(self, link: topology.Link) -> int:
        first, second = map(self._end, link.ends)
        return self._core.add_link((first, second), link.rate_mbps, round(link.delay_ns * 1000))

    def _add_flow(self, flow: Flow) -> int:
        stop = NEVER_PS if flow.stop_us is None else round(flow.stop_us * 1e6)
        times = (round(t * 1e6) for t in (flow.on_us, flow.off_us))
        ends = (self._hosts[flow.source], self._hosts[flow.target])
        kind = library.PATTERNS.index(flow.kind)
        number = self._core.add_flow(
            library.Plan(*ends, kind, flow.rate_mbps, round(flow.start_us * 1e6), stop, *times)
        )
        for frame in self.frames(flow):
            self._core.add_frame(number, frame)
        return number

    def trailer(self, serial: int) -> bytes:
        """How a frame of a serial number ends."""
        return self._core.trailer(serial)

    def frames(self, flow: Flow) -> list[bytes]:
        """What a flow sends, one of each size, before they get their serial numbers."""
        source, target = (self.topology.hosts[name] for name in (flow.source, flow.target))
        seed = f"{self.topology.seed} {flow.name}"
        drawn = random.Random(seed)
        sport, dport = (
            drawn.choice(FLOW_PORTS) if port is None else port for port in (flow.sport, flow.dport)
        )  # drawn in any case: one that is given does not change the other
        ends = Ends(str(source.address(flow.family)), sport, str(target.address(flow.family)), dport)
        around = Around(source.mac, source.gateway or target.mac)
        trailer = self.trailer(0)
        made = []
        for size in flow.frame_bytes:
            # All of a flow's frames have the same header, IPv6's flow label included: each is made from the same seed.
            headers = len(PacketFactory(random.Random(seed)).udp(ends, payload=bytes(64), link=around)) - 64
            payload = drawn.randbytes(size - FCS_BYTES - headers - len(trailer)) + trailer
            made.append(PacketFactory(random.Random(seed)).udp(ends, payload=payload, link=around))
        return made

    def _event(self, event: topology.Event) -> library.Event:
        subject = (self._flows if event.change == "load" else self._links)[event.subject]
        change = library.CHANGES.index(event.change)
        at = round(event.at_us * 1e6)
        return library.Event(at, change, subject, event.directions, event.silent, event.rate_mbps)

    def _change(self, event: topology.Event) -> None:
        self._core.change(self._event(event))
