# SPDX-License-Identifier: Apache-2.0
"""Entries as a program has them: which commands they become, what is refused; windows on a bus made of a dictionary."""

import pytest

from p4sume.control import (
    ActionError,
    ArgumentsError,
    Code,
    Command,
    ConstantError,
    DuplicateError,
    FullError,
    NotFoundError,
    Op,
    PrefixError,
    WidthError,
)
from p4sume.control.entries import Entries
from p4sume.control.plane import ActionInfo, Field, KeyField, KeyValue, TableInfo
from p4sume.control.registers import BusError, Registers
from p4sume.control.windows import ExternWindow, TableWindow

SEND = ActionInfo("TopPipe.send", (Field("port", 8), Field("tag", 12)), True, True)
DROP = ActionInfo("TopPipe.drop", (), True, True)
ONLY_DEFAULT = ActionInfo("TopPipe.miss", (), False, True)
ONLY_ENTRY = ActionInfo("TopPipe.hit", (), True, False)
ACTIONS = (SEND, DROP, ONLY_DEFAULT, ONLY_ENTRY)
CODES = {action.name: code for code, action in enumerate(ACTIONS, 1)}
SEND_VALUE = 1 << 20 | 0xAB << 12 | 0x123


class Recorded:
    """A window that carries everything out and notes it."""

    def __init__(self, answer=Code.OK):
        self.commands = []
        self.answer = answer

    def run(self, command):
        self.commands.append(command)
        return self.answer


def table(*keys, size=8, constant_default=False):
    fields = tuple(KeyField(f"k{i}", width, match) for i, (width, match) in enumerate(keys))
    return TableInfo("TopPipe.t", size, fields, ACTIONS, False, constant_default)


def entries(*keys, answer=Code.OK, **more):
    window = Recorded(answer)
    return Entries(table(*keys, **more), CODES, window), window


def test_an_exact_entry_is_key_and_value():
    made, window = entries((4, "exact"), (8, "exact"))
    made.add([KeyValue(0x5), KeyValue(0xC3)], 0, "send", [0xAB, 0x123])
    made.modify([KeyValue(0x5), KeyValue(0xC3)], 0, "drop", [])
    made.delete([KeyValue(0x5), KeyValue(0xC3)], 0)
    assert window.commands == [
        Command(Op.SET, key=0x5C3, value=SEND_VALUE),
        Command(Op.SET, key=0x5C3, value=2 << 20),
        Command(Op.DELETE, key=0x5C3),
    ]
    assert made.count() == 0


def test_a_prefix_is_cut_to_its_length():
    made, window = entries((16, "lpm"))
    made.add([KeyValue(0x12FF, None, 8)], 0, "drop", [])
    assert any(command.op is Op.SWAP for command in window.commands)
    with pytest.raises(DuplicateError):
        made.add([KeyValue(0x1200, 0xFF00)], 0, "drop", [])
    with pytest.raises(PrefixError):
        made.add([KeyValue(0, 0x00FF)], 0, "drop", [])
    with pytest.raises(PrefixError):
        made.add([KeyValue(0, None, 17)], 0, "drop", [])


def test_a_key_of_several_kinds_is_masked():
    made, window = entries((4, "exact"), (4, "ternary"), (4, "optional"), (4, "range"))
    made.add([KeyValue(0x9), KeyValue(0x6, 0xC), KeyValue(None), KeyValue(2, 3)], 7, "drop", [])
    assert [(c.key, c.mask) for c in window.commands] == [(0x9402, 0xFC0E)]
    with pytest.raises(WidthError):
        made.add([KeyValue(None), KeyValue(None), KeyValue(None), KeyValue(None)], 7, "drop", [])
    with pytest.raises(WidthError):
        made.add([KeyValue(1), KeyValue(None), KeyValue(1, 3), KeyValue(None)], 7, "drop", [])


def test_beside_exact_fields_the_longest_prefix_stands_first():
    made, window = entries((4, "exact"), (8, "lpm"))
    made.add([KeyValue(1), KeyValue(0x80, None, 1)], 0, "drop", [])
    made.add([KeyValue(1), KeyValue(0x80, None, 8)], 0, "drop", [])
    first, second = window.commands
    assert (first.key, second.key) == (0x180, 0x180) and second.index < first.index


def test_defaults():
    made, window = entries((4, "exact"))
    made.set_default("miss", [])
    assert window.commands == [Command(Op.DEFAULT, value=3 << 20)]
    with pytest.raises(ActionError):
        made.set_default("hit", [])
    fixed, _ = entries((4, "exact"), constant_default=True)
    with pytest.raises(ConstantError):
        fixed.set_default("drop", [])


def test_what_is_refused_changes_nothing():
    made, window = entries((4, "exact"), size=1)
    for action, arguments, error in (
        ("nothing", [], ActionError),
        ("miss", [], ActionError),
        ("send", [1], ArgumentsError),
        ("send", [0x100, 1], ArgumentsError),
    ):
        with pytest.raises(error):
            made.add([KeyValue(1)], 0, action, arguments)
    with pytest.raises(WidthError):
        made.add([KeyValue(0x10)], 0, "drop", [])
    with pytest.raises(NotFoundError):
        made.delete([KeyValue(1)], 0)
    assert window.commands == [] and made.count() == 0
    made.add([KeyValue(1)], 0, "drop", [])
    with pytest.raises(FullError):
        made.add([KeyValue(2)], 0, "drop", [])


def test_a_key_for_which_the_hardware_has_no_room_is_not_in():
    made, _ = entries((4, "exact"), answer=Code.FULL)
    with pytest.raises(FullError):
        made.add([KeyValue(1)], 0, "drop", [])
    assert made.count() == 0


def test_a_table_that_is_logic_cannot_be_changed():
    fixed = Entries(table((4, "exact")), CODES, None)
    for change in (
        lambda: fixed.add([KeyValue(1)], 0, "drop", []),
        lambda: fixed.delete([KeyValue(1)], 0),
        fixed.clear,
        lambda: fixed.set_default("drop", []),
    ):
        with pytest.raises(ConstantError):
            change()


# ---- windows


class Device:
    """Registers that hold what was written; each command makes the status busy for some reads."""

    def __init__(self, status_reads=2, outcome=Code.OK):
        self.written = []
        self.words = {}
        self.status_reads, self.outcome = status_reads, outcome
        self.busy = 0

    def read(self, address):
        if address != STATUS:
            return self.words.get(address, 0)
        self.busy = max(0, self.busy - 1)
        return int(self.busy > 0) | self.outcome << 4

    def write(self, address, value):
        self.written.append((address, value))
        self.words[address] = value
        if address == COMMAND:
            self.busy = self.status_reads


COMMAND, STATUS, INDEX, KEY, VALUE, FOUND = 0, 4, 8, 12, 20, 24


def window_registers(device, words=2):
    names = [("command", COMMAND), ("status", STATUS), ("index", INDEX), ("value[0]", VALUE), ("found_value[0]", FOUND)]
    names += [(f"key[{i}]", KEY + 4 * i) for i in range(words)]
    fields = {"status": [("busy", 0, 1), ("outcome", 4, 2)], "command": [("operation", 0, 3)]}
    return Registers(
        device, [{"name": f"w.{n}", "address": a, "fields": fields.get(n, [("word", 0, 32)])} for n, a in names]
    )


def test_a_command_is_written_word_by_word_and_begun_last():
    device = Device()
    window = TableWindow(window_registers(device), "w")
    assert window.run(Command(Op.SET, key=0x1_2345_6789, value=7, index=3)) is Code.OK
    assert device.written == [(KEY, 0x23456789), (KEY + 4, 1), (VALUE, 7), (INDEX, 3), (COMMAND, Op.SET)]
    device.written.clear()
    window.run(Command(Op.SET, key=0x1_2345_6789, value=8, index=3))
    assert device.written == [(VALUE, 8), (COMMAND, Op.SET)], "what stands there already is not written again"


def test_the_outcome_is_the_devices():
    assert TableWindow(window_registers(Device(outcome=Code.FULL)), "w").run(Command(Op.CLEAR)) is Code.FULL


def test_a_device_that_stays_busy_is_given_up(monkeypatch):
    monkeypatch.setattr("p4sume.control.windows.PATIENCE", 5)
    device = Device(status_reads=100)
    with pytest.raises(BusError, match="busy"):
        TableWindow(window_registers(device), "w").run(Command(Op.CLEAR))


def test_registers_of_an_extern():
    device = Device()
    window = ExternWindow(window_registers(device), "w")
    window.write(5, 9)
    assert device.written == [(INDEX, 5), (VALUE, 9), (COMMAND, 1)]
    device.words[FOUND] = 77
    assert window.read(5) == 77 and device.written[-1] == (COMMAND, 0)
