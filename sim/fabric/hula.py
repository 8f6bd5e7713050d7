# SPDX-License-Identifier: Apache-2.0
"""Settings for switches of hw/p4/hula.p4: what each is in a topology, where hosts live, how often probes come.

A switch's tier is its distance to the nearest host; its uplinks lead to a higher one. Those of tier 1 are ToRs,
numbered in the topology's order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from driver.hula import CLOCK_HZ, check_probes, link_scale
from fabric.fabric import Fabric
from fabric.routes import exits_of
from fabric.topology import Topology
from p4sume.control.plane import KeyValue

TICK_CYCLES = 256  # TICK_BITS of hula.p4
TIME_BITS = 16
PATHS, GATE, FLOWS = "paths_best_hops", "paths_probe_gate", "flows_flowlet_table"
WIRES, LOADS = "wires_port_up", "wires_link_util"
MBPS = 1_000_000


@dataclass(frozen=True)
class HulaSettings:
    """Times in microseconds. `gap`: the part of a period that has to be over before a ToR's next probe goes on.
    `probes_at_most`: of any link. `literal`: rules as the papers print them, docs/hula.md."""

    period_us: float = 200
    fail_us: float = 600
    flowlet_us: float = 100
    tau_log2: int = 16
    gap: Fraction = Fraction(3, 4)
    probes_at_most: Fraction = Fraction(1, 20)
    literal: int = 0
    seed: int = 1


@dataclass(frozen=True)
class Hop:
    """Of a ToR, as a switch keeps it."""

    port: int
    utilisation: int


class Hula:
    def __init__(
        self, fabric: Fabric, settings: HulaSettings | None = None, tiers: Mapping[str, int] | None = None
    ) -> None:
        """Sets every switch up; probes begin with `start`. `tiers`: where distance to hosts does not tell them."""
        self.fabric = fabric
        self.settings = settings or HulaSettings()
        topology = fabric.topology
        self.tiers = dict(tiers) if tiers is not None else tiers_of(topology)
        self.exits = exits_of(topology)
        self.tors = {name: i for i, name in enumerate(n for n in topology.switches if self.tiers[n] == 1)}
        self.tor_of = {
            node: switch for switch in self.tors for node in self.exits[switch].values() if node in topology.hosts
        }
        period_ns = round(self.settings.period_us * 1000)
        for link in topology.links.values():
            check_probes(len(self.tors), period_ns, link.rate_mbps * MBPS, self.settings.probes_at_most)
        for place, name in enumerate(topology.switches):
            self._switch(name, place)

    def start(self) -> None:
        """Time begins, and probes with it."""
        if self.fabric.cycle == 0:
            self.fabric.run(cycles=1)
        self.probe(True)

    def probe(self, enabled: bool) -> None:
        for name in self.tors:
            self.fabric.switch(name).registers.write("probes.control", int(enabled))

    def uplinks(self, switch: str) -> list[int]:
        return [port for port, node in self.exits[switch].items() if self.tiers.get(node, 0) > self.tiers[switch]]

    def hops(self, switch: str, tor: str) -> list[Hop]:
        """What the switch keeps of a ToR, live or not."""
        word = self.fabric.switch(switch).program.read_register(PATHS, self.tors[tor])
        ports = self.fabric.topology.switches[switch].ports
        port_bits = max(1, (ports - 1).bit_length())
        valid, utilisation, port = 1, word >> 1 + TIME_BITS & 0xFF, word >> 9 + TIME_BITS & (1 << port_bits) - 1
        return [Hop(port, utilisation)] if word & valid else []

    def counts(self, switch: str, register: str, names: Iterable[str]) -> dict[str, int]:
        program = self.fabric.switch(switch).program
        return {name: program.read_register(register, i) for i, name in enumerate(names)}

    # ---- setting up

    def _switch(self, name: str, place: int) -> None:
        control, settings = self.fabric.switch(name).program, self.settings
        control.configure(PATHS, "fail_ticks", 0, _ticks(settings.fail_us))
        control.configure(PATHS, "literal", 0, settings.literal)
        control.configure(GATE, "gap_ticks", 0, _ticks(float(settings.gap) * settings.period_us))
        control.configure(FLOWS, "timeout_ticks", 0, _ticks(settings.flowlet_us))
        control.configure(LOADS, "tau_log2", 0, settings.tau_log2)
        for link in self.fabric.topology.links.values():
            for end in link.ends:
                if end.node == name and end.port is not None:
                    control.configure(LOADS, "scale", end.port, link_scale(link.rate_mbps * MBPS))
        control.write_register("hash_seed_reg_rw", 0, (settings.seed * 0x9E3779B1 + place * 0x85EBCA77) % 2**32)
        for gateway in {host.gateway for host in self.fabric.topology.hosts.values() if host.gateway}:
            self._add(name, "router_mac", [KeyValue(int(gateway.replace(":", ""), 16))], "NoAction", [])
        self._roles(name)
        self._addresses(name)
        if name in self.tors:
            control.write_register("own_tor_reg_rw", 0, 1 << 24 | self.tors[name])
            self._probe_source(name)

    def _roles(self, name: str) -> None:
        up = _mask(self.uplinks(name))
        switches = _mask(port for port, node in self.exits[name].items() if node in self.tiers)
        down = switches & ~up
        for port, node in self.exits[name].items():
            me = 1 << port
            if node not in self.tiers:
                fabric, probes, data, unknown = 0, 0, up if name in self.tors else down, up
            elif up & me:
                fabric, probes, data, unknown = 1, down, down, 0
            else:
                fabric, probes, data, unknown = 1, switches & ~me, switches & ~me, up
            if name in self.tors and node in self.tiers:
                probes = data = 0  # a ToR sends nothing on that comes from the fabric
            self._add(name, "port_role", [KeyValue(1 << 2 * port)], "role", [port, fabric, probes, data, unknown])

    def _addresses(self, name: str) -> None:
        topology = self.fabric.topology
        for host in topology.hosts.values():
            behind = [port for port, node in self.exits[name].items() if node == host.name]
            if behind:
                macs = (int(mac.replace(":", ""), 16) for mac in (host.gateway or host.mac, host.mac))
                action, arguments = "to_host", [1 << 2 * behind[0], *macs]
            elif host.name in self.tor_of:
                action, arguments = "to_tor", [self.tors[self.tor_of[host.name]]]
            else:
                continue
            for table, address in (("ipv4_tor", host.ipv4), ("ipv6_tor", host.ipv6)):
                if address is not None:
                    self._add(name, table, [KeyValue(int(address), prefix=address.max_prefixlen)], action, arguments)

    def _probe_source(self, name: str) -> None:
        registers, tor = self.fabric.switch(name).registers, self.tors[name]
        written = {
            "period": round(self.settings.period_us * CLOCK_HZ / 1e6),
            "uplinks": _mask(self.uplinks(name)),
            "tor": tor,
            "mac_low": tor,
            "mac_high": 0x0200,
            "ipv4": 0x0A000000 | tor,
        }
        for register, value in written.items():
            registers.write(f"probes.{register}", value)

    def _add(self, switch: str, table: str, key: list[KeyValue], action: str, arguments: list[int]) -> None:
        control = self.fabric.switch(switch).program
        control.change("add", control.table(table), key, 0, action, arguments)


def tiers_of(topology: Topology) -> dict[str, int]:
    """Of each switch: how many links away the nearest host is."""
    exits = exits_of(topology)
    found = {name: 1 for name, behind in exits.items() if any(node in topology.hosts for node in behind.values())}
    reached = deque(found)
    while reached:
        switch = reached.popleft()
        for node in exits[switch].values():
            if node in exits and node not in found:
                found[node] = found[switch] + 1
                reached.append(node)
    return found


def _ticks(us: float) -> int:
    return round(us * CLOCK_HZ / 1e6 / TICK_CYCLES)


def _mask(ports: Iterable[int]) -> int:
    return sum(1 << port for port in ports)
