# SPDX-License-Identifier: Apache-2.0
"""Small programs, each about one rule: those in `accept` pass, those in `reject` and `sume` give the messages of
their golden file.

- every reject program is refused, with the ids, places, excerpts and hints of its golden file
- every accept program is accepted; one that draws warnings has a golden file too
- every id of an error that the front end can report is shown by some golden file
"""

import re
from pathlib import Path

import pytest

from p4sume.frontend import Options, run_front_end

PROGRAMS = Path(__file__).parent / "programs"
PACKAGE = Path(__file__).parents[1]
ROOMS = ("", "syntax", "semantics", "targets")


def programs(kind):
    return sorted((PROGRAMS / kind).glob("*.p4"))


def by_name(path):
    return path.stem


def report(path, target):
    outcome = run_front_end(path, Options(target))
    text = "".join(item.render() + "\n" for item in outcome.diagnostics)
    return outcome, text.replace(str(path.parent) + "/", "")


def compare(path, text, update):
    golden = path.with_suffix(".expect")
    if update:
        if text:
            golden.write_text(text, encoding="utf-8")
        else:
            golden.unlink(missing_ok=True)
    assert text == (golden.read_text(encoding="utf-8") if golden.exists() else "")


@pytest.mark.parametrize("path", programs("accept"), ids=by_name)
def test_accepted(path, update):
    outcome, text = report(path, "core")
    assert outcome.accepted, text
    compare(path, text, update)


@pytest.mark.parametrize("path", programs("reject"), ids=by_name)
def test_rejected(path, update):
    outcome, text = report(path, "core")
    assert not outcome.accepted
    compare(path, text, update)
    assert re.match(r"[^\n:]+:\d+:\d+: (error|warning): ", text)


@pytest.mark.parametrize("path", programs("sume"), ids=by_name)
def test_sume_architecture(path, update):
    assert report(path, "core")[0].accepted
    outcome, text = report(path, "sume")
    assert not outcome.accepted
    compare(path, text, update)


def test_every_error_has_a_program():
    declared = set()
    for room in ROOMS:
        for source in (PACKAGE / room).glob("*.py"):
            text = source.read_text(encoding="utf-8")
            declared |= set(re.findall(r'\b(?:error|error_if_used|EvaluationError)\(\s*"([a-z-]+)"', text))
    shown = set()
    for golden in PROGRAMS.glob("*/*.expect"):
        shown |= set(re.findall(r"error: .*\[([a-z-]+)\]$", golden.read_text(encoding="utf-8"), re.MULTILINE))
    assert declared
    assert declared - shown == set()


def test_every_program_says_its_rule():
    for path in PROGRAMS.glob("*/*.p4"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert lines[0] == "// SPDX-License-Identifier: Apache-2.0", path
        assert lines[1].startswith("// "), path
