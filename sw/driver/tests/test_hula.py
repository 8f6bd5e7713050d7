# SPDX-License-Identifier: Apache-2.0
"""HULA's settings: the scale of a link, the share of a link that probes take, and what is refused, with which words.

The numbers were reckoned by hand from the formula of HULA, 4.5, with the 8 bits of a byte that it forgets to write.
"""

import math
import random
import re
from fractions import Fraction

import pytest

from bench.packets import protocols
from driver import hula
from driver.hula import SettingError

FIVE_PERCENT = Fraction(5, 100)
TEN_GIGABITS = 10**10


def test_constants_are_those_of_the_protocols():
    assert hula.PROBE_FRAME_BYTES == protocols.WIRE_MIN_BYTES
    assert hula.PROBE_WIRE_BYTES == protocols.WIRE_MIN_BYTES + protocols.PREAMBLE_AND_GAP_BYTES
    assert hula.UTILISATION_FULL == protocols.UTIL_MAX


@pytest.mark.parametrize(("gigabits", "scale"), [(1, 104038), (10, 10404), (25, 4162), (40, 2601), (100, 1040)])
def test_the_scale_of_a_link(gigabits, scale):
    assert hula.link_scale(gigabits * 10**9) == scale
    bytes_a_cycle = gigabits * 1e9 / 8 / 200e6
    assert abs(scale / 256 * bytes_a_cycle - 254) < 0.15
    assert hula.link_scale(gigabits * 10**9, clock_hz=100_000_000) == pytest.approx(scale / 2, abs=1)


@pytest.mark.parametrize("rate", [10**8, 793_000_000, 10**15])
def test_a_link_that_no_scale_fits_is_refused(rate):
    with pytest.raises(SettingError, match=rf"a link of {rate} bit/s at 200000000 Hz needs a scale of \d+"):
        hula.link_scale(rate)


def test_the_overhead_that_the_paper_prints():
    assert hula.probe_share(1000, 10**6, 40 * 10**9, hula.PROBE_FRAME_BYTES) == Fraction(128, 10000)
    assert hula.probe_share(1000, 10**6, 40 * 10**9) == Fraction(168, 10000)


def test_a_large_network_needs_a_long_period():
    assert hula.least_period_ns(10_240, TEN_GIGABITS, FIVE_PERCENT) == 13_762_560
    assert hula.least_period_ns(10_240, TEN_GIGABITS, FIVE_PERCENT, hula.PROBE_FRAME_BYTES) == 10_485_760
    assert hula.most_tors(200_000, TEN_GIGABITS, FIVE_PERCENT) == 148
    assert hula.most_tors(200_000, TEN_GIGABITS, FIVE_PERCENT, hula.PROBE_FRAME_BYTES) == 195


def test_what_is_refused_and_what_just_fits():
    hula.check_probes(148, 200_000, TEN_GIGABITS, FIVE_PERCENT)
    hula.check_probes(10_240, 13_762_560, TEN_GIGABITS, FIVE_PERCENT)
    with pytest.raises(SettingError):
        hula.check_probes(10_240, 13_762_559, TEN_GIGABITS, FIVE_PERCENT)
    said = (
        "149 ToRs x 84 bytes x 8 / 200 us = 500.6 Mbit/s, 5.01 % of a link of 10000 Mbit/s, "
        "and at most 5 % is allowed: the period has to be 201 us or more, or the ToRs 148 or fewer"
    )
    with pytest.raises(SettingError, match=re.escape(said)):
        hula.check_probes(149, 200_000, TEN_GIGABITS, FIVE_PERCENT)


def test_what_is_advised_fits_and_is_the_least():
    for _ in range(200):
        tors, period = random.randint(1, 20_000), random.randint(1000, 10**8)
        rate = random.choice((1, 10, 40, 100)) * 10**9
        most = Fraction(random.randint(1, 200), 1000)
        length = random.choice((hula.PROBE_FRAME_BYTES, hula.PROBE_WIRE_BYTES))
        least = hula.least_period_ns(tors, rate, most, length)
        assert hula.probe_share(tors, least, rate, length) <= most < hula.probe_share(tors, least - 1, rate, length)
        fitting = hula.most_tors(period, rate, most, length)
        assert hula.probe_share(fitting, period, rate, length) <= most
        assert hula.probe_share(fitting + 1, period, rate, length) > most
        if hula.probe_share(tors, period, rate, length) > most:
            with pytest.raises(SettingError, match=f"{math.ceil(least / 1000)} us or more, or the ToRs {fitting} or"):
                hula.check_probes(tors, period, rate, most, length)
        else:
            hula.check_probes(tors, period, rate, most, length)
