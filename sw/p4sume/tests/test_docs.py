# SPDX-License-Identifier: Apache-2.0
"""The example of docs/p4.md: its files come from the page, accepted, compiled, and do on the model what it says."""

import re
from pathlib import Path

import pytest

from p4sume.cli import main

PAGE = Path(__file__).parents[3] / "docs" / "p4.md"


@pytest.fixture
def files(tmp_path, monkeypatch):
    for name, text in re.findall(r"^```(?:p4|stf) (\S+)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_example_is_accepted_and_compiled(files, capsys):
    assert main(["check", "gate.p4", "--target", "sume"]) == 0
    assert main(["compile", "gate.p4", "--out", "out"]) == 0
    assert capsys.readouterr().err == ""
    assert (files / "out" / "schedule.txt").read_text().startswith("gate: ")


def test_the_example_does_what_the_page_says(files, capsys):
    assert main(["case", "gate.p4", "gate.stf", "--on", "model"]) == 0
    [printed] = re.findall(r"^pass gate.stf on both(: .*)$", PAGE.read_text(), re.MULTILINE)
    assert capsys.readouterr().out == f"pass gate.stf on model{printed}\n"
