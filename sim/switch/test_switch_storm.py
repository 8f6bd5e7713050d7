# SPDX-License-Identifier: Apache-2.0
"""Random frames through the whole switch with ecmp.p4, judged by its model (`storm`): a small part of
`make soak W=switch`, and as much through the switch around the program's model. Each kind of loss and each disturbance
has to come about, or the test shows nothing."""

import os

import pytest

from p4sume.cases.model_switch import build_model_switch
from p4sume.cases.rtl_build import build_switch
from switch.soak import soak

SEED = int(os.environ.get("SEED", "1"))
FRAMES = 50_000
EVENTS = (
    "register read", "entry rewritten", "prefix added", "prefix removed", "link changed", "port held or released",
    "CPU held or released",
)  # fmt: skip
SEEN = ("rx_bad", "rx_long", "queue_share", "queue_down", "queue_discarded", "tx_packets")


@pytest.mark.parametrize("build", [build_switch, build_model_switch], ids=["rtl", "model"])
def test_every_frame_leaves_as_the_model_says_or_is_counted(build):
    tally, differences = soak(FRAMES, SEED, build=build)
    assert not differences, differences[0]
    assert tally.frames >= FRAMES
    assert all(tally.counters[name] > 0 for name in SEEN), tally.counters
    assert all(tally.events[name] > 0 for name in EVENTS)
    assert tally.reasons
    print(
        f"seed {SEED}: {tally.frames} frames, {tally.cycles} cycles, {tally.departures} left; "
        f"{dict(tally.counters)}, {dict(tally.reasons)}, {dict(tally.events)}"
    )
