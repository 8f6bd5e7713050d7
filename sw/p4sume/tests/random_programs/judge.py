# SPDX-License-Identifier: Apache-2.0
"""One program, compiled both ways and compared on random packets and table entries.

The model is made from the checked program as it stands. Against it run the flow graph as it was lowered, the graph
behind all passes, and, where there is time for it, the RTL; the RTL of every program has to please the linter.
"""

from __future__ import annotations

import hashlib
import traceback
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from p4sume.diagnostics import Diagnostics
from p4sume.frontend import Options, run_front_end
from p4sume.hardware.limits import problems
from p4sume.hardware.lowering import Lowered, lower
from p4sume.hardware.passes import run
from p4sume.model.build import ModelError, build_model
from p4sume.model.library import Model
from p4sume.tests.hardware.harness import compare
from p4sume.tests.random_programs.hardware import complaints, differences

SUME = Options(target="sume")
# Refusals that only say that a program is too large; a generator cannot know before.
TOO_LARGE = frozenset(
    ("refused too-many-headers", "refused parser-too-large", "refused window-too-large", "refused wide-product")
)
AGREES = "agrees"


@dataclass(frozen=True)
class Verdict:
    """`what` is one of a few words, so that two verdicts can be held against each other; `detail` is for people."""

    what: str
    detail: str = ""
    outcomes: Counter[str] = field(default_factory=Counter)
    exercised: Counter[str] = field(default_factory=Counter)

    @property
    def fault(self) -> bool:
        return self.what != AGREES and self.what not in TOO_LARGE


def judge(text: str, directory: Path, packets: int, seed: int, rtl: bool = False) -> Verdict:
    """The verdict on a program; with `rtl`, also on its hardware in a simulator. What is built goes into `directory`,
    under a name that no other program has: a library of one name is loaded once."""
    path = directory / f"random_{hashlib.sha256(text.encode()).hexdigest()[:16]}.p4"
    path.write_text(text)
    try:
        return _judge(path, directory, packets, seed, rtl)
    except Exception as problem:
        where = traceback.extract_tb(problem.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.name}"
        return Verdict(f"{type(problem).__name__} in {place}", "".join(traceback.format_exception(problem)))


def _judge(path: Path, directory: Path, packets: int, seed: int, rtl: bool) -> Verdict:
    outcome = run_front_end(path, SUME)
    if not outcome.accepted or outcome.checked is None:
        return _refused("rejected", outcome.diagnostics)
    lowered = lower(outcome.checked, outcome.diagnostics, path.stem)
    if lowered is None:
        return _refused("refused", outcome.diagnostics)
    for problem in problems(lowered.graph):
        return Verdict(f"refused {problem.id}", problem.message)
    behind = replace(lowered, graph=run(lowered.graph))
    try:
        library = build_model(path, directory=directory, extra_flags=("-O0",)).library
    except ModelError as problem:
        return Verdict("no model", str(problem))
    outcomes: Counter[str] = Counter()
    exercised: Counter[str] = Counter()
    stages: list[tuple[str, Lowered]] = [("as lowered", lowered), ("behind the passes", behind)]
    for stage, program in stages:
        found = compare(program, Model(library), packets, seed)
        outcomes += found.outcomes
        exercised += found.exercised
        if found.differences:
            return Verdict(f"differs {stage}", found.differences[0], outcomes, exercised)
    said = complaints(path, SUME, directory / "hardware")
    if said:
        return Verdict("the linter complains", said, outcomes, exercised)
    if rtl:
        different = differences(path, SUME, library, directory / "rtl", found.steps)
        if different:
            return Verdict("differs on RTL", "\n".join(different[:3]), outcomes, exercised)
    return Verdict(AGREES, "", outcomes, exercised)


def _refused(word: str, diagnostics: Diagnostics) -> Verdict:
    errors = [d for d in diagnostics if d.severity == "error"]
    return Verdict(f"{word} {errors[0].id}", "\n".join(d.render() for d in errors))
