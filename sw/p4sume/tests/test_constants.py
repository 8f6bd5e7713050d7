# SPDX-License-Identifier: Apache-2.0
"""Constants as a Python module: what is written and what is computed, what is left out, and that the bench's copy of
the protocol numbers is the one that is made now (`--update` makes it)."""

from pathlib import Path

from p4sume.cli import main

ROOT = Path(__file__).parents[3]
SOURCE = "hw/p4/include/protocols.p4"
COPY = ROOT / "sim" / "bench" / "packets" / "protocols.py"


def constants(text: str) -> dict[str, object]:
    found: dict[str, object] = {}
    exec(text, found)
    return {k: v for k, v in found.items() if not k.startswith("__")}


def test_numbers_as_written_and_computed(tmp_path, capsys):
    (tmp_path / "more.p4").write_text("const bit<8> FROM_ELSEWHERE = 9;\n")
    (tmp_path / "k.p4").write_text(
        '#include "more.p4"\nconst bit<16> A = 0x0A_0b;\nconst int B = 3 - 5;\nconst bit<8> C = FROM_ELSEWHERE + 250;\n'
        "const int<4> D = -8;\nconst bool E = true;\nconst bit<4> F = 4w7;\nconst bit<8> G = 0o17;\n"
    )
    assert main(["constants", str(tmp_path / "k.p4")]) == 0
    text = capsys.readouterr().out
    assert "A = 0x0A_0b\n" in text
    assert constants(text) == {"A": 0xA0B, "B": -2, "C": 3, "D": -8, "F": 7, "G": 15}


def test_a_file_with_errors_gives_no_module(tmp_path, capsys):
    (tmp_path / "k.p4").write_text("const bit<8> A = B;\n")
    assert main(["constants", str(tmp_path / "k.p4")]) == 1
    found = capsys.readouterr()
    assert found.out == "" and "k.p4:1:18: error: " in found.err


def test_the_copy_of_the_protocol_numbers_is_up_to_date(monkeypatch, capsys, update):
    monkeypatch.chdir(ROOT)
    assert main(["constants", SOURCE]) == 0
    text = capsys.readouterr().out
    if update:
        COPY.write_text(text, encoding="utf-8")
    assert COPY.read_text(encoding="utf-8") == text
