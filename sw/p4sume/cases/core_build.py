# SPDX-License-Identifier: Apache-2.0
"""From a P4 file to a shared library with the interface of sim/p4/core_api.h: the program's RTL under Verilator.

What was made from the same bytes is used again.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from bench import verilator
from flow.paths import BUILD, HW, SIM
from flow.sources import closure
from p4sume.cases.target import BuildError
from p4sume.frontend import Options, run_front_end
from p4sume.hardware.build import build

HARNESS = SIM / "p4"
RULES = HW / "regs" / "lint.vlt"
PREFIX = "Vcore"  # the class that sim/p4/core.hpp knows
# Only the interface is visible, so that several programs can be loaded at once; a failed assertion is told, not fatal.
COMPILER = f"-std=c++20 -fPIC -fvisibility=hidden -fno-gnu-unique -DVL_USER_STOP -DVL_USER_FATAL -w -I{HARNESS}"
OPTIMIZE = ("OPT_FAST=-O1", "OPT_SLOW=-O0")


@dataclass(frozen=True)
class Core:
    """`folder` holds the generated files, and below `sim` what Verilator has made of them."""

    folder: Path
    library: Path
    manifest: dict[str, Any]


def build_core(program: Path, options: Options, builds: Path = BUILD / "sim" / "p4", top: str | None = None) -> Core:
    """Raises BuildError with the diagnostics if the program is refused. `top`: another module with the core's ports."""
    outcome = run_front_end(program, options)
    with tempfile.TemporaryDirectory() as scratch:
        made = build(outcome, program.stem, Path(scratch)) if outcome.accepted else None
        if made is None:
            raise BuildError("\n".join(d.render() for d in outcome.diagnostics if d.severity == "error"))
        generated = {path.name: path.read_bytes() for path in sorted(Path(scratch).iterdir())}
    folder = builds / program.stem / _key(generated, str(made.manifest["top"]), top)
    library = folder / "sim" / f"lib{program.stem}_core.so"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not library.is_file():
            for name, content in generated.items():
                (folder / name).write_bytes(content)
            _compile(folder, library.name, top or str(made.manifest["top"]))
    return Core(folder, library, json.loads(json.dumps(made.manifest)))


def _key(generated: dict[str, bytes], core: str, top: str | None) -> str:
    """Of all that the library is made from: generated modules, those that they instantiate, the harness, the tools'
    settings."""
    key = hashlib.sha256(repr((COMPILER, OPTIMIZE, verilator.MODEL, verilator.LINT_RULES, top)).encode())
    with tempfile.TemporaryDirectory() as scratch:
        for name, content in generated.items():
            if name.endswith(".sv"):
                (Path(scratch) / name).write_bytes(content)
        files = closure([core], Path(scratch))
        for path in [*files, RULES, *sorted(HARNESS.glob("core*"))]:
            key.update(path.name.encode() + path.read_bytes())
    return key.hexdigest()[:16]


def _compile(folder: Path, library: str, top: str) -> None:
    arguments = [*verilator.LINT_RULES, *verilator.MODEL, "--exe", "--top-module", top]
    arguments += ["-CFLAGS", COMPILER, "-LDFLAGS", "-shared", str(RULES)]
    arguments += [*map(str, closure([top], folder)), str(HARNESS / "core_api.cpp")]
    made = folder / "sim"
    made.mkdir(exist_ok=True)
    try:
        verilator.make(made, PREFIX, library, arguments, top, OPTIMIZE)
    except verilator.BuildError as problem:
        raise BuildError(str(problem), internal=True) from problem
