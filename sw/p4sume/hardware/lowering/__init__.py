# SPDX-License-Identifier: Apache-2.0
"""From the checked program to the flow graph. What it takes and gives, port by port: README.md beside this file."""

from __future__ import annotations

from p4sume.deep import run_deep
from p4sume.diagnostics import Diagnostics
from p4sume.hardware import graph as g
from p4sume.hardware.lowering.architecture import Architecture, Lowered
from p4sume.hardware.lowering.refusal import CannotBuildError
from p4sume.hardware.passes.folder import Folder
from p4sume.semantics.checked import Checked

__all__ = ["Lowered", "lower"]


def lower(checked: Checked, diagnostics: Diagnostics, program: str = "program") -> Lowered | None:
    """The flow graph of a SimpleSumeSwitch program, or None if it cannot be built; `diagnostics` says why.

    Requires: a program that the front end has accepted. Ensures: a graph that `graph.verify` accepts.
    """
    try:
        lowered = run_deep(Architecture(checked, diagnostics, Folder(g.Graph(program))).run_program)
    except CannotBuildError as problem:
        diagnostics.error(problem.id, problem.span, problem.message, problem.hint)
        return None
    g.verify(lowered.graph)
    return lowered
