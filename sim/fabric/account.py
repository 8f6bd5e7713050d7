# SPDX-License-Identifier: Apache-2.0
"""Where every frame of a fabric is: the sums of docs/fabric.md, between what the links carried and what the switches
themselves have counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fabric.library import FabricLibrary, Lane
from fabric.topology import WAYS, Topology
from p4sume.hardware.registers import PACKET_COUNTS
from switch.library import SimulatedSwitch

KINDS = ("data", "probe", "other")
CAME_IN = ("rx_packets", "rx_bad", "rx_long", "rx_full")
REFUSED = ("queue_full", "queue_share", "queue_down")
QUEUED = ("queue_packets", *REFUSED)  # a copy for a queue
LOSSES = ("rx_bad", "rx_long", "rx_full", "queue_nowhere", *REFUSED, "queue_discarded", "digest_full")
DROPPED = f"{PACKET_COUNTS}.drop_"


@dataclass(frozen=True)
class Missing:
    """Frames of which nobody says what became of them; fewer than none: more than there were. `port`: of a switch,
    where it is known."""

    place: str
    port: int | None
    count: int
    why: str

    def __str__(self) -> str:
        at = self.place if self.port is None else f"{self.place} port {self.port}"
        return f"{at}: {self.count} {self.why}"


@dataclass
class Account:
    """Data frames. `lost_on_links`: by link and direction; those that a cut spoiled at a switch's door as well.
    `lost_in_switches`: by switch and counter, which may count other frames and copies too. `inside`: what a switch has
    taken and not given while it is at work, lost or not. `elsewhere`: at the CPU, at wires without a link, at hosts
    for which they are not."""

    sent: int = 0
    delivered: int = 0
    waiting: int = 0
    on_links: int = 0
    lost_on_links: dict[tuple[str, str], int] = field(default_factory=dict)
    lost_in_switches: dict[tuple[str, str], int] = field(default_factory=dict)
    inside: dict[str, int] = field(default_factory=dict)
    elsewhere: dict[str, int] = field(default_factory=dict)
    copies: int = 0
    still: bool = False
    missing: list[Missing] = field(default_factory=list)

    @property
    def lost(self) -> int:
        return sum(self.lost_on_links.values()) + sum(self.lost_in_switches.values())


def examine(core: FabricLibrary, topology: Topology, switches: Mapping[str, SimulatedSwitch]) -> Account:
    return _Examination(core, topology, switches).account


class _Examination:
    def __init__(self, core: FabricLibrary, topology: Topology, switches: Mapping[str, SimulatedSwitch]) -> None:
        self._core, self._topology, self._switches = core, topology, switches
        self.account = account = Account(still=core.still)
        # All that is the fabric's own is taken at one moment, since reading counters lets time go on.
        self._lanes = self._all_lanes()
        self._passages = {name: core.passage(i) for i, name in enumerate(topology.switches)}
        self._hosts()
        self._links()
        self._whole()
        if account.still:
            self._switches_of_all()
        if not account.still:
            account.inside = {name: passage.within for name, passage in self._passages.items() if passage.within}

    def _all_lanes(self) -> dict[tuple[str, str], Lane]:
        links = enumerate(self._topology.links)
        return {(name, way): self._core.lane(i, j) for i, name in links for j, way in enumerate(WAYS)}

    def _switches_of_all(self) -> None:
        known = len(self.account.missing)
        for number, name in enumerate(self._topology.switches):
            self._switch(number, name)
        after = self._all_lanes()
        if any(_frames(after[at].began) != _frames(lane.began) for at, lane in self._lanes.items()):
            # A source has begun to send while counters were read: they are of different moments.
            self.account.still = False
            self.account.lost_in_switches.clear()
            del self.account.missing[known:]

    def _miss(self, place: str, port: int | None, count: int, why: str) -> None:
        if count != 0:
            self.account.missing.append(Missing(place, port, count, why))

    def _add(self, where: str, count: int) -> None:
        if count:
            self.account.elsewhere[where] = self.account.elsewhere.get(where, 0) + count

    def _hosts(self) -> None:
        account, flows = self.account, list(self._topology.flows.values())
        of_serial = self._core.flows_of_serials()
        account.sent = len(of_serial)
        by_host = Counter(flows[flow].source for flow in of_serial)
        lanes = {
            link.ends[i].node: self._lanes[name, way]
            for name, link in self._topology.links.items()
            for i, way in enumerate(WAYS)
        }
        for number, host in enumerate(self._topology.hosts):
            sent, waiting = self._core.host(number)
            account.waiting += waiting
            self._miss(host, None, by_host[host] - sent - waiting, "frames neither sent nor waiting")
            if host in lanes:
                self._miss(host, None, sent - lanes[host].began[0].frames, "frames sent that did not begin on its link")
            own = set()
            for serial, _, _ in self._core.arrivals(number):
                if flows[of_serial[serial]].target != host or serial in own:
                    self._add(f"{host}, not for it or once more", 1)
                own.add(serial)
            account.delivered += sum(flows[of_serial[serial]].target == host for serial in own)

    def _links(self) -> None:
        for (name, way), lane in self._lanes.items():
            for kind, label in enumerate(KINDS):
                gone = lane.came[kind].frames + lane.lost[kind].frames + lane.flying[kind]
                count = lane.began[kind].frames - gone
                self._miss(f"{name} {way}", None, count, f"{label} frames began, and are neither there, lost nor on it")
            self.account.on_links += lane.flying[0]
            if lane.lost[0].frames:
                self.account.lost_on_links[name, way] = lane.lost[0].frames

    def _whole(self) -> None:
        """What was sent or copied is somewhere."""
        account = self.account
        for name, passage in self._passages.items():
            account.copies += passage.copies
            self._add(f"{name}, at the CPU", passage.at_cpu)
            self._add(f"{name}, at a wire without a link", passage.nowhere)
            self._miss(name, None, passage.doubled, "frames left twice by one port")
            self._miss(name, None, passage.strange, "frames left that never came")
        within = sum(passage.within for passage in self._passages.values())
        places = account.delivered + account.waiting + account.on_links + within + sum(account.elsewhere.values())
        places += sum(account.lost_on_links.values())
        if not account.missing:
            self._miss("all", None, account.sent + account.copies - places, "frames are at no place")

    # ---- what switches have counted

    def _switch(self, number: int, name: str) -> None:
        switch = self._switches[name]
        counted = {one: switch.counter(one) for one in switch.counter_names}
        ports = switch.device.ports
        spoiled = 0
        for port, out, into in self._ports(name):
            left = counted[f"tx_packets[{port}]"]
            self._miss(name, port, left - _frames(out.began), "frames left the switch and did not begin on the link")
            came = sum(counted[f"{way}[{port}]"] for way in CAME_IN)
            self._miss(name, port, _frames(into.came) + into.spoiled - came, "frames came that the switch has not seen")
            spoiled += into.spoiled
            counted[f"rx_bad[{port}]"] -= into.spoiled  # lost on the link
        losses = {one: count for one, count in counted.items() if one.partition("[")[0] in LOSSES and count}
        dropped = 0
        for register in switch.program.manifest["registers"]:
            if register["name"].startswith(DROPPED) and (count := switch.program.registers.read(register["name"])):
                losses[register["name"].removeprefix(f"{PACKET_COUNTS}.")] = count
                dropped += count
        self.account.lost_in_switches.update({(name, counter): count for counter, count in losses.items()})
        passage = self._passages[name]
        unseen = passage.within - sum(losses.values())
        # Counters of losses count other frames too, copies of frames that left, and digests.
        others = passage.others + counted[f"rx_packets[{ports}]"] + counted[f"rx_packets[{ports + 1}]"]
        beyond = _sum(counted, *QUEUED, "queue_nowhere", "digest_full") + dropped - _sum(counted, "rx_packets")
        if unseen > 0 or (not others and -unseen > beyond):
            came_by = {port for _, port in self._core.within(number)}
            only = came_by.pop() if len(came_by) == 1 else None
            self._miss(name, only, unseen, "frames came and neither left nor are counted as lost")

    def _ports(self, name: str) -> Iterator[tuple[int, Lane, Lane]]:
        """A switch's ports with a link: what leaves, what comes."""
        for link in self._topology.links.values():
            for i, end in enumerate(link.ends):
                if end.node == name and end.port is not None:
                    yield end.port, self._lanes[link.name, WAYS[i]], self._lanes[link.name, WAYS[1 - i]]


def _frames(counts: object) -> int:
    return sum(count.frames for count in counts)  # type: ignore[attr-defined]


def _sum(counted: Mapping[str, int], *names: str) -> int:
    return sum(count for one, count in counted.items() if one.partition("[")[0] in names)
