# SPDX-License-Identifier: Apache-2.0
"""What a fabric is made of, read from YAML or from the same as Python data; docs/fabric.md says what the keys mean.

What does not fit is told with the file, the line, the place in it and what is expected there.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml

from bench.packets.protocols import FCS_BYTES, WIRE_MAX_BYTES, WIRE_MIN_BYTES
from fabric.build import BACKENDS
from flow.paths import ROOT

DEFAULT_PORTS, MAX_PORTS = 4, 32
FULL_RATE_MBPS = 10_000
DEFAULT_DELAY_NS, MIN_DELAY_NS = 500, 250
# Ethernet, IP and UDP headers, the trailer by which the fabric knows a frame, the check sequence.
LEAST_FRAME_BYTES = {4: WIRE_MIN_BYTES, 6: 14 + 40 + 8 + 12 + FCS_BYTES}
KINDS = ("constant", "poisson", "on_off")
WAYS = ("forward", "backward")  # from a link's first end, from its second
DIRECTIONS = {"forward": 0b01, "backward": 0b10, "both": 0b11}  # a bit for each

T = TypeVar("T")
Key = tuple[str | int, ...]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class TopologyError(Exception):
    """The description of a fabric is wrong; the message says where, and what is expected."""


@dataclass(frozen=True)
class Node:
    """A switch."""

    name: str
    program: Path
    backend: str
    ports: int
    entries: Path | None


@dataclass(frozen=True)
class Host:
    name: str
    mac: str
    ipv4: ipaddress.IPv4Address | None
    ipv6: ipaddress.IPv6Address | None
    gateway: str | None

    def address(self, family: int) -> Address | None:
        return self.ipv4 if family == 4 else self.ipv6


@dataclass(frozen=True)
class End:
    node: str
    port: int | None  # None: a host

    def __str__(self) -> str:
        return self.node if self.port is None else f"{self.node}.{self.port}"


@dataclass(frozen=True)
class Link:
    name: str
    ends: tuple[End, End]
    rate_mbps: int
    delay_ns: float


@dataclass(frozen=True)
class Flow:
    name: str
    source: str
    target: str
    kind: str
    rate_mbps: int
    frame_bytes: tuple[int, ...]
    start_us: float
    stop_us: float | None
    on_us: float
    off_us: float
    family: int
    sport: int | None
    dport: int | None


@dataclass(frozen=True)
class Event:
    """`change`: cut, repair or load; `subject`: a link, of load a flow. `directions` has a bit for each."""

    at_us: float
    change: str
    subject: str
    directions: int
    silent: bool
    rate_mbps: int


@dataclass(frozen=True)
class Topology:
    seed: int
    switches: Mapping[str, Node]
    hosts: Mapping[str, Host]
    links: Mapping[str, Link]
    flows: Mapping[str, Flow]
    events: tuple[Event, ...]


def read_file(path: Path) -> Topology:
    try:
        text = path.read_text()
    except OSError as problem:
        raise TopologyError(f"{path}: {problem.strerror}") from problem
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        lines = dict(_lines(node, (), str(path)))
        data = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else 1
        raise TopologyError(f"{path}:{line}: this is no YAML: {problem.problem}") from problem
    finally:
        loader.dispose()
    return _Reader(str(path), lines, path.parent).topology(data)


def read_data(data: object, source: str = "topology", folder: Path = ROOT) -> Topology:
    """`folder`: where files lie that it names."""
    return _Reader(source, {}, folder).topology(data)


def _lines(node: yaml.Node | None, key: Key, source: str) -> Iterator[tuple[Key, int]]:
    """The line of every place; a key twice is an error."""
    if node is None:
        return
    yield key, node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _lines(item, (*key, index), source)
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for name, item in node.value:
            if name.value in seen:
                raise TopologyError(
                    f"{source}:{name.start_mark.line + 1}: {_shown((*key, name.value))}: is there twice"
                )
            seen.add(name.value)
            yield from _lines(item, (*key, name.value), source)
            yield (*key, name.value), name.start_mark.line + 1


def _shown(key: Key) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in key)
    return text.removeprefix(".") or "the whole"


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names)) or "none"


class _Reader:
    def __init__(self, source: str, lines: Mapping[Key, int], folder: Path) -> None:
        self._source = source
        self._lines = lines
        self._folder = folder

    def error(self, key: Key, message: str) -> TopologyError:
        at = key
        while at and at not in self._lines:
            at = at[:-1]
        line = f":{self._lines[at]}" if at in self._lines else ""
        return TopologyError(f"{self._source}{line}: {_shown(key)}: {message}")

    # ---- values

    def record(self, key: Key, value: object, known: Collection[str], required: Collection[str] = ()) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise self.error(key, f"expected keys ({', '.join(known)}), not {value!r}")
        for name in value:
            if name not in known:
                raise self.error((*key, str(name)), f"there is no such key; there are {', '.join(known)}")
        for name in required:
            if name not in value:
                raise self.error(key, f"the key {name} is missing")
        return dict(value)

    def names(self, key: Key, value: object) -> dict[str, object]:
        if not isinstance(value, Mapping):
            raise self.error(key, f"expected a name and what it is, for each, not {value!r}")
        for name in value:
            if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][\w-]*", name):
                raise self.error((*key, str(name)), "expected a name: a letter, then letters, digits, _ and -")
        return dict(value)

    def items(self, key: Key, value: object) -> list[object]:
        if not isinstance(value, list):
            raise self.error(key, f"expected a list, not {value!r}")
        return value

    def whole(self, key: Key, value: object, low: int, high: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.error(key, f"expected a whole number from {low} to {high}, not {value!r}")
        return value

    def number(self, key: Key, value: object, low: float) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value < 1e12:
            raise self.error(key, f"expected a number, {low} or more, not {value!r}")
        return value

    def one_of(self, key: Key, value: object, allowed: Collection[T]) -> T:
        for one in allowed:
            if value == one:
                return one
        raise self.error(key, f"expected one of {', '.join(map(str, allowed))}, not {value!r}")

    def mac(self, key: Key, value: object) -> str:
        if not isinstance(value, str) or not re.fullmatch(r"([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}", value):
            raise self.error(key, f'expected a MAC address in quotes, as "02:00:00:00:00:01", not {value!r}')
        return value.lower()

    def address(self, key: Key, value: object, make: Callable[[str], T]) -> T:
        try:
            return make(str(value))
        except ValueError as problem:
            raise self.error(key, f"expected an address: {problem}") from problem

    def file(self, key: Key, value: object, folder: Path) -> Path:
        path = folder / str(value)
        if not path.is_file():
            raise self.error(key, f"expected a file; there is no {path}")
        return path

    # ---- the parts

    def topology(self, data: object) -> Topology:
        keys = ("seed", "switches", "hosts", "links", "traffic", "events")
        given = self.record((), data, keys, ("switches", "links"))
        seed = self.whole(("seed",), given.get("seed", 1), 0, 2**63)
        switches = {n: self.node(n, v) for n, v in self.names(("switches",), given["switches"]).items()}
        listed = self.names(("hosts",), given.get("hosts") or {})
        hosts = {n: self.host(n, v, i) for i, (n, v) in enumerate(listed.items())}
        for name in hosts:
            if name in switches:
                raise self.error(("hosts", name), "a switch has this name")
        links: dict[str, Link] = {}
        used: dict[End, str] = {}
        for i, value in enumerate(self.items(("links",), given["links"] or [])):
            link = self.link(("links", i), value, switches, hosts)
            if link.name in links:
                raise self.error(("links", i), f"another link is called {link.name}; give it a name of its own")
            for j, end in enumerate(link.ends):
                if end in used:
                    raise self.error(("links", i, "ends", j), f"{end} has a link already, {used[end]}")
                used[end] = link.name
            links[link.name] = link
        flows: dict[str, Flow] = {}
        linked = {end.node for end in used}
        for i, value in enumerate(self.items(("traffic",), given.get("traffic") or [])):
            flow = self.flow(("traffic", i), value, hosts, linked, i)
            if flow.name in flows:
                raise self.error(("traffic", i), f"another flow is called {flow.name}")
            flows[flow.name] = flow
        events = self.items(("events",), given.get("events") or [])
        made = tuple(self.event(("events", i), value, links, flows) for i, value in enumerate(events))
        return Topology(seed, switches, hosts, links, flows, made)

    def node(self, name: str, value: object) -> Node:
        key = ("switches", name)
        given = self.record(key, value, ("program", "backend", "ports", "entries"), ("program",))
        entries = given.get("entries")
        return Node(
            name,
            self.file((*key, "program"), given["program"], ROOT),
            self.one_of((*key, "backend"), given.get("backend", "model"), tuple(BACKENDS)),
            self.whole((*key, "ports"), given.get("ports", DEFAULT_PORTS), 1, MAX_PORTS),
            None if entries is None else self.file((*key, "entries"), entries, self._folder),
        )

    def host(self, name: str, value: object, place: int) -> Host:
        key = ("hosts", name)
        given = self.record(key, value, ("mac", "ipv4", "ipv6", "gateway"))
        ipv4, ipv6, gateway = given.get("ipv4"), given.get("ipv6"), given.get("gateway")
        if ipv4 is None and ipv6 is None:
            raise self.error(key, "expected an address, ipv4 or ipv6 or both")
        return Host(
            name,
            self.mac((*key, "mac"), given.get("mac", f"02:00:01:00:{place >> 8:02x}:{place & 255:02x}")),
            None if ipv4 is None else self.address((*key, "ipv4"), ipv4, ipaddress.IPv4Address),
            None if ipv6 is None else self.address((*key, "ipv6"), ipv6, ipaddress.IPv6Address),
            None if gateway is None else self.mac((*key, "gateway"), gateway),
        )

    def link(self, key: Key, value: object, switches: Mapping[str, Node], hosts: Mapping[str, Host]) -> Link:
        given = self.record(key, value, ("name", "ends", "rate_mbps", "delay_ns"), ("ends",))
        ends = self.items((*key, "ends"), given["ends"])
        if len(ends) != 2:
            raise self.error((*key, "ends"), f"expected two ends, not {len(ends)}")
        first, second = (self.end((*key, "ends", i), end, switches, hosts) for i, end in enumerate(ends))
        name = given.get("name", f"{first.node}-{second.node}")
        if not isinstance(name, str):
            raise self.error((*key, "name"), f"expected a name, not {name!r}")
        return Link(
            name,
            (first, second),
            self.whole((*key, "rate_mbps"), given.get("rate_mbps", FULL_RATE_MBPS), 1, FULL_RATE_MBPS),
            self.number((*key, "delay_ns"), given.get("delay_ns", DEFAULT_DELAY_NS), MIN_DELAY_NS),
        )

    def end(self, key: Key, value: object, switches: Mapping[str, Node], hosts: Mapping[str, Host]) -> End:
        node, _, port = str(value).partition(".")
        if node in hosts and not port:
            return End(node, None)
        if node in switches and port.isdecimal():
            if int(port) < switches[node].ports:
                return End(node, int(port))
            raise self.error(key, f"{node} has ports 0 to {switches[node].ports - 1}, not {port}")
        if node in switches or node in hosts:
            raise self.error(key, f"expected a host, or a switch and its port as in leaf0.2, not {value!r}")
        raise self.error(key, f"there is no {node}; there are {_listed([*switches, *hosts])}")

    def flow(self, key: Key, value: object, hosts: Mapping[str, Host], linked: Collection[str], place: int) -> Flow:
        known = ("name", "from", "to", "kind", "rate_mbps", "frame_bytes", "start_us", "stop_us", "on_us", "off_us")
        given = self.record(key, value, (*known, "family", "sport", "dport"), ("from", "to", "rate_mbps"))
        for way in ("from", "to"):
            if given[way] not in hosts:
                raise self.error((*key, way), f"there is no host {given[way]}; there are {_listed(hosts)}")
            if given[way] not in linked:
                raise self.error((*key, way), f"{given[way]} has no link")
        ends = [hosts[given["from"]], hosts[given["to"]]]
        both = [family for family in (4, 6) if all(host.address(family) for host in ends)]
        if not both:
            raise self.error(key, "the two hosts have no addresses of one family")
        family = self.one_of((*key, "family"), given.get("family", both[0]), both)
        sizes = given.get("frame_bytes", 512)
        listed = sizes if isinstance(sizes, list) and sizes else [sizes]
        kind = self.one_of((*key, "kind"), given.get("kind", "constant"), KINDS)
        durations = ("on_us", "off_us")
        for name in durations:
            if (name in given) != (kind == "on_off"):
                raise self.error((*key, name), f"on_us and off_us are there if kind is on_off, which is {kind}")
        on, off = (self.number((*key, name), given.get(name, 1), 0.001) for name in durations)
        ports = [given.get(name) for name in ("sport", "dport")]
        sport, dport = (
            None if port is None else self.whole((*key, name), port, 0, 65535)
            for name, port in zip(("sport", "dport"), ports, strict=True)
        )
        stop = given.get("stop_us")
        return Flow(
            str(given.get("name", f"flow{place}")),
            given["from"],
            given["to"],
            kind,
            self.whole((*key, "rate_mbps"), given["rate_mbps"], 0, FULL_RATE_MBPS),
            tuple(self.whole((*key, "frame_bytes"), s, LEAST_FRAME_BYTES[family], WIRE_MAX_BYTES) for s in listed),
            self.number((*key, "start_us"), given.get("start_us", 0), 0),
            None if stop is None else self.number((*key, "stop_us"), stop, 0),
            on,
            off,
            family,
            sport,
            dport,
        )

    def event(self, key: Key, value: object, links: Mapping[str, Link], flows: Mapping[str, Flow]) -> Event:
        changes: dict[str, Collection[str]] = {"cut": links, "repair": links, "load": flows}
        given = self.record(key, value, ("at_us", *changes, "direction", "silent", "rate_mbps"), ("at_us",))
        named = [change for change in changes if change in given]
        if len(named) != 1:
            raise self.error(key, f"expected one of {', '.join(changes)}, not {len(named)} of them")
        change = named[0]
        subject = self.one_of((*key, change), given[change], changes[change])
        allowed = {"cut": ("direction", "silent"), "repair": ("direction",), "load": ("rate_mbps",)}[change]
        for name in ("direction", "silent", "rate_mbps"):
            if name in given and name not in allowed:
                raise self.error((*key, name), f"{change} has no {name}")
        if change == "load" and "rate_mbps" not in given:
            raise self.error(key, "the key rate_mbps is missing")
        direction = self.one_of((*key, "direction"), given.get("direction", "both"), tuple(DIRECTIONS))
        silent = self.one_of((*key, "silent"), given.get("silent", False), (True, False))
        rate = self.whole((*key, "rate_mbps"), given.get("rate_mbps", 0), 0, FULL_RATE_MBPS)
        at = self.number((*key, "at_us"), given["at_us"], 0)
        return Event(at, change, subject, DIRECTIONS[direction], silent, rate)
