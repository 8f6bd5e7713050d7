# SPDX-License-Identifier: Apache-2.0
"""Builds a module with parameters under Verilator and runs the cocotb tests of a file on it: one call.

    @pytest.mark.parametrize("parameters", [{"DEPTH_WORDS": 16}, {"DEPTH_WORDS": 512}], ids=str)
    def test_axis_fifo(parameters):
        runner.run("axis_fifo", parameters)

A build that has been made from the same bytes is used again. The caller's file holds the cocotb tests.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import find_libpython
from cocotb_tools import config as cocotb_config
from filelock import FileLock

from bench import verilator, wrapper
from flow.elaborate import Parameters, elaborate
from flow.paths import BUILD, tool_environment
from flow.sources import all_units, closure

BUILDS = Path(os.environ.get("BENCH_BUILDS") or BUILD / "sim")
RECORDS = BUILD / "test" / "params"
MUTANT_RULES = (
    "-Wno-fatal",
    "-Werror-USERFATAL",
)  # odd code is what a mutant is; a failed check still ends it
SIMULATION = (*verilator.MODEL, "--exe", "--vpi")
COMPILER = ("-CFLAGS", "-std=c++20 -O1")


@dataclass(frozen=True)
class Build:
    folder: Path
    module: str
    parameters: dict[str, str]

    @property
    def simulation(self) -> Path:
        return self.folder / "simulation"

    @property
    def shapes(self) -> Path:
        return self.folder / "streams.json"


def build(
    module: str,
    parameters: Parameters,
    waves: bool = False,
    sources: list[Path] | None = None,
    packed: bool = True,
) -> Build:
    """Builds `module` unless the same bytes were built before. `sources` replaces the files of the tree."""
    files = sources if sources is not None else closure([module])
    key = hashlib.sha256(
        repr((sorted(parameters.items()), waves, packed, verilator.LINT_RULES, SIMULATION, COMPILER)).encode()
    )
    for path in [*files, Path(wrapper.__file__), Path(verilator.__file__), Path(__file__)]:
        key.update(path.read_bytes())
    folder = BUILDS / module / key.hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        done = folder / "build.json"
        if not done.is_file():
            made = _make(module, parameters, files, folder, waves, packed)
            done.write_text(json.dumps(made))
        return Build(folder, module, json.loads(done.read_text()))


def _make(
    module: str, parameters: Parameters, files: list[Path], folder: Path, waves: bool, packed: bool
) -> dict[str, str]:
    elaborated = elaborate(module, parameters, files)
    text, shapes = wrapper.wrap(elaborated, packed)
    (folder / f"{wrapper.TOP}.sv").write_text(text)
    (folder / "streams.json").write_text(json.dumps(wrapper.shapes_to_json(shapes)))
    (folder / "public.vlt").write_text(f'`verilator_config\npublic_flat_rw -module "{wrapper.TOP}" -var "*"\n')
    libraries = cocotb_config.libs_dir
    rules = verilator.LINT_RULES if set(files) <= set(all_units().values()) else MUTANT_RULES
    command = [*rules, *SIMULATION, *COMPILER, "--top-module", wrapper.TOP]
    command += ["-LDFLAGS", f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"]
    command += (["--trace-fst"] if Path("/usr/include/lz4.h").exists() else ["--trace"]) if waves else []
    command += [str(cocotb_config.share_dir / "lib" / "verilator" / "verilator.cpp")]
    command += [str(folder / "public.vlt"), *map(str, files), str(folder / f"{wrapper.TOP}.sv")]
    verilator.make(folder, "Vtop", "simulation", command, f"{module} {dict(parameters)}")
    return dict(elaborated.parameters)


def refuses(module: str, parameters: Parameters, sentence: str) -> None:
    """Fails unless elaboration stops at a check of the module that says `sentence` (a regular expression)."""
    mutant = os.environ.get("MUTANT")
    files = _sources(module, mutant) or closure([module])
    command = ["verilator", "--lint-only", *(MUTANT_RULES if mutant else verilator.LINT_RULES), "--top-module", module]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    ran = subprocess.run([*command, *map(str, files)], env=tool_environment(), capture_output=True, text=True)
    said = [line for line in ran.stderr.splitlines() if "-USERFATAL:" in line]
    assert ran.returncode, f"{module} takes {dict(parameters)}"
    assert any(re.search(sentence, line) for line in said), f"{module} {dict(parameters)} says:\n{ran.stderr}"


def _sources(module: str, mutant: str | None) -> list[Path] | None:
    """The module's files with the one changed file in place of its original."""
    if not mutant:
        return None
    return [Path(mutant) if path.name == Path(mutant).name else path for path in closure([module])]


def record(built: Build) -> None:
    """Leaves a note that a test really built these parameter values; `make lint` reads the notes."""
    RECORDS.mkdir(parents=True, exist_ok=True)
    note = {"module": built.module, "parameters": built.parameters}
    (RECORDS / f"{built.module}.{built.folder.name}.json").write_text(json.dumps(note))


def run(
    module: str,
    parameters: Parameters,
    *,
    tests: str | None = None,
    only: str | None = None,
    settings: dict[str, str] | None = None,
    sources: list[Path] | None = None,
    packed: bool = True,
) -> None:
    """Builds `module` and runs the cocotb tests of the calling file (or of the file `tests`) on it.

    `only` is a regular expression that names tests; `settings` become environment variables of the run;
    `sources` are the module's files if they do not stand in hw/; without `packed` the module's own ports
    are there instead of beats, as cocotbext-axi wants them.
    WAVES=1 in the environment leaves a waveform, MUTANT=<file> runs on a changed copy of the module's file.
    """
    file = Path(tests or inspect.stack()[1].filename).resolve()
    waves = os.environ.get("WAVES", "0") not in ("", "0")
    mutant = os.environ.get("MUTANT")
    built = build(module, parameters, waves, sources or _sources(module, mutant), packed)
    if not mutant and not sources:
        record(built)
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    folder = built.folder / f"run-{file.stem}-{worker}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    seed = os.environ.get("SEED", "1")
    environment = {
        **tool_environment(),
        **(settings or {}),
        "PYTHONPATH": os.pathsep.join([str(file.parent), *sys.path]),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{find_libpython.find_libpython()};{cocotb_config.pygpi_entry_point()}",
        "COCOTB_TOPLEVEL": wrapper.TOP,
        "COCOTB_TEST_MODULES": file.stem,
        "COCOTB_RANDOM_SEED": seed,
        "COCOTB_RESULTS_FILE": str(folder / "results.xml"),
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        "TOPLEVEL_LANG": "verilog",
        "BENCH_STREAMS": str(built.shapes),
        "BENCH_PARAMETERS": json.dumps(built.parameters),
        **({"COCOTB_TEST_FILTER": only} if only else {}),
    }
    command = [str(built.simulation), f"+verilator+seed+{int(seed) % 2**31 or 1}", "+verilator+rand+reset+2"]
    if waves:
        command.append("--trace")
    with (folder / "simulation.log").open("w") as log:
        code = subprocess.run(command, cwd=folder, env=environment, stdout=log, stderr=log).returncode
    _judge(folder, code, f"SEED={seed} {module} {dict(parameters)}")
    if waves:
        [wave] = folder.glob("dump.*")
        print(f"waveform: {wave}")


def _judge(folder: Path, code: int, what: str) -> None:
    """Raises unless at least one test ran and none failed."""
    results = folder / "results.xml"
    log = folder / "simulation.log"
    if not results.is_file():
        raise AssertionError(f"{what}: the simulation ended with code {code} and no result; {log}:\n{_tail(log)}")
    cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    ran = [case for case in cases if case.find("skipped") is None]
    failed = [case for case in ran if case.find("failure") is not None or case.find("error") is not None]
    names = ", ".join(str(case.get("name")) for case in failed)
    if failed:
        raise AssertionError(f"{what}: {len(failed)} of {len(ran)} cocotb tests failed: {names}\n{log}:\n{_tail(log)}")
    if not ran or code:
        raise AssertionError(f"{what}: {len(ran)} tests ran, exit code {code}; {log}:\n{_tail(log)}")
    print(f"{what}: {len(ran)} cocotb tests passed")


def _tail(log: Path, lines: int = 60) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
