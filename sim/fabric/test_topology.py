# SPDX-License-Identifier: Apache-2.0
"""Descriptions of fabrics.

- The example of docs/fabric.md is read, and means what it says there.
- Shapes have the switches, ports, hosts and links of their definitions, and each host reaches each other by as many
  shortest paths as these say.
- What is wrong is told with file, line, place and what is expected.
"""

import re

import pytest

from fabric.routes import shortest_ports
from fabric.shapes import fat_tree, leaf_spine
from fabric.topology import End, TopologyError, read_data, read_file
from flow.paths import ROOT


def example():
    [text] = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "fabric.md").read_text(), re.S)
    return text


def written(tmp_path, text):
    (tmp_path / "spine0.stf").write_text("")
    path = tmp_path / "it.yaml"
    path.write_text(text)
    return path


def test_the_example_of_the_documentation(tmp_path):
    made = read_file(written(tmp_path, example()))
    assert list(made.switches) == ["leaf0", "spine0"] and list(made.hosts) == ["host0", "host1"]
    assert [made.switches[name].backend for name in made.switches] == ["model", "rtl"]
    assert made.links["leaf0-spine0"].ends == (End("leaf0", 2), End("spine0", 0))
    assert made.links["far"].rate_mbps == 1000 and made.links["host0-leaf0"].rate_mbps == 10_000
    assert {link.delay_ns for link in made.links.values()} == {500}
    assert made.flows["b"].frame_bytes == (64, 1518) and made.flows["c"].dport == 9
    assert [event.change for event in made.events] == ["cut", "repair", "cut", "load"]
    assert made.events[2].silent and made.events[2].directions == 0b01


FAULTS = {
    "switches:": ("switchs:", r"it.yaml:2: switchs: there is no such key; there are seed, switches, "),
    "backend: rtl": ("backend: rlt", r":4: switches.spine0.backend: expected one of model, rtl, not 'rlt'"),
    "ports: 4": ("ports: 40", r":3: switches.leaf0.ports: expected a whole number from 1 to 32, not 40"),
    "ecmp.p4, backend: model": ("ecpm.p4", r":3: switches.leaf0.program: expected a file; there is no "),
    "spine0.stf": ("spine9.stf", r":4: switches.spine0.entries: expected a file; there is no "),
    "ipv4: 10.0.0.1,": ("ipv4: 10.0.0.256,", r":6: hosts.host0.ipv4: expected an address: .*256"),
    '"02:00:00:00:00:01"': ("10:20:30:40:50:10", r":6: hosts.host0.gateway: expected a MAC address in quotes"),
    "{ipv4: 10.0.1.1}": ("{}", r":7: hosts.host1: expected an address, ipv4 or ipv6"),
    "leaf0.2, spine0.0": ("leaf0.4, spine0.0", r":9: links\[0\].ends\[0\]: leaf0 has ports 0 to 3, not 4"),
    "[leaf0.2,": ("[leaf7.2,", r":9: links\[0\].ends\[0\]: there is no leaf7; there are host0, host1, leaf0, spine0"),
    "[host0, leaf0.0]": ("[host0, leaf0]", r":10: links\[1\].ends\[1\]: expected a host, or a switch and its port"),
    "spine0.1]": ("spine0.0]", r":11: links\[2\].ends\[1\]: spine0.0 has a link already, leaf0-spine0"),
    "delay_ns: 500": ("delay_ns: 100", r":9: links\[0\].delay_ns: expected a number, 250 or more, not 100"),
    "kind: poisson": ("kind: fish", r":14: traffic\[1\].kind: expected one of constant, poisson, on_off, not 'fish'"),
    "frame_bytes: 512": ("frame_bytes: 63", r":13: traffic\[0\].frame_bytes: expected a whole number from 64 to 1518"),
    "family: 4": ("family: 6", r":15: traffic\[2\].family: expected one of 4, not 6"),
    "on_us: 5, ": ("", r":15: traffic\[2\].on_us: on_us and off_us are there if kind is on_off"),
    "to: host1, kind: constant": ("to: host7", r":13: traffic\[0\].to: there is no host host7"),
    "cut: leaf0-spine0": ("cut: near", r":17: events\[0\].cut: expected one of leaf0-spine0, .*, not 'near'"),
    "at_us: 40, ": ("", r":17: events\[0\]: the key at_us is missing"),
    "repair: leaf0-spine0": ("repair: far, cut: far", r":18: events\[1\]: expected one of cut, repair, load, not 2"),
    "direction: forward": ("direction: up", r":19: events\[2\].direction: expected one of forward, backward, both"),
    "seed: 1 ": ("seed: 1\nseed: 2", r":2: seed: is there twice"),
    "links:\n": ("links: [\n", r"it.yaml:\d+: this is no YAML"),
}


@pytest.mark.parametrize("good", FAULTS)
def test_a_fault_is_told_with_its_place(good, tmp_path):
    text, (bad, told) = example(), FAULTS[good]
    assert good in text
    with pytest.raises(TopologyError, match=told):
        read_file(written(tmp_path, text.replace(good, bad, 1)))


def test_no_file_and_no_mapping(tmp_path):
    with pytest.raises(TopologyError, match="No such file"):
        read_file(tmp_path / "none.yaml")
    with pytest.raises(TopologyError, match="expected keys"):
        read_file(written(tmp_path, ""))
    with pytest.raises(TopologyError, match=r"links: expected a list, not 'none'"):
        read_data({"switches": {}, "links": "none"})


@pytest.mark.parametrize("leaves,spines,hosts", [(2, 2, 2), (3, 4, 1), (5, 2, 6)])
def test_leaf_and_spine(leaves, spines, hosts):
    made = read_data(leaf_spine(leaves, spines, hosts, rate_mbps=1000))
    assert len(made.switches) == leaves + spines and len(made.hosts) == leaves * hosts
    assert len(made.links) == leaves * (spines + hosts)
    assert {link.rate_mbps for link in made.links.values()} == {1000}
    exits = shortest_ports(made)
    last = f"host{leaves * hosts - 1}"
    assert exits["leaf0", last] == tuple(range(hosts, hosts + spines))
    assert exits["leaf0", "host0"] == (0,) and exits["spine0", last] == (leaves - 1,)


@pytest.mark.parametrize("k", [2, 4, 6])
def test_fat_tree(k):
    made = read_data(fat_tree(k))
    half = k // 2
    assert len(made.switches) == half * half + k * k and len(made.hosts) == k**3 // 4
    assert len(made.links) == 3 * k**3 // 4
    used = {end for link in made.links.values() for end in link.ends if end.port is not None}
    assert len(used) == k * len(made.switches), "a port without a link, or with two"
    exits = shortest_ports(made)
    last = f"host{k**3 // 4 - 1}"
    up = tuple(range(half, k))
    assert exits["edge0_0", last] == up and exits["aggregation0_0", last] == up
    assert exits["core0", last] == (k - 1,) and exits["edge0_0", "host0"] == (0,)
    if k > 2:
        assert exits["edge0_0", f"host{half}"] == up and exits["aggregation0_0", f"host{half}"] == (1,)
    with pytest.raises(ValueError, match="even"):
        fat_tree(3)
