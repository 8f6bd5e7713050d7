# SPDX-License-Identifier: Apache-2.0
"""How this project calls Verilator: the one set of rules and settings, and a build that stops with what it said."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from flow.paths import tool_environment

LINT_RULES = ("-Wall", "-Werror-USERFATAL")
# A model that starts from random state, with the assertions of the sources.
MODEL = ("--cc", "--assert", "--x-assign", "unique", "--x-initial", "unique", "--timescale", "1ns/1ps", "-O3")


class BuildError(Exception):
    """Verilator or the C++ compiler refused the module; what they said is the message."""


def make(
    folder: Path, prefix: str, target: str, arguments: Sequence[str], what: str, settings: Sequence[str] = ()
) -> None:
    """Runs Verilator with `arguments` and makes `target` of what it has written into `folder`. `settings`: make's."""
    verilate = ["verilator", *arguments, "--Mdir", str(folder), "--prefix", prefix, "-o", target]
    for step in (verilate, ["make", "-s", "-C", str(folder), "-f", f"{prefix}.mk", *settings, target]):
        ran = subprocess.run(step, env=tool_environment(), capture_output=True, text=True)
        if ran.returncode:
            (folder / "build.log").write_text(ran.stdout + ran.stderr)
            raise BuildError(f"{what} does not build:\n{ran.stdout}{ran.stderr}")
