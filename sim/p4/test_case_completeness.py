# SPDX-License-Identifier: Apache-2.0
"""What the packet cases of each program reach, all taken together, on the model:

- every table is hit and missed; every action that entries can have is one's, or a default
- every extern is called
- every member of `verdict_t` is counted in the program's verdict register
- every error that the program declares drops a packet, and so does one that is too short

What the cases expect, and that RTL does the same, is not asked here.
"""

import re
from collections import Counter

import pytest

from p4.programs import CASES, NAMES, SOURCES
from p4sume.cases import stf
from p4sume.cases.model_target import ModelTarget
from p4sume.cases.runner import run_case
from p4sume.frontend import Options, run_front_end
from p4sume.model.build import build_model
from p4sume.model.library import Model
from p4sume.syntax import ast

VERDICT_REGISTER = "verdict_count_reg_raw"


class Reached:
    """Everything that all cases of one program did."""

    def __init__(self, name):
        self.source = SOURCES / f"{name}.p4"
        self.declarations = run_front_end(self.source, Options("sume")).checked.program.declarations
        self.verdicts = self._verdicts()
        self.counters = Counter()
        self.counted = Counter()
        self.actions = set()
        library = build_model(self.source).library
        for case in sorted((CASES / name).glob("*.stf")):
            model = Model(library)
            target = ModelTarget(model)
            statements = stf.parse_file(case)
            report = run_case(statements, target, str(case))
            assert report.passed, report.failures
            self.counters.update(model.counters())
            self.tables = model.tables
            for verdict in range(len(self.verdicts)):
                self.counted[verdict] += model.read_register(VERDICT_REGISTER, verdict)
            self.actions |= set(actions_in(statements, model))

    def _verdicts(self):
        """The names of the program's verdicts, whose values are 0, 1, 2, …"""
        found = [d for d in self.declarations if isinstance(d, ast.Enum) and d.name.text == "verdict_t"]
        return [member.name.text for enum in found for member in enum.members]

    def errors(self):
        mine = [
            d for d in self.declarations if isinstance(d, ast.ErrorMembers) and d.span.file.name == str(self.source)
        ]
        return [member.name.text for d in mine for member in d.members]


def actions_in(statements, model):
    for statement in statements:
        if isinstance(statement, stf.TableChange | stf.SetDefault) and statement.action is not None:
            table = model.table(statement.table)
            yield table.name, table.action(statement.action.name).name


@pytest.fixture(scope="module", params=NAMES)
def reached(request):
    return Reached(request.param)


def test_every_table_is_hit_and_missed(reached):
    assert [n for n, count in reached.counters.items() if n.startswith("table.") and count == 0] == []


def test_every_action_of_entries_is_one(reached):
    defaults = dict(re.findall(r"table (\w+) \{.*?default_action = (\w+)\(", reached.source.read_text(), re.DOTALL))
    missing = []
    for table in reached.tables.values():
        for action in table.actions:
            is_default = defaults.get(table.name.split(".")[-1]) == action.name.split(".")[-1]
            if not table.constant_entries and not is_default and (table.name, action.name) not in reached.actions:
                missing.append(f"{action.name} of {table.name}")
    assert missing == []


def test_every_extern_is_called(reached):
    assert [n for n, count in reached.counters.items() if n.startswith("extern.") and count == 0] == []


def test_every_verdict_is_counted(reached):
    if not reached.verdicts:
        assert VERDICT_REGISTER not in reached.source.read_text()
    assert [name for i, name in enumerate(reached.verdicts) if reached.counted[i] == 0] == []


def test_every_error_drops_a_packet(reached):
    errors = ["PacketTooShort", *reached.errors()]
    assert [e for e in errors if reached.counters[f"drop.{e}"] == 0] == []
