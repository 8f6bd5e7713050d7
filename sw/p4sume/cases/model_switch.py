# SPDX-License-Identifier: Apache-2.0
"""From a P4 file to a shared library: the whole switch around the program's C++ model, with the interface of the one
that is made of RTL (rtl_build).

What the twins in sim/switch/model have to know of a program comes from its manifest, sizes of the modules around it
from their sources.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from flow.paths import BUILD, HW, SIM
from p4sume.cases.rtl_build import generate
from p4sume.cases.target import BuildError
from p4sume.control import sizes
from p4sume.frontend import Options
from p4sume.hardware.core import PACKET_WORDS, result_words
from p4sume.hardware.registers import EMPTY, WORD_BITS
from p4sume.model.build import ModelError, generate_source, run_compiler

TWINS = SIM / "switch" / "model"
SOURCES = (SIM / "switch" / "switch_api.cpp", TWINS / "model_switch.cpp")
FOLDERS = (TWINS, SIM / "switch", SIM / "fabric", SIM / "model")
# Only the interface is visible, so that several programs can be loaded at once.
FLAGS = ("-fvisibility=hidden", "-fno-gnu-unique", *(f"-I{folder}" for folder in FOLDERS))
KINDS = {"table_exact": "exact", "table_lpm": "lpm", "table_ternary": "ternary"}


@dataclass(frozen=True)
class BuiltModelSwitch:
    """`folder` holds the generated sources and the library."""

    folder: Path
    library: Path
    manifest: dict[str, Any]


def build_model_switch(
    program: Path, options: Options, builds: Path = BUILD / "sim" / "model_switch", as_with: Collection[str] = ()
) -> BuiltModelSwitch:
    """As build_switch, and raises BuildError like it."""
    generated, manifest = generate(program, options, True, as_with)
    try:
        source, diagnostics = generate_source(program, options)
        if source is None:
            raise BuildError("\n".join(d.render() for d in diagnostics if d.severity == "error"))
        text = facts_text(manifest, generated[f"{manifest['switch']['top']}.sv"].decode())
        written = {f"{program.stem}_model.cpp": source, f"{program.stem}_facts.cpp": text}
        folder = builds / program.stem / _key(written)
        library = folder / f"lib{program.stem}_switch.so"
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_suffix(".lock")):
            if not library.is_file():
                _compile(folder, written, library)
    except ModelError as problem:
        raise BuildError(str(problem), problem.internal) from problem
    return BuiltModelSwitch(folder, library, manifest)


def _key(written: Mapping[str, str]) -> str:
    key = hashlib.sha256(repr((FLAGS, written)).encode())
    for path in [*SOURCES, *(file for folder in FOLDERS for file in sorted(folder.glob("*.h*")))]:
        key.update(path.name.encode() + path.read_bytes())
    return key.hexdigest()[:16]


def _compile(folder: Path, written: Mapping[str, str], library: Path) -> None:
    for name, text in written.items():
        (folder / name).write_text(text)
    objects = []
    for path in [*SOURCES, *(folder / name for name in written)]:
        objects.append(str(folder / f"{path.stem}.o"))
        run_compiler(*FLAGS, "-c", str(path), "-o", objects[-1])
    partial = library.with_suffix(".partial")
    run_compiler("-shared", "-o", str(partial), *objects)
    partial.replace(library)


# ---- the facts as C++


def facts_text(manifest: Mapping[str, Any], switch_text: str) -> str:
    """`switch_text`: the generated module around the program, which sets the sizes of the queues."""
    around = manifest["switch"]
    shell = _module("switch_shell")
    waiting = result_words(manifest["latency_cycles"])
    numbers = {
        "latency_cycles": manifest["latency_cycles"],
        "header_cycles": sizes.memory_cycles(waiting) + 1,  # of pipeline_flow, from a result to its header
        "window_bytes": manifest["window_bytes"],
        "spacing_cycles": manifest["spacing_cycles"],
        "result_words": waiting,
        "packet_words": PACKET_WORDS,
        "input_words": parameter("INPUT_WORDS", switch_text),
        "output_words": parameter("OUTPUT_WORDS", switch_text),
        "max_packet_bytes": parameter("MAX_PACKET_BYTES", shell),
        "max_growth_bytes": parameter("MAX_GROWTH_BYTES", shell),
        "quantum_bytes": parameter("QUANTUM_BYTES", shell),
        "credit_words": parameter("CREDIT_WORDS", shell),
        "start_words": parameter("START_WORDS", _module("digest_insert")),
    }
    fields = [
        f".ports = {around['ports']}",
        f".registers = {_list(_register(r, 0) for r in around['registers'])}",
        f".program_registers = {_list(_register(r, around['program_base']) for r in manifest['registers'])}",
        f".tables = {_list(_table(t) for t in manifest['tables'] if t['window'])}",
        f".externs = {_list(_extern(e) for e in manifest['externs'])}",
        f".drop_reasons = {_list(map(_text, manifest['drop_reasons']))}",
        f".empty_reason = {_text(EMPTY)}",
        *(f".{name} = {number}" for name, number in numbers.items()),
    ]
    body = ",\n      ".join(fields)
    return f"""// SPDX-License-Identifier: Apache-2.0
// What the manifest of {manifest["program"]} says of its switch, written by p4sume: do not edit.
#include "facts.hpp"

const fabric::Facts& fabric::facts() {{
  static const Facts made{{
      {body}}};
  return made;
}}
"""


def parameter(name: str, text: str) -> int:
    """The default of a module's parameter."""
    found = re.search(rf"parameter int {name}\s*=\s*(\d+)", text)
    if found is None:
        raise BuildError(f"no module has a parameter {name}", internal=True)
    return int(found[1])


def _module(name: str) -> str:
    return (HW / "rtl" / "switch" / f"{name}.sv").read_text()


def _list(items: Iterable[str]) -> str:
    return "{" + ", ".join(items) + "}"


def _text(text: str) -> str:
    return json.dumps(text)


def _register(register: Mapping[str, Any], base: int) -> str:
    fields = register["fields"]
    words = max(-(-(low + width) // WORD_BITS) for _, low, width, *_ in fields)
    writable = sum((1 << width) - 1 << low for _, low, width, writes, _ in fields if writes)
    shown = _list(f"{{{_text(name)}, {low}, {width}}}" for name, low, width, *_ in fields)
    masks = ", ".join(f"{number:#x}u" for number in (register["readable"], writable, register["reset"]))
    return f"\n          {{{_text(register['name'])}, {base + register['address']:#x}, {words}, {masks}, {shown}}}"


def _table(table: Mapping[str, Any]) -> str:
    kind, size, actions = KINDS[table["module"]], table["size"], table["actions"]
    # As p4sume.control.entries has it: the action's code above the data of the longest.
    data_bits = max((sum(p["bits"] for p in a["parameters"]) for a in actions), default=0)
    code_bits = max(1, max((a["code"] for a in actions), default=0).bit_length())
    rows = sizes.exact_ways(size) * sizes.exact_rows(size) if kind == "exact" else size
    levels, leaves = (sizes.lpm_levels(size), sizes.lpm_leaves(size)) if kind == "lpm" else (0, 0)
    parts = [_text(table["name"]), _text(table["window"]), f"TableKind::{kind}", str(size), str(rows)]
    parts += [_list(str(k["bits"]) for k in table["keys"]), str(data_bits), str(code_bits + data_bits)]
    parts += [_list(_action(a) for a in actions), str(levels), str(leaves)]
    return "\n          " + _list(parts)


def _action(action: Mapping[str, Any]) -> str:
    widths = _list(str(p["bits"]) for p in action["parameters"])
    return _list((_text(action["name"]), str(action["code"]), widths))


def _extern(extern: Mapping[str, Any]) -> str:
    places = (_text(extern[name] or "") for name in ("name", "window", "settings"))
    return _list((*places, str(extern["stage"]), str(extern["sees_switch"]).lower()))
