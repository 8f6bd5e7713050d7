# SPDX-License-Identifier: Apache-2.0
"""Twenty mutants, chosen by the run's seed from the modules that everything else rests on.

`make mutants M=<module>` tries all of one module.
"""

from __future__ import annotations

import os
import random

import pytest

from flow import mutants

MODULES = ("axis_fifo", "axis_packet_fifo", "axis_arbiter")
SAMPLE = 20


def sample() -> list[tuple[str, mutants.Mutant]]:
    everything = [(module, mutant) for module in MODULES for mutant in mutants.all_mutants(module)]
    return random.Random(int(os.environ["SEED"])).sample(everything, SAMPLE)


@pytest.mark.parametrize("number", range(SAMPLE))
def test_mutant_is_killed(number: int) -> None:
    module, mutant = sample()[number]
    outcome = mutants.try_mutant(module, mutant, mutants.equivalents(module))
    print(f"{outcome.verdict}: {mutant.place}: {mutant.before} -> {mutant.after}")
    assert outcome.verdict != "survived" or outcome.equivalent, f"{mutant.place}: {mutant.before} -> {mutant.after}"
