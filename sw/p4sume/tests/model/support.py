# SPDX-License-Identifier: Apache-2.0
"""Models of test programs, compiled below build/test."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
from pathlib import Path

from p4sume.model.build import ROOT, RUNTIME, build_model, tool_environment
from p4sume.model.library import Model

PROGRAMS = Path(__file__).parent / "programs"
BUILD = ROOT / "build" / "test" / "model"
SEED = int(os.environ.get("SEED", "1"))
# Results are the same as with the optimiser, and are there sooner.
QUICK = ("-O0",)

ENVELOPE = """
#include <core.p4>
#include <sume_switch.p4>
{types}
struct digest_data_t {{ bit<256> unused; }}
struct user_metadata_t {{ bit<8> unused; }}
parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t meta, out digest_data_t digest,
                 inout sume_metadata_t sume) {{
    state start {{ {parse} }}
}}
control TopPipe(inout headers_t hdr, inout user_metadata_t meta, inout digest_data_t digest,
                inout sume_metadata_t sume) {{
    {locals}
    apply {{ {apply} }}
}}
control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t meta, inout digest_data_t digest,
                    inout sume_metadata_t sume) {{
    apply {{ b.emit(hdr); }}
}}
SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
"""


def rng(name: str) -> random.Random:
    return random.Random(f"{SEED} {name}")


def program(types: str, parse: str, locals_: str, apply: str) -> str:
    return ENVELOPE.format(types=types, parse=parse, locals=locals_, apply=apply)


def model_of_text(name: str, text: str) -> Model:
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    folder = BUILD / name / digest
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.p4"
    partial = folder / f"{name}.{os.getpid()}"
    partial.write_text(text)
    partial.replace(path)
    return Model(build_model(path, directory=folder, extra_flags=QUICK).library)


def model_of_file(name: str) -> Model:
    return Model(build_model(PROGRAMS / f"{name}.p4", directory=BUILD / name, extra_flags=QUICK).library)


def compile_driver(source: Path) -> Path:
    """A C++ test program over the headers of sim/model."""
    folder = BUILD / source.stem
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"{source.stem}.{os.getpid()}"
    command = ["ccache", "g++", "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-I", str(RUNTIME)]
    environment = tool_environment()
    subprocess.run([*command, "-c", str(source), "-o", f"{made}.o"], check=True, env=environment)
    subprocess.run(["g++", f"{made}.o", "-o", str(made)], check=True, env=environment)
    program_file = folder / source.stem
    made.replace(program_file)
    Path(f"{made}.o").unlink()
    return program_file
