# SPDX-License-Identifier: Apache-2.0
"""Runs every checker over the tree; each line of output is a checker and whether it was silent."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

from pyslang import driver

from flow import tree
from flow.paths import BUILD, HW, ROOT, VENV_BIN, tool_environment
from flow.sources import all_modules, closure
from flow.synth import bounds

# `make test` runs the tests that build with other parameters under the same -Wall; here the defaults.
VERILATOR = ("--lint-only", "-Wall", "-Werror-USERFATAL")
# A cast that is useless for one parameter set is needed for another.
SLANG = "slang -Wextra -Wpedantic -Wconversion -Wunused -Wunnamed-generate -Wno-useless-cast"


def _program(*command: str) -> str:
    """What the program says if it is not content, else nothing."""
    ran = subprocess.run(command, cwd=ROOT, env=tool_environment(), capture_output=True, text=True)
    return (ran.stdout + ran.stderr).strip() or f"exit code {ran.returncode}" if ran.returncode else ""


def _settings() -> list[tuple[str, dict[str, int]]]:
    """Every module with its defaults, and with every parameter set for which it has a bound."""
    return [(m, {}) for m in all_modules() if not m.endswith("_formal")] + [(b.module, b.params) for b in bounds()]


def verilator() -> str:
    said = []
    for module, params in _settings():
        files = [str(p.relative_to(ROOT)) for p in closure([module])]
        given = [f"-G{name}={value}" for name, value in params.items()]
        said.append(_program("verilator", *VERILATOR, "--top-module", module, *given, *files))
    return "\n".join(filter(None, said))


def slang() -> str:
    said = []
    for module, params in _settings():
        files = " ".join(str(p) for p in closure([module]))
        given = " ".join(f"-G{name}={value}" for name, value in params.items())
        said.append(_slang(f"{SLANG} --top {module} {given} {files}"))
    return "\n".join(filter(None, said))


def generated() -> str:
    """Verilator and slang on the hardware of every program of hw/p4; only the registers' files, which PeakRDL writes,
    have waivers."""
    said = []
    for program in sorted((HW / "p4").glob("*.p4")):
        folder = BUILD / "lint" / "p4" / program.stem
        said.append(_program(str(VENV_BIN / "p4sume"), "compile", str(program), "--out", str(folder)))
        if said[-1]:
            continue
        top = "nf_sume_sdnet" if (folder / "nf_sume_sdnet.sv").exists() else f"{program.stem}_core"
        files = [str(p.relative_to(ROOT)) for p in closure([top], folder)]
        waivers = str(HW / "regs" / "lint.vlt")
        said.append(_program("verilator", *VERILATOR, "--top-module", top, waivers, *files))
        said.append(_slang(f"{SLANG} --suppress-warnings {folder}/*_regs*.sv --top {top} {' '.join(files)}"))
    return "\n".join(filter(None, said))


def _slang(script: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "flow.lint", "--slang", script], cwd=ROOT, capture_output=True, text=True
    )
    return ran.stderr.strip() if ran.returncode or "warning:" in ran.stderr else ""


def run_slang(script: str) -> int:
    """slang in a process of its own, since it writes its findings to standard error itself."""
    run = driver.Driver()
    run.addStandardArgs()
    if not (run.parseCommandLine(script) and run.processOptions() and run.parseAllSources()):
        return 1
    compilation = run.createCompilation()
    run.reportCompilation(compilation, True)
    return 0 if run.reportDiagnostics(True) else 1


def clang_format() -> str:
    files = [str(p) for p in tree.tracked(ROOT) if p.suffix in (".cpp", ".hpp")]
    return _program(str(VENV_BIN / "clang-format"), "--dry-run", "--Werror", *files) if files else ""


def mypy() -> str:
    packages = ["sw/flow", "sw/driver", "sim/bench"]
    packages += ["sw/p4sume"] if list((ROOT / "sw" / "p4sume").glob("*.py")) else []
    packages += [str(p) for p in sorted((ROOT / "sim" / "fabric").glob("*.py")) if not p.name.startswith("test_")]
    return _program(str(VENV_BIN / "mypy"), "--no-error-summary", *packages)


CHECKS: dict[str, Callable[[], str]] = {
    "verilator -Wall": verilator,
    "slang": slang,
    "generated hardware": generated,
    "ruff check": lambda: _program(str(VENV_BIN / "ruff"), "check", "--quiet", "."),
    "ruff format": lambda: _program(str(VENV_BIN / "ruff"), "format", "--quiet", "--diff", "."),
    "mypy --strict": mypy,
    "clang-format": clang_format,
    "rules of the tree": lambda: "\n".join(
        [*tree.check(ROOT), *tree.parameters_with_one_value(tree.read_parameter_record() or {})]
    ),
}


def main() -> int:
    if sys.argv[1:2] == ["--slang"]:
        return run_slang(sys.argv[2])
    failed = 0
    for name, check in CHECKS.items():
        begun = time.monotonic()
        said = check()
        print(f"{'FAILED' if said else 'silent':7} {name}  ({time.monotonic() - begun:.1f} s)", flush=True)
        if said:
            failed += 1
            print(said, flush=True)
    print(f"lint: {len(CHECKS) - failed} of {len(CHECKS)} checkers silent")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
