# SPDX-License-Identifier: Apache-2.0
"""Each rule of the tree passes on a small good tree and fires on the same tree with one thing broken."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from flow import tree

MODULE = """\
// SPDX-License-Identifier: Apache-2.0
`resetall
`default_nettype none

// Passes a bit on.
//
// Flow control: none.
// Latency: none.
// Limits: none.
module good #(
    parameter int WIDTH_BITS = 1  // bits, 1 or more
) (
    input  wire logic [WIDTH_BITS-1:0] data,
    output logic      [WIDTH_BITS-1:0] copy
);
  assign copy = data;
endmodule

`resetall
"""
ROOM = "# A room\n\n**Lives here:** something.\n\n**Never:** anything else.\n"
MODULE_FILE = "hw/rtl/axis/good.sv"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    files = {
        MODULE_FILE: MODULE,
        "hw/rtl/axis/README.md": ROOM,
        "hw/rtl/README.md": ROOM,
        "sim/README.md": ROOM,
        "sim/rtl/README.md": ROOM + "[up](../README.md)\n",
        "sim/rtl/good/test_good.py": "# SPDX-License-Identifier: Apache-2.0\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def test_a_good_tree_has_no_problem(good: Path) -> None:
    assert tree.check(good) == []


def edit(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        text = (root / name).read_text()
        assert old in text
        (root / name).write_text(text.replace(old, new, 1))

    return change


def add(name: str, text: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    return change


SPDX = "# SPDX-License-Identifier: Apache-2.0\n"
BROKEN = {
    "every_source_has_its_licence": [
        edit(MODULE_FILE, "SPDX-License-Identifier: Apache-2.0", "All rights"),
        add("sw/tool.py", "print()\n"),
        add("Makefile", "all:\n"),
    ],
    "a_file_is_its_module": [
        edit(MODULE_FILE, "module good", "module bad"),
        edit(MODULE_FILE, "endmodule\n", "endmodule\nmodule second; endmodule\n"),
    ],
    "heads_and_tails_stand": [
        edit(MODULE_FILE, "`default_nettype none", "`timescale 1ns/1ps"),
        edit(MODULE_FILE, "endmodule\n\n`resetall", "endmodule\n"),
    ],
    "modules_say_what_they_promise": [edit(MODULE_FILE, "Limits:", "Limit:")],
    "parameters_are_explained": [edit(MODULE_FILE, "  // bits, 1 or more", "")],
    "port_names_have_no_direction_suffix": [edit(MODULE_FILE, "-1:0] data,", "-1:0] data_i,")],
    "every_module_has_a_test": [add("hw/rtl/axis/untested.sv", MODULE.replace("good", "untested"))],
    "every_room_says_what_lives_there": [
        edit("hw/rtl/axis/README.md", "**Never:**", "Never"),
        lambda root: (root / "sim/README.md").unlink(),
        lambda root: (root / "sw" / "flow").mkdir(parents=True),
    ],
    "addresses_stand_in_the_register_files": [
        add("sw/driver/x.py", SPDX + "base = 0x44020000\n"),
        add("sw/driver/x.py", SPDX + "QUEUE_OFFSET = 0x1c\n"),
        edit(MODULE_FILE, "assign copy", "localparam X = 32'h4403_0000;\n  assign copy"),
    ],
    "nothing_is_left_to_do": [add("docs/x.md", ROOM + "TO" + "DO: more\n")],
    "no_line_names_one_machine": [add("docs/x.md", "see /ho" + "me/someone/file\n")],
    "links_lead_somewhere": [edit("sim/rtl/README.md", "../README.md", "../READTHIS.md")],
}


def test_every_rule_is_broken_here() -> None:
    assert {rule.__name__ for rule in tree.RULES} == BROKEN.keys()


@pytest.mark.parametrize(("rule", "change"), [(rule, c) for rule, changes in BROKEN.items() for c in changes])
def test_rule_fires(good: Path, rule: str, change: Callable[[Path], None]) -> None:
    change(good)
    assert any(problem.endswith(f"[{rule}]") for problem in tree.check(good))


def test_addresses_may_stand_in_hw_regs(good: Path) -> None:
    add("hw/regs/switch.py", SPDX + "base = 0x44020000\n")(good)
    add("hw/regs/README.md", ROOM)(good)
    assert tree.check(good) == []


def test_parameter_record_joins_notes_and_finds_lone_values(tmp_path: Path) -> None:
    notes, record = tmp_path / "notes", tmp_path / "params.json"
    notes.mkdir()
    for number, value in enumerate(("4", "8", "8")):
        note = {"module": "good", "parameters": {"DEPTH": value, "KIND": "1"}}
        (notes / f"{number}.json").write_text(json.dumps(note))
    tree.write_parameter_record(notes, record)
    built = tree.read_parameter_record(record)
    assert built == {"good": {"DEPTH": ["4", "8"], "KIND": ["1"]}}
    assert tree.parameters_with_one_value(built) == ["good: parameter KIND was built with one value only (1)"]
