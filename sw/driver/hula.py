# SPDX-License-Identifier: Apache-2.0
"""HULA's settings in hardware's units, and what a link has to carry of probes (docs/hula.md)."""

from __future__ import annotations

import math
from fractions import Fraction

CLOCK_HZ = 200_000_000

# Of link_util: what a full link shows, and the bits of cfg_scale, some of them behind the point.
UTILISATION_FULL = 254
SCALE_BITS = 17
SCALE_FRACTION_BITS = 8

# A probe is the shortest Ethernet frame. Its preamble and gap keep the link busy as well; the paper leaves them out.
PROBE_FRAME_BYTES = 64
PROBE_WIRE_BYTES = PROBE_FRAME_BYTES + 20


class SettingError(ValueError):
    """The message says what is wrong, with the arithmetic, and what would do."""


def link_scale(bits_per_second: int, clock_hz: int = CLOCK_HZ) -> int:
    """cfg_scale of link_util for a port whose link has this rate: 254 over its bytes a cycle."""
    scale = round(Fraction(UTILISATION_FULL << SCALE_FRACTION_BITS) * 8 * clock_hz / bits_per_second)
    if not 0 < scale < 1 << SCALE_BITS:
        raise SettingError(
            f"a link of {bits_per_second} bit/s at {clock_hz} Hz needs a scale of {scale}, "
            f"which is not in 1 to {(1 << SCALE_BITS) - 1}"
        )
    return scale


def probe_share(tors: int, period_ns: int, bits_per_second: int, probe_bytes: int = PROBE_WIRE_BYTES) -> Fraction:
    """What share of a link one probe of each ToR in each period takes."""
    return Fraction(tors * probe_bytes * 8 * 10**9, period_ns * bits_per_second)


def least_period_ns(tors: int, bits_per_second: int, most: Fraction, probe_bytes: int = PROBE_WIRE_BYTES) -> int:
    """The shortest period in which probes take no more than the share `most` of a link."""
    return math.ceil(probe_share(tors, 1, bits_per_second, probe_bytes) / most)


def most_tors(period_ns: int, bits_per_second: int, most: Fraction, probe_bytes: int = PROBE_WIRE_BYTES) -> int:
    """The most ToRs whose probes take no more than the share `most` of a link."""
    return math.floor(most / probe_share(1, period_ns, bits_per_second, probe_bytes))


def check_probes(
    tors: int, period_ns: int, bits_per_second: int, most: Fraction, probe_bytes: int = PROBE_WIRE_BYTES
) -> None:
    """Refuses a configuration whose probes take more than the share `most` of a link."""
    share = probe_share(tors, period_ns, bits_per_second, probe_bytes)
    if share <= most:
        return
    period = least_period_ns(tors, bits_per_second, most, probe_bytes)
    fitting = most_tors(period_ns, bits_per_second, most, probe_bytes)
    rate = float(share * bits_per_second) / 1e6
    raise SettingError(
        f"{tors} ToRs x {probe_bytes} bytes x 8 / {period_ns / 1000:g} us = {rate:.1f} Mbit/s, "
        f"{float(share * 100):.2f} % of a link of {bits_per_second / 1e6:g} Mbit/s, "
        f"and at most {float(most * 100):g} % is allowed: "
        f"the period has to be {math.ceil(period / 1000)} us or more, or the ToRs {fitting} or fewer"
    )
