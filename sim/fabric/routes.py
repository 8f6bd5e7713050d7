# SPDX-License-Identifier: Apache-2.0
"""Entries for switches of hw/p4/ecmp.p4: every host by all shortest paths, by a group where there are several."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from fabric.fabric import Fabric
from fabric.topology import Topology
from p4sume.control.plane import KeyValue
from switch.library import SimulatedSwitch

BUCKETS = 64  # of a group, in ecmp.p4
SEED_REGISTER = "hash_seed_reg_rw"
Exits = Mapping[int, str]  # of a switch: what is behind each port


def shortest_ports(topology: Topology) -> dict[tuple[str, str], tuple[int, ...]]:
    """By switch and host: the ports that begin a shortest path. No path leads through a host."""
    exits = exits_of(topology)
    found: dict[tuple[str, str], tuple[int, ...]] = {}
    for host in topology.hosts:
        distance = _distances(host, exits, topology)
        for switch, behind in exits.items():
            if switch in distance:
                on = (port for port, node in behind.items() if distance.get(node, -1) == distance[switch] - 1)
                found[switch, host] = tuple(sorted(on))
    return found


def install_routes(fabric: Fabric, seed: int = 1, switches: Iterable[str] | None = None) -> None:
    """Each switch hashes with a seed of its own, made of `seed`."""
    topology = fabric.topology
    gateways = sorted({host.gateway for host in topology.hosts.values() if host.gateway})
    if not gateways:
        raise ValueError("no host of the topology has a gateway, to which routed frames are addressed")
    ports, exits = shortest_ports(topology), exits_of(topology)
    for place, name in enumerate(switches if switches is not None else topology.switches):
        to = {host: ports[name, host] for host in topology.hosts if ports.get((name, host))}
        routes = _Routes(fabric.switch(name), gateways)
        routes.next_hops({port: _mac(topology, node, gateways[0]) for port, node in exits[name].items()})
        for host, leads in to.items():
            routes.lead(topology.hosts[host].ipv4, "ipv4_route", leads)
            routes.lead(topology.hosts[host].ipv6, "ipv6_route", leads)
        fabric.switch(name).program.write_register(SEED_REGISTER, 0, (seed * 0x9E3779B1 + place * 0x85EBCA77) % 2**32)


def exits_of(topology: Topology) -> dict[str, dict[int, str]]:
    exits: dict[str, dict[int, str]] = {name: {} for name in topology.switches}
    for link in topology.links.values():
        for end, other in (link.ends, link.ends[::-1]):
            if end.port is not None:
                exits[end.node][end.port] = other.node
    return exits


def _distances(host: str, exits: Mapping[str, Exits], topology: Topology) -> dict[str, int]:
    distance = {host: 0}
    reached = deque([host])
    while reached:
        node = reached.popleft()
        for switch, behind in exits.items():
            if switch not in distance and node in behind.values():
                distance[switch] = distance[node] + 1
                reached.append(switch)
    return distance


def _mac(topology: Topology, node: str, gateway: str) -> int:
    return int((topology.hosts[node].mac if node in topology.hosts else gateway).replace(":", ""), 16)


class _Routes:
    def __init__(self, switch: SimulatedSwitch, gateways: Iterable[str]) -> None:
        self._control = switch.program
        self._groups: dict[tuple[int, ...], int] = {}
        self._gateway = 0
        for gateway in gateways:
            self._gateway = self._gateway or int(gateway.replace(":", ""), 16)
            self._add("router_mac", [KeyValue(int(gateway.replace(":", ""), 16))], "NoAction", [])

    def _add(self, table: str, key: list[KeyValue], action: str, arguments: list[int]) -> None:
        self._control.change("add", self._control.table(table), key, 0, action, arguments)

    def next_hops(self, macs: Mapping[int, int]) -> None:
        """The next hop of each port has the port's number."""
        for port, mac in macs.items():
            self._add("next_hops", [KeyValue(port)], "send", [1 << 2 * port, self._gateway, mac])

    def lead(self, address: object, table: str, ports: tuple[int, ...]) -> None:
        if address is None:
            return
        key = [KeyValue(int(address), prefix=address.max_prefixlen)]  # type: ignore[call-overload, attr-defined]
        if len(ports) == 1:
            self._add(table, key, "route_to_next_hop", [ports[0]])
            return
        if ports not in self._groups:
            self._groups[ports] = len(self._groups)
            for bucket in range(BUCKETS):
                place = [KeyValue(self._groups[ports]), KeyValue(bucket)]
                self._add("group_bucket", place, "choose", [ports[bucket % len(ports)]])
        self._add(table, key, "route_to_group", [self._groups[ports]])
