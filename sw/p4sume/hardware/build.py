# SPDX-License-Identifier: Apache-2.0
"""A checked program to a folder of hardware: the steps of the back end in order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from p4sume.frontend import Outcome
from p4sume.hardware import graph as g
from p4sume.hardware import hula_engines, registers, switch, wrapper
from p4sume.hardware.blocks import (
    DATA_BYTES,
    extern_parameters,
    has_probes,
    has_window,
    spacing_cycles,
    table_latency,
    table_module,
)
from p4sume.hardware.core import Bundle, CoreText
from p4sume.hardware.limits import problems
from p4sume.hardware.lowering import lower
from p4sume.hardware.names import legal
from p4sume.hardware.passes import run as run_passes
from p4sume.hardware.register_page import page
from p4sume.hardware.report import schedule_text
from p4sume.hardware.schedule import Schedule, check, schedule
from p4sume.hardware.verilog import PipelineWriter

REGISTER_SOURCES = Path(__file__).resolve().parents[3] / "hw" / "regs"

SHELL_CYCLES = 3  # of pipeline_shell, behind window and pipeline


@dataclass(frozen=True)
class Built:
    folder: Path
    manifest: dict[str, object]
    schedule: Schedule


def build(outcome: Outcome, program: str, folder: Path, as_with: Collection[str] = ()) -> Built | None:
    """Writes the hardware of a program into `folder`; None if it cannot be built (the diagnostics say why).

    `as_with`: what stands around the pipeline is made as if the program had externs of these kinds, too.
    """
    assert outcome.checked is not None
    name = legal(program)
    lowered = lower(outcome.checked, outcome.diagnostics, name)
    if lowered is None:
        return None
    refused = problems(lowered.graph)
    for problem in refused:
        assert problem.span is not None
        outcome.diagnostics.error(problem.id, problem.span, problem.message, problem.hint)
    if refused:
        return None
    made = schedule(run_passes(lowered.graph), table_latency)
    check(made)
    folder.mkdir(parents=True, exist_ok=True)
    pipeline = PipelineWriter(made, f"{name}_pipeline").text()
    program_hash = hashlib.sha256(pipeline.encode()).hexdigest()
    graph = made.graph
    tables = [n.table for n in graph.nodes if isinstance(n, g.Lookup)]
    externs = [n.extern for n in graph.nodes if isinstance(n, g.Invoke)]
    kinds = {*(e.kind for e in externs), *as_with}

    rdl = folder / f"{name}.rdl"
    rdl.write_text(registers.rdl_text(name, tables, externs, (*lowered.possible_drops, registers.EMPTY), program_hash))
    try:
        root = registers.elaborate_window(rdl, REGISTER_SOURCES)
    except registers.WindowTooSmallError as problem:
        outcome.diagnostics.error(
            "too-many-registers", outcome.checked.program.span, str(problem), "use fewer tables, or narrower keys"
        )
        return None
    block = registers.write_register_block(root, folder, f"{name}_regs", wrapper.ADDRESS_BITS)
    files = [p.name for p in block]

    metadata = tuple((n.port, n.result.width) for n in graph.nodes if isinstance(n, g.Input) and "." in n.port)
    wire = tuple((port, v.width) for port, v in graph.outputs.items() if port == "digest_data" or "." in port)
    result = Bundle(tuple(sorted(wire, key=lambda field: field[0] != "digest_data")))
    shifts = frozenset(growth % DATA_BYTES for growth in lowered.growth or (0,))  # of no packet that passes, any
    spacing = spacing_cycles(kinds)
    core = CoreText(made, Bundle(metadata), result, shifts, lowered.drop_reasons, lowered.possible_drops, spacing)
    for extern in externs:
        seen = extern_parameters(extern).get("PORTS") if hula_engines.sidebands(extern) else None
        if seen is not None and switch.metadata_bits_of(seen) != core.metadata.width:
            assert extern.span is not None
            outcome.diagnostics.error(
                "sideband-ports",
                extern.span,
                f"'{extern.name}' is for {seen} ports, and the switch has another number of them",
                "give its result a bit, or 8 of utilisation, for each port that sume_metadata_t knows",
            )
            return None
    texts = [(f"{name}_pipeline", pipeline), (f"{name}_core", core.text())]
    if wrapper.fits(core.metadata.width, result.width - core.metadata.width):
        reason_bits = graph.outputs["drop_reason"].width
        texts.append((wrapper.MODULE, wrapper.wrapper_text(name, f"{name}_core", reason_bits, core.sidebands())))
    else:
        (folder / f"{wrapper.MODULE}.sv").unlink(missing_ok=True)  # of another program that stood here
    for stem, text in texts:
        (folder / f"{stem}.sv").write_text(text)
        files.append(f"{stem}.sv")
    manifest: dict[str, object] = {
        "schema": 1,
        "program": name,
        "hash": program_hash[:32],
        "top": f"{name}_core",
        "latency_cycles": made.latency,
        "first_beat_cycles": first_beat_cycles(made),
        "window_bytes": graph.window_bytes,
        "spacing_cycles": spacing,
        "header_bytes": graph.header_bytes,
        "drop_reasons": lowered.drop_reasons,
        "possible_drops": lowered.possible_drops,
        "metadata": [{"name": port.partition(".")[2], "bits": bits} for port, bits in metadata],
        "digest": [{"name": field, "bits": bits} for field, bits in lowered.digest],
        "tables": [*(_table(t, legal(t.name)) for t in tables), *(_table(t, None) for t in lowered.fixed_tables)],
        "externs": [_extern(n.extern, made.stage_of[n]) for n in graph.nodes if isinstance(n, g.Invoke)],
        "registers": registers.register_map(root),
        "files": files,
    }
    around = _switch(name, core, graph.outputs["drop_reason"].width, has_probes(kinds), folder)
    if around is not None:
        manifest["switch"] = around
    (folder / "registers.html").write_text(page(manifest))
    (folder / "schedule.txt").write_text(schedule_text(made))
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return Built(folder, manifest, made)


def _switch(name: str, core: CoreText, reason_bits: int, probes: bool, folder: Path) -> dict[str, object] | None:
    """Writes the whole switch beside the core; None where the digest is wider than a switch takes."""
    digest_bits = core.result.width - core.metadata.width
    ports = switch.ports_of(core.metadata.width, digest_bits)
    if ports is None:
        return None
    settings = registers.elaborate(
        REGISTER_SOURCES / "switch.rdl",
        REGISTER_SOURCES,
        N_PORTS=ports,
        VERSION=switch.REGISTERS_VERSION,
        HAS_PROBES=probes,
    )
    counters = registers.elaborate_window(REGISTER_SOURCES / "switch_counters.rdl", REGISTER_SOURCES, N_PORTS=ports)
    blocks = [
        *registers.write_register_block(settings, folder, switch.registers_module(name), switch.ADDRESS_BITS),
        *registers.write_register_block(counters, folder, switch.counters_module(name), registers.WINDOW_BITS),
    ]
    top = f"{name}_switch"
    text = switch.switch_text(name, ports, core.metadata.width, digest_bits, reason_bits, core.sidebands(), probes)
    (folder / f"{top}.sv").write_text(text)
    return {
        "top": top,
        "ports": ports,
        "program_base": switch.PROGRAM_BASE,
        "registers": [
            *registers.register_map(settings),
            *registers.register_map(counters, switch.COUNTERS_BASE),
        ],
        "files": [*(p.name for p in blocks), f"{top}.sv"],
    }


def first_beat_cycles(made: Schedule) -> int:
    """From a packet's first beat in to its first beat out, of one that fills the window and meets no other."""
    return -(-made.graph.window_bytes // DATA_BYTES) + made.latency + SHELL_CYCLES


def _table(table: g.Table, window: str | None) -> dict[str, object]:
    """`window`: its registers; None where the table is logic of the pipeline and cannot be changed."""
    of_hardware = {"module": table_module(table), "latency_cycles": table_latency(table)} if window else {}
    return {
        "name": table.name,
        "window": window,
        **of_hardware,
        "size": table.size,
        "keys": [{"name": k.name, "bits": k.width, "match_kind": k.match_kind} for k in table.keys],
        "actions": [
            {
                "name": a.name,
                "code": a.code,
                "parameters": [{"name": n, "bits": w} for n, w in a.parameters],
                "in_entries": a.in_entries,
                "as_default": a.as_default,
            }
            for a in table.actions
        ],
        "default_action": table.default_action,
        "default_is_const": table.default_is_const,
    }


def _extern(extern: g.Extern, stage: int) -> dict[str, object]:
    """`window`: its registers, and `settings`: the group of those that configure it; None where it has none. `stage`:
    cycles from a packet's window to its request. `sees_switch`: what it says is not of packets alone."""
    name = legal(extern.instance)
    return {
        "name": extern.name,
        "kind": extern.kind,
        "instance": name,
        "stage": stage,
        "sees_switch": bool(hula_engines.sidebands(extern)),
        "window": name if has_window(extern) else None,
        "settings": registers.settings_window(extern) if hula_engines.settings(extern) else None,
    }
