# SPDX-License-Identifier: Apache-2.0
"""The STF language as README.md defines it."""

import pytest

from p4sume.cases import stf


def one(text):
    (statement,) = stf.parse(text)
    return statement


def test_an_entry_as_p4c_writes_it():
    made = one('ADD "ipv4_lpm" 100 hdr.ipv4.dst:0x0a******  extra$0.h:0b1*0 c4_6(val4:0x40, port:2) = A  # why')
    assert (made.operation, made.table, made.priority) == ("add", "ipv4_lpm", 100)
    assert made.key == (
        stf.Match("hdr.ipv4.dst", 0x0A000000, mask=0xFF000000),
        stf.Match("extra$0.h", 0b100, mask=0b101),
    )
    assert made.action == stf.ActionUse("c4_6", (("val4", 0x40), ("port", 2)))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("10.1.2.3/24", stf.Match("k", 0x0A010203, prefix=24)),
        ("0x10&&&0xf0", stf.Match("k", 0x10, mask=0xF0)),
        ("5..0x20", stf.Match("k", 5, high=32)),
        ("02:00:00:00:00:ff", stf.Match("k", 0x0200000000FF)),
        ("0b101", stf.Match("k", 5)),
        ("007", stf.Match("k", 7)),
    ],
)
def test_values_of_keys(text, match):
    made = one(f"add t k:{text} a()")
    assert made.key == (match,) and made.priority is None


def test_an_entry_without_key_or_with_plain_arguments():
    assert one("add t a(1, 02:00:00:00:00:01)").action.arguments == (("", 1), ("", 0x020000000001))
    assert one("setdefault t a()").action == stf.ActionUse("a", ())
    assert one("delete t 7 k:1").priority == 7


def test_packets():
    assert one("packet nf2 00 1122 aAbB").data == bytes.fromhex("001122aabb")
    assert one("packet 0").data == b""
    assert one("expect 1 0*1 122$") == stf.ExpectPacket(1, "1", "0*1122", True)
    assert one("expect 1") == stf.ExpectPacket(1, "1", None, False)


def test_additions():
    assert one("metadata pkt_len=3 drop = 0x1") == stf.SetMetadata(1, (("pkt_len", 3), ("drop", 1)))
    assert one("time + 20") == stf.SetTime(1, 20, True)
    assert one("time 20") == stf.SetTime(1, 20, False)
    assert one("register_write x.y 3 0xff") == stf.WriteRegister(1, "x.y", 3, 255)
    assert one("check_register x(2) == 5") == stf.Check(1, "register", "x", 2, 5)
    assert one("check_counter drop.no_port == 5") == stf.Check(1, "counter", "drop.no_port", 0, 5)
    assert one("refused full add t k:1 a()").refused == "full"


def test_comments_and_empty_lines_are_nothing():
    assert stf.parse("\n# add t\n   \n") == []


@pytest.mark.parametrize(
    "text",
    [
        "mirroring_add 1 2",
        "add t k:xyz a()",
        "add t k:1",
        "add t k:1 a(",
        "packet 0 123",
        "packet 0 xx",
        "packet",
        "expect 0 12$34",
        "time soon",
        "refused sometimes add t k:1 a()",
        "check_register x == 5",
        "check_table t 5",
        "metadata",
        "remove t",
        "add t k:1 a() more",
        "add t k:1.2.3.999 a()",
        "add t k:*1 a()",
        "add t k:1 a() ; b",
    ],
)
def test_what_is_not_stf_is_refused_with_its_line(text):
    with pytest.raises(stf.StfError, match=r"^case\.stf:2:1: error: "):
        stf.parse(f"# first\n{text}", "case.stf")
