# SPDX-License-Identifier: Apache-2.0
"""Holds what each module may cost: the quick settings of every bounds.json, synthesised.

The others are held by `make synth M=<module> ALL=1`.
"""

from __future__ import annotations

import pytest

from flow import synth


@pytest.mark.parametrize("bound", [b for b in synth.bounds() if b.quick], ids=str)
def test_cost_stays_within_its_bound(bound: synth.Bound) -> None:
    cost = synth.synthesise(bound.module, bound.params)
    print(synth.table([cost]))
    assert bound.exceeded(cost) == []
