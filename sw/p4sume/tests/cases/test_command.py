# SPDX-License-Identifier: Apache-2.0
"""`p4sume case` and `p4sume packets`: outputs and exit codes."""

import argparse
import json
from pathlib import Path

import pytest

from bench.packets import pcap
from p4sume.cases.command import add_arguments, run

PROGRAM = str(Path(__file__).parent / "switch.p4")
ENTRY = "add kinds 10 kind:0x1* $valid:1 send(ports:0x06, value:0x99)\n"


def call(*arguments):
    parser = argparse.ArgumentParser()
    add_arguments(parser.add_subparsers(required=True))
    return run(parser.parse_args([str(a) for a in arguments]))


@pytest.fixture
def case(tmp_path):
    def write(text, name="case.stf"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_cases_pass_and_fail(case, capsys):
    good = case(ENTRY + "packet 0 1000\nexpect 1 1099$\nexpect cpu0 1099$")
    bad = case(ENTRY + "packet 0 1000\nexpect 1 1099$", "bad.stf")
    assert call("case", PROGRAM, good, "--on", "model") == 0
    assert f"pass {good} on model: 1 packets, 2 expectations" in capsys.readouterr().out
    assert call("case", PROGRAM, good, bad) == 1
    said = capsys.readouterr()
    assert f"FAIL {bad} on model" in said.out and "cpu0 that was not expected" in said.err


def test_json(case, capsys):
    assert call("case", PROGRAM, case("packet 0 00\nexpect_drop PacketTooShort"), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == 1 and found["cases"][0]["packets"] == 1


def test_unreadable_input_is_usage(case, tmp_path, capsys):
    assert call("case", PROGRAM, tmp_path / "nothing.stf") == 2
    assert call("case", PROGRAM, case("what is this")) == 2
    assert call("case", PROGRAM, case("add nowhere k:1 a()")) == 2
    assert call("packets", PROGRAM, "--in", tmp_path / "no.pcap", "--port", "0", "--out", tmp_path / "o") == 2
    (tmp_path / "not.pcap").write_bytes(b"nothing of the kind, but long enough")
    assert call("packets", PROGRAM, "--in", tmp_path / "not.pcap", "--port", "0", "--out", tmp_path / "o") == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_program_that_is_refused(case, tmp_path, capsys):
    wrong = tmp_path / "wrong.p4"
    wrong.write_text(Path(PROGRAM).read_text().replace("seen_reg_raw", "seen_by_nobody"))
    assert call("case", wrong, case("packet 0 00")) == 1
    assert "wrong.p4:57:9: error: there is no twin for the extern function 'seen_by_nobody'" in capsys.readouterr().err


def test_packets(case, tmp_path, capsys):
    frames = [
        pcap.Captured(1_000_000_000, bytes.fromhex("1000aabb"), 4),
        pcap.Captured(1_000_000_050, bytes.fromhex("20"), 1),
        pcap.Captured(1_000_000_100, bytes.fromhex("2000"), 2),
        pcap.Captured(1_000_000_150, bytes.fromhex("1f00"), 2),
    ]
    pcap.write(tmp_path / "in.pcap", frames)
    out = tmp_path / "out"
    code = call("packets", PROGRAM, "--in", tmp_path / "in.pcap", "--port", "2", "--entries", case(ENTRY), "--out", out)
    assert code == 0
    assert json.loads((out / "result.json").read_text()) == {
        "schema": 1,
        "in": 4,
        "out": 2,
        "digest_only": 0,
        "drops": {"PacketTooShort": 1, "no_port": 1},
    }
    sent = [(f.time_ns, f.data.hex()) for f in pcap.read(out / "port1.pcap")]
    assert sent == [(1_000_000_000, "1099aabb"), (1_000_000_150, "1f99")]
    assert [f.data for f in pcap.read(out / "cpu0.pcap")] == [f.data for f in pcap.read(out / "port1.pcap")]
    assert pcap.read(out / "port0.pcap") == []


def test_entries_hold_only_entries(case, tmp_path):
    pcap.write(tmp_path / "in.pcap", [])
    arguments = ("packets", PROGRAM, "--in", tmp_path / "in.pcap", "--port", "0", "--out", tmp_path / "o", "--entries")
    assert call(*arguments, case("packet 0 00")) == 2
    assert call(*arguments, case("add kinds 1 kind:1 $valid:1 drop()\n" * 2)) == 1


def test_on_rtl_and_on_both(case, tmp_path, capsys):
    text = (
        ENTRY
        + """
        packet 0 1000aabb
        expect 1 1099aabb$
        expect_metadata dst_port=0x06
        expect cpu0 1099aabb$
        packet 0 20
        expect_drop PacketTooShort
        packet 2 2000
        expect_drop no_port
        check_table kinds == 1
        check_register seen_reg_raw(0) == 2
        check_counter drop.PacketTooShort == 1
        check_counter packets == 3
        refused exists add kinds 10 kind:0x1* $valid:1 drop()
        refused constant setdefault values drop()
        refused key add kinds 1 kind:0x100 $valid:1 drop()
    """
    )
    good = case(text + "check_counter table.TopPipe.kinds.hit == 1")
    assert call("case", PROGRAM, good, "--on", "rtl") == 0
    said = capsys.readouterr().out
    assert f"pass {good} on rtl: 3 packets, 9 expectations, 1 counters that it does not keep" in said
    assert call("case", PROGRAM, good, "--on", "both", "--json") == 0
    assert json.loads(capsys.readouterr().out)["cases"][0]["on"] == "both"
    bad = case(text + "check_register seen_reg_raw(0) == 3", "bad.stf")
    assert call("case", PROGRAM, bad, "--on", "rtl") == 1
    assert call("case", PROGRAM, case("packet 0"), "--on", "rtl") == 2
    assert call("case", PROGRAM, case("check_counter table.nothing.hit == 1"), "--on", "rtl") == 2
    assert call("case", PROGRAM, case("check_register seen_reg_raw(16) == 0"), "--on", "both") == 2
    pcap.write(tmp_path / "in.pcap", [pcap.Captured(0, bytes.fromhex("1000aabb"), 4)])
    arguments = ("packets", PROGRAM, "--in", tmp_path / "in.pcap", "--port", "0", "--entries", case(ENTRY), "--on")
    for target in ("model", "rtl", "both"):
        assert call(*arguments, target, "--out", tmp_path / target) == 0
    assert len({(tmp_path / target / "port1.pcap").read_bytes() for target in ("model", "rtl", "both")}) == 1
    assert "Traceback" not in capsys.readouterr().err
