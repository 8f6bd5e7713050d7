# SPDX-License-Identifier: Apache-2.0
"""Every packet case of hw/p4/cases on model and RTL: what it expects comes true, and the two agree on all else."""

import pytest

from p4.programs import CASES, NAMES, program
from p4sume.cases import stf
from p4sume.cases.both_target import BothTarget
from p4sume.cases.runner import run_case

FILES = [(name, path) for name in NAMES for path in sorted((CASES / name).glob("*.stf"))]


@pytest.mark.parametrize(("name", "path"), FILES, ids=[f"{name}-{path.stem}" for name, path in FILES])
def test_case(name, path):
    both = program(name).fresh()
    report = run_case(stf.parse_file(path), both, str(path))
    assert isinstance(both, BothTarget)
    assert not report.failures, "\n".join(report.failures)
    assert not both.differences, "\n".join(both.differences)
