# SPDX-License-Identifier: Apache-2.0
"""Small programs with expectations written by hand from the specification and the RFCs."""

import pytest

from p4sume.cases import stf
from p4sume.cases.model_target import ModelTarget
from p4sume.cases.runner import run_case
from p4sume.tests.model.support import PROGRAMS, model_of_file


@pytest.mark.parametrize("name", sorted(p.stem for p in PROGRAMS.glob("*.stf")))
def test_program_does_what_its_case_says(name):
    case = PROGRAMS / f"{name}.stf"
    report = run_case(stf.parse_file(case), ModelTarget(model_of_file(name)), str(case))
    assert report.passed, "\n".join(report.failures)
    assert report.expectations
