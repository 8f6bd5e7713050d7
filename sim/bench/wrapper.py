# SPDX-License-Identifier: Apache-2.0
"""Packs each stream of a module into one vector, so that a test moves a beat with one integer.

A stream is a port `<prefix>valid` and all ports with that prefix: `s_axis_tvalid`, `s_axis_tdata` and so on
are the stream `s_axis`. A port `<prefix>valid` of several bits is that many streams side by side:
`s_axis_0`, `s_axis_1`. Towards the test a stream has two ports, `<stream>_beat` with `valid` as its highest
bit, and `<stream>_ready`. Everything else keeps its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from flow.elaborate import Elaborated, Port

TOP = "bench_top"


@dataclass(frozen=True)
class StreamShape:
    """One stream as the wrapper shows it: where each field lies in the beat."""

    name: str
    into_module: bool
    fields: Mapping[str, tuple[int, int]]  # name: (lowest bit, bits)
    beat_bits: int  # without the valid bit
    has_ready: bool


@dataclass(frozen=True)
class _Group:
    prefix: str
    valid: Port
    ready: Port | None
    fields: tuple[Port, ...]

    @property
    def names(self) -> list[str]:
        stem = self.prefix.removesuffix("t").rstrip("_") if "axis" in self.prefix else self.prefix.rstrip("_")
        return [stem] if self.valid.width == 1 else [f"{stem}_{i}" for i in range(self.valid.width)]


def _groups(ports: tuple[Port, ...]) -> list[_Group]:
    prefixes = {p.name.removesuffix("valid"): p for p in ports if p.name.endswith("valid") and "axil" not in p.name}

    def prefix_of(name: str) -> str | None:
        fitting = [prefix for prefix in prefixes if prefix and name.startswith(prefix)]
        return max(fitting, key=len, default=None)

    members: dict[str, list[Port]] = {prefix: [] for prefix in prefixes}
    for port in ports:
        prefix = prefix_of(port.name)
        if prefix is not None:
            members[prefix].append(port)
    groups = []
    for prefix, valid in prefixes.items():
        ready = next((p for p in members[prefix] if p.name == f"{prefix}ready"), None)
        fields = tuple(p for p in members[prefix] if p is not valid and p is not ready)
        groups.append(_Group(prefix, valid, ready, fields))
    return groups


def wrap(module: Elaborated, packed: bool = True) -> tuple[str, list[StreamShape]]:
    """The wrapper's SystemVerilog and the streams it shows (none, and every port as it is, if not `packed`)."""
    groups = _groups(module.ports) if packed else []
    grouped = {p.name for g in groups for p in (g.valid, *((g.ready,) if g.ready else ()), *g.fields)}
    declared: list[str] = []
    connected: list[str] = []
    shapes: list[StreamShape] = []
    for port in module.ports:
        if port.name not in grouped:
            direction = "input  wire logic" if port.is_input else "output logic"
            declared.append(f"{direction} [{port.width - 1}:0] {port.name}")
            connected.append(f".{port.name}({port.name})")
    for group in groups:
        count, into = group.valid.width, group.valid.is_input
        beat_bits = sum(p.width // count for p in group.fields)
        place = 0
        fields: dict[str, tuple[int, int]] = {}
        for port in group.fields:
            width = port.width // count
            fields[port.name.removeprefix(group.prefix)] = (place, width)
            slices = [f"{name}_beat[{place + width - 1}:{place}]" for name in reversed(group.names)]
            connected.append(f".{port.name}({{{', '.join(slices)}}})")
            place += width
        valids = ", ".join(f"{name}_beat[{place}]" for name in reversed(group.names))
        connected.append(f".{group.valid.name}({{{valids}}})")
        if group.ready:
            readies = ", ".join(f"{name}_ready" for name in reversed(group.names))
            connected.append(f".{group.ready.name}({{{readies}}})")
        for name in group.names:
            inward, outward = ("input  wire logic", "output logic")[:: 1 if into else -1]
            declared.append(f"{inward} [{place}:0] {name}_beat")
            if group.ready:
                declared.append(f"{outward} {name}_ready")
            shapes.append(StreamShape(name, into, fields, beat_bits, group.ready is not None))
    settings = ", ".join(f".{name}({value})" for name, value in module.parameters.items())
    text = (
        f"module {TOP} (\n  "
        + ",\n  ".join(declared)
        + f"\n);\n  {module.module} #({settings}) dut (\n    "
        + ",\n    ".join(connected)
        + "\n  );\nendmodule\n"
    )
    return text, shapes


def shapes_to_json(shapes: list[StreamShape]) -> list[dict[str, object]]:
    return [asdict(shape) for shape in shapes]
