# SPDX-License-Identifier: Apache-2.0
"""Twenty mutants, five each of the modules that everything else rests on, chosen by the run's seed.

`make mutants M=<module>` tries all of one module.
"""

from __future__ import annotations

import os
import random

import pytest

from flow import mutants

MODULES = ("axis_fifo", "axis_packet_fifo", "axis_arbiter", "token_core")
SAMPLE = 5


@pytest.mark.parametrize("number", range(SAMPLE))
@pytest.mark.parametrize("module", MODULES)
def test_mutant_is_killed(module: str, number: int) -> None:
    mutant = random.Random(int(os.environ["SEED"])).sample(mutants.all_mutants(module), SAMPLE)[number]
    outcome = mutants.try_mutant(module, mutant, mutants.equivalents(module))
    print(f"{outcome.verdict}: {mutant.place}: {mutant.before} -> {mutant.after}")
    assert outcome.verdict != "survived" or outcome.equivalent, f"{mutant.place}: {mutant.before} -> {mutant.after}"
