# SPDX-License-Identifier: Apache-2.0
"""Fabrics of hula.p4: two leaves and two spines, on the model and on RTL; a fat tree of twenty switches on the model,
and with `make soak W=fabric` on RTL.

- Every ToR knows every other within three periods of the start.
- With an uplink loaded to 60 %, from two periods on new flowlets avoid every uplink that the load takes.
- Of a link that is cut and does not tell, nothing goes there after three periods; of one whose ports go down, at once.
  Traffic is back within three periods of the repair.
- What went down never goes up again, whatever is cut meanwhile; when no ToR sends probes, none is left.
- A link carries of each ToR whose probes may cross it one probe a period: 64 B x 8 x ToRs / (period x rate).
- Every frame is accounted for.

Which ToRs' probes may cross a link is reckoned here, from the tiers alone. What a link carries is told by the fabric,
not by the switches.
"""

import os
import random

import pytest

from driver.hula import SettingError
from fabric.fabric import Fabric
from fabric.hula import Hula, HulaSettings
from fabric.shapes import fat_tree, leaf_spine

SEED = int(os.environ.get("SEED", "1"))
PROGRAM = "hw/p4/hula.p4"
ELEPHANT_MBPS = 6000
SHAPES = {
    "leaf-spine": lambda: leaf_spine(2, 2, 2, program=PROGRAM),
    "fat tree": lambda: fat_tree(4, program=PROGRAM),
    "leaf-spine on RTL": lambda: leaf_spine(2, 2, 2, program=PROGRAM, backend="rtl"),
}
if "LARGE_FABRICS" in os.environ:
    SHAPES["fat tree on RTL"] = lambda: fat_tree(4, program=PROGRAM, backend="rtl")
# On RTL a millisecond takes seconds.
SETTINGS = HulaSettings(seed=SEED)
SHORT = HulaSettings(period_us=50, fail_us=150, flowlet_us=25, tau_log2=14, probes_at_most=1, seed=SEED)


@pytest.fixture(params=SHAPES)
def shape(request):
    return SHAPES[request.param](), SHORT if "RTL" in request.param else SETTINGS


def started(data, settings):
    hula = Hula(Fabric(data, trace=True), settings)
    hula.start()
    return hula.fabric, hula


def began(fabric, hula, flows=None, since_us=0.0, until_us=float("inf")):
    """(link, from, to) of each data frame that began between two switches in that time."""
    found = []
    of_flow = owners(fabric)
    for row in fabric.trace:
        if row.what != "began" or not since_us <= row.at_ps / 1e6 < until_us:
            continue
        ends = fabric.topology.links[row.link].ends
        source, target = (end.node for end in (ends if row.direction == "forward" else ends[::-1]))
        if source in hula.tiers and target in hula.tiers and (flows is None or of_flow.get(row.serial) in flows):
            found.append((row.link, source, target))
    return found


def owners(fabric):
    names, numbers = list(fabric.topology.flows), fabric._core.flows_of_serials()
    return {serial: names[flow] for serial, flow in enumerate(numbers)}


def mice(hosts, sources, targets, count, begin_us, end_us, rng, size=256):
    """Flows of a few frames each, between hosts, that begin at random in that time."""
    for number in range(count):
        start = rng.uniform(begin_us, end_us)
        yield {
            "name": f"mouse{number}", "from": rng.choice(sources), "to": rng.choice(targets), "kind": "constant",
            "rate_mbps": 200, "frame_bytes": size, "start_us": round(start, 3), "stop_us": round(start + 15, 3),
            "family": rng.choice((4, 6)),
        }  # fmt: skip


def hosts_at(data, switch):
    at = [link["ends"] for link in data["links"] if any(end.startswith(switch + ".") for end in link["ends"])]
    return [end for ends in at for end in ends if end in data["hosts"]]


def tors_of(data):
    return [name for name in data["switches"] if name.startswith(("leaf", "edge"))]


def test_every_tor_knows_every_other_in_time(shape):
    _, hula = started(*shape)
    hula.fabric.run(us=3 * hula.settings.period_us)
    missing = [(at, of) for at in hula.tors for of in hula.tors if at != of and not hula.hops(at, of)]
    assert not missing and len(hula.tors) >= 2
    assert not any(hula.hops(name, name) for name in hula.tors), "nobody learns of himself"


def test_new_flowlets_avoid_a_loaded_uplink(shape):
    data, settings = shape
    rng, tors, period = random.Random(SEED), tors_of(data), settings.period_us
    near, far = hosts_at(data, tors[0]), hosts_at(data, tors[-1])
    load_us = 4 * period
    avoid_us, end_us = load_us + 2 * period, load_us + 8 * period
    data["traffic"] = [
        {"name": "elephant", "from": near[0], "to": far[0], "kind": "constant", "rate_mbps": ELEPHANT_MBPS,
         "frame_bytes": 1518, "start_us": load_us, "stop_us": end_us + 20},
        *mice(data["hosts"], near[1:], far[1:], 60, avoid_us, end_us, rng),
    ]  # fmt: skip
    fabric, hula = started(data, settings)
    fabric.run(us=end_us + 20)
    hula.probe(False)  # or it never rests
    fabric.drain()
    account = fabric.check()
    assert account.delivered == account.sent

    def ups(flows):
        return [way for way in began(fabric, hula, flows) if hula.tiers[way[1]] < hula.tiers[way[2]]]

    loaded = set(ups({"elephant"}))
    small = ups({name for name in fabric.topology.flows if name != "elephant"})
    assert len(loaded) == max(hula.tiers.values()) - 1, "the elephant keeps to its way"
    assert len(small) > 100
    assert not loaded & set(small)


@pytest.mark.parametrize("silent", [False, True], ids=["told", "silent"])
def test_a_cut_link_is_left_and_taken_again(shape, silent):
    data, settings = shape
    rng, tors, period = random.Random(SEED + 1), tors_of(data), settings.period_us
    near, far = hosts_at(data, tors[0]), hosts_at(data, tors[-1])
    cut_us = 4 * period
    gone_us = cut_us + (3 * period + 3 if silent else 3)  # ticks of 1.28 us, a frame that has begun
    repair_us = cut_us + 6 * period
    back_us, end_us = repair_us + 3 * period, repair_us + 8 * period
    # From a time at which the cut is known, an elephant makes its way worse than the one that will be repaired.
    data["traffic"] = [
        {"name": "elephant", "from": near[0], "to": far[0], "kind": "constant", "rate_mbps": ELEPHANT_MBPS,
         "frame_bytes": 1518, "start_us": cut_us + 4 * period, "stop_us": end_us + 20},
        *mice(data["hosts"], near[1:], far[1:], 300, 3 * period, end_us, rng),
    ]  # fmt: skip
    fabric, hula = started(data, settings)
    fabric.run(us=cut_us - fabric.now_ps / 1e6)
    links = [name for name, link in fabric.topology.links.items()
             if tors[0] in (e.node for e in link.ends) and all(e.port is not None for e in link.ends)]  # fmt: skip
    used = [way[0] for way in began(fabric, hula) if way[1] == tors[0]]
    link = max(links, key=used.count)
    fabric.cut(link, silent=silent)
    fabric.run(us=repair_us - fabric.now_ps / 1e6)
    fabric.repair(link)
    fabric.run(us=end_us + 20 - fabric.now_ps / 1e6)
    hula.probe(False)  # or it never rests
    fabric.drain()
    account = fabric.check()
    lost = account.sent - account.delivered
    assert lost <= (sum(account.lost_on_links.values()) if silent else 3), "what was on the link, and at its ends"
    assert link in {way[0] for way in began(fabric, hula, None, cut_us - period, cut_us)}
    meanwhile = [way for way in began(fabric, hula, None, gone_us, repair_us) if way[1] == tors[0]]
    assert len(meanwhile) > 20 and link not in {way[0] for way in meanwhile}
    assert link in {way[0] for way in began(fabric, hula, None, repair_us, back_us)}, "nobody takes it again"


def crossing(hula):
    """By link and direction: the ToRs whose probes may cross it, which go up from below and down from anywhere."""
    found = {}
    exits, tiers = hula.exits, hula.tiers

    def go(tor, source, target, rising):
        found.setdefault((source, target), set()).add(tor)
        if target in hula.tors:
            return
        for after in exits[target].values():
            if after not in tiers or after == source:
                continue
            up = tiers[after] > tiers[target]
            if not up or rising:
                go(tor, target, after, up)

    for tor in hula.tors:
        for after in exits[tor].values():
            if after in tiers:
                go(tor, tor, after, True)
    return found


def probes_on(fabric):
    counts = {}
    for name, link in fabric.topology.links.items():
        for direction, (source, target) in (("forward", link.ends), ("backward", link.ends[::-1])):
            counts[source.node, target.node] = fabric.lane(name, direction).began[1].frames
    return counts


def test_probes_take_what_the_formula_says(shape):
    fabric, hula = started(*shape)
    periods, period = 5, hula.settings.period_us
    fabric.run(us=4 * period)
    before = probes_on(fabric)
    fabric.run(us=periods * period)
    after = probes_on(fabric)
    expected = crossing(hula)
    for way, count in after.items():
        tors = len(expected.get(way, ()))
        assert count - before[way] == periods * tors, way
    busiest = max(map(len, expected.values()))
    rate = 10e9
    share = busiest * 64 * 8 / (period * 1e-6 * rate)
    measured = max(after[way] - before[way] for way in after) * 64 * 8 / (periods * period * 1e-6 * rate)
    assert abs(measured - share) < 1e-12
    hula.probe(False)
    fabric.run(us=20)
    rest = probes_on(fabric)
    fabric.run(us=4 * period)
    assert probes_on(fabric) == rest, "a probe goes round"
    fabric.drain()
    fabric.check()


def test_nothing_goes_up_again(shape):
    data, settings = shape
    rng, period = random.Random(SEED + 2), settings.period_us
    hosts = list(data["hosts"])
    data["traffic"] = list(mice(data["hosts"], hosts, hosts, 300, 0, 14 * period, rng))
    data["traffic"] = [flow for flow in data["traffic"] if flow["from"] != flow["to"]]
    between = [link for link in data["links"] if not any(e in data["hosts"] for e in link["ends"])]
    for _ in range(4):
        link = rng.choice(between)
        name = "-".join(end.split(".")[0] for end in link["ends"])
        at = rng.uniform(2 * period, 8 * period)
        data["events"] += [
            {"at_us": round(at, 3), "cut": name, "silent": rng.random() < 0.5},
            {"at_us": round(at + rng.uniform(1, 4) * period, 3), "repair": name},
        ]
    data["events"].sort(key=lambda event: event["at_us"])
    fabric, hula = started(data, settings)
    fabric.run(us=14 * period)
    hula.probe(False)  # or it never rests
    fabric.drain()
    account = fabric.check()
    assert account.delivered > 100
    fell, seen = set(), 0
    for row in fabric.trace:
        ends = fabric.topology.links[row.link].ends
        source, target = (end.node for end in (ends if row.direction == "forward" else ends[::-1]))
        if row.what != "began" or source not in hula.tiers or target not in hula.tiers:
            continue
        seen += 1
        if hula.tiers[target] > hula.tiers[source]:
            assert row.serial not in fell, f"frame {row.serial} goes up from {source} to {target} again"
        else:
            fell.add(row.serial)
    assert seen > 200 and fell


def test_too_many_probes_are_refused():
    """8 ToRs at 5 % of 10 Gb/s need 10.752 us."""
    with pytest.raises(SettingError, match=r"8 ToRs x 84 bytes x 8 / 10 us = 537.6 Mbit/s, 5.38 % of a link"):
        Hula(Fabric(fat_tree(4, program=PROGRAM)), HulaSettings(period_us=10))
