# SPDX-License-Identifier: Apache-2.0
"""Fabrics of switches around a program's model.

- Arithmetic from the wire up: when a frame is there that crosses a link of a rate and a delay; at what distance a port
  gives frames to a slower link; what a switch in a fabric does is what it does alone, to the cycle.
- Sources: rates, starts and stops, sizes, who is a burst and who is not; headers and checksums.
- Two leaves and two spines, and a fat tree of twenty switches: all that was sent is there or is counted, every path is
  used, none carries more than its rate.
- Cuts: one frame cut at each cycle of its last beats; a link full of frames; silent and not; one direction; repaired.
- Copies, the CPU, wires without a link, frames that are no data.
- Twenty switches run a millisecond in seconds.
- The same seed gives the same; turns of another length give the same.
- Faults that nobody tells of are noticed, with place and count.
"""

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

from bench.packets.hula import probe
from fabric.build import build_node
from fabric.fabric import Fabric, FabricError
from fabric.routes import install_routes
from fabric.shapes import GATEWAY_MAC, fat_tree, leaf_spine
from flow.paths import HW
from p4sume.cases.target import DeviceError
from p4sume.control.plane import KeyValue
from switch.library import CPU, SimulatedSwitch

SEED = int(os.environ.get("SEED", "1"))


def bits(frame_bytes):
    """What a frame, its check sequence included, takes of a wire: 8 bytes in front, 12 between two."""
    return (frame_bytes + 20) * 8


def routed(data, **options):
    made = Fabric(data, **options)
    install_routes(made, SEED)
    return made


def one_switch(hosts=2, program="hw/p4/ecmp.p4", **link):
    return leaf_spine(1, 0, hosts, program=program, **link)


def flow(source, target, rate_mbps=1000, **more):
    return {"name": f"{source}-{target}", "from": source, "to": target, "rate_mbps": rate_mbps, **more}


# ---- arithmetic


@pytest.mark.parametrize("rate_mbps,delay_ns,size", [(10_000, 250, 64), (1000, 777, 1518), (2500, 12_345.5, 700)])
def test_a_link_between_hosts(rate_mbps, delay_ns, size):
    hosts = {"a": {"ipv4": "10.0.0.1"}, "b": {"ipv4": "10.0.0.2"}}
    link = {"ends": ["a", "b"], "rate_mbps": rate_mbps, "delay_ns": delay_ns}
    traffic = [flow("a", "b", rate_mbps // 4, frame_bytes=size, start_us=3, stop_us=103)]
    made = Fabric({"switches": {}, "hosts": hosts, "links": [link], "traffic": traffic}, trace=True)
    made.run(us=103)
    made.drain()
    came = made.arrivals("b")
    every_ps = bits(size) * 1e6 / (rate_mbps // 4)
    assert len(came) == int(100e6 / every_ps) + 1
    for number, one in enumerate(came):
        there_ps = 3e6 + number * every_ps + delay_ns * 1000 + bits(size) * 1e6 / rate_mbps
        assert abs(one.at_ps - there_ps) <= number + 2, "more than the rounding of each time to a picosecond"
    assert made.check().delivered == len(came)
    assert [row.at_ps for row in made.trace if row.what == "came"] == [one.at_ps for one in came]


def test_a_host_sends_one_frame_after_the_other():
    hosts = {"a": {"ipv4": "10.0.0.1"}, "b": {"ipv4": "10.0.0.2"}}
    traffic = [flow("a", "b", 8000, frame_bytes=size) | {"name": str(size)} for size in (64, 1000)]
    made = Fabric({"switches": {}, "hosts": hosts, "links": [{"ends": ["a", "b"]}], "traffic": traffic})
    made.run(us=100)
    account = made.check()
    assert account.waiting == pytest.approx(0.6 * account.delivered, rel=0.1), "8 + 8 Gb/s into 10"
    came = made.arrivals("b")
    for one, later in zip(came, came[1:], strict=False):
        assert later.at_ps - one.at_ps == bits(later.length + 4) * 100
    made.drain()
    account = made.check()
    assert account.delivered == account.sent and not account.waiting


@pytest.mark.parametrize("size", [64, 65, 333, 1518])
def test_a_switch_in_a_fabric_is_the_switch_alone(size):
    """The same frame at the same cycle, by the wire of a switch that stands alone: it leaves in the same cycle."""
    delay_ns = 265
    data = one_switch(delay_ns=delay_ns)
    data["traffic"] = [flow("host0", "host1", 10, frame_bytes=size, stop_us=1)]
    made = routed(data, trace=True)
    node = made.topology.switches["leaf0"]
    alone = SimulatedSwitch(build_node(node.program, node.backend, node.ports))
    install_routes(Alone(made, alone))
    made.run(us=10)
    began = {row.link: row.at_ps for row in made.trace if row.what == "began" and row.link == "host1-leaf0"}
    [frame] = made.frames(made.topology.flows["host0-host1"])
    first = alone.device.cycle + 1000
    alone.device.run(1000)
    alone.device.send(0, frame, first + delay_ns // 5)
    alone.device.run(2000)
    [left] = alone.device.received(1)
    assert began["host1-leaf0"] == (left.first - first) * 5000
    [came] = made.arrivals("host1")
    assert came.at_ps == (left.first - first) * 5000 + delay_ns * 1000 + bits(size) * 100


class Alone:
    """Takes the place of a fabric where routes are installed, with a switch that is in none."""

    def __init__(self, fabric, switch):
        self.topology = fabric.topology
        self.switch = lambda name: switch


@pytest.mark.parametrize("rate_mbps", [10_000, 4000, 1000, 123])
@pytest.mark.parametrize("size", [64, 1000])
def test_a_port_has_its_links_rate(rate_mbps, size):
    """Two hosts send into one link: frames leave one behind the other, and the distances do not drift."""
    data = one_switch(3)
    data["links"][2]["rate_mbps"] = rate_mbps
    data["traffic"] = [flow(f"host{i}", "host2", 10_000, frame_bytes=size, stop_us=20) for i in range(2)]
    made = routed(data)
    made.run(us=20)
    made.drain()
    times = [one.at_ps for one in made.arrivals("host2")]
    assert len(times) > 25
    every_ps = bits(size) * 1e6 / rate_mbps
    for number, at in enumerate(times):
        assert abs(at - times[0] - number * every_ps) <= 5000, "a beat leaves in a cycle, which has 5 ns"
    account = made.check()
    assert account.sent == account.delivered + account.lost


# ---- sources


def test_the_rates_of_sources():
    """Each of four kinds at a tenth and a half of a link, over four milliseconds."""
    data = {"switches": {}, "hosts": {}, "links": [], "traffic": [], "seed": SEED}
    kinds = {
        "steady": {"kind": "constant", "rate_mbps": 1000},
        "mixed": {"kind": "constant", "rate_mbps": 5000, "frame_bytes": [64, 594, 1518]},
        "random": {"kind": "poisson", "rate_mbps": 5000, "frame_bytes": 200},
        "burst": {"kind": "on_off", "rate_mbps": 5000, "on_us": 5, "off_us": 15, "frame_bytes": 64},
    }
    for i, (name, kind) in enumerate(kinds.items()):
        for end, number in (("a", 1), ("b", 2)):
            data["hosts"][f"{name}-{end}"] = {"ipv4": f"10.0.{i}.{number}"}
        data["links"].append({"ends": [f"{name}-a", f"{name}-b"], "name": name})
        data["traffic"].append(flow(f"{name}-a", f"{name}-b", start_us=100, stop_us=4100, **kind) | {"name": name})
    made = Fabric(data)
    made.run(us=4200)
    made.drain()
    share = {}
    for name, kind in kinds.items():
        came = made.arrivals(f"{name}-b")
        assert came[0].at_ps >= 100e6 and came[-1].at_ps < 4105e6
        assert {one.flow for one in came} == {name}
        share[name] = sum(bits(one.length + 4) for one in came) / 4e9 * 1e6 / kind["rate_mbps"]
        gaps = [later.at_ps - one.at_ps for one, later in zip(came, came[1:], strict=False)]
        own_ps = bits(came[0].length + 4) * 100
        if name == "random":
            mean = sum(gaps) / len(gaps)
            spread = sum((gap - mean) ** 2 for gap in gaps) / len(gaps) / mean**2
            assert 0.4 < spread < 1.1, "of an exponential distribution one, less where the wire makes frames wait"
        if name == "burst":
            pauses = [gap for gap in gaps if gap > 2 * own_ps + 1]
            assert 120 < len(pauses) < 300 and 10e6 < sum(pauses) / len(pauses) < 20e6
    assert share["steady"] == pytest.approx(1, rel=0.01)
    assert share["mixed"] == pytest.approx(1, rel=0.02)
    assert share["random"] == pytest.approx(1, rel=0.06)
    assert share["burst"] == pytest.approx(5 / 20, rel=0.5)
    assert Counter(one.length for one in made.arrivals("mixed-b")).keys() == {60, 590, 1514}
    made.check()


@pytest.mark.parametrize("family", [4, 6])
def test_frames_are_right_whatever_their_serial_number(family):
    data = one_switch()
    data["traffic"] = [flow("host0", "host1", family=family, frame_bytes=[100, 1518], sport=7, dport=9, stop_us=50)]
    made = Fabric(data)  # nothing is routed: every frame goes to the CPU, where it is seen
    program = made.switch("leaf0").program
    gateway = KeyValue(int(GATEWAY_MAC.replace(":", ""), 16))
    program.change("add", program.table("router_mac"), [gateway], 0, "NoAction", [])
    made.run(us=50)
    made.drain()
    seen = [one.data for one in made.switch("leaf0").device.received(CPU)]
    assert len(seen) == made.check().elsewhere["leaf0, at the CPU"] > 3
    assert len(set(seen)) == len(seen) and {len(data) for data in seen} == {96, 1514}
    host = made.topology.hosts
    for data in seen:
        packet = Ether(data)
        network = packet[IP if family == 4 else IPv6]
        assert (packet.dst, packet.src) == (GATEWAY_MAC, host["host0"].mac)
        assert network.dst == str(host["host1"].address(family)) and (packet[UDP].sport, packet[UDP].dport) == (7, 9)
        told = packet[UDP].chksum
        del packet[UDP].chksum
        if family == 4:
            del packet[IP].chksum
        assert Ether(bytes(packet))[UDP].chksum == told and bytes(packet) == data
    flows = (
        {data[14:18] + data[20:34] for data in seen} if family == 4 else {data[14:18] + data[20:62] for data in seen}
    )
    assert len(flows) <= 2, "one flow, with frames of two lengths"


# ---- fabrics


def all_to_all(data, rng, rate_mbps, stop_us, sizes=(78, 300, 1518), flows=1):
    hosts = list(data["hosts"])
    for source in hosts:
        others = [host for host in hosts if host != source]
        for target in others:
            for number in range(flows):
                kind = {"frame_bytes": rng.choice(sizes), "family": rng.choice((4, 6)), "kind": "poisson"}
                made = flow(source, target, rate_mbps // len(others) // flows, stop_us=stop_us, **kind)
                data["traffic"].append(made | {"name": f"{source}-{target}-{number}"})
    return data


def carried(made):
    """What each link direction has carried: bits on the wire."""
    return {
        (link, way): sum(8 * (count.bytes + 24 * count.frames) for count in made.lane(link, way).began)
        for link in made.topology.links
        for way in ("forward", "backward")
    }


def test_two_leaves_and_two_spines():
    data = all_to_all(leaf_spine(2, 2, 2), random.Random(SEED), 4000, 200, flows=8)
    made = routed(data, trace=True)
    made.run(us=200)
    running = made.check()
    assert running.sent > 200 and not running.still and not running.missing
    on_the_way = running.waiting + running.on_links + sum(running.inside.values())
    assert running.delivered + on_the_way == running.sent
    made.drain()
    account = made.check()
    assert account.still and account.delivered == account.sent and not account.elsewhere and not account.copies
    for host in data["hosts"]:
        assert {one.flow.split("-")[1] for one in made.arrivals(host)} == {host}
    links = [link for link in made.topology.links if "spine" in link]
    used = {(link, way): made.lane(link, way).came[0].frames for link in links for way in ("forward", "backward")}
    assert len(used) == 8 and min(used.values()) > account.sent / 50, used
    paths = made.paths()
    assert len(paths) == account.sent
    assert {len(path) for path in paths.values()} == {2, 4}
    for path in paths.values():
        up = [way == "forward" for _, way in path]
        assert up == sorted(up, reverse=True) and path[0][0].startswith("host") and path[-1][0].startswith("host")


def test_a_fat_tree_of_twenty_switches():
    data = all_to_all(fat_tree(4), random.Random(SEED), 5000, 150)
    made = routed(data, trace=True)
    assert len(made.topology.switches) == 20
    made.run(us=150)
    for at, sent in carried(made).items():
        assert sent <= 150e-6 * 1e10 + bits(1518), f"{at} carries more than 10 Gb/s"
    made.drain()
    account = made.check()
    assert account.sent > 2000 and account.delivered + account.lost == account.sent
    assert account.delivered > 0.95 * account.sent
    cores = Counter(row.link.split("-")[1] for row in made.trace if "core" in row.link and row.what == "came")
    assert cores.keys() == {f"core{i}" for i in range(4)} and min(cores.values()) > account.sent / 10
    hops = Counter(row.serial for row in made.trace if row.what == "came")
    assert set(hops.values()) >= {2, 4, 6} and max(hops.values()) == 6


def test_overload_is_lost_where_the_switch_says():
    data = one_switch(4)
    data["traffic"] = [flow(f"host{i}", "host3", 9000, frame_bytes=1518, stop_us=300) for i in range(3)]
    made = routed(data)
    made.run(us=300)
    made.drain()
    account = made.check()
    assert account.lost > 50 and account.delivered + account.lost == account.sent
    assert {name for _, name in account.lost_in_switches} <= {"queue_full[3]", "queue_share[3]"}


# ---- cuts


def test_a_frame_is_cut_at_each_cycle_of_its_end():
    """It is there if the cut is not before its last bit; else the link has lost it, also where the switch has begun."""
    size, delay_ns = 1518, 500
    there_ps = delay_ns * 1000 + bits(size) * 100
    outcomes = Counter()
    for cycle in range(there_ps // 5000 - 55, there_ps // 5000 + 3):
        data = one_switch(delay_ns=delay_ns)
        data["traffic"] = [flow("host0", "host1", 1, frame_bytes=size, stop_us=1)]
        made = routed(data)
        made.run(cycles=cycle)
        made.cut("host0-leaf0", silent=True)
        made.run(us=10)
        made.drain()
        account = made.check()
        whole = cycle * 5000 >= there_ps
        assert account.delivered == whole and account.lost_on_links.get(("host0-leaf0", "forward"), 0) == (not whole)
        bad = made.switch("leaf0").counter("rx_bad[0]")
        assert bad == made.lane("host0-leaf0", "forward").spoiled
        outcomes[account.delivered, bad] += 1
    assert set(outcomes) == {(0, 0), (0, 1), (1, 0)}


@pytest.mark.parametrize("silent", [True, False])
def test_a_cut_takes_what_is_on_the_link(silent):
    delay_ns, size = 5000, 256
    data = leaf_spine(2, 1, 2, delay_ns=delay_ns)
    data["traffic"] = [flow("host0", "host2", 6000, frame_bytes=size), flow("host1", "host3", 6000, frame_bytes=size)]
    made = routed(data, trace=True)
    made.run(us=60)
    cut_ps = made.now_ps
    link = "leaf0-spine0"
    made.cut(link, silent=silent)
    made.run(us=20)
    repaired_ps = made.now_ps
    made.repair(link)
    made.run(us=40)
    made.drain()
    account = made.check()
    rows = [row for row in made.trace if (row.link, row.direction) == (link, "forward")]
    began = {row.serial: row.at_ps for row in rows if row.what == "began"}
    lost = {row.serial for row in rows if row.what == "lost"}
    takes_ps = delay_ns * 1000 + bits(size) * 100
    broken = {s for s, at in began.items() if at < cut_ps < at + takes_ps}
    dead = {s for s, at in began.items() if cut_ps <= at < repaired_ps}
    assert lost == broken | dead and len(broken) > 20
    assert account.lost_on_links == {(link, "forward"): len(lost)}
    switch = {name.partition("[")[0]: count for (_, name), count in account.lost_in_switches.items()}
    if silent:
        assert "queue_down" not in switch and len(dead) > 50
    else:
        assert switch["queue_down"] > 50 and len(dead) <= 1, "the frame that was leaving"
    assert account.delivered + account.lost == account.sent
    assert max(at for at in began.values()) > repaired_ps


def test_one_direction_is_cut_by_an_event_and_repaired():
    data = one_switch()
    data["traffic"] = [flow("host0", "host1"), flow("host1", "host0")]
    data["events"] = [
        {"at_us": 20, "cut": "host1-leaf0", "direction": "forward", "silent": True},
        {"at_us": 40, "repair": "host1-leaf0"},
        {"at_us": 60, "load": "host0-host1", "rate_mbps": 0},
        {"at_us": 80, "load": "host0-host1", "rate_mbps": 4000},
    ]
    made = routed(data)
    made.run(us=100)
    made.drain()
    account = made.check()
    assert account.lost_on_links.keys() == {("host1-leaf0", "forward")}
    assert account.delivered + account.lost == account.sent
    times = [one.at_ps / 1e6 for one in made.arrivals("host1")]
    assert not [t for t in times if 63 < t < 80]
    early, late = (sum(a < t <= b for t in times) for a, b in ((5, 25), (83, 100)))
    assert late / 17 == pytest.approx(4 * early / 20, rel=0.2)
    assert sum(20 < one.at_ps / 1e6 < 40 for one in made.arrivals("host0")) <= 1


def test_repairing_what_is_whole_costs_nothing():
    data = one_switch()
    data["traffic"] = [flow("host0", "host1", 10_000, frame_bytes=1518)]
    made = routed(data)
    for _ in range(20):
        made.run(us=3)
        made.repair("host1-leaf0")
    made.drain()
    account = made.check()
    assert account.delivered == account.sent > 40


def test_a_switch_is_told_of_a_cut_and_of_the_repair_of_both_directions():
    made = routed(leaf_spine(2, 1, 2))

    def up():
        ends = (("leaf0", 2), ("spine0", 0))
        return [made.switch(name).registers.read_field(f"port[{port}].status", "up") for name, port in ends]

    made.run(us=1)
    assert up() == [1, 1]
    made.cut("leaf0-spine0", "forward")
    made.cut("leaf0-spine0", "backward")
    assert up() == [0, 0]
    made.repair("leaf0-spine0", "forward")
    assert up() == [0, 0]
    made.repair("leaf0-spine0", "backward")
    assert up() == [1, 1]


# ---- what is no plain frame on its way


def learning(hosts, traffic):
    """A switch that learns, and is never told what it has learned: it floods."""
    data = one_switch(hosts, "hw/p4/l2_switch.p4") | {"traffic": traffic}
    for host in data["hosts"].values():
        del host["gateway"]
    made = Fabric(data)
    program = made.switch("leaf0").program
    members = sum(1 << 2 * port for port in range(hosts))
    program.change("add", program.table("vlan_members"), [KeyValue(0)], 0, "set_members", [members])
    return made


def test_copies_and_digests_of_a_learning_switch():
    made = learning(4, [flow("host0", "host1", stop_us=30), flow("host2", "host3", stop_us=30, family=6)])
    made.run(us=30)
    made.drain()
    account = made.check()
    assert account.delivered == account.sent > 10
    assert account.copies == 2 * account.sent, "flooded to three"
    assert sum(account.elsewhere.values()) == 2 * account.sent
    digests = list(made.switch("leaf0").device.received(CPU))
    assert len(digests) == account.sent


def test_switches_of_two_programs():
    """A learning switch between a host and a router."""
    data = one_switch()
    data["switches"]["bridge"] = {"program": "hw/p4/l2_switch.p4"}
    data["links"][0] = {"ends": ["host0", "bridge.2"]}
    data["links"].append({"ends": ["bridge.3", "leaf0.0"]})
    data["traffic"] = [flow("host0", "host1", stop_us=30), flow("host1", "host0", stop_us=30, family=6)]
    made = Fabric(data, trace=True)
    install_routes(made, SEED, ["leaf0"])
    program = made.switch("bridge").program
    program.change("add", program.table("vlan_members"), [KeyValue(0)], 0, "set_members", [0x50])
    made.run(us=30)
    made.drain()
    account = made.check()
    assert account.delivered == account.sent > 10 and not account.copies
    assert {len(path) for path in made.paths().values()} == {3}


def test_frames_of_the_cpu_are_no_data_and_a_wire_may_have_no_link():
    data = one_switch()
    data["traffic"] = [flow("host0", "host1", stop_us=20)]
    made = routed(data)
    device = made.switch("leaf0").device
    made.run(us=5)
    for _ in range(3):
        device.send(CPU, probe(7, 30), from_port=1)
    device.send(CPU, bytes(80), from_port=0)
    device.send(CPU, bytes(80), from_port=3)
    made.run(us=20)
    made.drain()
    account = made.check()
    assert account.delivered == account.sent
    began = made.lane("host1-leaf0", "backward").began
    assert (began[1].frames, began[1].bytes) == (3, 180) and began[2].frames == 0
    assert made.lane("host0-leaf0", "backward").came[2].frames == 1
    for action in (lambda: device.run(1), device.reset, lambda: device.send(0, bytes(60)), lambda: device.received(0)):
        with pytest.raises(DeviceError):
            action()


def test_what_a_switch_loses_of_others_is_no_data_missing():
    data = leaf_spine(2, 1, 2)
    data["traffic"] = [flow("host0", "host2", stop_us=20)]
    made = routed(data)
    made.run(us=5)
    made.cut("host1-leaf0")
    for _ in range(4):
        made.switch("leaf0").device.send(CPU, bytes(80), from_port=2)  # to the spine, which is not meant
        made.switch("leaf0").device.send(CPU, bytes(80), from_port=1)
    made.run(us=20)
    made.drain()
    account = made.check()
    assert account.delivered == account.sent
    assert account.lost_in_switches == {("spine0", "drop_no_port"): 4, ("leaf0", "queue_down[1]"): 4}


def test_copies_and_digests_that_are_lost_are_no_data_missing():
    flood = learning(4, [flow("host0", "host1", stop_us=30)])
    flood.cut("host3-leaf0")
    quiet = learning(2, [flow("host0", "host1", 10_000, frame_bytes=64, stop_us=250)])
    quiet.switch("leaf0").registers.write("queues.cpu.rate", 0)
    for made, counter in ((flood, "queue_down[3]"), (quiet, "queue_share[4]")):
        made.run(us=250)
        made.drain()
        account = made.check()
        assert account.delivered == account.sent > 5
        assert account.copies == (account.sent if made is flood else 0)
        assert account.lost_in_switches.keys() == {("leaf0", counter)}


def test_copies_without_digests_that_are_lost():
    """And frames beside them that the program drops: they are not for the router."""
    data = one_switch(4)
    del data["hosts"]["host3"]["gateway"]
    data["traffic"] = [flow("host0", "host1", stop_us=30), flow("host3", "host1", stop_us=30)]
    made = routed(data)
    program = made.switch("leaf0").program
    program.change("modify", program.table("next_hops"), [KeyValue(1)], 0, "send", [0b010100, 1, 2])
    made.cut("host2-leaf0")
    made.run(us=30)
    made.drain()
    account = made.check()
    lost = account.lost_in_switches
    assert account.delivered == lost["leaf0", "queue_down[2]"] == lost["leaf0", "drop_no_port"] == account.sent / 2 > 5
    assert not account.copies, "they are lost"


def test_a_source_that_begins_while_counters_are_read():
    """What is read then is of no one moment, and is not judged."""
    data = one_switch(4)
    data["traffic"] = [flow("host0", "host1", 10_000, frame_bytes=64, start_us=100)]
    made = routed(data)
    made.run(us=99)
    account = made.check()
    assert made.now_ps > 100e6 and not account.still and not account.sent
    made.drain()
    assert made.check().still


def test_entries_of_a_file(tmp_path):
    entries = (HW / "p4" / "cases" / "ecmp" / "line_rate.stf").read_text()
    kept = [line for line in entries.splitlines() if line.startswith("add")]
    (tmp_path / "it.stf").write_text("\n".join(kept) + "\n")
    (tmp_path / "it.yaml").write_text(f"""
switches: {{s: {{program: hw/p4/ecmp.p4, entries: it.stf}}}}
hosts:
  a: {{ipv4: 10.0.0.5, gateway: "{GATEWAY_MAC}"}}
  b: {{ipv4: 10.0.2.5}}
links: [{{ends: [a, s.0]}}, {{ends: [s.2, b], delay_ns: 300}}]
traffic: [{{from: a, to: b, rate_mbps: 100, stop_us: 100}}]
""")
    made = Fabric.from_yaml(Path(tmp_path / "it.yaml"))
    made.run(us=100)
    made.drain()
    assert made.check().delivered == len(made.arrivals("b")) > 1


# ---- speed


@pytest.mark.parametrize("load,size", [(0, 512), (10, 512), (50, 512), (95, 512), (95, 64)])
def test_speed(load, size):
    """Of a fat tree of twenty switches, each host sending to four others at `load` percent of its link."""
    rng = random.Random(SEED)
    data = fat_tree(4)
    for source in data["hosts"]:
        for number, target in enumerate(rng.sample([host for host in data["hosts"] if host != source], 4)):
            kind = {"frame_bytes": size, "kind": "poisson", "name": f"{source}-{number}"}
            data["traffic"].append(flow(source, target, load * 100 // 4) | kind)
    made = routed(data)
    made.run(us=20)
    begun, first = time.process_time(), made.cycle
    made.run(us=200)
    took = time.process_time() - begun
    cycles = (made.cycle - first) * len(made.topology.switches)
    print(
        f"\n{load} % of {size} bytes: {cycles / took / 1e6:.2f} million switch cycles/s, {took * 5:.2f} s a millisecond"
    )
    made.drain()
    account = made.check()
    assert bool(account.sent) == bool(load)
    assert cycles / took > 300_000


# ---- the same again


def outcome(made, us=80):
    made.run(us=us)
    made.drain()
    account = made.check()
    return account, made.trace, {host: made.arrivals(host) for host in made.topology.hosts}


def loaded(extra_delay_ns=None, seed=SEED, stop_us=60):
    data = all_to_all(leaf_spine(2, 2, 2), random.Random(SEED), 6000, stop_us, flows=8) | {"seed": seed}
    data["events"] = [{"at_us": 25.003, "cut": "leaf1-spine0"}, {"at_us": 41, "repair": "leaf1-spine0"}]
    if extra_delay_ns:
        data["links"].append({"ends": ["spine0.2", "spine1.2"], "delay_ns": extra_delay_ns})
    return data


def test_the_same_seed_gives_the_same():
    first, again, other = (outcome(routed(loaded(seed=s), trace=True)) for s in (SEED, SEED, SEED + 1))
    assert first == again
    assert first[1] != other[1]


def test_turns_of_another_length_give_the_same():
    """A link that carries nothing and has the least delay makes turns of a cycle."""
    first, second = (outcome(routed(loaded(delay), trace=True)) for delay in (None, 250))
    assert first[0].sent == second[0].sent > 200 and first[0].lost == second[0].lost > 0
    assert first[1] == second[1] and first[2] == second[2]


# ---- faults that nobody tells of


@pytest.mark.parametrize("kind", ["vanish", "double", "swallow", "again"])
def test_an_untold_fault_is_noticed(kind):
    data = all_to_all(leaf_spine(2, 2, 2), random.Random(SEED), 3000, 100, flows=8)
    made = routed(data)
    made.run(us=50)
    made.check()
    before = made.lane("leaf0-spine1", "forward").began[0].frames
    made.fault("leaf0-spine1", "forward", kind)
    made.run(us=50)
    made.drain()
    assert made.lane("leaf0-spine1", "forward").began[0].frames > before
    found = made.account().missing
    assert found and all(abs(one.count) == 1 for one in found), found
    places = {(one.place, one.port) for one in found}
    match kind:
        case "vanish":
            assert places == {("leaf0-spine1 forward", None)}
        case "double":
            assert ("leaf0-spine1 forward", None) in places
        case "swallow" | "again":
            assert ("leaf0", 3) in places
            assert (("leaf0", None) in places) == (kind == "again"), "it left twice by one port"
    with pytest.raises(FabricError, match=r"(leaf0-spine1 forward|leaf0 port 3): -?1 "):
        made.check()


@pytest.mark.parametrize("serial,known", [(0, True), (10**6, False)])
def test_a_frame_that_a_switch_cannot_have_is_noticed(serial, known):
    """Frame 0 is on one leaf only; a number that no frame has is no data."""
    data = leaf_spine(2, 1, 2)
    data["traffic"] = [flow("host0", "host1", stop_us=20)]
    made = routed(data)
    made.run(us=20)
    made.switch("leaf1").device.send(CPU, bytes(60) + made.trailer(serial), from_port=1)
    made.drain()
    assert made.lane("host3-leaf1", "backward").came[0 if known else 2].frames == 1
    if not known:
        made.check()
        return
    with pytest.raises(FabricError, match="leaf1: 1 frames left that never came"):
        made.check()


@pytest.mark.parametrize("serial", [0, 1, 0xFFFF, 0x10000, 0x1FFFF, 0x1FFFE0001, 0xFFFFFFFFFFFF, 0xFFFF0001FFFF])
def test_a_serial_number_leaves_the_checksum_as_it_is(serial):
    [made] = [Fabric({"switches": {}, "links": []})]
    words = [int.from_bytes(made.trailer(serial)[at : at + 2], "big") for at in range(4, 12, 2)]
    assert int.from_bytes(made.trailer(serial)[4:10], "big") == serial
    assert sum(words) > 0 and sum(words) % 0xFFFF == 0


def test_accesses_to_registers_disturb_nothing():
    """A read lets time go on for all: what frames do is the same as without."""
    traces = []
    for step in (0, 29):
        made = routed(loaded(), trace=True)
        if not step:
            made.run(us=80)
        while made.now_ps < 80e6:
            made.run(cycles=min(step, 16_000 - made.cycle))
            if made.cycle < 15_900:
                assert made.switch("spine1").registers.read("identity.ports") == 4
        assert made.cycle == 16_000
        made.drain()
        traces.append(made.trace)
    assert traces[0] == traces[1]


def test_a_switch_that_counts_wrong_is_noticed():
    data = one_switch()
    data["traffic"] = [flow("host0", "host1", stop_us=20)]
    made = routed(data)
    made.run(us=20)
    made.drain()
    made.check()
    made.switch("leaf0").registers.write("counting.command", 1)
    with pytest.raises(FabricError, match="leaf0 port 0: .* frames came that the switch has not seen"):
        made.check()


def test_a_switch_that_says_to_have_lost_what_has_left_is_noticed(monkeypatch):
    data = one_switch()
    data["traffic"] = [flow("host0", "host1", stop_us=20)]
    made = routed(data)
    made.run(us=20)
    made.drain()
    made.check()
    switch = made.switch("leaf0")
    right = switch.counter
    monkeypatch.setattr(switch, "counter", lambda name: right(name) + (name == "queue_discarded[1]"))
    with pytest.raises(FabricError, match="leaf0: -1 frames came and neither left nor are counted as lost"):
        made.check()


def test_a_switch_that_keeps_a_frame_is_noticed():
    data = one_switch()
    data["traffic"] = [flow("host0", "host1", stop_us=20)]
    made = routed(data)
    made.switch("leaf0").device.hold(1, True)
    made.run(us=20)
    made.drain()
    [missing] = made.account().missing
    assert (missing.place, missing.port) == ("leaf0", 0) and missing.count == made.account().sent
