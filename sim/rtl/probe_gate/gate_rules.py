# SPDX-License-Identifier: Apache-2.0
"""What docs/hula.md says of probe_gate, in Python; times are plain integers."""


def rule(p, row, a, now, gap):
    if a["tor"] >= p["TORS"]:
        return row, (0,)
    gap = min(gap, 2 ** (p["TIME_BITS"] - 1) - 1)
    passed = 0
    after = list(row)
    for port, sent in enumerate(row):
        if a["wanted"] >> port & 1 and (sent is None or now - sent > gap):
            passed |= 1 << port
            after[port] = now
    return tuple(after), (passed,)
