# SPDX-License-Identifier: Apache-2.0
"""What is said where model and RTL differ, and that nothing is said where they agree."""

import pytest

from p4sume.cases.both_target import BothTarget
from p4sume.cases.target import Emitted, Fate, Outcome, Stimulus, TargetRefusedError
from p4sume.control.plane import TableInfo

TABLE = TableInfo("TopPipe.t", 4, (), (), False, False)
PACKET = Stimulus(2, b"\x10\x20", 0, {"pkt_len": 7})
SENT = Fate(None, Emitted(0x05, bytes(range(40)), {"pkt_len": 40}, {"seen": 1}))


class Fake:
    name = "fake"
    port_bits = 8
    metadata_widths = {"pkt_len": 16}

    def __init__(self, fate=SENT, refusal="", register=3, counter=5):
        self.fate, self.refusal, self.register, self.count = fate, refusal, register, counter

    def process(self, packets):
        return Outcome(tuple(self.fate for _ in packets))

    def table(self, name):
        return TABLE

    def change(self, *request):
        if self.refusal:
            raise TargetRefusedError(self.refusal, "no")

    def read_register(self, name, index):
        return self.register

    def counter(self, name):
        return self.count


def told(rtl, model=None, do=lambda both: both.process([PACKET])):
    both = BothTarget(model or Fake(), rtl)
    do(both)
    return "\n".join(both.differences)


def test_nothing_where_they_agree():
    assert told(Fake()) == ""


def test_the_first_byte_that_differs_is_shown():
    data = bytes(range(20)) + b"\xff" + bytes(range(21, 39))
    found = told(Fake(Fate(None, Emitted(0x05, data, {"pkt_len": 40}, {"seen": 1}))))
    assert "packet 1 (2 bytes at nf1 pkt_len=0x7: 1020)" in found
    assert "byte 20 is the first that differs; the model has 40 bytes, the RTL 39" in found
    lines = found.splitlines()
    assert lines[3].index("ff") == lines[4].index("^^")


def test_tuser_and_digest():
    found = told(Fake(Fate(None, Emitted(0x05, bytes(range(40)), {"pkt_len": 41}, {"seen": 2}))))
    assert "metadata pkt_len: model 0x28, rtl 0x29" in found and "digest seen: model 0x1, rtl 0x2" in found


def test_reasons_and_ports():
    assert "the model sends it to nf0, nf1, the RTL drops it (NoMatch)" in told(Fake(Fate("NoMatch", None)))


def test_what_a_packet_ended_as_counts_also_if_the_program_dropped_it():
    dropped = [Fate("no_port", Emitted(0, data, {"pkt_len": length}, {})) for data, length in ((b"x", 1), (b"", 2))]
    assert "metadata pkt_len: model 0x1, rtl 0x2" in told(Fake(dropped[1]), Fake(dropped[0]))


def test_refusals_registers_and_counters():
    def add(both):
        with pytest.raises(TargetRefusedError):
            both.change("add", TABLE, (), 0, "a", ())

    assert "add TopPipe.t: model refuses (full), rtl does it" in told(Fake(), Fake(refusal="full"), add)
    assert told(Fake(refusal="full"), Fake(refusal="full"), add) == ""
    assert "register r(1): model 0x3, rtl 0x4" in told(Fake(register=4), do=lambda both: both.read_register("r", 1))
    assert "counter packets: model 5, rtl 6" in told(Fake(counter=6), do=lambda both: both.counter("packets"))
    assert told(Fake(counter=None), do=lambda both: both.counter("extern.x")) == ""
