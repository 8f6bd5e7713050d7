# SPDX-License-Identifier: Apache-2.0
"""The command `p4sume compile`: a program to a folder of hardware.

Exit codes: 0 done, 1 refused, 2 usage or unreadable input, 3 a bug of this tool.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from p4sume.cli import ACCEPTED, REFUSED, options_of, print_diagnostics
from p4sume.frontend import run_front_end
from p4sume.hardware.build import build


def run(parsed: argparse.Namespace) -> int:
    file = Path(parsed.file)
    outcome = run_front_end(file, options_of(parsed))
    built = build(outcome, file.stem, Path(parsed.out)) if outcome.accepted else None
    print_diagnostics(outcome)
    if built is None:
        return REFUSED
    manifest = built.manifest
    print(
        f"{manifest['program']}: {manifest['latency_cycles']} cycles of latency in the pipeline, "
        f"{manifest['first_beat_cycles']} from first beat in to first beat out; {parsed.out}"
    )
    return ACCEPTED
