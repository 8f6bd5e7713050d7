# SPDX-License-Identifier: Apache-2.0
"""The strongest check of the lowering and the passes: random packets through the flow graph and through the model.

Every program here and in hw/p4, and one with every stock extern: its graph as lowered and as the scheduler gets it. The
model is made from the checked program by other people's code; the two share the front end only. Packets are valid,
truncated and garbage; entries are added to tables as keys are looked up in vain.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from p4sume.hardware.passes import run
from p4sume.model.build import build_model
from p4sume.model.library import Model
from p4sume.tests.hardware.harness import PROGRAMS, REPOSITORY, compare, lowered

STOCK_EXTERNS = Path(__file__).parent.parent / "model" / "programs" / "externs.p4"
FILES = [*sorted(PROGRAMS.glob("*.p4")), STOCK_EXTERNS, *sorted((REPOSITORY / "hw" / "p4").glob("*.p4"))]
PACKETS = 80
SEED = 20


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_graph_and_model_agree(path: Path) -> None:
    program = lowered(path)
    library = build_model(path, directory=REPOSITORY / "build" / "test" / "lowering" / path.stem).library
    for what, graph in (("lowered", program.graph), ("after the passes", run(program.graph))):
        found = compare(replace(program, graph=graph), Model(library), PACKETS, SEED)
        print(f"{path.stem} {what}: {found.packets} packets, {dict(found.outcomes)}, {dict(found.exercised)}")
        assert not found.differences, "\n".join(found.differences[:3])
        assert found.outcomes["passed"] > 0
