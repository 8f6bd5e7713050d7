# SPDX-License-Identifier: Apache-2.0
"""The programs of hw/p4 that have cases: whoever adds a folder of cases has them run here."""

from __future__ import annotations

from functools import cache

from flow.paths import HW
from p4.random_packets import Program

SOURCES = HW / "p4"
CASES = SOURCES / "cases"
NAMES = sorted(folder.name for folder in CASES.iterdir() if any(folder.glob("*.stf")))


@cache
def program(name: str) -> Program:
    """Built once in a run, on model and RTL."""
    return Program(SOURCES / f"{name}.p4", CASES / name)
