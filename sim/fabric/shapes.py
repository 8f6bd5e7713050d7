# SPDX-License-Identifier: Apache-2.0
"""Topologies by their shape, as the data that a file would have; traffic and events are for the caller to add."""

from __future__ import annotations

from typing import Any

from fabric.topology import DEFAULT_PORTS

GATEWAY_MAC = "02:00:00:00:00:01"
PROGRAM = "hw/p4/ecmp.p4"

Data = dict[str, Any]


def leaf_spine(
    leaves: int, spines: int, hosts_per_leaf: int, *, program: str = PROGRAM, backend: str = "model", **link: float
) -> Data:
    """Hosts are at a leaf's first ports, spines at the next. `link`: rate_mbps, delay_ns of all links."""
    shape = _Shape(program, backend, link)
    for spine in range(spines):
        shape.switch(f"spine{spine}", leaves)
    for leaf in range(leaves):
        name = f"leaf{leaf}"
        shape.switch(name, hosts_per_leaf + spines)
        for place in range(hosts_per_leaf):
            shape.host(f"{name}.{place}", 0, leaf, place)
        for spine in range(spines):
            shape.link(f"{name}.{hosts_per_leaf + spine}", f"spine{spine}.{leaf}")
    return shape.data


def fat_tree(k: int, *, program: str = PROGRAM, backend: str = "model", **link: float) -> Data:
    """k pods of k/2 edge and k/2 aggregation switches, k²/4 cores, k³/4 hosts; the lower half of a switch's ports
    leads down."""
    if k < 2 or k % 2:
        raise ValueError(f"a fat tree has an even number of ports, 2 or more, not {k}")
    half = k // 2
    shape = _Shape(program, backend, link)
    for core in range(half * half):
        shape.switch(f"core{core}", k)
    for pod in range(k):
        for place in range(half):
            aggregation, edge = f"aggregation{pod}_{place}", f"edge{pod}_{place}"
            shape.switch(aggregation, k)
            shape.switch(edge, k)
            for host in range(half):
                shape.host(f"{edge}.{host}", pod, place, host)
            for up in range(half):
                shape.link(f"{aggregation}.{half + up}", f"core{place * half + up}.{pod}")
        for edge_place in range(half):
            for place in range(half):
                shape.link(f"edge{pod}_{edge_place}.{half + place}", f"aggregation{pod}_{place}.{edge_place}")
    return shape.data


class _Shape:
    def __init__(self, program: str, backend: str, link: dict[str, float]) -> None:
        self.data: Data = {"switches": {}, "hosts": {}, "links": [], "traffic": [], "events": []}
        self._program, self._backend, self._link = program, backend, link

    def switch(self, name: str, ports: int) -> None:
        ports = max(ports, DEFAULT_PORTS)
        self.data["switches"][name] = {"program": self._program, "backend": self._backend, "ports": ports}

    def host(self, at: str, pod: int, network: int, place: int) -> None:
        name = f"host{len(self.data['hosts'])}"
        self.data["hosts"][name] = {
            "ipv4": f"10.{pod}.{network}.{place + 2}",
            "ipv6": f"fd00:0:{pod:x}:{network:x}::{place + 2:x}",
            "gateway": GATEWAY_MAC,
        }
        self.link(name, at)

    def link(self, first: str, second: str) -> None:
        self.data["links"].append({"ends": [first, second], **self._link})
