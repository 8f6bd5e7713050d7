# SPDX-License-Identifier: Apache-2.0
"""The delays that the P4 compiler counts with, against the mapped netlist: one case of each kind of node, and of each
way in which neighbours are counted together. `python -m flow.delays` tries them all."""

from __future__ import annotations

from flow.delays import CASES, MARGIN_NS, measure

SAMPLE = (
    "add 3", "add 32", "ult 16", "slt 32", "eq 16", "eq 48 constant", "any 16", "parity 48", "and of 36",
    "mux chain of 1", "mux chain of 3", "select of 18", "add 32 of mux", "mux of add 32", "mux by ult 16",
)  # fmt: skip


def test_no_estimate_is_much_below_what_is_measured() -> None:
    found = measure({name: CASES[name] for name in SAMPLE})
    too_short = {name: delay for name, delay in found.items() if delay.reserve_ns < -MARGIN_NS}
    assert too_short == {}
    assert all(delay.measured_ns > 0.2 for delay in found.values())
