# SPDX-License-Identifier: Apache-2.0
"""The command line: exit codes, where output goes, JSON, options, and that no input shows a trace.

- 0 accepted (also with warnings), 1 refused, 2 usage or unreadable, 3 a bug, told without a trace
- text: FILE:LINE:COL: error: …, the line, the caret; on stderr; JSON on stdout
- -I precedes the tool's own includes, -D defines, --target chooses the rules
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from p4sume import cli, frontend

SW = Path(__file__).parents[2]


@pytest.fixture
def program(tmp_path):
    def write(text, name="program.p4"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


def test_accepted_program_is_silent(program, capsys):
    assert cli.main(["check", program("const bit<8> a = 1;\n")]) == 0
    assert capsys.readouterr() == ("", "")


def test_warning_is_shown_and_accepted(program, capsys):
    assert cli.main(["check", program("const bit<8> a = 256;\n")]) == 0
    assert ": warning: the value 256 does not fit in bit<8>" in capsys.readouterr().err


def test_error_shows_place_line_caret_and_hint(program, capsys):
    path = program("const bit<8> length = 1;\n\tconst bit<8> b = lenght;\n")
    assert cli.main(["check", path]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        f"{path}:2:19: error: the name 'lenght' is not declared [not-declared]",
        "  \tconst bit<8> b = lenght;",
        "  \t                 ^~~~~~",
        "  hint: did you mean 'length'?",
    ]


def test_json(program, capsys):
    path = program("const bit<8> a = b;\n")
    assert cli.main(["check", path, "--json"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert json.loads(out) == {
        "schema": 1,
        "accepted": False,
        "diagnostics": [
            {
                "file": path,
                "line": 1,
                "col": 18,
                "severity": "error",
                "id": "not-declared",
                "message": "the name 'b' is not declared",
                "hint": "declare it before this line, or include its declaration",
            }
        ],
    }


def test_json_of_accepted_program(program, capsys):
    assert cli.main(["check", program(""), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"schema": 1, "accepted": True, "diagnostics": []}


def test_unreadable_input(tmp_path, capsys):
    assert cli.main(["check", str(tmp_path / "missing.p4")]) == 2
    assert "cannot read" in capsys.readouterr().err
    assert cli.main(["check", str(tmp_path)]) == 2
    assert cli.main(["check", "a\0b"]) == 2


@pytest.mark.parametrize(
    "arguments", [[], ["check"], ["nothing"], ["check", "x", "-D", "1x"], ["check", "x", "--target", "z"]]
)
def test_usage(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_defines(program):
    path = program("#if WIDTH != 8 || ON != 1\n#error wrong\n#endif\nconst bit<WIDTH> a = EMPTY 1;\n")
    assert cli.main(["check", path]) == 1
    assert cli.main(["check", path, "-D", "WIDTH=8", "-D", "ON", "-D", "EMPTY="]) == 0


def test_include_directories_precede_the_tools_own(program, tmp_path):
    path = program("#include <core.p4>\nconst bit<8> a = MINE;\n")
    assert cli.main(["check", path]) == 1
    other = tmp_path / "other"
    other.mkdir()
    (other / "core.p4").write_text("const bit<8> MINE = 1;\n")
    assert cli.main(["check", path, "-I", str(tmp_path), "-I", str(other)]) == 0


def test_quoted_include_looks_beside_the_file(program, tmp_path):
    (tmp_path / "beside.p4").write_text("const bit<8> a = 1;\n")
    assert cli.main(["check", program('#include "beside.p4"\nconst bit<8> b = a;\n')]) == 0
    assert cli.main(["check", program("#include <beside.p4>\n")]) == 1


def test_error_in_included_file_points_there(program, tmp_path, capsys):
    (tmp_path / "beside.p4").write_text("\nconst bit<8> a = ;\n")
    assert cli.main(["check", program('#include "beside.p4"\n')]) == 1
    assert capsys.readouterr().err.startswith(f"{tmp_path / 'beside.p4'}:2:18: error:")


@pytest.mark.parametrize("ports", [1, 2, 4, 5, 32])
def test_sume_switch_with_any_number_of_ports(ports):
    path = str(Path(__file__).parent / "programs" / "switch" / "minimal.p4")
    assert cli.main(["check", path, "--target", "sume", "-D", f"N_PORTS={ports}"]) == 0


@pytest.mark.parametrize("ports", [0, 33])
def test_sume_switch_refuses_other_numbers_of_ports(ports):
    path = str(Path(__file__).parent / "programs" / "switch" / "minimal.p4")
    assert cli.main(["check", path, "--target", "sume", "-D", f"N_PORTS={ports}"]) == 1


def test_bytes_that_are_no_text(program, capsys):
    assert cli.main(["check", program(b"\xff\xfe\x00const")]) == 1
    assert "is not part of any P4 token" in capsys.readouterr().err


def test_byte_order_mark_and_carriage_returns(program):
    text = b"\xef\xbb\xbf#define A \\\r\n 1\r\n#if A\r\nconst bit<8> a = A; // \xe2\x80\xa6\r\n#endif\r\n"
    assert cli.main(["check", program(text)]) == 0


def test_many_errors_end(program, capsys):
    assert cli.main(["check", program("".join(f"const bit<8> a{i} = b;\n" for i in range(1000)))]) == 1
    assert capsys.readouterr().err.count("error:") == 100


def test_long_line_is_cut(program, capsys):
    assert cli.main(["check", program("const bit<8> a = " + "1 + " * 300 + "b" + " + 1" * 300 + ";\n")]) == 1
    _, line, caret, _ = capsys.readouterr().err.splitlines()
    assert len(line) < 250
    assert line[caret.index("^")] == "b"


def test_internal_error_is_no_trace(program, capsys, monkeypatch):
    def fail(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(frontend, "check", fail)
    assert cli.main(["check", program("")]) == 3
    err = capsys.readouterr().err
    assert "internal error: RuntimeError" in err
    assert "report" in err
    assert "Traceback" not in err


def test_module_runs_and_closed_output_is_no_trace(program):
    command = [sys.executable, "-m", "p4sume", "check", program("const bit<8> a = b;\n"), "--json"]
    done = subprocess.run(command, cwd=SW, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout)["accepted"] is False
    with subprocess.Popen(command, cwd=SW, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()
