# SPDX-License-Identifier: Apache-2.0
"""Cases on the model: what is as expected passes, and each way of being otherwise is told with its line."""

from pathlib import Path

import pytest

from p4sume.cases import stf
from p4sume.cases.model_target import ModelTarget
from p4sume.cases.ports import PortError, bits_of, port_bit, port_name
from p4sume.cases.runner import CaseError, run_case
from p4sume.model.build import build_model
from p4sume.model.library import Model
from p4sume.tests.model.support import BUILD, QUICK

PROGRAM = Path(__file__).parent / "switch.p4"


@pytest.fixture(scope="module")
def library():
    return build_model(PROGRAM, directory=BUILD / "cases", extra_flags=QUICK).library


@pytest.fixture
def run(library):
    return lambda text: run_case(stf.parse(text, "c"), ModelTarget(Model(library)), "c")


ENTRY = "add kinds 10 first[0].kind:0x1* first$0.$valid:1 send(ports:4, value:0x99)\n"


def test_a_case_that_passes(run):
    report = run(
        ENTRY
        + """
        add values 0 value:0x20..0x30 drop()
        add TopPipe.values 0 hdr.first[0].value:0xee sume.src_port:0x10 TopPipe.drop()
        packet 0 1234 abcd
        expect 1 1299 ab*d
        expect_metadata dst_port=4 src_port=1 pkt_len=4
        expect_digest seen=1
        metadata dma_q_size=7 pkt_len=9
        packet cpu3 1f00
        expect nf1 1f99$
        expect_metadata src_port=0x80 pkt_len=9 dma_q_size=7
        packet 0 2200
        expect_drop no_port
        metadata send_dig_to_cpu=1
        packet 0 2200
        expect_digest_only
        expect_digest seen=3
        expect_metadata dst_port=0 send_dig_to_cpu=1 pkt_len=2
        packet 0 22
        expect_drop PacketTooShort
        check_register seen_reg_raw(2) == 3
        register_write seen_reg_raw 2 0x100
        packet 0 1277
        expect 1
        check_register TopPipe.seen_reg_raw(2) == 0x101
        check_counter table.TopPipe.kinds.hit == 3
        check_table kinds == 1
        remove all
        check_table kinds == 0
        packet 0 1234
        expect_drop no_port
        """
    )
    assert report.failures == []
    assert report.packets == 7


def test_the_largest_priority_wins(run):
    lines = "add kinds 5 first[0].kind:0x12 $valid:1 send(1, 0x11)\nadd kinds 9 kind:0x1* $valid:1 send(1, 0x22)\n"
    assert run(lines + "packet 0 1200\nexpect 0 1222$").passed


def test_a_range_takes_the_rows_of_its_prefixes(run):
    """Of the table's four rows: 1, 2..3, 4..5, 6; then 0..127 and 255."""
    report = run(
        """
        refused full add values 1 value:1..254 drop()
        refused full add values 1 value:1..14 sume.src_port:1 drop()
        add values 1 value:1..6 drop()
        refused full add values 2 value:9 drop()
        delete values 1 value:1..6
        add values 1 value:0..127 drop()
        add values 1 value:255 drop()
        add values 1 drop()
        add values 2 value:0..255 drop()
        refused full add values 3 value:9 drop()
        check_table values == 4
        """
    )
    assert report.failures == []


def test_no_packet(run):
    assert run("packet 0 0000\nno_packet").passed
    report = run(ENTRY + "packet 0 1000\nexpect 1 1099$\nno_packet")
    assert not report.passed


def test_time_reaches_the_target(library):
    class Recording(ModelTarget):
        seen = []

        def process(self, packets):
            self.seen += [p.cycle for p in packets]
            return super().process(packets)

    run_case(stf.parse("packet 0\ntime 100\npacket 0\ntime +5\npacket 0"), Recording(Model(library)))
    assert Recording.seen == [0, 100, 105]


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("packet 0 1000\nexpect 1 1000$", "c:3:1: nf1 sent another packet"),
        ("packet 0 100011\nexpect 1 1099$", "c:3:1: nf1 sent another packet"),
        ("packet 0 1000\nexpect 1 109911", "c:3:1: nf1 sent another packet"),
        ("packet 0 1000\nexpect 2 1099$", "c:3:1: this packet did not come out of nf2"),
        ("packet 0 1000", "a packet came out of nf1 that was not expected: 1099"),
        ("packet 0 1000\nexpect 1 1099\nexpect_metadata dst_port=5", "metadata field dst_port is 0x4, not 0x5"),
        ("packet 0 1000\nexpect 1 1099\nexpect_metadata nothing=5", "there is no metadata field nothing"),
        ("packet 0 1000\nexpect 1 1099\nexpect_digest seen=2", "digest field seen is 0x1, not 0x2"),
        ("packet 0 10\nexpect_drop no_port", "0 packets were dropped for no_port, not 1"),
        ("packet 0 10\npacket 0 10\nexpect_drop PacketTooShort", "2 packets were dropped for PacketTooShort, not 1"),
        ("packet 0 2200\nexpect_digest_only", "this packet did not come out of no port (digest only)"),
        (
            "metadata send_dig_to_cpu=1\npacket 0 2200",
            "a packet came out of no port (digest only) that was not expected",
        ),
        ("metadata send_dig_to_cpu=1\npacket 0 2200\nno_packet", "packets were sent where none were expected"),
        (
            "metadata send_dig_to_cpu=1\npacket 0 2200\nexpect_digest_only\nexpect_digest seen=2",
            "digest field seen is 0x1, not 0x2",
        ),
        ("check_table kinds == 2", "kinds is 0x1, not 0x2"),
        ("check_register seen_reg_raw(0) == 1", "seen_reg_raw is 0x0, not 0x1"),
        ("refused full add kinds 1 kind:2 $valid:1 drop()", "should have been refused (full)"),
        ("add kinds 10 kind:0x1* $valid:1 drop()", "an entry with this key and priority exists"),
        ("setdefault values drop()", "constant"),
    ],
)
def test_what_is_not_as_expected_fails(run, text, failure):
    report = run(ENTRY + text)
    assert not report.passed
    assert any(failure in f for f in report.failures), report.failures


@pytest.mark.parametrize(
    "text",
    [
        "add nowhere k:1 drop()",
        "add kinds 1 wrong:1 $valid:1 drop()",
        "add kinds 1 kind:1 drop()",
        "add kinds 1 kind:1 $valid:1/1 drop()",
        "add kinds 1 kind:1 $valid:1 send(ports:1)",
        "add kinds 1 kind:1 $valid:1 send(ports:1, value:1, more:2)",
        "packet 4 00",
        "packet eth0 00",
        "metadata wrong=1",
        "metadata drop=0x100",
        "check_counter nothing == 0",
        "check_register nothing(0) == 0",
        "expect_metadata dst_port=1",
        "expect_drop no_port\nexpect_metadata dst_port=1",
    ],
)
def test_what_does_not_fit_the_program_is_an_error_with_its_line(run, text):
    with pytest.raises(CaseError, match=r"^c:\d+:1: error: "):
        run(text)


def test_ports():
    assert [port_bit(n, 8) for n in ("0", "nf1", "cpu1", "3", "cpu3")] == [0, 2, 3, 6, 7]
    assert port_bit("cpu31", 64) == 63
    assert [port_name(b) for b in bits_of(0b10000011)] == ["nf0", "cpu0", "cpu3"]
    for wrong in ("4", "cpu4", "x", "-1", ""):
        with pytest.raises(PortError):
            port_bit(wrong, 8)
