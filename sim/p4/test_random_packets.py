# SPDX-License-Identifier: Apache-2.0
"""Random packets through each program, on model and RTL: equal bit for bit, TUSER included.

They are made of the packets of the program's cases, whose changes to tables and registers are made between them; at
the highest rate, with gaps, with stalls. Every table is hit and missed, every extern is called, every reason to drop
occurs: none of those counts may be zero, but for those that unreachable.json explains.
"""

import json
import os
import time
from pathlib import Path

import pytest

from p4.programs import NAMES, program

PACKETS = int(os.environ.get("RANDOM_PACKETS", "10000"))
UNREACHABLE = json.loads((Path(__file__).parent / "unreachable.json").read_text())


@pytest.mark.parametrize("name", NAMES)
def test_random_packets(name):
    seed = int(os.environ.get("SEED", "1"))
    tested = program(name)
    begun = time.monotonic()
    result = tested.run(PACKETS, seed)
    seconds = time.monotonic() - begun
    print(f"{name}: {result.packets} packets agree, {result.cycles} cycles of RTL, seed {seed}, {seconds:.1f} s")
    for counter, count in sorted(result.counters.items()):
        print(f"  {count:8} {counter}")
    assert not result.differences, "\n".join(result.differences[:3])
    assert result.packets >= PACKETS
    assert tested.unreached(result) == sorted(UNREACHABLE.get(name, {}))


def test_every_explanation_is_of_a_program():
    assert set(UNREACHABLE) <= set(NAMES)
