# SPDX-License-Identifier: Apache-2.0
"""What link_util's arithmetic is worth: its twin against HULA's formula in real numbers, an event for each packet.

    U <- D + U * (1 - dt / tau),  read as 254 * U * (1 - dt / tau) / (C * tau)

Loads of 1 to 100 % of 10 and 40 Gbit/s, packets of 64 to 1518 bytes and mixtures, steady, in bursts, on and off; read
at random cycles. The largest error allowed, of 254, is reckoned, not measured (`most_error`).

That RTL does what the twin does is the question of sim/rtl/link_util.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from bench.packets.protocols import FCS_BYTES, PREAMBLE_AND_GAP_BYTES, WIRE_MAX_BYTES, WIRE_MIN_BYTES
from driver.hula import CLOCK_HZ, link_scale
from p4sume.tests.model.support import rng
from rtl.link_util.link_twin import Twin

VISIT_CYCLES = 16
SHOWN_CYCLES = 10
PORTS = 4
FULL = 254
Report = tuple[int, int]  # cycle, bytes on the wire with all that goes with them


def bytes_a_cycle(rate: int) -> float:
    return rate / 8 / CLOCK_HZ


def most_error(rate: int, tau: int) -> float:
    """Of 254: what the roundings make, and what the times make at which packets and readings count.

    - The value shown is rounded, and so is the scale; the average is cut to 17 bits behind the point before that.
    - A visit rounds by half a unit of 2**-28 bytes a cycle; what is left of all of them is no more than tau /
      VISIT_CYCLES of these.
    - What is read at x was so at a visit, after x - SHOWN_CYCLES - VISIT_CYCLES. Since then the link has sent what fits
      and the rest of a packet, and as much decayed, or less.
    - At the visit, each event stands up to VISIT_CYCLES too late. U is the sum of all packets, each times a product of
      (1 - gap / tau). A packet of age a*tau has a factor of e**-a at most; moving its own event changes this by
      e * e**-a of VISIT_CYCLES / tau or less, moving all later ones by (gaps on both sides, without these two factors)
      2 * e**2 * a * e**-a. Over all ages, at the rate of the link: e + 2 * e**2 < 18 times VISIT_CYCLES / tau of a full
      link.
    """
    speed = bytes_a_cycle(rate)
    scale = link_scale(rate)
    unit = FULL / speed  # a byte a cycle
    rounding = 0.5 + unit * speed * 0.5 / scale + 2**-17 * scale / 256 + unit * 0.5 * 2**-28 * tau / VISIT_CYCLES
    packet = WIRE_MAX_BYTES + PREAMBLE_AND_GAP_BYTES
    reading = FULL * (SHOWN_CYCLES + VISIT_CYCLES + 1) / tau + unit * packet / tau
    return rounding + reading + FULL * 18 * VISIT_CYCLES / tau


class Formula:
    def __init__(self, tau: int):
        self.tau, self.average, self.event = tau, 0.0, 0

    def read(self, cycle: int) -> float:
        return self.average * max(0.0, 1 - (cycle - self.event) / self.tau)

    def sent(self, cycle: int, count: int) -> None:
        self.average, self.event = count + self.read(cycle), cycle


def steady(random: random.Random, rate: int, load: float, lengths: list[int], until: int) -> Iterator[Report]:
    now = 0.0
    while True:
        count = random.choice(lengths) + PREAMBLE_AND_GAP_BYTES
        now += count / bytes_a_cycle(rate) / load
        if now >= until:
            return
        yield int(now), count


def on_and_off(random: random.Random, rate: int, times: list[int], lengths: list[int], until: int) -> Iterator[Report]:
    """At full rate for a time, then silent for a time, and so on."""
    now = 0.0
    while now < until:
        ends = now + random.choice(times)
        while now < min(ends, until):
            count = random.choice(lengths) + PREAMBLE_AND_GAP_BYTES
            now += count / bytes_a_cycle(rate)
            yield int(now), count
        now += random.choice(times)


def errors(random: random.Random, rate: int, tau_log2: int, reports: Iterator[Report], until: int) -> list[float]:
    """What the twin shows less what the formula says, at some cycles of the run, those after a report among them."""
    tau = 1 << tau_log2
    twin, formula = Twin(PORTS), Formula(tau)
    port = random.randrange(PORTS)
    twin.configure(tau_log2, [link_scale(rate)] * PORTS, 0)
    reads = sorted(random.randrange(until) for _ in range(400))
    found = []
    for cycle, count in itertools.chain(reports, [(until, 0)]):
        while reads and reads[0] < cycle:
            at = reads.pop(0)
            found.append(twin.utilisation(port, at) - FULL * formula.read(at) / bytes_a_cycle(rate) / tau)
        if count:
            # Streams carry neither check sequence nor preamble nor gap.
            twin.sent(port, count - FCS_BYTES - PREAMBLE_AND_GAP_BYTES, cycle)
            formula.sent(cycle, count)
            if random.random() < 0.01:
                reads.insert(0, cycle + 1)
    return found


SIZES = ([WIRE_MIN_BYTES], [WIRE_MAX_BYTES], [512], list(range(WIRE_MIN_BYTES, WIRE_MAX_BYTES + 1)))


@pytest.mark.parametrize("rate", [10**10, 4 * 10**10], ids=["10G", "40G"])
@pytest.mark.parametrize("shape", ["steady", "bursts", "on and off"])
def test_the_error_against_the_formula_is_bounded(rate: int, shape: str) -> None:
    random = rng(f"link_util {rate} {shape}")
    tau_log2 = 16
    tau = 1 << tau_log2
    worst, total, count = 0.0, 0.0, 0
    for percent in range(1, 101):
        lengths = SIZES[percent % len(SIZES)]
        until = 4 * tau if shape == "steady" and percent % 10 == 0 else 2 * tau
        if shape == "steady":
            reports = steady(random, rate, percent / 100, lengths, until)
        else:
            times = [tau // 200, tau // 40] if shape == "bursts" else [tau // 3, tau, 3 * tau // 2]
            reports = on_and_off(random, rate, times, lengths, until)
        found = errors(random, rate, tau_log2, reports, until)
        worst = max(worst, *map(abs, found))
        total, count = total + sum(map(abs, found)), count + len(found)
    print(f"error {rate} {shape}: worst {worst:.3f}, mean {total / count:.3f}, allowed {most_error(rate, tau):.3f}")
    assert worst <= most_error(rate, tau)


@pytest.mark.parametrize("tau_log2", [10, 13, 20])
def test_the_error_is_bounded_for_every_tau(tau_log2: int) -> None:
    random = rng(f"link_util tau {tau_log2}")
    tau = 1 << tau_log2
    until = min(60 * tau, 3 * 2**19)
    rate = 10**10
    worst = 0.0
    for load, lengths in itertools.product((0.1, 0.6, 1), SIZES):
        found = errors(random, rate, tau_log2, steady(random, rate, load, lengths, until), until)
        worst = max(worst, *map(abs, found))
    print(f"error tau 2^{tau_log2}: worst {worst:.3f}, allowed {most_error(rate, tau):.3f}")
    assert worst <= most_error(rate, tau)


@pytest.mark.parametrize("rate", [10**9, 10**10, 4 * 10**10, 10**11])
@pytest.mark.parametrize("length", [WIRE_MIN_BYTES, WIRE_MAX_BYTES])
def test_full_load_is_254_and_half_load_127(rate: int, length: int) -> None:
    twin = Twin(PORTS)
    tau = 1 << 14
    twin.configure(14, [link_scale(rate)] * PORTS, 0)
    gap = (length + PREAMBLE_AND_GAP_BYTES) / bytes_a_cycle(rate)
    for port, load in enumerate((1, 0.5, 2)):
        shown = set()
        for number in range(int(12 * tau * load / gap)):
            cycle = int(number * gap / load)
            twin.sent(port, length - FCS_BYTES, cycle)
            if cycle > 11 * tau:
                shown.add(twin.utilisation(port, cycle + VISIT_CYCLES + SHOWN_CYCLES))
        full = min(FULL, FULL * load)
        # Packets that the visits find one more or one less of, in a tau.
        least = full - FULL * (length + PREAMBLE_AND_GAP_BYTES) / bytes_a_cycle(rate) / tau - 1
        assert least <= min(shown) and max(shown) <= full + (full - least if load == 0.5 else 0)
        assert load != 2 or shown == {FULL}
