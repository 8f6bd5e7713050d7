# SPDX-License-Identifier: Apache-2.0
"""From a P4 file to a shared library: the program's RTL under Verilator, the core alone or the whole switch around it.

What was made from the same bytes is used again.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Collection, Mapping
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

RULES = HW / "regs" / "lint.vlt"
# Only the interface is visible, so that several programs can be loaded at once; a failed assertion is told, not fatal.
COMPILER = "-std=c++20 -fPIC -fvisibility=hidden -fno-gnu-unique -DVL_USER_STOP -DVL_USER_FATAL -w"


@dataclass(frozen=True)
class Harness:
    """The C++ around a module: `prefix` is the name of the class that Verilator makes and that the C++ knows."""

    name: str
    prefix: str
    sources: tuple[Path, ...]
    folders: tuple[Path, ...]  # of its headers
    optimize: tuple[str, ...]

    def files(self) -> list[Path]:
        return [*self.sources, *(file for folder in self.folders for file in sorted(folder.glob("*.h*")))]


CORE = Harness("core", "Vcore", (SIM / "p4" / "core_api.cpp",), (SIM / "p4",), ("OPT_FAST=-O1", "OPT_SLOW=-O0"))
SWITCH = Harness(
    "switch",
    "Vswitch",
    (SIM / "switch" / "switch_api.cpp", SIM / "switch" / "rtl_switch.cpp"),
    (SIM / "switch", SIM / "fabric", SIM / "p4"),
    ("OPT_FAST=-O2", "OPT_SLOW=-O0"),
)


@dataclass(frozen=True)
class BuiltRtl:
    """`folder` holds the generated files, and below `sim` what Verilator has made of them."""

    folder: Path
    library: Path
    manifest: dict[str, Any]


def build_core(
    program: Path, options: Options, builds: Path = BUILD / "sim" / "p4", top: str | None = None
) -> BuiltRtl:
    """Raises BuildError with the diagnostics if the program is refused. `top`: another module with the core's ports."""
    return _build(CORE, program, options, builds, top)


def build_switch(
    program: Path, options: Options, builds: Path = BUILD / "sim" / "switch", as_with: Collection[str] = ()
) -> BuiltRtl:
    """The whole switch. Raises BuildError like build_core, and where no switch can be made of the program.
    `as_with`: as hardware.build has it."""
    return _build(SWITCH, program, options, builds, None, as_with)


def generate(
    program: Path, options: Options, whole_switch: bool, as_with: Collection[str] = ()
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The files of a program's hardware and its manifest. Raises BuildError as build_core and build_switch do."""
    outcome = run_front_end(program, options)
    with tempfile.TemporaryDirectory() as scratch:
        made = build(outcome, program.stem, Path(scratch), as_with) if outcome.accepted else None
        if made is None:
            raise BuildError("\n".join(d.render() for d in outcome.diagnostics if d.severity == "error"))
        generated = {path.name: path.read_bytes() for path in sorted(Path(scratch).iterdir())}
    manifest: dict[str, Any] = json.loads(json.dumps(made.manifest))
    if whole_switch and "switch" not in manifest:
        raise BuildError(f"no switch can be made of {program.name}: its digest is wider than a switch takes")
    return generated, manifest


def _build(
    harness: Harness, program: Path, options: Options, builds: Path, top: str | None, as_with: Collection[str] = ()
) -> BuiltRtl:
    generated, manifest = generate(program, options, harness is SWITCH, as_with)
    top = top or str((manifest["switch"] if harness is SWITCH else manifest)["top"])
    folder = builds / program.stem / _key(harness, generated, top)
    library = folder / "sim" / f"lib{program.stem}_{harness.name}.so"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not library.is_file():
            for name, content in generated.items():
                (folder / name).write_bytes(content)
            _compile(harness, folder, library.name, top, ports_of(manifest))
    return BuiltRtl(folder, library, manifest)


def _key(harness: Harness, generated: dict[str, bytes], top: str) -> str:
    """Of all that the library is made from: generated modules, those that they instantiate, the harness, the tools'
    settings."""
    settings = (COMPILER, harness.optimize, verilator.MODEL, verilator.LINT_RULES, top)
    key = hashlib.sha256(repr(settings).encode())
    with tempfile.TemporaryDirectory() as scratch:
        for name, content in generated.items():
            if name.endswith(".sv"):
                (Path(scratch) / name).write_bytes(content)
        for path in [*closure([top], Path(scratch)), RULES, *harness.files()]:
            key.update(path.name.encode() + path.read_bytes())
    return key.hexdigest()[:16]


def ports_of(manifest: Mapping[str, Any]) -> int:
    """Wires of the switch that the program's metadata is for."""
    return sum(field["name"].startswith("nf") for field in manifest["metadata"])


def _compile(harness: Harness, folder: Path, library: str, top: str, ports: int) -> None:
    flags = " ".join([COMPILER, f"-DN_PORTS={ports}", *(f"-I{f}" for f in harness.folders)])
    arguments = [*verilator.LINT_RULES, *verilator.MODEL, "--exe", "--top-module", top]
    arguments += ["-CFLAGS", flags, "-LDFLAGS", "-shared", str(RULES)]
    arguments += [*map(str, closure([top], folder)), *map(str, harness.sources)]
    made = folder / "sim"
    made.mkdir(exist_ok=True)
    try:
        verilator.make(made, harness.prefix, library, arguments, top, harness.optimize)
    except verilator.BuildError as problem:
        raise BuildError(str(problem), internal=True) from problem
