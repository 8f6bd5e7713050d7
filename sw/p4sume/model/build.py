# SPDX-License-Identifier: Apache-2.0
"""From a P4 file to a shared library with the interface of sim/model/model_api.h.

The library is made again only when the generated source, the runtime or the compiler is another.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from p4sume.deep import run_deep
from p4sume.diagnostics import Diagnostics
from p4sume.frontend import Options, run_front_end
from p4sume.model.architecture import Architecture, architecture_of
from p4sume.model.program import Program, generate

ROOT = Path(__file__).resolve().parents[3]
RUNTIME = ROOT / "sim" / "model"
BUILD = ROOT / "build" / "p4"
SUME = Options(target="sume")
FLAGS = ("-std=c++20", "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror")


class ModelError(Exception):
    """The model could not be made; the message is for the user. `internal`: the generator's fault."""

    def __init__(self, message: str, internal: bool = False) -> None:
        super().__init__(message)
        self.internal = internal


@dataclass(frozen=True)
class Built:
    source: Path
    library: Path


def tool_environment() -> dict[str, str]:
    """As sw/flow/paths.py has it: the project's programs first, caches below build/."""
    return {
        **os.environ,
        "PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}",
        "CCACHE_DIR": str(ROOT / "build" / "cache" / "ccache"),
        "CCACHE_BASEDIR": str(ROOT),
        "CCACHE_NOHASHDIR": "1",
    }


def generate_source(
    path: Path,
    options: Options = SUME,
    make_architecture: Callable[[Program], Architecture] = architecture_of,
) -> tuple[str | None, Diagnostics]:
    """The C++ source of the model, and what there is to say about the program."""
    outcome = run_front_end(path, options)
    if not outcome.accepted or outcome.checked is None:
        return None, outcome.diagnostics
    checked = outcome.checked
    source = run_deep(lambda: generate(checked, path.stem, outcome.diagnostics, make_architecture))
    return source, outcome.diagnostics


def build_model(
    path: Path,
    options: Options = SUME,
    directory: Path | None = None,
    make_architecture: Callable[[Program], Architecture] = architecture_of,
    extra_flags: tuple[str, ...] = (),
) -> Built:
    """Raises ModelError with the diagnostics when the program is refused."""
    source, diagnostics = generate_source(path, options, make_architecture)
    if source is None:
        raise ModelError("\n".join(d.render() for d in diagnostics if d.severity == "error"))
    return compile_source(source, path.stem, directory or BUILD / path.stem, extra_flags)


def compile_source(source: str, stem: str, directory: Path, extra_flags: tuple[str, ...] = ()) -> Built:
    directory.mkdir(parents=True, exist_ok=True)
    built = Built(directory / f"{stem}_model.cpp", directory / f"lib{stem}_model.so")
    stamp = directory / f"lib{stem}_model.hash"
    digest = hashlib.sha256(f"{_runtime_hash()} {extra_flags}\n{source}".encode()).hexdigest()
    if built.library.exists() and stamp.exists() and stamp.read_text() == digest:
        return built
    _replace(built.source, source.encode())
    with tempfile.TemporaryDirectory(dir=directory) as work:
        made = Path(work) / "model.o"
        run_compiler(*extra_flags, "-I", str(RUNTIME), "-c", str(built.source), "-o", str(made))
        library = Path(work) / built.library.name
        run_compiler("-shared", "-o", str(library), str(made), str(_interface_object()))
        library.replace(built.library)
    _replace(stamp, digest.encode())
    return built


def _replace(path: Path, content: bytes) -> None:
    """Written whole or not at all, also when several processes do it."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).replace(path)


@cache
def _runtime_hash() -> str:
    digest = hashlib.sha256(" ".join(FLAGS).encode())
    for path in sorted(RUNTIME.iterdir()):
        if path.suffix in (".hpp", ".h", ".cpp"):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    version = subprocess.run(["g++", "--version"], capture_output=True, text=True, env=tool_environment())
    digest.update(version.stdout.encode())
    return digest.hexdigest()


@cache
def _interface_object() -> Path:
    """model_api.cpp, compiled once for all programs."""
    directory = ROOT / "build" / "cache" / "model"
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"model_api-{_runtime_hash()[:16]}.o"
    if not path.exists():
        with tempfile.TemporaryDirectory(dir=directory) as work:
            made = Path(work) / path.name
            run_compiler("-I", str(RUNTIME), "-c", str(RUNTIME / "model_api.cpp"), "-o", str(made))
            made.replace(path)
    return path


def run_compiler(*arguments: str) -> None:
    environment = tool_environment()
    ccache = ["ccache"] if (ROOT / ".venv" / "bin" / "ccache").exists() else []
    command = [*ccache, "g++", *FLAGS, *arguments]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)
    except FileNotFoundError as problem:
        raise ModelError(f"the C++ compiler is missing: {problem.filename}") from problem
    if ran.returncode:
        raise ModelError(f"the C++ compiler refuses the generated model:\n{ran.stderr}", internal=True)
