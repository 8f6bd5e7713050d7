# SPDX-License-Identifier: Apache-2.0
"""The same fabric on RTL and on models: two leaves and two spines, some hundred frames, a cut and a repair.

Every frame passes every link in the same cycle, is lost at the same places, and every switch counts the same; so it is
too where one leaf is RTL and all others are models.
"""

import os
import random

from fabric.fabric import Fabric
from fabric.routes import install_routes
from fabric.shapes import leaf_spine

SEED = int(os.environ.get("SEED", "1"))


def described(on_rtl):
    rng = random.Random(SEED)
    data = leaf_spine(2, 2, 2, delay_ns=600)
    for name in on_rtl:
        data["switches"][name]["backend"] = "rtl"
    hosts = list(data["hosts"])
    for number in range(24):
        source, target = rng.sample(hosts, 2)
        kind = rng.choice(({"kind": "poisson"}, {"kind": "on_off", "on_us": 2, "off_us": 2}))
        sizes = {"frame_bytes": [78, rng.randrange(79, 1518), 1518], "family": rng.choice((4, 6))}
        ends = {"name": f"flow{number}", "from": source, "to": target, "stop_us": 40}
        data["traffic"].append(ends | kind | sizes | {"rate_mbps": rng.randrange(500, 3000)})
    data["links"][3]["rate_mbps"] = 2500
    data["events"] = [{"at_us": 12, "cut": "leaf0-spine0"}, {"at_us": 24, "repair": "leaf0-spine0"}]
    return data


def outcome(on_rtl):
    made = Fabric(described(on_rtl), trace=True)
    install_routes(made, SEED)
    made.run(us=40)
    made.drain()
    account = made.check()
    counters = {
        (name, counter): made.switch(name).counter(counter)
        for name in made.topology.switches
        for counter in made.switch(name).counter_names
    }
    return made.trace, account, counters


def test_rtl_and_models_agree_frame_by_frame():
    rows, account, counters = outcome(())
    assert account.sent > 100 and account.lost > 0 and account.delivered > account.sent / 2
    used = {row.link for row in rows if "spine" in row.link and row.what == "came"}
    assert len(used) == 4
    for on_rtl in (("leaf0", "leaf1", "spine0", "spine1"), ("leaf0",)):
        of_rtl = outcome(on_rtl)
        for one, other in zip(rows, of_rtl[0], strict=False):
            assert one == other, f"first difference with {on_rtl} on RTL"
        assert of_rtl == (rows, account, counters), on_rtl
    print(f"{account.sent} frames, {len(rows)} passings of links, {account.lost} lost")
