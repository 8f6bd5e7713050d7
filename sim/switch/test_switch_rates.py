# SPDX-License-Identifier: Apache-2.0
"""What the whole switch carries, with ecmp.p4 and real wires: the cases of `make bench`, in small.

In each case every frame that leaves was sent, is whole, goes where its route says, comes once and behind those that its
source sent before; and the counters add up, source by source and queue by queue (`traffic`). So it is with the switch
made of RTL and with the one around the program's model. Line rate is every program's; a case from which no frames can
be made is refused.
"""

import os
import random

import pytest

from flow.paths import HW
from p4sume.cases.model_switch import build_model_switch
from p4sume.cases.rtl_build import build_switch
from switch.switch_bench import (
    SIZES,
    all_to_one,
    every_size,
    half_to_one,
    mixed_sizes,
    one_held,
    one_to_all,
    speed,
)
from switch.traffic import Setup, Traffic, configured

SEED = int(os.environ.get("SEED", "1"))
QUEUE_BYTES = 65536
OTHER_PROGRAMS = sorted(path.stem for path in (HW / "p4").glob("*.p4") if path.stem != "ecmp")


@pytest.fixture(scope="module", params=[build_switch, build_model_switch], ids=["rtl", "model"])
def traffic(request):
    return Traffic(configured(SEED, build=request.param), SEED)


def test_line_rate_without_loss(traffic):
    rng = random.Random(SEED)
    sizes = [*range(64, 100), *rng.sample(SIZES, 40), 1518]
    for case in every_size(traffic, 2000, sizes):
        assert case.loss == 0, f"{case.size} bytes: {case.lost}"
        assert case.offered_gbps > 39.9
    mixed = mixed_sizes(traffic, 20_000, SEED)
    assert mixed.loss == 0
    print(f"{len(sizes)} sizes and a mix; {mixed.latency()} cycles")


@pytest.mark.parametrize("program", OTHER_PROGRAMS)
def test_line_rate_of_every_program(program):
    setup = Setup(HW / "p4" / f"{program}.p4")
    switch = Traffic(configured(SEED, setup), SEED, setup)
    for case in every_size(switch, 2000, (64, 65, 97, 512, 1518)):
        assert case.loss == 0, f"{case.size} bytes: {case.lost}"
        assert case.offered_gbps > 39.9
        assert (case.probes > 0) == switch.switch.registers.has("probes.control")
    assert one_held(switch, 100_000, 1518).loss > 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("packet nf0 020000000001\n", "a packet leaves nowhere"),
        ("packet nf0 020000000001\nexpect_drop no_port\n", "no packet leaves"),
    ],
)
def test_frames_need_a_case_in_which_some_leave(text, said, tmp_path):
    case = tmp_path / "case.stf"
    case.write_text(text)
    with pytest.raises(ValueError, match=said):
        Setup(case=case)


def test_four_into_one_share_it(traffic):
    for size in (64, 600, 1518):
        case = all_to_one(traffic, 60_000, size)
        got = [case.received[source, 0] for source in range(4)]
        assert case.gbps > 9.8, "the wire was idle"
        assert max(got) - min(got) <= 0.05 * max(got), got
        assert case.loss > 0.5


def test_an_overload_costs_nobody_else(traffic):
    case = half_to_one(traffic, 60_000, 256)
    assert {target for (_, target), count in case.lost.items() if count} == {0}
    got = [case.received[source, 0] for source in range(4)]
    assert max(got) - min(got) <= 0.05 * max(got), got


def test_copies_leave_by_every_wire(traffic):
    case = one_to_all(traffic, 5000, 256)
    assert case.loss == 0
    assert len({case.received[0, wire] for wire in range(4)}) == 1


def test_a_held_wire_costs_its_own_copies_only(traffic):
    case = one_to_all(traffic, 100_000, 512, held=(2,))
    assert {target for (_, target), count in case.lost.items() if count} == {2}
    kept = case.received[0, 2] * (512 - 4)
    assert 0.5 * QUEUE_BYTES < kept <= QUEUE_BYTES + 512, "its queue is used"
    case = one_held(traffic, 100_000, 1518)
    assert {target for (_, target), count in case.lost.items() if count} == {1}


def test_speed():
    """100 000 cycles a second on a machine that does nothing else; here, only that nothing has become far slower."""
    cycles_per_s = speed(SEED, Setup(), 50_000)
    print(f"{cycles_per_s:.0f} cycles/s")
    assert cycles_per_s > 30_000
