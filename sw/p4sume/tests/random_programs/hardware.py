# SPDX-License-Identifier: Apache-2.0
"""A program's RTL against the model, given the same packets, entries and default actions as the graph was."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench import verilator
from flow.paths import tool_environment
from flow.sources import closure
from p4sume.cases.both_target import BothTarget
from p4sume.cases.model_target import ModelTarget
from p4sume.cases.rtl_build import RULES, build_core
from p4sume.cases.rtl_target import RtlTarget
from p4sume.cases.target import Stimulus
from p4sume.frontend import Options, run_front_end
from p4sume.hardware.build import build
from p4sume.model.library import Model
from p4sume.tests.hardware.harness import Added, Defaulted, Sent


def differences(
    path: Path, options: Options, library: Path, directory: Path, steps: Sequence[Added | Defaulted | Sent]
) -> list[str]:
    """What the two do differently. `library` is the program's model; the RTL is built into `directory`."""
    core = build_core(path, options, builds=directory)
    target = BothTarget(ModelTarget(Model(library)), RtlTarget(core))
    waiting: list[Stimulus] = []
    for step in steps:
        if isinstance(step, Sent):
            if not step.packet:
                continue  # a stream has none
            rest = {name: value for name, value in step.metadata.items() if name != "src_port"}
            waiting.append(Stimulus(step.metadata["src_port"].bit_length() - 1, step.packet, step.cycle, rest))
            continue
        target.process(waiting)
        waiting = []
        table = target.table(step.table)
        if isinstance(step, Added):
            target.change("add", table, step.key, step.priority, step.action, step.arguments)
        else:
            target.set_default(table, step.action, step.arguments)
    target.process(waiting)
    return target.differences


def complaints(path: Path, options: Options, directory: Path) -> str:
    """What Verilator says of a program's SystemVerilog without building it; nothing if it is content."""
    outcome = run_front_end(path, options)
    made = build(outcome, path.stem, directory)
    assert made is not None, [d.render() for d in outcome.diagnostics]
    top = str(made.manifest["top"])
    command = ["verilator", "--lint-only", *verilator.LINT_RULES, "--top-module", top, str(RULES)]
    command += [str(file) for file in closure([top], directory)]
    ran = subprocess.run(command, env=tool_environment(), capture_output=True, text=True)
    return ran.stderr if ran.returncode or "%Warning" in ran.stderr else ""
