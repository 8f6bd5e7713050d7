# SPDX-License-Identifier: Apache-2.0
"""The switch's registers by name, from hw/regs alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from peakrdl_regblock import RegblockExporter
from peakrdl_regblock.cpuif.axi4lite import AXI4Lite_Cpuif_flattened
from peakrdl_regblock.udps import ALL_UDPS
from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddressableNode, RegNode, RootNode

from flow.paths import HW

SOURCE = HW / "regs" / "switch.rdl"


@dataclass(frozen=True)
class Register:
    address: int
    bits: int
    description: str
    writable: int  # which bits keep what is written
    reset: int


def elaborate(ports: int, version: int = 0) -> RootNode:
    compiler = RDLCompiler()
    for udp in ALL_UDPS:
        compiler.register_udp(udp)
    compiler.compile_file(str(SOURCE), incl_search_paths=[str(SOURCE.parent)])
    parameters = {"N_PORTS": ports, "VERSION": version}
    return compiler.elaborate(top_def_name="switch", parameters=parameters)


def registers(root: RootNode) -> dict[str, Register]:
    """Every register by its path, `port[1].control`."""
    found: dict[str, Register] = {}

    def walk(node: AddressableNode, path: str) -> None:
        for child in node.children(unroll=True):
            if not isinstance(child, AddressableNode):
                continue
            index = f"[{child.current_idx[0]}]" if child.current_idx else ""
            name = f"{path}.{child.inst_name}{index}" if path else f"{child.inst_name}{index}"
            if not isinstance(child, RegNode):
                walk(child, name)
                continue
            writable = reset = 0
            for field in child.fields():
                mask = (1 << field.width) - 1 << field.low
                writable |= mask if field.is_sw_writable and field.is_sw_readable else 0
                reset |= (field.get_property("reset") or 0) << field.low
            bits = child.get_property("regwidth")
            found[name] = Register(child.absolute_address, bits, child.get_property("desc") or "", writable, reset)

    walk(root.top, "")
    return found


def write_block(root: RootNode, folder: Path) -> list[Path]:
    """The register block as PeakRDL makes it."""
    RegblockExporter().export(
        root.top,
        str(folder),
        cpuif_cls=AXI4Lite_Cpuif_flattened,
        module_name="switch_regs",
        package_name="switch_regs_pkg",
        err_if_bad_addr=True,
    )
    return [folder / "switch_regs_pkg.sv", folder / "switch_regs.sv"]
